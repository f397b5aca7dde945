// SPDX-License-Identifier: Apache-2.0
#pragma once

// LIBSVM's sparse rows: "label index:value index:value ...", indices from 1 and ascending, a comment after '#'. The
// label is the right-hand side. The number of columns is the largest index in the file.

#include <cstddef>
#include <filesystem>
#include <string_view>

#include "base/result.hpp"
#include "data/dataset.hpp"

namespace fedrk::io {

Result<Dataset> read_libsvm(const std::filesystem::path& path);

/// The same from text in memory; `name` stands for the path in messages.
Result<Dataset> read_libsvm_text(std::string_view text, std::string_view name);

/// Rows first_row .. first_row + rows - 1 without their zeros; the first row names the last column even where it holds
/// a zero there, so that the width is read back.
/// REQUIRES: the rows exist, and there is a column.
Result<void> write_libsvm(const std::filesystem::path& path, const LinearSystem& system, std::size_t first_row,
                          std::size_t rows);

}  // namespace fedrk::io
