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

/// Rows first_row .. first_row + rows - 1: coordinate for a sparse matrix, array for a dense one.
/// REQUIRES: the rows exist.
Result<void> write_matrix_market(const std::filesystem::path& path, const Rows& matrix, std::size_t first_row,
                                 std::size_t rows);
Result<void> write_matrix_market(const std::filesystem::path& path, std::span<const double> vector);

}  // namespace fedrk::io
