// SPDX-License-Identifier: Apache-2.0
#include "base/write_file.hpp"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace fedrk::io {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBufferSize = std::size_t{1} << 20;

// A name of its own for each writer, short so that a long name of the target cannot make it too long.
fs::path temporary_beside(const fs::path& target) {
  static std::atomic<unsigned> count{0};
  return target.parent_path() / (".fedrk-" + std::to_string(::getpid()) + "-" + std::to_string(count++) + ".tmp");
}

int create_new(const fs::path& path) { return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666); }

}  // namespace

FileWriter::FileWriter(fs::path path) : path_(std::move(path)), target_(path_) {
  std::error_code none;
  const fs::file_status there = fs::status(path_, none);
  if (fs::is_regular_file(there)) {
    const fs::path real = fs::canonical(path_, none);  // a link stays a link, and the file it names is replaced
    if (!none) target_ = real;
  }
  if (!fs::exists(there) || fs::is_regular_file(there)) {
    temporary_ = temporary_beside(target_);
    descriptor_ = create_new(temporary_);
  } else {
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);  // renaming onto a device would remove it
  }
  if (descriptor_ < 0) {
    failure_ = errno;
    temporary_.clear();
  }
}

FileWriter::~FileWriter() { discard(); }

void FileWriter::append(std::string_view piece) {
  if (failed()) return;
  if (buffer_.size() + piece.size() > kBufferSize) {
    write_out(buffer_);
    buffer_.clear();
  }
  if (piece.size() > kBufferSize) {
    write_out(piece);
  } else {
    buffer_.append(piece);
  }
}

Result<void> FileWriter::commit() {
  write_out(buffer_);
  buffer_.clear();
  close();
  if (!failed() && !temporary_.empty()) {
    if (std::rename(temporary_.c_str(), target_.c_str()) == 0) {
      temporary_.clear();
    } else {
      failure_ = errno;
    }
  }
  discard();
  if (!failed()) return {};
  return Error{"cannot write " + path_.string() + ": " + std::generic_category().message(failure_)};
}

void FileWriter::write_out(std::string_view bytes) {
  while (!failed() && !bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      failure_ = errno;
    }
  }
}

// Some file systems tell of a full disk only here.
void FileWriter::close() {
  if (descriptor_ < 0) return;
  if (::close(std::exchange(descriptor_, -1)) != 0 && !failed()) failure_ = errno;
}

void FileWriter::discard() {
  close();
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
}

Result<void> write_file(const fs::path& path, std::string_view content) {
  FileWriter out(path);
  out.append(content);
  return out.commit();
}

Result<void> make_writable_folder(const fs::path& folder) {
  const auto refuse = [&](const std::string& why) {
    return Error{"cannot write into " + folder.string() + ": " + why};
  };
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure) return refuse(failure.message());
  // Asking for permission is not the same as being able to write, on a read-only or a remote disk: so try.
  const fs::path probe = temporary_beside(folder / "probe");
  const int descriptor = create_new(probe);
  if (descriptor < 0) return refuse(std::generic_category().message(errno));
  ::close(descriptor);
  ::unlink(probe.c_str());
  return {};
}

}  // namespace fedrk::io
