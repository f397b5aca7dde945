// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstring>
#include <new>
#include <vector>

namespace fedrk::test {

/// Numbers on pages that can only be read: whoever writes there ends the test.
class ReadOnlyPages {
 public:
  explicit ReadOnlyPages(const std::vector<double>& numbers)
      : bytes_(numbers.size() * sizeof(double)),
        pages_(::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    if (pages_ == MAP_FAILED) throw std::bad_alloc();
    std::memcpy(pages_, numbers.data(), bytes_);
    if (::mprotect(pages_, bytes_, PROT_READ) != 0) throw std::bad_alloc();
  }
  ReadOnlyPages(const ReadOnlyPages&) = delete;
  ReadOnlyPages& operator=(const ReadOnlyPages&) = delete;
  ~ReadOnlyPages() { ::munmap(pages_, bytes_); }

  const double* data() const { return static_cast<const double*>(pages_); }

 private:
  std::size_t bytes_;
  void* pages_;
};

}  // namespace fedrk::test
