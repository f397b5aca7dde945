// SPDX-License-Identifier: Apache-2.0
#include "data/csv.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/mapped_file.hpp"
#include "base/shown.hpp"
#include "base/text_lines.hpp"
#include "data/csv_fields.hpp"
#include "data/csv_header.hpp"

namespace fedrk::io {
namespace {

using Problem = std::optional<std::string>;

struct CsvRow {
  std::span<double> features;
  double target = 0.0;
  std::string owner;
};

// Any text; `owner` stays as it is where the column is ignored.
Problem read_text(std::string_view line, char delimiter, std::size_t& at, std::string* owner) {
  CsvFields fields(line, delimiter, at);
  if (!fields.next()) return fields.problem();
  at = fields.position();
  if (owner == nullptr) return std::nullopt;
  if (fields.text().empty()) return "expected the name of the row's owner, found nothing";
  if (!is_utf8(fields.text())) return "expected text in UTF-8, found other bytes";
  *owner = fields.text();
  return std::nullopt;
}

Problem read_row(const CsvHeader& header, std::string_view line, CsvRow& row) {
  const std::size_t columns = header.names.size();
  std::size_t at = 0;
  for (std::size_t column = 0; column < columns; ++column) {
    if (at > line.size()) return explain(header, line, column, "");
    const CsvRole role = header.roles[column];
    Problem problem;
    if (role == CsvRole::Feature || role == CsvRole::Target) {
      double& value = role == CsvRole::Target ? row.target : row.features[header.places[column]];
      if (!quick_number(line, header.delimiter, at, value)) {
        problem = careful_number(line, header.delimiter, at, value);
      }
    } else {
      problem = read_text(line, header.delimiter, at, role == CsvRole::Owner ? &row.owner : nullptr);
    }
    if (problem) return explain(header, line, column, *problem);
  }
  if (at <= line.size()) return explain(header, line, columns - 1, "");
  return std::nullopt;
}

// A file whose header promises more than its rows can hold: one of them is wrong, and finding it takes no matrix.
Error first_problem(const CsvHeader& header, TextLines& lines, const std::filesystem::path& path) {
  std::vector<double> scratch(header.count(CsvRole::Feature));
  CsvRow row{.features = scratch, .target = 0.0, .owner = {}};
  while (lines.next()) {
    if (const Problem problem = read_row(header, lines.line(), row)) return error_at(path, lines.number(), *problem);
  }
  return error_in(path, "expected longer rows below the header");
}

Result<Dataset> read_rows(const CsvHeader& header, std::size_t rows, TextLines& lines, Margins margins,
                          const std::filesystem::path& path) {
  Matrix matrix(rows, header.count(CsvRole::Feature), margins);
  Dataset data;
  data.system.rhs.reserve(rows);
  const bool owned = header.count(CsvRole::Owner) != 0;
  if (owned) data.labels.reserve(rows);
  CsvRow row;
  for (std::size_t i = 0; lines.next(); ++i) {
    row.features = matrix.row(i);
    if (const Problem problem = read_row(header, lines.line(), row)) return error_at(path, lines.number(), *problem);
    data.system.rhs.push_back(row.target);
    if (owned) data.labels.push_back(row.owner);
  }
  data.system.rows = std::move(matrix);
  return data;
}

Result<Dataset> read_lines(const TextSurvey& text, TextLines lines, const TableOptions& options,
                           const std::filesystem::path& path) {
  if (text.nul_line != 0) return error_at(path, text.nul_line, "expected text, found a NUL byte");
  if (!lines.next()) return error_in(path, "the file is blank");
  Result<CsvHeader> header = read_csv_header(lines.line(), options, path);
  if (!header) return header.error();
  const std::size_t rows = text.lines - 1;
  if (rows == 0) return error_in(path, "expected rows of numbers below the header, found none");

  // The last row may lack its line end. Checked before the matrix, which is as large as the header and the lines say.
  const bool can_hold = rows <= (lines.bytes_left() + 1) / header->min_row_bytes();
  if (!can_hold) return first_problem(*header, lines, path);
  Result<Dataset> data = read_rows(*header, rows, lines, options.margins, path);
  if (!data) return data;
  data->columns.resize(header->count(CsvRole::Feature));
  for (std::size_t i = 0; i < header->names.size(); ++i) {
    if (header->roles[i] == CsvRole::Feature) data->columns[header->places[i]] = std::move(header->names[i]);
  }
  return data;
}

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

Result<Dataset> read_csv(const std::filesystem::path& path, const TableOptions& options) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  return read_lines(survey(*file), TextLines(*file), options, path);
}

Result<std::vector<std::string>> read_csv_columns(const std::filesystem::path& path) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  TextLines lines(*file);
  if (!lines.next()) return error_in(path, "the file is blank");
  Result<CsvHeader> header = read_csv_names(lines.line(), path);
  if (!header) return header.error();
  return std::move(header->names);
}

Result<Dataset> read_csv_text(std::string_view text, std::string_view name, const TableOptions& options) {
  return read_lines(survey(text), TextLines(text), options, name);
}

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
