// SPDX-License-Identifier: Apache-2.0
#include "data/dataset.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/file_ending.hpp"
#include "base/mapped_file.hpp"
#include "data/csv.hpp"
#include "data/libsvm.hpp"
#include "data/matrix_market.hpp"
#include "data/npy.hpp"
#include "linalg/row_products.hpp"

namespace fedrk::io {
namespace {

std::vector<double> to_vector(const auto& matrix) {
  std::vector<double> out(matrix.rows() * matrix.cols(), 0.0);
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    for_each_entry(matrix.row(i), [&](std::size_t j, double value) { out[i * matrix.cols() + j] = value; });
  }
  return out;
}

}  // namespace

Result<Dataset> read_table(const std::filesystem::path& path, const TableOptions& options) {
  if (is_csv_name(path)) return read_csv(path, options);
  if (is_libsvm_name(path)) return read_libsvm(path);

  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  if (is_npy(file->text()) || is_matrix_market(file->text())) {
    return error_in(path,
                    "expected a table, found a matrix; give it with --matrix, and its right-hand side with --rhs");
  }
  return error_in(path, "expected a name that ends in .csv, .tsv or .txt (CSV), or in .svm or .libsvm (LIBSVM)");
}

Result<Rows> read_matrix(const std::filesystem::path& path, Margins margins, Storage as_is, bool in_place,
                         const RowRange& rows) {
  {
    const Result<MappedFile> file = MappedFile::open(path);
    if (!file) return file.error();
    if (is_matrix_market(file->text())) return read_matrix_market(path, margins);
    if (!is_npy(file->text())) return error_in(path, "expected a Matrix Market or NPY file, found neither");
  }
  if (as_is == Storage::Float32) {
    Result<std::optional<Matrix32>> floats = map_npy32(path, kInPlaceBytes, rows);
    if (!floats) return floats.error();
    if (*floats) return Rows(std::move(**floats));
  }
  constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();
  Result<Matrix> matrix = read_npy(path, margins, in_place ? kInPlaceBytes : kNever, rows);
  if (!matrix) return matrix.error();
  return Rows(std::move(*matrix));
}

Result<std::vector<double>> read_vector(const std::filesystem::path& path) {
  const Result<Rows> matrix = read_matrix(path);
  if (!matrix) return matrix.error();
  const std::size_t rows = row_count(*matrix), cols = column_count(*matrix);
  if (rows != 1 && cols != 1)
    return error_in(path, fmt::format("expected a vector, found a {} x {} matrix", rows, cols));

  std::error_code unknown;
  const auto bytes = std::filesystem::file_size(path, unknown);
  const std::size_t most = plausible_length(unknown ? 0 : static_cast<std::size_t>(bytes));
  if (is_sparse(*matrix) && cols > most) {  // a sparse row may announce any number of columns
    return error_in(path,
                    fmt::format("{} columns announced; expected at most {} in a vector file of this size", cols, most));
  }
  return std::visit([](const auto& m) { return to_vector(m); }, *matrix);
}

}  // namespace fedrk::io
