// SPDX-License-Identifier: Apache-2.0
#pragma once

// NIST's Matrix Market exchange format: coordinate (sparse) and array (dense), real, integer or pattern, general,
// symmetric or skew-symmetric (of these two the file holds the lower triangle). Entries of a coordinate file at the
// same place are added up. Sizes are believed only as far as the length of the file allows, before memory is taken.

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

#include "base/result.hpp"
#include "fedrk/system.hpp"

namespace fedrk::io {

/// True when the content starts like a Matrix Market file.
bool is_matrix_market(std::string_view content);

/// Sparse for a coordinate file, dense for an array, with `margins` beside it.
Result<Rows> read_matrix_market(const std::filesystem::path& path, Margins margins = {});

/// The same from text in memory; `name` stands for the path in messages.
Result<Rows> read_matrix_market_text(std::string_view text, std::string_view name, Margins margins = {});

/// Rows first_row .. first_row + rows - 1: coordinate for a sparse matrix, array for a dense one.
/// REQUIRES: the rows exist.
Result<void> write_matrix_market(const std::filesystem::path& path, const Rows& matrix, std::size_t first_row,
                                 std::size_t rows);
Result<void> write_matrix_market(const std::filesystem::path& path, std::span<const double> vector);

/// The most rows (or entries of a vector) to make room for on the word of a sparse file of this many bytes. A sparse
/// file may leave rows out, so a few bytes can announce billions of them; four million and one per byte is generous to
/// real files and keeps the memory taken for a false announcement below 32 MB and eight times the file.
constexpr std::size_t plausible_length(std::size_t file_bytes) { return (std::size_t{1} << 22) + file_bytes; }

}  // namespace fedrk::io
