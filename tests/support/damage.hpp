// SPDX-License-Identifier: Apache-2.0
#pragma once

// Copies of a folder whose files are not as they were written: a byte that another took the place of, an end that is
// gone. Drawn from a seed.

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "support/temp_folder.hpp"

namespace fedrk::test {

class Damage {
 public:
  explicit Damage(std::filesystem::path original, std::uint64_t seed) : original_(std::move(original)), draw_(seed) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(original_)) {
      if (entry.is_regular_file() && entry.file_size() > 0)
        files_.push_back(entry.path().lexically_relative(original_));
    }
    std::ranges::sort(files_);
  }

  /// A new copy in which one byte of one file is another one. What and where is in `story`.
  const TempFolder& flipped() {
    const std::filesystem::path file = copy();
    std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
    const auto place = static_cast<std::streamoff>(below(std::filesystem::file_size(file)));
    bytes.seekg(place);
    const int before = bytes.get();
    const int after = before ^ static_cast<int>(1 + below(255));
    bytes.seekp(place);
    bytes.put(static_cast<char>(after));
    story = file.filename().string() + ", byte " + std::to_string(place) + ": " + std::to_string(before) + " became " +
            std::to_string(after);
    return *folder_;
  }

  /// A new copy in which one file ends earlier.
  const TempFolder& cut() {
    const std::filesystem::path file = copy();
    const auto size = below(std::filesystem::file_size(file));
    std::filesystem::resize_file(file, size);
    story = file.filename().string() + " ends after " + std::to_string(size) + " bytes";
    return *folder_;
  }

  /// A new copy as it should be.
  const TempFolder& whole() {
    copy();
    return *folder_;
  }

  std::string story;

 private:
  std::uint64_t below(std::uint64_t end) { return draw_() % end; }
  std::filesystem::path copy() {
    folder_.emplace();
    std::filesystem::copy(original_, folder_->path(), std::filesystem::copy_options::recursive);
    return folder_->path() / files_[below(files_.size())];
  }

  std::filesystem::path original_;
  std::vector<std::filesystem::path> files_;
  std::mt19937_64 draw_;
  std::optional<TempFolder> folder_;
};

}  // namespace fedrk::test
