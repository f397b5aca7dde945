// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "report/plot/svg_plot.hpp"

namespace fedrk::io {
namespace {

// Of points first .. last - 1, the places of the least, the greatest and the last gap go to `kept`.
void keep_landmarks(const std::vector<Point>& points, std::size_t first, std::size_t last,
                    std::vector<std::size_t>& kept) {
  std::size_t lowest = last;  // `last`: none yet
  std::size_t greatest = last;
  std::size_t gap = last;
  for (std::size_t i = first; i < last; ++i) {
    if (!std::isfinite(points[i].y)) {
      gap = i;
      continue;
    }
    if (lowest == last || points[i].y < points[lowest].y) lowest = i;
    if (greatest == last || points[i].y > points[greatest].y) greatest = i;
  }
  for (const std::size_t i : {lowest, greatest, gap}) {
    if (i != last) kept.push_back(i);
  }
}

}  // namespace

std::vector<Point> thin_out(const std::vector<Point>& points, std::size_t most) {
  if (points.size() <= most || most < 4) return points;
  const std::size_t stretches = most / 2;
  std::vector<std::size_t> kept{0, points.size() - 1};
  for (std::size_t k = 0; k < stretches; ++k) {
    keep_landmarks(points, k * points.size() / stretches, (k + 1) * points.size() / stretches, kept);
  }
  std::sort(kept.begin(), kept.end());
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  std::vector<Point> thinned;
  thinned.reserve(kept.size());
  for (const std::size_t i : kept) thinned.push_back(points[i]);
  return thinned;
}

}  // namespace fedrk::io
