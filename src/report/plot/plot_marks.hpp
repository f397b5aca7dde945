// SPDX-License-Identifier: Apache-2.0
#pragma once

// What tells the series of a plot apart: classes for colour and dashes (plot_style.hpp), and shapes for points.

#include <cstddef>
#include <string>

#include "report/plot/svg_plot.hpp"

namespace fedrk::io {

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
