// SPDX-License-Identifier: Apache-2.0
#pragma once

// All columns of a CSV table, before anybody has said what each is for.

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace fedrk::io {

struct CsvTable {
  std::vector<std::string> names;
  std::vector<std::vector<double>> columns;  // empty for a column that holds anything but numbers
  std::vector<std::string> not_numbers;      // for each column: its first field that is no number, in words
  std::size_t rows = 0;
};

/// The format is that of csv.hpp; a field that is no number is an error only to those who use its column.
Result<CsvTable> read_csv_table(const std::filesystem::path& path);

}  // namespace fedrk::io
