// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace fedrk::io {

/// The most rows (or entries of a vector) to make room for on the word of a sparse file of this many bytes. A sparse
/// file may leave rows out, so a few bytes can announce billions of them; four million and one per byte is generous to
/// real files and keeps the memory taken for a false announcement below 32 MB and eight times the file.
constexpr std::size_t plausible_length(std::size_t file_bytes) { return (std::size_t{1} << 22) + file_bytes; }

}  // namespace fedrk::io
