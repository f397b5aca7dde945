// SPDX-License-Identifier: Apache-2.0
#pragma once

// A plot as a file of its own, for a browser, a drawing program or a paper: on white, in the colours of the light page,
// with nothing that a plain SVG reader does not know.

#include <filesystem>
#include <string>
#include <variant>

#include "base/result.hpp"
#include "report/plot/svg_plot.hpp"

namespace fedrk::io {

/// An XML document; empty when there is nothing to draw.
std::string standalone_svg(const std::variant<LinePlot, BarChart>& plot);

/// Writes it. Where there is nothing to draw no file is left: rather none than that of another run.
Result<void> write_svg(const std::filesystem::path& path, const std::variant<LinePlot, BarChart>& plot);

}  // namespace fedrk::io
