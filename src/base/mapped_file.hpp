// SPDX-License-Identifier: Apache-2.0
#pragma once

// A file as one piece of memory, read by the system page by page as it is looked at. A file must not be shortened while
// it is read: the system sends SIGBUS to a program that looks at pages which are gone.

#include <cstddef>
#include <filesystem>
#include <string_view>

#include "base/result.hpp"

namespace fedrk::io {

class MappedFile {
 public:
  /// Refuses what is not a regular file, and an empty one, as no format of ours has nothing to say.
  static Result<MappedFile> open(const std::filesystem::path& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::string_view text() const { return {data_, size_}; }

  /// The bytes as memory to be changed, in any order, where the system allows it (else nullptr). A page that is written
  /// to becomes a copy of this process: the file keeps its bytes.
  char* make_editable();

  /// Hands the pages of these bytes back to the system, so that a file read from front to end does not count as memory
  /// of the process beside the matrix made from it. They can still be looked at, and are then read again.
  /// REQUIRES: nothing was changed there.
  void forget(std::size_t first, std::size_t last) const;

 private:
  MappedFile(char* data, std::size_t size) : data_(data), size_(size) {}
  char* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace fedrk::io
