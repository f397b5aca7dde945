// SPDX-License-Identifier: Apache-2.0
#pragma once

// The data of one site: columns of numbers with names.

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fedrk/error.hpp"

namespace fedrk {

struct Column {
  std::string name;
  std::vector<double> values;
};

class Table {
 public:
  /// `name` is that of the site, for messages. Throws InvalidArgument where the columns differ in length, or where a
  /// name is empty or given twice.
  explicit Table(std::vector<Column> columns, std::string name = "");

  const std::string& name() const { return name_; }
  std::size_t rows() const { return rows_; }
  /// In the order of the file.
  std::vector<std::string> column_names() const;

  /// Throws InvalidData where there is no such column, or where it holds text.
  std::span<const double> column(std::string_view name) const;

  /// The path of the file, or else the name.
  const std::string& source() const { return source_; }

 private:
  friend Table read_csv(const std::filesystem::path& path);

  std::vector<Column> columns_;
  std::vector<std::string> not_numbers_;  // for each column: the first field that is none, in words; empty: all are
  std::string name_, source_;
  std::size_t rows_ = 0;
};

/// A CSV file with a header line (docs/formats.md). The site is named after the file. A column with text in it, or with
/// gaps, is no reason to refuse the file: whoever uses the column is told. Throws InvalidData.
Table read_csv(const std::filesystem::path& path);

}  // namespace fedrk
