// SPDX-License-Identifier: Apache-2.0
#include "data/libsvm.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/mapped_file.hpp"
#include "base/number.hpp"
#include "base/scan.hpp"
#include "base/text_lines.hpp"
#include "base/write_file.hpp"
#include "linalg/row_products.hpp"

namespace fedrk::io {
namespace {

using Problem = std::optional<std::string>;

struct SvmRow {
  double label = 0.0;
  std::vector<std::uint32_t> columns;  // from 0
  std::vector<double> values;
};

std::string_view without_comment(std::string_view line) { return trimmed(line.substr(0, line.find('#'))); }

// A line that holds only a comment belongs to no row; a blank one is a slip.
bool is_comment(std::string_view line) { return trimmed(line).starts_with('#'); }

Problem read_number(std::string_view text, double& value) {
  if (scan_number(text, value)) return std::nullopt;
  const Result<double> number = parse_number(text);
  if (!number) return number.error().message;
  value = *number;
  return std::nullopt;
}

Problem read_pair(std::string_view pair, SvmRow& row) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint32_t>::max();
  const std::size_t colon = pair.find(':');
  if (colon == std::string_view::npos) return "expected index:value, found no colon";
  if (pair.starts_with("qid:")) return "qid is not supported; expected index:value";
  const Result<std::uint64_t> index = parse_whole(pair.substr(0, colon));
  if (!index) return "index: " + index.error().message;
  if (*index == 0) return "expected indices from 1, found index 0";
  if (*index > kMax) return fmt::format("expected indices up to {}, found a larger one", kMax);
  if (!row.columns.empty() && *index <= row.columns.back() + std::uint64_t{1}) {
    return "expected ascending indices, found one that is not above the one before it";
  }
  double value = 0.0;
  if (const auto problem = read_number(pair.substr(colon + 1), value)) return "value: " + *problem;
  row.columns.push_back(static_cast<std::uint32_t>(*index - 1));
  row.values.push_back(value);
  return std::nullopt;
}

Problem read_row(std::string_view line, SvmRow& row) {
  std::string_view rest = without_comment(line);
  if (rest.empty()) return "expected a row, found a blank line";
  row.columns.clear();
  row.values.clear();
  const std::string_view label = next_token(rest);
  if (label.find(':') != std::string_view::npos) return "expected a label before the pairs, found a pair";
  if (const auto problem = read_number(label, row.label)) return "label: " + *problem;
  std::size_t place = 0;
  for (auto pair = next_token(rest); !pair.empty(); pair = next_token(rest)) {
    ++place;
    if (const auto problem = read_pair(pair, row)) return fmt::format("pair {}: {}", place, *problem);
  }
  return std::nullopt;
}

struct SvmSize {
  std::size_t rows = 0, pairs = 0, cols = 0;
};

// Indices ascend, so the last of each line gives the width. What is malformed here is told when the rows are read.
SvmSize measure(TextLines lines) {
  SvmSize size;
  while (lines.next()) {
    if (is_comment(lines.line())) continue;
    const std::string_view line = without_comment(lines.line());
    ++size.rows;
    size.pairs += static_cast<std::size_t>(std::count(line.begin(), line.end(), ':'));
    const std::size_t colon = line.rfind(':');
    if (colon == std::string_view::npos) continue;
    const std::size_t start = line.find_last_of(" \t", colon) + 1;  // npos + 1 is 0
    const Result<std::uint64_t> index = parse_whole(line.substr(start, colon - start));
    if (index) size.cols = std::max(size.cols, static_cast<std::size_t>(*index));
  }
  return size;
}

void append_pair(std::size_t column, double value, std::string& line) {
  line.append(" ").append(std::to_string(column + 1)).append(":");
  append_text(value, line);
}

// Writes the entries that are not zero, and says whether the last column was among them.
bool append_pairs(const auto& matrix, std::size_t i, std::string& line) {
  bool last = false;
  for_each_entry(matrix.row(i), [&](std::size_t j, double value) {
    if (value == 0.0) return;
    append_pair(j, value, line);
    last = j + 1 == matrix.cols();
  });
  return last;
}

Result<Dataset> read_lines(const TextSurvey& text, TextLines lines, const std::filesystem::path& path) {
  if (text.nul_line != 0) return error_at(path, text.nul_line, "expected text, found a NUL byte");
  const SvmSize size = measure(lines);
  Dataset data;
  SparseMatrix matrix(size.cols);
  matrix.reserve(size.rows, size.pairs);
  data.system.rhs.reserve(size.rows);
  SvmRow row;
  while (lines.next()) {
    if (is_comment(lines.line())) continue;
    if (const auto problem = read_row(lines.line(), row)) return error_at(path, lines.number(), *problem);
    matrix.append_row(row.columns, row.values);
    data.system.rhs.push_back(row.label);
  }
  if (matrix.rows() == 0) return error_in(path, "expected rows of 'label index:value ...', found none");
  if (matrix.cols() == 0) return error_in(path, "expected at least one index:value pair, found none");
  data.system.rows = std::move(matrix);
  return data;
}

}  // namespace

Result<Dataset> read_libsvm(const std::filesystem::path& path) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  return read_lines(survey(*file), TextLines(*file), path);
}

Result<Dataset> read_libsvm_text(std::string_view text, std::string_view name) {
  return read_lines(survey(text), TextLines(text), name);
}

Result<void> write_libsvm(const std::filesystem::path& path, const LinearSystem& system, std::size_t first_row,
                          std::size_t rows) {
  FEDRK_EXPECTS(first_row + rows <= row_count(system.rows) && column_count(system.rows) > 0);
  FileWriter out(path);
  std::string line;
  for (std::size_t i = first_row; i < first_row + rows && !out.failed(); ++i) {
    line.clear();
    append_text(system.rhs[i], line);
    const bool last = std::visit([&](const auto& matrix) { return append_pairs(matrix, i, line); }, system.rows);
    if (i == first_row && !last) append_pair(column_count(system.rows) - 1, 0.0, line);
    out.append(line += '\n');
  }
  return out.commit();
}

}  // namespace fedrk::io
