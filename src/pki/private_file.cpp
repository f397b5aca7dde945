// SPDX-License-Identifier: Apache-2.0
#include "pki/private_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <system_error>

namespace fedrk::security {
namespace {

namespace fs = std::filesystem;

Error failed(std::string_view doing, const fs::path& path, int why) {
  return Error{std::string(doing) + " " + path.string() + ": " + std::generic_category().message(why)};
}

// 0, or the reason.
int write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return ::fsync(descriptor) == 0 ? 0 : errno;  // a key that a crash took cannot be made again
}

}  // namespace

Result<std::string> read_text_file(const fs::path& path) {
  constexpr std::size_t kMax = std::size_t{1} << 20;
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return failed("cannot read", path, errno);
  std::string text;
  std::array<char, 4096> piece{};
  ssize_t got = 1;
  while (got > 0 && text.size() <= kMax) {
    got = ::read(descriptor, piece.data(), piece.size());
    if (got > 0) text.append(piece.data(), static_cast<std::size_t>(got));
    if (got < 0 && errno == EINTR) got = 1;
  }
  const int why = errno;
  ::close(descriptor);
  if (got < 0) return failed("cannot read", path, why);
  if (text.size() > kMax) return Error{path.string() + ": too large to be a certificate, a key or settings"};
  return text;
}

Result<void> write_private_file(const fs::path& path, std::string_view content) {
  static std::atomic<unsigned> count{0};
  const fs::path temporary =
      path.parent_path() / (".fedrk-" + std::to_string(::getpid()) + "-" + std::to_string(count++) + ".tmp");
  const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (descriptor < 0) return failed("cannot write", path, errno);
  int why = write_all(descriptor, content);
  if (::close(descriptor) != 0 && why == 0) why = errno;
  if (why == 0 && std::rename(temporary.c_str(), path.c_str()) != 0) why = errno;
  if (why == 0) return {};
  ::unlink(temporary.c_str());
  return failed("cannot write", path, why);
}

Result<void> make_private_folder(const fs::path& path) {
  if (::mkdir(path.c_str(), 0700) != 0) return failed("cannot make the folder", path, errno);
  return {};
}

bool readable_by_others(const fs::path& path) {
  struct stat about {};
  return ::stat(path.c_str(), &about) == 0 && (about.st_mode & (S_IRGRP | S_IROTH)) != 0;
}

}  // namespace fedrk::security
