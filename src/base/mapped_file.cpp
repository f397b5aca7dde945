// SPDX-License-Identifier: Apache-2.0
#include "base/mapped_file.hpp"

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/errors.hpp"

namespace fedrk::io {
namespace {

Error cannot_read(const std::filesystem::path& path, int code) {
  return error_in(path, "cannot be read: " + std::generic_category().message(code));
}

// Closes the descriptor on every way out; the mapping outlives it.
struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
};

}  // namespace

Result<MappedFile> MappedFile::open(const std::filesystem::path& path) {
  // O_NONBLOCK: a pipe without a writer is refused below rather than waited for.
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.number < 0) return cannot_read(path, errno);
  struct stat about {};
  if (::fstat(file.number, &about) != 0) return cannot_read(path, errno);
  if (S_ISDIR(about.st_mode)) return error_in(path, "expected a file, found a folder");
  if (!S_ISREG(about.st_mode)) return error_in(path, "expected a regular file, found a pipe or device");
  if (about.st_size == 0) return error_in(path, "the file is empty");

  const auto size = static_cast<std::size_t>(about.st_size);
  // NORESERVE: a matrix larger than the free memory can be used where it is, as long as little of it is changed.
  void* const data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_NORESERVE, file.number, 0);
  if (data == MAP_FAILED) return cannot_read(path, errno);
  ::madvise(data, size, MADV_SEQUENTIAL);  // advice only: reading works without it
  return MappedFile(static_cast<char*>(data), size);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

char* MappedFile::make_editable() {
  if (::mprotect(data_, size_, PROT_READ | PROT_WRITE) != 0) return nullptr;
  ::madvise(data_, size_, MADV_NORMAL);
  return data_;
}

void MappedFile::forget(std::size_t first, std::size_t last) const {
  FEDRK_EXPECTS(first <= last && last <= size_);
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  first = first / page * page;
  last = last / page * page;
  // Nothing was changed here, so nothing is lost: a later look reads the file again.
  if (first < last) ::madvise(data_ + first, last - first, MADV_DONTNEED);
}

}  // namespace fedrk::io
