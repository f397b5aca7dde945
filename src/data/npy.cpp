// SPDX-License-Identifier: Apache-2.0
#include "data/npy.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/mapped_file.hpp"
#include "base/number.hpp"
#include "base/write_file.hpp"
#include "data/npy_header.hpp"
#include "linalg/kernels.hpp"

namespace fedrk::io {
namespace {

static_assert(std::endian::native == std::endian::little, "the bytes of a file are taken as they are");

// The header's length need not keep the data aligned, so every number is copied out.
template <class Number>
double number_at(const char* data, std::size_t index) {
  Number value;
  std::memcpy(&value, data + index * sizeof(Number), sizeof(Number));
  return static_cast<double>(value);
}

// The rows that are wanted, which `matrix` has room for.
template <class Number>
void fill_by_rows(const MappedFile& file, const NpyHeader& header, std::size_t first_row, Matrix& matrix) {
  constexpr std::size_t kStretch = std::size_t{1} << 20;
  const std::size_t row_bytes = header.cols * sizeof(Number);
  std::size_t at = header.data_offset + first_row * row_bytes, forgotten = at;
  for (std::size_t i = 0; i < matrix.rows(); ++i, at += row_bytes) {
    const auto row = matrix.row(i);
    const char* const data = file.text().data() + at;
    if constexpr (sizeof(Number) == sizeof(double)) {
      std::memcpy(row.data(), data, row_bytes);
    } else {
      for (std::size_t j = 0; j < header.cols; ++j) row[j] = number_at<Number>(data, j);
    }
    if (at - forgotten > kStretch) file.forget(std::exchange(forgotten, at), at);
  }
}

// The file goes down the columns, the matrix along the rows: bands of rows keep both within the caches.
template <class Number>
void fill_by_columns(const char* data, const NpyHeader& header, Matrix& matrix) {
  constexpr std::size_t kBand = 32;
  for (std::size_t first = 0; first < header.rows; first += kBand) {
    const std::size_t last = std::min(first + kBand, header.rows);
    for (std::size_t j = 0; j < header.cols; ++j) {
      for (std::size_t i = first; i < last; ++i) matrix.row(i)[j] = number_at<Number>(data, j * header.rows + i);
    }
  }
}

template <class Number>
void fill(const MappedFile& file, const NpyHeader& header, std::size_t first_row, Matrix& matrix) {
  if (header.fortran_order) {
    fill_by_columns<Number>(file.text().data() + header.data_offset, header, matrix);
  } else {
    fill_by_rows<Number>(file, header, first_row, matrix);
  }
}

RowRange existing(const RowRange& rows, const NpyHeader& header) {
  if (rows.of == 0) return {0, header.rows, header.rows};
  FEDRK_EXPECTS(!header.fortran_order && rows.first + rows.count <= header.rows);
  return rows;
}

/// A file, and which of its rows are wanted.
struct NpyRows {
  MappedFile file;
  NpyHeader header;
  RowRange rows;

