// SPDX-License-Identifier: Apache-2.0
#pragma once

// NumPy's array files: little-endian float32 and float64, one or two dimensions; Fortran order is converted.

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

#include "fedrk/base/result.hpp"
#include "fedrk/linalg/matrix.hpp"

namespace fedrk::io {

/// True when the content starts like an NPY file.
bool is_npy(std::string_view content);

/// An array of one dimension becomes a matrix of one column.
Result<Matrix> read_npy(const std::filesystem::path& path, Margins margins = {});

/// Rows first_row .. first_row + rows - 1.
/// REQUIRES: the rows exist.
Result<void> write_npy(const std::filesystem::path& path, const Matrix& matrix, std::size_t first_row,
                       std::size_t rows);
Result<void> write_npy(const std::filesystem::path& path, std::span<const double> vector);

}  // namespace fedrk::io
