// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <variant>

#include "base/file_writer.hpp"
#include "base/number.hpp"
#include "data/libsvm.hpp"

namespace fedrk::io {
namespace {

void append_pair(std::size_t column, double value, std::string& line) {
  line.append(" ").append(std::to_string(column + 1)).append(":");
  append_text(value, line);
}

// Both write the entries that are not zero, and say whether the last column was among them.
template <class Number>
bool append_pairs(const BasicMatrix<Number>& matrix, std::size_t i, std::string& line) {
  const auto row = matrix.row(i);
  for (std::size_t j = 0; j < row.size(); ++j) {
    if (row[j] != 0.0) append_pair(j, row[j], line);
  }
  return row.back() != 0.0;
}

template <class Number>
bool append_pairs(const BasicSparseMatrix<Number>& matrix, std::size_t i, std::string& line) {
  const auto row = matrix.row(i);
  bool last = false;
  for (std::size_t k = 0; k < row.values.size(); ++k) {
    if (row.values[k] == 0.0) continue;
    append_pair(row.columns[k], row.values[k], line);
    last = row.columns[k] + std::size_t{1} == matrix.cols();
  }
  return last;
}

}  // namespace

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
