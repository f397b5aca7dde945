// SPDX-License-Identifier: Apache-2.0
#pragma once

// The formats that a file's name tells.

#include <filesystem>
#include <string>

namespace fedrk::io {

/// ".csv", in small letters; empty without one.
inline std::string ending_of(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  for (char& c : ending) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return ending;
}

inline bool is_csv_name(const std::filesystem::path& path) {
  const std::string ending = ending_of(path);
  return ending == ".csv" || ending == ".tsv" || ending == ".txt";
}

inline bool is_libsvm_name(const std::filesystem::path& path) {
  const std::string ending = ending_of(path);
  return ending == ".svm" || ending == ".libsvm";
}

inline bool is_matrix_name(const std::filesystem::path& path) {
  const std::string ending = ending_of(path);
  return ending == ".mtx" || ending == ".npy";
}

}  // namespace fedrk::io
