// SPDX-License-Identifier: Apache-2.0
#include "problem/frame.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fedrk {
namespace {

// The power of two next to it; 1 for what has no size.
double power_of_two(double size) {
  if (!(size > 0.0) || !std::isfinite(size)) return 1.0;
  return std::ldexp(1.0, std::clamp(std::ilogb(size * std::sqrt(2.0)), -1000, 1000));
}

}  // namespace

Frame frame_from(const Scaling& scaling, std::vector<PowerTerm> powers) {
  Frame frame{scaling.centre, {}, std::move(powers)};
  for (std::size_t j = 0; j < scaling.scale.size(); ++j) {
    const double size = scaling.scale[j] > 0.0 ? scaling.scale[j] : std::abs(scaling.centre[j]);
    frame.inverse_scale.push_back(1.0 / power_of_two(size));
  }
  return frame;
}

Frame restrict_to(const Frame& frame, std::span<const std::uint32_t> columns) {
  Frame part;
  for (const std::uint32_t column : columns) {
    part.centre.push_back(frame.centre[column]);
    part.inverse_scale.push_back(frame.inverse_scale[column]);
  }
  const auto place = [&](std::size_t column) {
    return static_cast<std::size_t>(std::ranges::find(columns, column) - columns.begin());
  };
  for (const PowerTerm& term : frame.powers) {
    const std::size_t own = place(term.column), source = place(term.source);
    if (own < columns.size() && source < columns.size()) part.powers.push_back({own, source, term.exponent});
  }
  return part;
}

Scaling equilibration(std::span<const double> mean_squares, std::size_t rows) {
  constexpr double kSpread = 0x1.0p10;  // of the lengths of columns; below that nothing is gained
  Scaling scaling{std::vector<double>(mean_squares.size(), 0.0), std::vector<double>(mean_squares.size(), 1.0)};
  double smallest = 0.0, largest = 0.0;
  for (const double square : mean_squares) {
    const double length = std::sqrt(square);
    if (!(length > 0.0) || !std::isfinite(length)) continue;
    smallest = smallest == 0.0 ? length : std::min(smallest, length);
    largest = std::max(largest, length);
  }
  if (rows < mean_squares.size() || !(largest > kSpread * smallest)) return scaling;
  for (std::size_t j = 0; j < mean_squares.size(); ++j) scaling.scale[j] = power_of_two(std::sqrt(mean_squares[j]));
  return scaling;
}

}  // namespace fedrk
