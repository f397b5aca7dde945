// SPDX-License-Identifier: Apache-2.0
#include "report/plot/axis.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "fedrk/contracts.hpp"
#include "report/page_text.hpp"

namespace fedrk::io {
namespace {

constexpr double kSlack = 1e-9;       // log10(0.001) is not quite -3, and 0.3 / 0.1 is not quite 3
constexpr double kMaxLinear = 1e300;  // so that high - low stays a number

double nice_step(double rough) {
  const double decade = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (rough <= factor * decade * (1.0 + kSlack)) return factor * decade;
  }
  return 10.0 * decade;
}

// One value alone gets a neighbourhood.
std::pair<double, double> with_room(double low, double high) {
  low = std::clamp(low, -kMaxLinear, kMaxLinear);
  high = std::clamp(high, -kMaxLinear, kMaxLinear);
  const double min_span = std::max(1e-6 * std::max(std::abs(low), std::abs(high)), 1e-290);
  if (high - low > min_span) return {low, high};
  const double room = low == 0.0 ? 1.0 : std::abs(low);
  return {low - room, high + room};
}

std::string linear_label(double value, double step) {
  if (std::abs(value) < step / 2) return "0";
  const double size = std::abs(value);
  if (size >= 1e7 || step < 1e-4) return short_number(value, 3);
  const std::string_view sign = value < 0.0 ? "\u2212" : "";
  if (step > 1.0 - kSlack)
    return fmt::format("{}{}", sign, short_count(static_cast<std::uint64_t>(std::llround(size))));
  return fmt::format("{}{:.{}f}", sign, size, static_cast<int>(std::ceil(-std::log10(step) - kSlack)));
}

// The logarithms of 1, 2 and 5 times the powers of ten between `low` and `high`, and of the next on either side.
std::vector<double> one_two_five(double low, double high) {
  std::vector<double> marks;
  for (int decade = static_cast<int>(std::floor(low)) - 1; decade <= static_cast<int>(std::ceil(high)) + 1; ++decade) {
    for (const double digit : {1.0, 2.0, 5.0}) marks.push_back(decade + std::log10(digit));
  }
  const auto above = std::ranges::lower_bound(marks, high - kSlack);
  auto below = std::prev(std::ranges::upper_bound(marks, low + kSlack));
  if (below == above) --below;
  return {below, std::next(above)};
}

std::string mark_label(double mark) {
  const int decade = static_cast<int>(std::floor(mark + kSlack));
  const int digit = static_cast<int>(std::round(std::pow(10.0, mark - decade)));
  if (std::abs(decade) <= 3) return fmt::format("{:g}", digit * std::pow(10.0, decade));
  return digit == 1 ? power_of_ten(decade) : fmt::format("{}×{}", digit, power_of_ten(decade));
}

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

Axis Axis::linear(double low, double high, int max_ticks, bool whole) {
  Axis axis;
  std::tie(axis.low_, axis.high_) = with_room(low, high);
  const double step = nice_step((axis.high_ - axis.low_) / max_ticks);
  axis.add_linear_ticks(whole ? std::max(step, 1.0) : step);
  return axis;
}

Axis Axis::linear_to_ticks(double low, double high, int max_ticks) {
  Axis axis;
  std::tie(axis.low_, axis.high_) = with_room(low, high);
  const double step = nice_step((axis.high_ - axis.low_) / max_ticks);
  axis.low_ = std::floor(axis.low_ / step + kSlack) * step;
  axis.high_ = std::ceil(axis.high_ / step - kSlack) * step;
  axis.add_linear_ticks(step);
  return axis;
}

Axis Axis::logarithmic(double low, double high, int max_ticks, bool with_zero) {
  FEDRK_EXPECTS(0.0 < low && low <= high);
  const double log_low = std::log10(low);
  const double log_high = std::log10(high);
  const bool narrow = log_high - log_low < 1.3;
  const int first = static_cast<int>(std::floor(log_low + kSlack));
  const int last = static_cast<int>(std::ceil(log_high - kSlack));
  const std::vector<double> marks = one_two_five(log_low, log_high);
  Axis axis;
  axis.logarithmic_ = true;
  axis.low_ = narrow ? marks.front() : first;
  axis.high_ = narrow ? marks.back() : last;
  if (with_zero) {
    axis.low_ -= 0.1 * (axis.high_ - axis.low_);
    axis.ticks_.push_back({0.0, "0"});
  }
  if (narrow) {
    for (const double mark : marks) axis.add_tick(mark, mark_label(mark));
  } else {
    axis.add_decades(first, last, max_ticks);
  }
  return axis;
}

Axis Axis::logarithmic_within(double low, double high, int max_ticks) {
  FEDRK_EXPECTS(0.0 < low && low <= high);
  Axis axis;
  axis.logarithmic_ = true;
  axis.low_ = std::log10(std::clamp(low, 1.0 / kMaxLinear, kMaxLinear));
  axis.high_ = std::log10(std::clamp(high, 1.0 / kMaxLinear, kMaxLinear));
  if (axis.high_ - axis.low_ < 0.01) {  // one value alone gets a neighbourhood
    axis.low_ -= 0.3;
    axis.high_ += 0.3;
  }
  if (std::floor(axis.high_ + kSlack) - std::ceil(axis.low_ - kSlack) >= 2.0) {
    axis.add_decades_within(max_ticks);
    return axis;
  }
  for (const double mark : one_two_five(axis.low_, axis.high_)) {
    if (axis.holds(mark)) axis.add_tick(mark, mark_label(mark));
  }
  if (axis.ticks_.size() < 3) {
    axis.ticks_.clear();
    axis.add_round_numbers_within(max_ticks);
  }
  return axis;
}

bool Axis::holds(double coordinate) const { return coordinate >= low_ - kSlack && coordinate <= high_ + kSlack; }

void Axis::add_decades_within(int max_ticks) {
  const int first = static_cast<int>(std::ceil(low_ - kSlack));
  const int last = static_cast<int>(std::floor(high_ + kSlack));
  const int step = std::max(1, (last - first + max_ticks - 1) / max_ticks);
  for (int decade = first - 1; decade <= last; ++decade) {
    if (decade >= first) add_tick(decade, decade % step == 0 ? power_of_ten(decade) : "");
    if (step > 1) continue;
    for (int digit = 2; digit <= 9; ++digit) {
      const double mark = decade + std::log10(digit);
      if (holds(mark)) add_tick(mark, "");
    }
  }
}

void Axis::add_round_numbers_within(int max_ticks) {
  const double low = std::pow(10.0, low_);
  const double high = std::pow(10.0, high_);
  const double step = nice_step((high - low) / max_ticks);
  for (double k = std::ceil(low / step - kSlack); k * step <= high * (1.0 + kSlack); ++k) {
    add_tick(std::log10(k * step), linear_label(k * step, step));
  }
}

void Axis::add_decades(int first, int last, int max_ticks) {
  const int step = std::max(1, (last - first + max_ticks - 1) / max_ticks);
  for (int decade = first; decade <= last; ++decade) {
    add_tick(decade, decade % step == 0 ? power_of_ten(decade) : "");
    if (last - first > 4 || decade == last) continue;
    for (int digit = 2; digit <= 9; ++digit) add_tick(decade + std::log10(digit), "");
  }
}

void Axis::add_linear_ticks(double step) {
  const double first = std::ceil(low_ / step - kSlack);
  const double last = std::floor(high_ / step + kSlack);
  const int count = static_cast<int>(last - first) + 1;
  for (int k = 0; k < count; ++k) add_tick((first + k) * step, linear_label((first + k) * step, step));
}

void Axis::add_tick(double coordinate, std::string label) {
  ticks_.push_back({std::clamp((coordinate - low_) / (high_ - low_), 0.0, 1.0), std::move(label)});
}

double Axis::place(double value) const {
  if (logarithmic_ && value <= 0.0) return 0.0;
  const double coordinate = logarithmic_ ? std::log10(value) : value;
  return std::clamp((coordinate - low_) / (high_ - low_), 0.0, 1.0);
}

bool drawable(const LinePlot& plot, const Point& point) {
  return std::isfinite(point.x) && std::isfinite(point.y) && !(plot.log_x && point.x <= 0.0) &&
         !(plot.log_y && point.y < 0.0);
}

bool drawable(const LinePlot& plot, const Marker& marker) {
  return std::isfinite(marker.x) && !(plot.log_x && marker.x <= 0.0);
}

Axis x_axis(const LinePlot& plot) {
  constexpr int kMaxTicks = 8;
  Range range;
  for (const Series& series : plot.series) {
    for (const Point& point : series.points) {
      if (drawable(plot, point)) range.add(point.x);
    }
  }
  for (const Marker& marker : plot.markers) {
    if (drawable(plot, marker)) range.add(marker.x);
  }
  if (plot.log_x) return Axis::logarithmic_within(range.low, range.high, kMaxTicks);
  if (range.low > 0.0 && range.low < 0.1 * range.high) range.low = 0.0;
  if (plot.whole_x && range.low == range.high) return Axis::linear(range.low - 1.0, range.low + 1.0, kMaxTicks, true);
  return Axis::linear(range.low, range.high, kMaxTicks, plot.whole_x);
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
  const int max_ticks = std::max(2, static_cast<int>(plot.height / 45.0));
  if (!plot.log_y) return Axis::linear_to_ticks(range.low, range.high, max_ticks);
  if (range.empty()) return Axis::logarithmic(0.1, 1.0, max_ticks, true);  // nothing but zeros
  return Axis::logarithmic(range.low, range.high, max_ticks, range.zero);
}

}  // namespace fedrk::io
