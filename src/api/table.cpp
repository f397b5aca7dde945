// SPDX-License-Identifier: Apache-2.0
#include "fedrk/table.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "base/shown.hpp"
#include "data/csv.hpp"

namespace fedrk {

Table::Table(std::vector<Column> columns, std::string name)
    : columns_(std::move(columns)), not_numbers_(columns_.size()), name_(std::move(name)), source_(name_) {
  std::unordered_set<std::string_view> names;
  rows_ = columns_.empty() ? 0 : columns_.front().values.size();
  for (const Column& column : columns_) {
    if (column.name.empty()) throw InvalidArgument("a column of a table has no name");
    if (!names.insert(column.name).second) {
      throw InvalidArgument(fmt::format("two columns of a table are named {}", io::shown(column.name)));
    }
    if (column.values.size() != rows_) {
      throw InvalidArgument(fmt::format("column {} of a table has {} values, column {} has {}", io::shown(column.name),
                                        column.values.size(), io::shown(columns_.front().name), rows_));
    }
  }
}

std::vector<std::string> Table::column_names() const {
  std::vector<std::string> names;
  for (const Column& column : columns_) names.push_back(column.name);
  return names;
}

std::span<const double> Table::column(std::string_view name) const {
  const auto found = std::ranges::find(columns_, name, &Column::name);
  if (found == columns_.end()) {
    throw InvalidData(fmt::format("{}: no column {}", source_.empty() ? "table" : source_, io::shown(name)));
  }
  const auto k = static_cast<std::size_t>(found - columns_.begin());
  if (!not_numbers_[k].empty()) throw InvalidData(not_numbers_[k]);
  return found->values;
}

Table read_csv(const std::filesystem::path& path) {
  auto read = io::read_csv_table(path);
  if (!read) throw InvalidData(read.error().message);
  Table table({}, path.stem().string());
  table.source_ = path.string();
  table.rows_ = read->rows;
  table.not_numbers_ = std::move(read->not_numbers);
  for (std::size_t k = 0; k < read->names.size(); ++k) {
    table.columns_.push_back({std::move(read->names[k]), std::move(read->columns[k])});
  }
  return table;
}

}  // namespace fedrk
