// SPDX-License-Identifier: Apache-2.0
#pragma once

// A plot as two files, one to scale and one of pixels.

#include <filesystem>
#include <string>
#include <variant>

#include "fedrk/base/result.hpp"
#include "io/svg_plot.hpp"

namespace fedrk::io {

/// Writes STEM.svg and STEM.png. Holds what should be said to a person: why the PNG is missing, or nothing. Where there
/// is nothing to draw, neither file is left.
Result<std::string> write_picture(const std::filesystem::path& stem, const std::variant<LinePlot, BarChart>& plot);

}  // namespace fedrk::io
