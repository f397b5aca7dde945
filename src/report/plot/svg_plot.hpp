// SPDX-License-Identifier: Apache-2.0
#pragma once

// Plots as SVG elements that stand inside a page. Their colours are CSS classes, so that the same plot suits light,
// dark and paper: the page has to include `kPlotStyle` of report_style.hpp.
//
// Eight series differ in colour and in dashes, and where there are many also in the shapes along them, so they can be
// told apart in black and white. A page may hold any number of plots. Labels may contain anything; they are escaped
// here. standalone_svg.hpp makes files of plots.

#include <cstddef>
#include <string>
#include <vector>

namespace fedrk::io {

struct Point {
  double x = 0.0;
  double y = 0.0;  // not finite: a gap in the line
};

enum class Mark {
  Line,    // points in order, connected
  Points,  // not connected
  Stems,   // each on a thin upright line from the bottom: counts of many entries
};

struct Series {
  std::string label{};
  std::vector<Point> points{};
  bool thin = false;  // a companion rather than the subject
  Mark mark = Mark::Line;
};

/// A horizontal line across the plot, named in the legend.
struct Level {
  std::string label{};
  double y = 0.0;
  bool dashed = true;  // a limit that was asked for; else dotted: a thing observed
};

/// A vertical line, named above it.
struct Marker {
  std::string label{};
  double x = 0.0;
};

struct LinePlot {
  std::string title{};  // for screen readers and as a tooltip
  std::string x_label{};
  std::string y_label{};
  bool log_y = true;   // zeros get a place of their own below; negative values are gaps
  bool log_x = false;  // values that are not positive are gaps
  bool whole_x = true;
  std::vector<Series> series{};
  std::vector<Level> levels{};
  std::vector<Marker> markers{};
  double height = 340.0;
};

/// The plot; empty when there is no point to draw. Long series are thinned.
std::string svg(const LinePlot& plot);

/// About `most` of the points: the least and the greatest of each stretch, so that spikes stay visible, the gaps, and
/// both ends.
std::vector<Point> thin_out(const std::vector<Point>& points, std::size_t most);

struct Bar {
  std::string label{};
  double value = 0.0;
  std::vector<std::string> cells{};  // one per column
  bool highlighted = true;
};

/// Horizontal bars from a common zero, to the left of it where values are negative, with columns of text behind them.
struct BarChart {
  std::string title{};
  std::string label_header{};
  std::vector<std::string> columns{};
  std::vector<Bar> bars{};
};

/// The chart; empty when there are no bars.
std::string svg(const BarChart& chart);

}  // namespace fedrk::io
