// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <variant>

#include <fmt/format.h>

#include "base/file_writer.hpp"
#include "base/number.hpp"
#include "data/matrix_market.hpp"

namespace fedrk::io {
namespace {

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

}  // namespace

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
