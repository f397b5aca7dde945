// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>
#include <variant>

#include "base/number.hpp"
#include "base/scan.hpp"
#include "base/write_file.hpp"
#include "data/csv.hpp"
#include "linalg/row_products.hpp"

namespace fedrk::io {
namespace {

// With the zeros that a sparse row leaves out; `row` is scratch.
void append_row(const auto& matrix, std::size_t i, std::vector<double>& row, std::string& line) {
  row.assign(matrix.cols(), 0.0);
  for_each_entry(matrix.row(i), [&](std::size_t j, double value) { row[j] = value; });
  for (const double value : row) {
    append_text(value, line);
    line += ',';
  }
}

std::string header_line(std::size_t width, std::span<const std::string> columns, const std::string& target) {
  std::string line;
  for (std::size_t j = 0; j < width; ++j) {
    line.append(columns.empty() ? "x" + std::to_string(j + 1) : csv_field(columns[j])).append(",");
  }
  return line.append(csv_field(target)).append("\n");
}

}  // namespace

std::string csv_field(std::string_view text) {
  const bool blank_ends = !text.empty() && (is_blank(text.front()) || is_blank(text.back()));
  if (!blank_ends && text.find_first_of(",;\t\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) out.append(c == '"' ? 2 : 1, c);
  return out += '"';
}

Result<void> write_csv(const std::filesystem::path& path, const LinearSystem& system, std::size_t first_row,
                       std::size_t rows, std::span<const std::string> columns, const std::string& target) {
  FEDRK_EXPECTS(columns.empty() || columns.size() == column_count(system.rows));
  FEDRK_EXPECTS(first_row + rows <= row_count(system.rows));
  FileWriter out(path);
  out.append(header_line(column_count(system.rows), columns, target));
  std::string line;
  std::vector<double> row;
  for (std::size_t i = first_row; i < first_row + rows && !out.failed(); ++i) {
    line.clear();
    std::visit([&](const auto& matrix) { append_row(matrix, i, row, line); }, system.rows);
    append_text(system.rhs[i], line);
    out.append(line += '\n');
  }
  return out.commit();
}

}  // namespace fedrk::io
