// SPDX-License-Identifier: Apache-2.0
#include "data/csv_table.hpp"

#include <optional>
#include <string_view>
#include <utility>

#include "base/errors.hpp"
#include "base/mapped_file.hpp"
#include "base/text_lines.hpp"
#include "data/csv_fields.hpp"
#include "data/csv_header.hpp"
#include "data/csv_row.hpp"

namespace fedrk::io {
namespace {

/// The field at `at`, as a number where all before it in the column were numbers.
std::optional<std::string> read_field(const CsvHeader& header, const std::filesystem::path& path,
                                      const TextLines& lines, std::size_t& at, std::size_t k, CsvTable& table) {
  double value = 0.0;
  if (table.not_numbers[k].empty()) {
    auto problem = quick_number(lines.line(), header.delimiter, at, value)
                       ? std::nullopt
                       : careful_number(lines.line(), header.delimiter, at, value);
    if (!problem) {
      table.columns[k].push_back(value);
      return std::nullopt;
    }
    table.not_numbers[k] = error_at(path, lines.number(), explain(header, lines.line(), k, *problem)).message;
  }
  CsvFields fields(lines.line(), header.delimiter, at);
  if (!fields.next()) return fields.problem();
  at = fields.position();
  return std::nullopt;
}

std::optional<std::string> read_row(const CsvHeader& header, const std::filesystem::path& path, const TextLines& lines,
                                    CsvTable& table) {
  std::size_t at = 0;
  for (std::size_t k = 0; k < header.names.size(); ++k) {
    if (at > lines.line().size()) return explain(header, lines.line(), k, "");
    if (auto problem = read_field(header, path, lines, at, k, table)) {
      return explain(header, lines.line(), k, *problem);
    }
  }
  if (at <= lines.line().size()) return explain(header, lines.line(), header.names.size() - 1, "");
  return std::nullopt;
}

}  // namespace

Result<CsvTable> read_csv_table(const std::filesystem::path& path) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  const TextSurvey text = survey(*file);
  TextLines lines(*file);
  if (text.nul_line != 0) return error_at(path, text.nul_line, "expected text, found a NUL byte");
  if (!lines.next()) return error_in(path, "the file is blank");
  Result<CsvHeader> header = read_csv_names(lines.line(), path);
  if (!header) return header.error();
  CsvTable table{.names = header->names,
                 .columns = std::vector<std::vector<double>>(header->names.size()),
                 .not_numbers = std::vector<std::string>(header->names.size()),
                 .rows = text.lines - 1};
  if (table.rows == 0) return error_in(path, "expected rows of numbers below the header, found none");
  while (lines.next()) {
    if (const auto problem = read_row(*header, path, lines, table)) return error_at(path, lines.number(), *problem);
  }
  for (std::size_t k = 0; k < table.columns.size(); ++k) {
    if (!table.not_numbers[k].empty()) table.columns[k] = {};
  }
  return table;
}

}  // namespace fedrk::io
