// SPDX-License-Identifier: Apache-2.0
#pragma once

// A plot as a file of its own, for a browser, a drawing program, a paper or `write_png` of rsvg_convert.hpp: on white,
// in the colours of the light page, with nothing that a plain SVG reader does not know.

#include <string>
#include <variant>

#include "io/svg_plot.hpp"

namespace fedrk::io {

/// An XML document; empty when there is nothing to draw.
std::string standalone_svg(const std::variant<LinePlot, BarChart>& plot);

}  // namespace fedrk::io
