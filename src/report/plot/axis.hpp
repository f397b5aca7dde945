// SPDX-License-Identifier: Apache-2.0
#pragma once

// An axis maps values to 0..1 along its length and names the places worth a label.

#include <string>
#include <vector>

#include "report/plot/svg_plot.hpp"

namespace fedrk::io {

struct Tick {
  double place = 0.0;  // 0..1 along the axis
  std::string label;   // empty: a faint line only
};

class Axis {
 public:
  /// From `low` to `high` exactly, with ticks at round numbers between them; at whole numbers only when `whole`.
  static Axis linear(double low, double high, int max_ticks, bool whole);

  /// As above, widened to the next ticks on both sides.
  static Axis linear_to_ticks(double low, double high, int max_ticks);

  /// Whole decades, 10⁻³ and so on; where the values span little more than one, steps of 1, 2, 5 instead. `with_zero`
  /// sets a place for 0 apart at the low end, as no logarithm has one.
  /// REQUIRES: 0 < low <= high.
  static Axis logarithmic(double low, double high, int max_ticks, bool with_zero);

  /// From `low` to `high` exactly: labels at decades, or where there are few at 1, 2, 5 or at round numbers.
  /// REQUIRES: 0 < low <= high.
  static Axis logarithmic_within(double low, double high, int max_ticks);

  /// Values beyond the ends are put at the ends.
  double place(double value) const;

  const std::vector<Tick>& ticks() const { return ticks_; }

 private:
  void add_decades(int first, int last, int max_ticks);
  void add_linear_ticks(double step);
  void add_decades_within(int max_ticks);
  void add_round_numbers_within(int max_ticks);
  bool holds(double coordinate) const;
  void add_tick(double coordinate, std::string label);

  bool logarithmic_ = false;
  double low_ = 0.0;  // in coordinates: the values, or their decimal logarithms
  double high_ = 1.0;
  std::vector<Tick> ticks_;
};

// The axes of a line plot, chosen so that all that can be drawn is between their ends.

/// Whether the point has a place on the scales of the plot; else it is a gap.
bool drawable(const LinePlot& plot, const Point& point);

/// Likewise for a marker.
bool drawable(const LinePlot& plot, const Marker& marker);

/// REQUIRES: a point of the plot is drawable.
Axis x_axis(const LinePlot& plot);
Axis y_axis(const LinePlot& plot);

}  // namespace fedrk::io