  std::size_t bytes() const { return rows.count * header.cols * header.item_bytes; }
};

Result<NpyRows> open_rows(const std::filesystem::path& path, const RowRange& rows) {
  Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  const Result<NpyHeader> header = read_npy_header(file->text(), path);
  if (!header) return header.error();
  return NpyRows{*std::move(file), *header, existing(rows, *header)};
}

Matrix copied(const MappedFile& file, const NpyHeader& header, const RowRange& rows, Margins margins) {
  Matrix matrix(rows.count, header.cols, margins);
  if (header.item_bytes == sizeof(double)) {
    fill<double>(file, header, rows.first, matrix);
  } else {
    fill<float>(file, header, rows.first, matrix);
  }
  return matrix;
}

// A matrix on the pages of the file, which live as long as the matrix or a piece of it. Nothing where the layout
// differs from that of a matrix, or where the system does not let us.
template <class Number>
std::optional<BasicMatrix<Number>> in_place(MappedFile& file, const NpyHeader& header, const RowRange& rows) {
  const bool same_layout =
      header.item_bytes == sizeof(Number) && !header.fortran_order && header.data_offset % alignof(Number) == 0;
  char* const bytes = same_layout ? file.make_editable() : nullptr;
  if (bytes == nullptr) return std::nullopt;
  const auto pages = std::make_shared<MappedFile>(std::move(file));
  auto* const first = reinterpret_cast<Number*>(bytes + header.data_offset) + rows.first * header.cols;
  return BasicMatrix<Number>::over(std::shared_ptr<Number[]>(pages, first), rows.count, header.cols);
}

template <class Number>
std::optional<std::string> find_not_finite(const BasicMatrix<Number>& matrix, std::size_t first_row) {
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    const auto row = matrix.row(i);
    if (all_finite(row)) continue;
    const auto bad = std::ranges::find_if(row, [](double value) { return !std::isfinite(value); });
    return fmt::format("row {}, column {}: expected a finite number, found {}", first_row + i + 1,
                       bad - row.begin() + 1, std::isnan(*bad) ? "nan" : to_text(*bad));
  }
  return std::nullopt;
}

// The data starts at a multiple of 64, as NumPy has it, so that it can be mapped and used in place.
std::string header_for(const std::string& shape) {
  std::string text = fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}), }}", shape);
  const std::size_t unpadded = 10 + text.size() + 1;
  text.append((64 - unpadded % 64) % 64, ' ').append("\n");
  std::string head("\x93NUMPY\x01\x00", 8);
  head += static_cast<char>(text.size() & 0xFFU);
  head += static_cast<char>(text.size() >> 8U);
  return head + text;
}

std::string_view bytes_of(std::span<const double> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

}  // namespace

Result<std::optional<std::size_t>> count_npy_rows(const std::filesystem::path& path) {
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return file.error();
  if (!is_npy(file->text())) return std::optional<std::size_t>();
  const Result<NpyHeader> header = read_npy_header(file->text(), path);
  if (!header) return header.error();
  return header->fortran_order ? std::nullopt : std::optional(header->rows);
}

Result<Matrix> read_npy(const std::filesystem::path& path, Margins margins, std::size_t in_place_bytes,
                        const RowRange& rows) {
  Result<NpyRows> opened = open_rows(path, rows);
  if (!opened) return opened.error();
  auto& [file, header, wanted] = *opened;
  std::optional<Matrix> matrix;
  const bool large = opened->bytes() >= in_place_bytes;
  if (large && margins.front == 0 && margins.back == 0) matrix = in_place<double>(file, header, wanted);
  if (!matrix) matrix = copied(file, header, wanted, margins);
  if (const auto problem = find_not_finite(*matrix, wanted.first)) return error_in(path, *problem);
  return *std::move(matrix);
}

Result<std::optional<Matrix32>> map_npy32(const std::filesystem::path& path, std::size_t in_place_bytes,
                                          const RowRange& rows) {
  Result<NpyRows> opened = open_rows(path, rows);
  if (!opened) return opened.error();
  std::optional<Matrix32> matrix;
  if (opened->bytes() >= in_place_bytes) matrix = in_place<float>(opened->file, opened->header, opened->rows);
  if (!matrix) return matrix;
  if (const auto problem = find_not_finite(*matrix, opened->rows.first)) return error_in(path, *problem);
  return matrix;
}

Result<void> write_npy(const std::filesystem::path& path, const Matrix& matrix, std::size_t first_row,
                       std::size_t rows) {
  FEDRK_EXPECTS(first_row + rows <= matrix.rows());
  FileWriter out(path);
  out.append(header_for(fmt::format("{}, {}", rows, matrix.cols())));
  for (std::size_t i = first_row; i < first_row + rows && !out.failed(); ++i) out.append(bytes_of(matrix.row(i)));
  return out.commit();
}

Result<void> write_npy(const std::filesystem::path& path, std::span<const double> vector) {
  FileWriter out(path);
  out.append(header_for(fmt::format("{},", vector.size())));
  out.append(bytes_of(vector));
  return out.commit();
}

}  // namespace fedrk::io
