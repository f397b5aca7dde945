// SPDX-License-Identifier: Apache-2.0
#pragma once

// The first line of a CSV table, and what each of its columns is for.

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "data/dataset.hpp"

namespace fedrk::io {

enum class CsvRole : unsigned char { Feature, Target, Owner, Ignored };

struct CsvHeader {
  char delimiter = ',';
  std::vector<std::string> names;
  std::vector<CsvRole> roles;       // one for each name
  std::vector<std::size_t> places;  // one for each name: which feature it is, where it is one

  std::size_t count(CsvRole role) const;
  /// The shortest a row can be, its line end included: a digit and a delimiter for each number, a delimiter for others.
  std::size_t least_row_bytes() const;
};

/// The names alone; nothing has a role yet. `path` is for messages.
Result<CsvHeader> read_csv_names(std::string_view line, const std::filesystem::path& path);

/// `path` is for messages.
Result<CsvHeader> read_csv_header(std::string_view line, const TableOptions& options,
                                  const std::filesystem::path& path);

}  // namespace fedrk::io
