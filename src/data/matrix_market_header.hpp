// SPDX-License-Identifier: Apache-2.0
#pragma once

// The banner and the size line of a Matrix Market file:
//
//     %%MatrixMarket matrix coordinate real general
//     % comments
//     rows columns entries           (array: rows columns)

#include <cstddef>
#include <filesystem>

#include "base/result.hpp"
#include "base/text_lines.hpp"

namespace fedrk::io {

enum class MarketFormat { Coordinate, Array };
enum class MarketField { Real, Integer, Pattern };
enum class MarketSymmetry { General, Symmetric, SkewSymmetric };

struct MarketHeader {
  MarketFormat format = MarketFormat::Coordinate;
  MarketField field = MarketField::Real;
  MarketSymmetry symmetry = MarketSymmetry::General;
  std::size_t rows = 0, cols = 0;
  std::size_t entries = 0;  // that the file lists: for a symmetric matrix those of the lower triangle

  bool mirrored() const { return symmetry != MarketSymmetry::General; }
};

/// Reads up to the size line and leaves `lines` there. The sizes it gives are positive, fit their types, and could be
/// true of a file this long, so memory may be taken on their word. `path` is for messages.
Result<MarketHeader> read_market_header(TextLines& lines, const std::filesystem::path& path);

}  // namespace fedrk::io
