// SPDX-License-Identifier: Apache-2.0
#pragma once

// Files for the fuzz targets of readers, and what every message of a reader promises.

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include <sys/mman.h>
#include <unistd.h>

#include "base/result.hpp"
#include "base/shown.hpp"
#include "fuzz/fuzz_input.hpp"

namespace fedrk::fuzz {

/// A file in memory. It has a path, for readers that open what they read, but no folder to make and to empty.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(::memfd_create("fuzz", MFD_CLOEXEC)) { FUZZ_PROMISE(descriptor_ >= 0); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { ::close(descriptor_); }

  const std::filesystem::path& holding(std::string_view content) const {
    FUZZ_PROMISE(::ftruncate(descriptor_, 0) == 0);
    FUZZ_PROMISE(::pwrite(descriptor_, content.data(), content.size(), 0) == static_cast<ssize_t>(content.size()));
    return path_;
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  int descriptor_;
  std::filesystem::path path_ = "/proc/self/fd/" + std::to_string(descriptor_);
};

/// A folder in memory, for readers and writers that need names. It goes with the process.
class MemoryFolder {
 public:
  MemoryFolder() : path_("/dev/shm/fedrk-fuzz-" + std::to_string(::getpid())) {
    std::filesystem::create_directories(path_);
  }
  MemoryFolder(const MemoryFolder&) = delete;
  MemoryFolder& operator=(const MemoryFolder&) = delete;
  ~MemoryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::filesystem::path operator/(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

/// What stands in the data of a generated file, and in no message.
inline constexpr std::string_view kSecretText = "zq81zq", kSecretNumber = "31337.5";

/// A message is one short line of text in UTF-8 and begins with the place.
inline void check_line(const Error& error, std::string_view place) {
  const std::string& text = error.message;
  FUZZ_PROMISE(text.starts_with(place) && text.size() > place.size());
  FUZZ_PROMISE(io::is_utf8(text));
  FUZZ_PROMISE(std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }));
  FUZZ_PROMISE(text.size() < 2000);
}

/// And quotes nothing of the data.
inline void check_message(const Error& error, std::string_view place) {
  check_line(error, place);
  for (const std::string_view secret : {kSecretText, kSecretNumber}) {
    FUZZ_PROMISE(error.message.find(secret) == std::string::npos);
  }
}

/// A piece of text that readers of numbers meet: mostly a number.
inline std::string_view any_number(Input& input) {
  return input.one_of({"1",
                       "0",
                       "-2.5",
                       "3e-2",
                       "7",
                       kSecretNumber,
                       "12",
                       "-0",
                       "1e400",
                       "1e-400",
                       "+4",
                       "nan",
                       "inf",
                       "0x1p3",
                       "",
                       " 5 ",
                       kSecretText,
                       "1.7976931348623157e308",
                       "18446744073709551616",
                       "4294967296",
                       "\xff",
                       "2 3"});
}

}  // namespace fedrk::fuzz
