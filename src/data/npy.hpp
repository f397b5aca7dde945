// SPDX-License-Identifier: Apache-2.0
#pragma once

// NumPy's array files: little-endian float32 and float64, one or two dimensions; Fortran order is converted.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>

#include "base/result.hpp"
#include "fedrk/matrix.hpp"

namespace fedrk::io {

/// True when the content starts like an NPY file.
bool is_npy(std::string_view content);

/// How many rows the file holds; nothing where it is no NPY file, or its rows do not stand one after the other.
Result<std::optional<std::size_t>> count_npy_rows(const std::filesystem::path& path);

/// Some rows of a file, for those who need no others; `of` is the number of all, and 0 means: all of them.
struct RowRange {
  std::size_t first = 0;
  std::size_t count = 0;
  std::size_t of = 0;
};

/// Bytes of data from which a file is used where it is rather than copied.
constexpr std::size_t kInPlaceBytes = std::size_t{64} << 20;

/// An array of one dimension becomes a matrix of one column.
///
/// Where no margins are asked for, float64 in C order of at least `in_place_bytes` is not copied: the matrix lies on
/// the pages of the file, which must stay as it is as long as the matrix is used. Changes to the matrix never reach
/// it. Other rows than those of the range are not looked at. REQUIRES: the rows exist.
Result<Matrix> read_npy(const std::filesystem::path& path, Margins margins = {},
                        std::size_t in_place_bytes = kInPlaceBytes, const RowRange& rows = {});

/// The same for float32, without the detour over doubles; nothing where the file is smaller or has another layout.
Result<std::optional<Matrix32>> map_npy32(const std::filesystem::path& path, std::size_t in_place_bytes = kInPlaceBytes,
                                          const RowRange& rows = {});

/// Rows first_row .. first_row + rows - 1.
/// REQUIRES: the rows exist.
Result<void> write_npy(const std::filesystem::path& path, const Matrix& matrix, std::size_t first_row,
                       std::size_t rows);
Result<void> write_npy(const std::filesystem::path& path, std::span<const double> vector);

}  // namespace fedrk::io
