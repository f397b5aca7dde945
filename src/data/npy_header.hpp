// SPDX-License-Identifier: Apache-2.0
#pragma once

// The head of an NPY file: the magic bytes, a version, the length of the header, and the header itself, which is the
// text of a Python dictionary:
//
//     {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }

#include <cstddef>
#include <filesystem>
#include <string_view>

#include "base/result.hpp"

namespace fedrk::io {

struct NpyHeader {
  std::size_t rows = 0, cols = 0;
  std::size_t item_bytes = 8;  // 8 for float64, 4 for float32
  bool fortran_order = false;
  std::size_t data_offset = 0;
};

/// The data from `data_offset` to the end of `content` is exactly what the shape asks for. `path` is for messages.
Result<NpyHeader> read_npy_header(std::string_view content, const std::filesystem::path& path);

}  // namespace fedrk::io
