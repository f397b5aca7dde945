// SPDX-License-Identifier: Apache-2.0
//
// Whatever stands in a LIBSVM, Matrix Market or NPY file: it is read or refused at its place, takes no memory beyond
// the file, and reads back when it is written.
#include <cmath>
#include <cstring>
#include <string>
#include <variant>
#include <vector>

#include "data/dataset.hpp"
#include "data/libsvm.hpp"
#include "data/matrix_market.hpp"
#include "data/npy_header.hpp"
#include "fuzz/fuzz_files.hpp"
#include "linalg/row_products.hpp"

namespace fedrk::fuzz {
namespace {

constexpr std::string_view kName = "t";

const MemoryFile& file() {
  static const MemoryFile made;
  return made;
}
const MemoryFolder& folder() {
  static const MemoryFolder made;
  return made;
}

/// What a matrix holds, entry after entry: a row without an entry differs from one with a zero.
std::string contents(const Rows& rows) {
  std::string text;
  std::visit(
      [&](const auto& matrix) {
        text += std::to_string(matrix.rows()) + "x" + std::to_string(matrix.cols());
        for (std::size_t i = 0; i < matrix.rows(); ++i) {
          bool any = false;
          for_each_entry(matrix.row(i), [&](std::size_t j, double value) {
            FUZZ_PROMISE(j < matrix.cols() && std::isfinite(value));
            if (!any) text += "|" + std::to_string(i);
            any = true;
            text += " " + std::to_string(j) + ":";
            text.append(reinterpret_cast<const char*>(&value), sizeof value);  // NOLINT: its bits
          });
        }
      },
      rows);
  return text;
}

// ---- LIBSVM.

std::string any_libsvm(Input& input) {
  std::string text;
  for (std::uint32_t rows = input.below(5); rows > 0; --rows) {
    text += any_number(input);
    std::uint32_t column = 0;
    for (std::uint32_t pairs = input.below(4); pairs > 0; --pairs) {
      column += input.rarely(16) ? 0 : 1 + input.below(3);
      text += input.rarely(16) ? "\t" : " ";
      text += input.rarely(24) ? std::string(input.one_of({"4294967295", "4294967296", "-1", "qid", "", "0"}))
                               : std::to_string(column);
      text += input.rarely(24) ? "" : ":";
      text += any_number(input);
    }
    if (input.rarely(8)) text += " # zq81zq:1";
    text += input.rarely(8) ? "\r\n" : "\n";
    if (input.rarely(12)) text += "# 7:7\n";
  }
  if (input.rarely(6)) input.spoil(text);
  return text;
}

void play_libsvm(Input& input) {
  const std::string text = input.rarely(8) ? input.raw() : any_libsvm(input);
  const auto data = io::read_libsvm_text(text, kName);
  if (!data) return check_message(data.error(), kName);
  const auto& matrix = std::get<SparseMatrix>(data->system.rows);
  FUZZ_PROMISE(matrix.rows() > 0 && matrix.cols() > 0 && matrix.rows() == data->system.rhs.size());
  FUZZ_PROMISE(matrix.rows() <= text.size());
  (void)contents(data->system.rows);
  if (!input.rarely(8)) return;
  // Zeros are left out, and the last column is named.
  FUZZ_PROMISE(io::write_libsvm(folder() / "written.svm", data->system, 0, matrix.rows()));
  const auto once = io::read_libsvm(folder() / "written.svm");
  FUZZ_PROMISE(once && column_count(once->system.rows) == matrix.cols());
  FUZZ_PROMISE(std::memcmp(once->system.rhs.data(), data->system.rhs.data(), matrix.rows() * sizeof(double)) == 0);
  FUZZ_PROMISE(io::write_libsvm(folder() / "written.svm", once->system, 0, matrix.rows()));
  const auto twice = io::read_libsvm(folder() / "written.svm");
  FUZZ_PROMISE(twice && contents(twice->system.rows) == contents(once->system.rows));
}

// ---- Matrix Market.

std::string any_market(Input& input) {
  const bool array = input.maybe();
  const std::string_view field = input.one_of({"real", "real", "integer", "pattern", "complex"});
  const std::string_view symmetry = input.one_of({"general", "general", "symmetric", "skew-symmetric", "hermitian"});
  std::string text = input.rarely(8) ? "%%matrixmarket MATRIX " : "%%MatrixMarket matrix ";
  text.append(array ? "array " : "coordinate ").append(field).append(" ").append(symmetry).append("\n");
  if (input.rarely(4)) text += "% zq81zq\n\n";
  const std::uint32_t rows = 1 + input.below(3), cols = input.maybe() ? rows : 1 + input.below(4);
  const std::uint32_t entries = array ? rows * cols : input.below(5);
  const auto size = [&](std::uint32_t usual) {
    return input.rarely(24) ? std::string(any_number(input)) : std::to_string(usual);
  };
  text += size(rows) + " " + size(cols) + (array ? "" : " " + size(entries)) + "\n";
  for (std::uint32_t k = 0; k < entries; ++k) {
    if (!array) text += size(1 + input.below(rows)) + " " + size(1 + input.below(cols)) + " ";
    if (field != "pattern") text += input.maybe() ? std::string(any_number(input)) : std::to_string(input.below(9));
    text += input.rarely(16) ? "\r\n" : "\n";
  }
  if (input.rarely(6)) input.spoil(text);
  return text;
}

void play_market(Input& input) {
  const std::string text = input.rarely(8) ? input.raw() : any_market(input);
  const Margins margins{.front = input.below(2), .back = input.below(2)};
  const auto rows = io::read_matrix_market_text(text, kName, margins);
  if (!rows) return check_message(rows.error(), kName);
  FUZZ_PROMISE(row_count(*rows) > 0 && column_count(*rows) > 0);
  FUZZ_PROMISE(row_count(*rows) <= io::plausible_length(text.size()));
  if (row_count(*rows) > 10'000) return;
  const std::string first = contents(*rows);
  if (!input.rarely(8)) return;
  FUZZ_PROMISE(io::write_matrix_market(folder() / "written.mtx", *rows, 0, row_count(*rows)));
  const auto again = io::read_matrix_market(folder() / "written.mtx");
  FUZZ_PROMISE(again && again->index() == rows->index() && contents(*again) == first);
}

// ---- NPY.

std::string any_npy(Input& input) {
  const bool floats = input.maybe();
  const std::uint32_t rows = 1 + input.below(4), cols = 1 + input.below(3);
  const bool vector = input.rarely(4);
  std::string head = "{'descr': '";
  head += input.rarely(12) ? input.one_of({"<i4", ">f8", "|O", "<f16", "", "<f4', 'x': '"}) : floats ? "<f4" : "<f8";
  head += "', 'fortran_order': ";
  head += input.rarely(12) ? input.one_of({"true", "1", "", "Tru"}) : input.maybe() ? "True" : "False";
  head += ", 'shape': (";
  head += input.rarely(12)
              ? std::string(input.one_of({"18446744073709551615, 2", "2, 2, 2", "0", "", "-1", "2,,", "1e3, 1"}))
          : vector ? std::to_string(rows) + ","
                   : std::to_string(rows) + ", " + std::to_string(cols);
  head += "), }";
  if (input.rarely(8)) input.spoil(head);
  head.append(input.below(8), ' ').append("\n");
  const unsigned version = input.rarely(12) ? input.below(5) : 1 + input.below(2);
  std::string text = "\x93NUMPY";
  text += static_cast<char>(version);
  text += '\0';
  const std::size_t length = input.rarely(16) ? input.below(70'000) : head.size();
  for (std::size_t k = 0; k < (version == 1 ? 2U : 4U); ++k) text += static_cast<char>(length >> (8 * k) & 0xFFU);
  text += head;
  for (std::uint32_t k = 0; k < rows * (vector ? 1 : cols); ++k) {
    const double value = input.rarely(24) ? input.real() : static_cast<double>(k) - 1.5;
    const auto single = static_cast<float>(value);
    text.append(floats ? reinterpret_cast<const char*>(&single) : reinterpret_cast<const char*>(&value),  // NOLINT
                floats ? sizeof single : sizeof value);
  }
  if (input.rarely(8)) input.spoil(text);
  return text;
}

double entry(const io::NpyHeader& header, const std::string& text, std::size_t i, std::size_t j) {
  const std::size_t index = header.fortran_order ? j * header.rows + i : i * header.cols + j;
  const char* const at = text.data() + header.data_offset + index * header.item_bytes;
  double value = 0.0;
  float single = 0.0F;
  if (header.item_bytes == sizeof value) {
    std::memcpy(&value, at, sizeof value);
    return value;
  }
  std::memcpy(&single, at, sizeof single);
  return single;
}

void check_npy(const Matrix& matrix, const io::NpyHeader& header, const std::string& text, std::size_t first) {
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    for (std::size_t j = 0; j < matrix.cols(); ++j) {
      FUZZ_PROMISE(matrix.row(i)[j] == entry(header, text, first + i, j));
    }
  }
}

void play_npy(Input& input) {
  const std::string text = input.rarely(8) ? "\x93NUMPY" + input.raw() : any_npy(input);
  if (text.empty()) return;
  const auto header = io::read_npy_header(text, kName);
  const std::string place = file().holding(text).string();
  const auto matrix = io::read_npy(file().path(), {.front = input.below(2), .back = input.below(2)});
  const auto in_place = io::read_npy(file().path(), {}, 0);
  const auto floats = io::map_npy32(file().path(), 0);
  FUZZ_PROMISE(static_cast<bool>(matrix) == static_cast<bool>(in_place));
  if (!header) {
    check_message(header.error(), kName);
    FUZZ_PROMISE(!matrix);
    return;
  }
  FUZZ_PROMISE(header->data_offset + header->rows * header->cols * header->item_bytes == text.size());
  if (!matrix) return check_message(matrix.error(), place);  // a number that is not finite
  FUZZ_PROMISE(matrix->rows() == header->rows && matrix->cols() == header->cols);
  FUZZ_PROMISE(floats);
  check_npy(*matrix, *header, text, 0);
  check_npy(*in_place, *header, text, 0);
  const auto count = io::count_npy_rows(file().path());
  FUZZ_PROMISE(count && count->has_value() == !header->fortran_order);
  if (*count) {
    const std::size_t first = input.below(static_cast<std::uint32_t>(header->rows));
    const auto some = io::read_npy(file().path(), {}, input.maybe() ? 0 : io::kInPlaceBytes,
                                   {.first = first, .count = header->rows - first, .of = header->rows});
    FUZZ_PROMISE(some && some->rows() == header->rows - first);
    check_npy(*some, *header, text, first);
  }
  const auto vector = io::read_vector(file().path());
  FUZZ_PROMISE(static_cast<bool>(vector) == (header->rows == 1 || header->cols == 1));
  if (!input.rarely(8)) return;
  FUZZ_PROMISE(io::write_npy(folder() / "written.npy", *matrix, 0, matrix->rows()));
  const auto again = io::read_npy(folder() / "written.npy");
  FUZZ_PROMISE(again && again->rows() == matrix->rows() && again->cols() == matrix->cols());
  check_npy(*again, *header, text, 0);
}

}  // namespace
}  // namespace fedrk::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fedrk::fuzz::Input input(data, size);
  switch (input.below(3)) {
    case 0:
      fedrk::fuzz::play_libsvm(input);
      break;
    case 1:
      fedrk::fuzz::play_market(input);
      break;
    default:
      fedrk::fuzz::play_npy(input);
      break;
  }
  return 0;
}
