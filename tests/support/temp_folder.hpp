// SPDX-License-Identifier: Apache-2.0
#pragma once

// A folder of its own for a test, gone when the test is.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace fedrk::test {

class TempFolder {
 public:
  TempFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "fedrk-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder: " + name);
    path_ = name;
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

  std::filesystem::path write(std::string_view name, std::string_view content) const {
    std::filesystem::remove(path_ / name);  // some file systems wait for the disk when a file is cut and filled again
    std::ofstream(path_ / name, std::ios::binary) << content;
    return path_ / name;
  }

  std::string read(std::string_view name) const {
    std::ifstream in(path_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  /// How many files and folders are in it: a temporary that stayed behind would show.
  std::size_t count() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(path_), std::filesystem::directory_iterator()));
  }

  /// A message as it would be with the folder as working directory: "a.csv:3: ...".
  std::string local(std::string message) const {
    const std::string prefix = path_.string() + "/";
    for (std::size_t at = message.find(prefix); at != std::string::npos; at = message.find(prefix)) {
      message.erase(at, prefix.size());
    }
    return message;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace fedrk::test
