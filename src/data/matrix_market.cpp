// SPDX-License-Identifier: Apache-2.0
#include "data/matrix_market.hpp"

#include <cmath>
#include <cstdint>
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
#include "data/matrix_market_header.hpp"
#include "linalg/kernels.hpp"

namespace fedrk::io {
namespace {

using Problem = std::optional<std::string>;

Problem read_value(std::string_view token, MarketField field, double& value) {
  if (!scan_number(token, value)) {
    const Result<double> number = parse_number(token);
    if (!number) return number.error().message;
    value = *number;
  }
  if (field == MarketField::Integer && value != std::trunc(value)) {
    return "expected a whole number, found another number";
  }
  return std::nullopt;
}

// From 1 in the file, from 0 in `index`.
Problem read_index(std::string_view token, std::string_view what, std::size_t size, std::uint32_t& index) {
  const Result<std::uint64_t> place = parse_whole(token);
  if (!place) return fmt::format("{}: {}", what, place.error().message);
  if (*place < 1 || *place > size)
    return fmt::format("{}: expected a whole number from 1 to {}, found another", what, size);
  index = static_cast<std::uint32_t>(*place - 1);
  return std::nullopt;
}

std::size_t count_tokens(std::string_view line) {
  std::size_t count = 0;
  while (!next_token(line).empty()) ++count;
  return count;
}

Problem read_entry(std::string_view line, const MarketHeader& header, Triplet& entry) {
  const bool pattern = header.field == MarketField::Pattern;
  std::string_view rest = line;
  const auto row = next_token(rest), column = next_token(rest), value = next_token(rest);
  if (column.empty() || value.empty() != pattern || !trimmed(rest).empty()) {
    return fmt::format("expected {}, found {} fields", pattern ? "'row column'" : "'row column value'",
                       count_tokens(line));
  }
  if (auto problem = read_index(row, "row", header.rows, entry.row)) return problem;
  if (auto problem = read_index(column, "column", header.cols, entry.column)) return problem;
  if (header.symmetry == MarketSymmetry::Symmetric && entry.row < entry.column) {
    return "the entry lies above the diagonal; expected only the lower triangle of a symmetric matrix";
  }
  if (header.symmetry == MarketSymmetry::SkewSymmetric && entry.row <= entry.column) {
    return "the entry does not lie below the diagonal, as expected for a skew-symmetric matrix";
  }
  entry.value = 1.0;
  return pattern ? std::nullopt : read_value(value, header.field, entry.value);
}

// Moves to the next line that is not blank: the format allows blank ones anywhere.
bool next_entry(TextLines& lines) {
  while (lines.next()) {
    if (!trimmed(lines.line()).empty()) return true;
  }
  return false;
}

Error too_few(const std::filesystem::path& path, std::size_t expected, std::size_t found) {
  return error_in(path, fmt::format("expected {} entries, found {}", expected, found));
}

Error too_many(const std::filesystem::path& path, std::size_t line, std::size_t expected) {
  return error_at(path, line, fmt::format("expected {} entries, found more", expected));
}

// Entries at the same place are added up, which can go beyond a double although each is finite.
Problem check_sums(SparseMatrix& matrix) {
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    if (!all_finite(matrix.values(i))) {
      return fmt::format("row {}: entries at the same place add up to more than a double can hold", i + 1);
    }
  }
  return std::nullopt;
}

Result<Rows> read_coordinates(const MarketHeader& header, TextLines& lines, const std::filesystem::path& path) {
  std::vector<Triplet> entries;
  entries.reserve(header.mirrored() ? 2 * header.entries : header.entries);
  const double mirror_sign = header.symmetry == MarketSymmetry::SkewSymmetric ? -1.0 : 1.0;
  std::size_t found = 0;
  while (next_entry(lines)) {
    if (found++ == header.entries) return too_many(path, lines.number(), header.entries);
    Triplet entry;
    if (const auto problem = read_entry(lines.line(), header, entry)) return error_at(path, lines.number(), *problem);
    entries.push_back(entry);
    if (header.mirrored() && entry.row != entry.column) {
      entries.push_back({.row = entry.column, .column = entry.row, .value = mirror_sign * entry.value});
    }
  }
  if (found < header.entries) return too_few(path, header.entries, found);
  SparseMatrix matrix(header.rows, header.cols, std::move(entries));
  if (const auto problem = check_sums(matrix)) return error_in(path, *problem);
  return Rows(std::move(matrix));
}

// The file goes down the columns: whole ones, or from the diagonal, or from below it.
Result<Rows> read_array(const MarketHeader& header, TextLines& lines, Margins margins,
                        const std::filesystem::path& path) {
  Matrix matrix(header.rows, header.cols, margins);
  const bool skew = header.symmetry == MarketSymmetry::SkewSymmetric;
  std::size_t found = 0;
  for (std::size_t j = 0; j < header.cols; ++j) {
    for (std::size_t i = header.mirrored() ? j + (skew ? 1 : 0) : 0; i < header.rows; ++i, ++found) {
      if (!next_entry(lines)) return too_few(path, header.entries, found);
      double value = 0.0;
      if (const auto problem = read_value(trimmed(lines.line()), header.field, value)) {
        return error_at(path, lines.number(), *problem);
      }
      matrix.row(i)[j] = value;
      if (header.mirrored() && i != j) matrix.row(j)[i] = skew ? -value : value;
    }
  }
  if (next_entry(lines)) return too_many(path, lines.number(), header.entries);
  return Rows(std::move(matrix));
}

void append_entry(double value, std::string& line, FileWriter& out) {
  line.clear();
  append_text(value, line);
  out.append(line += '\n');
}

template <class Number>
void append_rows(const BasicMatrix<Number>& matrix, std::size_t first_row, std::size_t rows, FileWriter& out) {
  out.append(fmt::format("%%MatrixMarket matrix array real general\n{} {}\n", rows, matrix.cols()));
  std::string line;
  for (std::size_t j = 0; j < matrix.cols() && !out.failed(); ++j) {
    for (std::size_t i = first_row; i < first_row + rows; ++i) append_entry(matrix.row(i)[j], line, out);
  }
}

template <class Number>
void append_rows(const BasicSparseMatrix<Number>& matrix, std::size_t first_row, std::size_t rows, FileWriter& out) {
  std::size_t entries = 0;
  for (std::size_t i = first_row; i < first_row + rows; ++i) entries += matrix.row(i).values.size();
  out.append(fmt::format("%%MatrixMarket matrix coordinate real general\n{} {} {}\n", rows, matrix.cols(), entries));
  std::string line;
  for (std::size_t i = first_row; i < first_row + rows && !out.failed(); ++i) {
    const auto row = matrix.row(i);
    for (std::size_t k = 0; k < row.values.size(); ++k) {
      out.append(fmt::format("{} {} ", i - first_row + 1, std::size_t{row.columns[k]} + 1));
      append_entry(row.values[k], line, out);
    }
  }
}

Result<Rows> read_lines(TextLines lines, Margins margins, const std::filesystem::path& path) {
  const Result<MarketHeader> header = read_market_header(lines, path);
  if (!header) return header.error();
  return header->format == MarketFormat::Array ? read_array(*header, lines, margins, path)
                                               : read_coordinates(*header, lines, path);
}

}  // namespace

Result<Rows> read_matrix_market(const std::filesystem::path& path, Margins margins) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  return read_lines(TextLines(*file), margins, path);
}

Result<Rows> read_matrix_market_text(std::string_view text, std::string_view name, Margins margins) {
  return read_lines(TextLines(text), margins, name);
}

Result<void> write_matrix_market(const std::filesystem::path& path, const Rows& matrix, std::size_t first_row,
                                 std::size_t rows) {
  FEDRK_EXPECTS(first_row + rows <= row_count(matrix));
  FileWriter out(path);
  std::visit([&](const auto& m) { append_rows(m, first_row, rows, out); }, matrix);
  return out.commit();
}

Result<void> write_matrix_market(const std::filesystem::path& path, std::span<const double> vector) {
  FileWriter out(path);
  out.append(fmt::format("%%MatrixMarket matrix array real general\n{} 1\n", vector.size()));
  std::string line;
  for (const double value : vector) append_entry(value, line, out);
  return out.commit();
}

}  // namespace fedrk::io
