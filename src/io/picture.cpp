// SPDX-License-Identifier: Apache-2.0
#include "io/picture.hpp"

#include <string_view>

#include "fedrk/io/write_file.hpp"
#include "io/rsvg_convert.hpp"
#include "io/standalone_svg.hpp"

namespace fedrk::io {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kNoProgram =
    "The pictures are there as SVG only; install librsvg2-bin (which holds rsvg-convert) for PNG files as well.";

}  // namespace

Result<std::string> write_picture(const fs::path& stem, const std::variant<LinePlot, BarChart>& plot) {
  const fs::path svg = stem.string() + ".svg", png = stem.string() + ".png";
  const std::string picture = standalone_svg(plot);
  std::error_code none;
  fs::remove(png, none);  // rather none than one that belongs to another run
  if (picture.empty()) {
    fs::remove(svg, none);
    return std::string();
  }
  if (const auto written = write_file(svg, picture); !written) return written.error();
  const auto converted = write_png(svg, png);
  if (!converted) return converted.error().message;  // a picture less is no reason to lose the numbers
  return std::string(*converted == Converted::NoProgram ? kNoProgram : "");
}

}  // namespace fedrk::io
