// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace fedrk::io {

/// Writes a file whole or not at all: to a temporary beside it, which then takes its name. A full disk leaves what was
/// there before. A link is followed; a device is written to as it is, as nothing can take its name.
Result<void> write_file(const std::filesystem::path& path, std::string_view content);

/// Makes the folder where it is missing, and says so where nothing can be written into it.
Result<void> make_writable_folder(const std::filesystem::path& folder);

// A file written piece by piece, whole or not at all.
//
//     FileWriter out(path);
//     for (...) out.append(line);
//     return out.commit();
//
// The pieces go to a temporary beside the file, which takes its name in `commit`. The first failure (no such folder, a
// full disk) is kept and told by `commit`, so the loop between need not ask; `failed` lets a long one end early.

class FileWriter {
 public:
  explicit FileWriter(std::filesystem::path path);
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;
  ~FileWriter();  // without a commit: removes the temporary, leaves what was there before

  void append(std::string_view piece);
  bool failed() const { return failure_ != 0; }
  Result<void> commit();

 private:
  void write_out(std::string_view bytes);
  void close();
  void discard();

  std::filesystem::path path_;       // as the caller names it, for the message
  std::filesystem::path target_;     // where it leads, through links
  std::filesystem::path temporary_;  // empty where the target is written directly, as a device has to be
  std::string buffer_;
  int descriptor_ = -1;
  int failure_ = 0;  // errno of the first failure
};

}  // namespace fedrk::io
