// SPDX-License-Identifier: Apache-2.0
#pragma once

// What tells the series of a plot apart, classes for colour and dashes (report_style.hpp) and shapes for points; and
// the text above it: the legend, and below it the names of the markers.

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "report/plot/svg_plot.hpp"

namespace fedrk::io {

inline constexpr double kPlotWidth = 880.0;
inline constexpr double kPlotFont = 13.0;

/// With more series than this, dashes alone do not tell them apart, and shapes stand along the lines.
inline constexpr std::size_t kFewSeries = 4;

/// Heads of more stems than this would hide one another.
inline constexpr std::size_t kFewStems = 150;

struct LegendEntry {
  std::string label{};
  std::string line{};                  // classes; empty: no line
  std::optional<std::size_t> shape{};  // that of this series
  bool upright = false;                // the line is a stem
  double x = 0.0;
  double y = 0.0;  // of the line
};

/// The entries in as many rows as they need, the first at `left`.
std::vector<LegendEntry> lay_out_legend(const LinePlot& plot, double left);
std::string drawn(const std::vector<LegendEntry>& legend);

struct MarkerLabel {
  std::string text{};
  double x = 0.0;  // of the line
  double left = 0.0;
  double right = 0.0;
  std::size_t row = 0;  // from the plot upwards
};

/// The names in as many rows as they need, given where a value is across the picture.
std::vector<MarkerLabel> lay_out_markers(const LinePlot& plot, const std::function<double(double)>& across);
double height_of(const std::vector<MarkerLabel>& markers);

/// Names above `top`, lines down to `bottom`.
std::string drawn(const std::vector<MarkerLabel>& markers, double top, double bottom);

/// The classes of the line of series `index`, counted from 0; the ninth looks like the first.
std::string line_class(const Series& series, std::size_t index);
std::string line_class(const Level& level);

/// A stem's: dashes would make its length hard to see.
std::string stem_class(std::size_t index);

/// A dot of the series' colour.
std::string dot(std::size_t index, double x, double y);

/// A shape of its own for each series: disc, square, triangle, diamond, ring, frame, cross, plus.
std::string shape(std::size_t index, double x, double y);

}  // namespace fedrk::io
