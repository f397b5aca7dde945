// SPDX-License-Identifier: Apache-2.0
#include "report/plot/plot_marks.hpp"

#include <array>
#include <string_view>

#include <fmt/format.h>

namespace fedrk::io {
namespace {

constexpr std::size_t kColours = 8;       // those of plot_style.hpp
constexpr std::size_t kManyPoints = 600;  // from here on a thick line would be a smear

// As paths from the middle, about equal in ink; the last four are outlines.
constexpr std::array<std::string_view, kColours> kShapes{
    "m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0z",
    "m-3.2 -3.2h6.4v6.4h-6.4z",
    "m0 -4.4l4.2 7.2h-8.4z",
    "m0 -4.6l4.6 4.6l-4.6 4.6l-4.6 -4.6z",
    "m-3.3 0a3.3 3.3 0 1 0 6.6 0a3.3 3.3 0 1 0 -6.6 0z",
    "m-3 -3h6v6h-6z",
    "m-3.2 -3.2l6.4 6.4m0 -6.4l-6.4 6.4",
    "m-4.2 0h8.4m-4.2 -4.2v8.4",
};

}  // namespace

std::string line_class(const Series& series, std::size_t index) {
  const bool thin = series.thin || series.points.size() > kManyPoints;
  return fmt::format("line s{}{}", index % kColours, thin ? " thin" : "");
}

std::string line_class(const Level& level) { return level.dashed ? "level asked" : "level seen"; }

std::string stem_class(std::size_t index) { return fmt::format("s{} stem", index % kColours); }

std::string dot(std::size_t index, double x, double y) {
  return fmt::format(R"(<circle class="dot s{}" cx="{:.1f}" cy="{:.1f}" r="3"/>)", index % kColours, x, y);
}

std::string shape(std::size_t index, double x, double y) {
  const std::size_t which = index % kColours;
  return fmt::format(R"(<path class="{} s{}" d="M{:.1f} {:.1f}{}"/>)", which < 4 ? "dot" : "ring", which, x, y,
                     kShapes.at(which));
}

}  // namespace fedrk::io
