// SPDX-License-Identifier: Apache-2.0
#include "report/plot/plot_axes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fedrk::io {
namespace {

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  bool zero = false;

  bool empty() const { return low > high; }
  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  void add_for_log(double value) {
    if (value > 0.0) add(value);
    if (value == 0.0) zero = true;
  }
};

}  // namespace

bool drawable(const LinePlot& plot, const Point& point) {
  return std::isfinite(point.x) && std::isfinite(point.y) && !(plot.log_x && point.x <= 0.0) &&
         !(plot.log_y && point.y < 0.0);
}

bool drawable(const LinePlot& plot, const Marker& marker) {
  return std::isfinite(marker.x) && !(plot.log_x && marker.x <= 0.0);
}

Axis x_axis(const LinePlot& plot) {
  constexpr int kMostTicks = 8;
  Range range;
  for (const Series& series : plot.series) {
    for (const Point& point : series.points) {
      if (drawable(plot, point)) range.add(point.x);
    }
  }
  for (const Marker& marker : plot.markers) {
    if (drawable(plot, marker)) range.add(marker.x);
  }
  if (plot.log_x) return Axis::logarithmic_within(range.low, range.high, kMostTicks);
  if (range.low > 0.0 && range.low < 0.1 * range.high) range.low = 0.0;
  if (plot.whole_x && range.low == range.high) return Axis::linear(range.low - 1.0, range.low + 1.0, kMostTicks, true);
  return Axis::linear(range.low, range.high, kMostTicks, plot.whole_x);
}

Axis y_axis(const LinePlot& plot) {
  Range range;
  const auto add = [&](double y) { plot.log_y ? range.add_for_log(y) : range.add(y); };
  for (const Series& series : plot.series) {
    for (const Point& point : series.points) {
      if (drawable(plot, point)) add(point.y);
    }
    // Stems are compared by their lengths, which begin at zero.
    if (series.mark == Mark::Stems && !plot.log_y) add(0.0);
  }
  for (const Level& level : plot.levels) {
    if (!std::isfinite(level.y)) continue;
    add(level.y);
    if (plot.log_y && level.y > 1e-300) add(0.9 * level.y);  // or it would lie on the frame when it is a power of ten
  }
  const int most_ticks = std::max(2, static_cast<int>(plot.height / 45.0));
  if (!plot.log_y) return Axis::linear_to_ticks(range.low, range.high, most_ticks);
  if (range.empty()) return Axis::logarithmic(0.1, 1.0, most_ticks, true);  // nothing but zeros
  return Axis::logarithmic(range.low, range.high, most_ticks, range.zero);
}

}  // namespace fedrk::io
