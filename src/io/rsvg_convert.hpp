// SPDX-License-Identifier: Apache-2.0
#pragma once

// Pictures of pixels, made by the program rsvg-convert of librsvg (Debian: librsvg2-bin).

#include <filesystem>

#include "fedrk/base/result.hpp"

namespace fedrk::io {

enum class Converted { Yes, NoProgram };

/// Writes `png` from the SVG file, whole or not at all. That the program is not installed is an outcome, not an error:
/// whoever draws many pictures says it once.
Result<Converted> write_png(const std::filesystem::path& svg_file, const std::filesystem::path& png, double zoom = 2.0);

}  // namespace fedrk::io
