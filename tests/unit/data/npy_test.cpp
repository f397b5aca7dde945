// SPDX-License-Identifier: Apache-2.0
#include "data/npy.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "support/doubles.hpp"
#include "support/temp_folder.hpp"

namespace fedrk::io {
namespace {

using test::TempFolder;

std::string npy(const std::string& dictionary, const std::string& data, char version = 1) {
  std::string out = "\x93NUMPY";
  out += {version, '\0', static_cast<char>(dictionary.size()), '\0'};
  if (version > 1) out += {'\0', '\0'};
  return out + dictionary + data;
}

template <class Number>
std::string bytes(const std::vector<Number>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Number)};
}

std::string dictionary(const std::string& type, const std::string& shape, const std::string& fortran = "False") {
  return "{'descr': '" + type + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }\n";
}

std::vector<double> entries(const Matrix& matrix) {
  std::vector<double> out;
  for (std::size_t i = 0; i < matrix.rows(); ++i) out.insert(out.end(), matrix.row(i).begin(), matrix.row(i).end());
  return out;
}

TEST(Npy, ReadsBothOrdersAndBothWidths) {
  const TempFolder folder;
  const std::vector<double> by_rows{1, 2, 3, 4, 5, 6}, by_columns{1, 4, 2, 5, 3, 6};
  const std::vector<float> single{1, 2, 3, 4, 5, 6};
  const std::vector<std::string> contents{
      npy(dictionary("<f8", "(2, 3)"), bytes(by_rows)),
      npy(dictionary("<f8", "(2, 3)", "True"), bytes(by_columns)),
      npy(dictionary("<f4", "(2, 3)"), bytes(single), 2),
      npy(dictionary("<f4", "(2,3)", "True"), bytes(std::vector<float>{1, 4, 2, 5, 3, 6}), 3),
      npy("{\"shape\":(2,3),\"fortran_order\":False,\"descr\":\"<f8\"}", bytes(by_rows)),
  };
  for (const auto& content : contents) {
    const auto matrix = read_npy(folder.write("a.npy", content), {.front = 1, .back = 1});

    ASSERT_TRUE(matrix) << matrix.error().message;
    EXPECT_EQ(matrix->rows(), 2U);
    EXPECT_EQ(entries(*matrix), by_rows);
  }
}

TEST(Npy, ReadsOneDimensionAsOneColumn) {
  const TempFolder folder;

  const auto matrix = read_npy(folder.write("b.npy", npy(dictionary("<f8", "(2,)"), bytes(std::vector{7.0, 8.0}))));

  ASSERT_TRUE(matrix);
  EXPECT_EQ(matrix->rows(), 2U);
  EXPECT_EQ(matrix->cols(), 1U);
  EXPECT_EQ(entries(*matrix), (std::vector{7.0, 8.0}));
}

constexpr std::size_t kAnySize = 1;

std::vector<double> finite_values(std::size_t count) { return test::any_doubles(count, 5); }

TEST(Npy, OfALargeFileIsUsedInPlaceWithTheBitsOfACopy) {
  const TempFolder folder;
  const auto values = finite_values(600);
  ASSERT_TRUE(write_npy(folder / "v.npy", values));
  Matrix written(40, 15);
  for (std::size_t k = 0; k < values.size(); ++k) written.row(k / 15)[k % 15] = values[k];
  ASSERT_TRUE(write_npy(folder / "a.npy", written, 0, 40));

  for (const std::string name : {"v.npy", "a.npy"}) {
    const auto copy = read_npy(folder / name), in_place = read_npy(folder / name, {}, kAnySize);

    ASSERT_TRUE(copy && in_place);
    EXPECT_EQ(in_place->rows(), copy->rows());
    EXPECT_EQ(in_place->cols(), copy->cols());
    const auto expected = entries(*copy), found = entries(*in_place);
    ASSERT_EQ(found.size(), 600U);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(in_place->row(0).data()) % 4096, 128U)
        << "behind the header of its page";
    for (std::size_t k = 0; k < found.size(); ++k) EXPECT_TRUE(test::same_bits(found[k], expected[k]));
  }
}

TEST(Npy, InPlaceKeepsTheFileAsItIsWhateverBecomesOfTheMatrix) {
  const TempFolder folder;
  const auto values = finite_values(6000);
  Matrix written(60, 100);
  for (std::size_t k = 0; k < values.size(); ++k) written.row(k / 100)[k % 100] = values[k];
  ASSERT_TRUE(write_npy(folder / "a.npy", written, 0, 60));
  const std::string before = folder.read("a.npy");

  auto matrix = read_npy(folder / "a.npy", {}, kAnySize);
  ASSERT_TRUE(matrix);
  std::vector<std::size_t> order(60);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = (i + 7) % order.size();
  matrix->permute_rows(order);
  auto pieces = (*std::move(matrix)).split_rows(std::vector<std::size_t>{20, 40});
  for (double& value : pieces[0].row(3)) value = 1.0;
  pieces[1].add_columns({.front = 1, .back = 2});

  EXPECT_EQ(folder.read("a.npy"), before);
  EXPECT_EQ(pieces[0].row(3)[99], 1.0);
  EXPECT_EQ(pieces[0].row(0)[0], values[700]);
  EXPECT_EQ(pieces[1].row(0)[0], 0.0);
  EXPECT_EQ(pieces[1].row(0)[1], values[2700]) << "row 27 is row 20 now, and moved by a column";
}

TEST(Npy, InPlaceOutlivesTheNameOfTheFile) {
  const TempFolder folder;
  ASSERT_TRUE(write_npy(folder / "b.npy", std::vector{1.0, 2.0, 3.0}));

  const auto matrix = read_npy(folder / "b.npy", {}, kAnySize);
  std::filesystem::remove(folder / "b.npy");

  ASSERT_TRUE(matrix);
  EXPECT_EQ(entries(*matrix), (std::vector{1.0, 2.0, 3.0}));
}

TEST(Npy, OfOtherLayoutsIsCopiedHoweverLarge) {
  const TempFolder folder;
  const std::vector<double> by_rows{1, 2, 3, 4, 5, 6};
  const std::string whole = dictionary("<f8", "(2, 3)");
  const std::string odd = whole.substr(0, whole.size() - 1) + std::string(8 - (10 + whole.size()) % 8 + 1, ' ') + "\n";
  ASSERT_EQ((10 + odd.size()) % 8, 1U);
  for (const auto& content : {npy(odd, bytes(by_rows)),
                              npy(dictionary("<f8", "(2, 3)", "True"), bytes(std::vector<double>{1, 4, 2, 5, 3, 6})),
                              npy(dictionary("<f4", "(2, 3)"), bytes(std::vector<float>{1, 2, 3, 4, 5, 6}))}) {
    const auto matrix = read_npy(folder.write("a.npy", content), {}, kAnySize);

    ASSERT_TRUE(matrix) << matrix.error().message;
    EXPECT_EQ(entries(*matrix), by_rows);
  }
}

TEST(Npy, OfFloatsIsUsedInPlaceOnlyInTheLayoutOfAMatrix) {
  const TempFolder folder;
  const std::vector<float> by_rows{1, 2, 3, 4, 5, 6};
  const std::string whole = dictionary("<f4", "(2, 3)");
  const std::string aligned = whole.substr(0, whole.size() - 1) + std::string(8 - (10 + whole.size()) % 8, ' ') + "\n";
  const auto large = folder.write("a.npy", npy(aligned, bytes(by_rows)));
  const auto fortran = folder.write("b.npy", npy(dictionary("<f4", "(2, 3)", "True"), bytes(by_rows)));
  const auto doubles = folder.write("c.npy", npy(dictionary("<f8", "(1, 3)"), bytes(std::vector{1.0, 2.0, 3.0})));
  const auto infinite = folder.write("d.npy", npy(aligned, bytes(std::vector<float>{1, 2, 3, 4, HUGE_VALF, 6})));

  const auto matrix = map_npy32(large, kAnySize);

  ASSERT_TRUE(matrix && *matrix);
  EXPECT_EQ((*matrix)->cols(), 3U);
  EXPECT_EQ((*matrix)->row(1)[0], 4.0F);
  for (const auto& [path, min_bytes] : {std::pair{large, kInPlaceBytes}, {fortran, kAnySize}, {doubles, kAnySize}}) {
    const auto none = map_npy32(path, min_bytes);
    ASSERT_TRUE(none);
    EXPECT_FALSE(*none) << path;
  }
  const auto refused = map_npy32(infinite, kAnySize);
  ASSERT_FALSE(refused);
  EXPECT_EQ(folder.local(refused.error().message), "d.npy: row 2, column 2: expected a finite number, found inf");
}

TEST(Npy, InPlaceIsCheckedForNumbersThatAreNotFinite) {
  const TempFolder folder;
  Matrix written(30, 200);
  written.row(28)[150] = std::numeric_limits<double>::infinity();
  ASSERT_TRUE(write_npy(folder / "a.npy", written, 0, 30));

  const auto matrix = read_npy(folder / "a.npy", {}, kAnySize);

  ASSERT_FALSE(matrix);
  EXPECT_EQ(folder.local(matrix.error().message), "a.npy: row 29, column 151: expected a finite number, found inf");
}

TEST(Npy, ReadsSomeRowsAndLooksAtNoOthers) {
  const TempFolder folder;
  std::vector<double> values{1, 2, 3, 4, 5, 6, 7, 8};
  values[0] = std::numeric_limits<double>::quiet_NaN();
  const auto path = folder.write("a.npy", npy(dictionary("<f8", "(4, 2)") + std::string(9, ' '), bytes(values)));
  for (const std::size_t in_place_bytes : {std::size_t{0}, kInPlaceBytes}) {
    const auto rows = read_npy(path, {}, in_place_bytes, {.first = 1, .count = 2, .of = 4});
    const auto all = read_npy(path, {}, in_place_bytes);

    ASSERT_TRUE(rows) << rows.error().message;
    EXPECT_EQ(entries(*rows), (std::vector<double>{3, 4, 5, 6}));
    EXPECT_FALSE(all);
  }
  EXPECT_EQ(**count_npy_rows(path), 4U);
  const auto down = folder.write("b.npy", npy(dictionary("<f8", "(4, 2)", "True"), bytes(values)));
  EXPECT_FALSE(*count_npy_rows(down)) << "rows do not stand one after the other";
  EXPECT_FALSE(*count_npy_rows(folder.write("c.csv", "u,v\n1,2\n")));
}

TEST(Npy, NamesTheRowOfTheFileWhereSomeRowsAreRead) {
  const TempFolder folder;
  std::vector<double> values{1, 2, 3, 4, 5, 6, 7, 8};
  values[7] = std::numeric_limits<double>::infinity();
  const auto path = folder.write("a.npy", npy(dictionary("<f8", "(4, 2)"), bytes(values)));

  const auto rows = read_npy(path, {}, kInPlaceBytes, {.first = 2, .count = 2, .of = 4});

  ASSERT_FALSE(rows);
  EXPECT_NE(rows.error().message.find("row 4, column 2"), std::string::npos) << rows.error().message;
}

TEST(Npy, NamesTheFactAndTheExpectation) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  const std::string four = bytes(std::vector{1.0, 2.0, 3.0, 4.0}),
                    known = "expected '<f8' (float64) or '<f4' (float32)";
  const std::string two = dictionary("<f8", "(2, 2)");
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "a.npy: the file is empty"},
      {"hello world, this is text", "a.npy: expected an NPY file, found other content"},
      {"\x93NUMPY\x01", "a.npy: the file ends within the header"},
      {npy(two, "").substr(0, 30), "a.npy: the file ends within the header"},
      {npy(two, four, 9), "a.npy: NPY version 9 is not supported; expected 1, 2 or 3"},
      {npy("{'descr': '<f8', ", four), "a.npy: malformed NPY header"},
      {npy("{'descr': '<f8', 'fortran_order': False}", four), "a.npy: malformed NPY header"},
      {npy(dictionary("<f8", "(2, 2)", "Maybe"), four), "a.npy: malformed NPY header"},
      {npy(dictionary("|O", "(2, 2)"), four), "a.npy: the file holds Python objects; save float64"},
      {npy(dictionary(">f8", "(2, 2)"), four), "a.npy: the numbers are big-endian ('>f8'); " + known},
      {npy(dictionary("<i8", "(2, 2)"), four), "a.npy: dtype '<i8' is not supported; " + known},
      {npy("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (4,), }", four),
       "a.npy: the file holds records with named fields; " + known},
      {npy(dictionary("<f8", "()"), four), "a.npy: expected 1 or 2 dimensions, found shape ()"},
      {npy(dictionary("<f8", "(2, 2, 1)"), four), "a.npy: expected 1 or 2 dimensions, found shape (2, 2, 1)"},
      {npy(dictionary("<f8", "(2, x)"), four), "a.npy: expected a shape such as (3, 4), found text"},
      {npy(dictionary("<f8", "(-2, 2)"), four), "a.npy: expected a shape such as (3, 4), found text"},
      {npy(dictionary("<f8", "(0, 2)"), ""), "a.npy: expected at least one row and one column, found shape (0, 2)"},
      {npy(dictionary("<f8", "(4294967296, 4294967296)"), four), "a.npy: shape (4294967296, 4294967296) is too large"},
      {npy(dictionary("<f8", "(1000000000, 1000000000)"), four),
       "a.npy: expected 8000000000000000000 bytes of data for shape (1000000000, 1000000000), found 32"},
      {npy(two, four.substr(1)), "a.npy: expected 32 bytes of data for shape (2, 2), found 31"},
      {npy(two, four + "x"), "a.npy: expected 32 bytes of data for shape (2, 2), found 33"},
      {npy(two, bytes(std::vector{1.0, 2.0, 3.0, nan})), "a.npy: row 2, column 2: expected a finite number, found nan"},
      {npy(two, bytes(std::vector{1.0, -inf, 3.0, 4.0})),
       "a.npy: row 1, column 2: expected a finite number, found -inf"},
  };
  const TempFolder folder;
  for (const auto& [content, message] : cases) {
    const auto matrix = read_npy(folder.write("a.npy", content));
    ASSERT_FALSE(matrix) << message;
    EXPECT_EQ(folder.local(matrix.error().message), message);
  }
}

TEST(Npy, WritesRowsItReadsBackToTheSameBits) {
  const TempFolder folder;
  const auto values = test::any_doubles(600, 17);
  Matrix matrix(200, 3, {.front = 1, .back = 2});
  for (std::size_t k = 0; k < values.size(); ++k) matrix.row(k / 3)[k % 3] = values[k];

  ASSERT_TRUE(write_npy(folder / "a.npy", matrix, 50, 150));
  const auto again = read_npy(folder / "a.npy");

  ASSERT_TRUE(again) << again.error().message;
  ASSERT_EQ(again->rows(), 150U);
  const auto read_back = entries(*again);
  for (std::size_t k = 0; k < read_back.size(); ++k) EXPECT_TRUE(test::same_bits(read_back[k], values[150 + k]));
}

TEST(Npy, WritesTheHeaderThatNumpyWrites) {
  const TempFolder folder;

  ASSERT_TRUE(write_npy(folder / "b.npy", std::vector{1.0, 2.0, 3.0}));

  const std::string content = folder.read("b.npy");
  EXPECT_EQ(content.size(), 128U + 24U);
  EXPECT_EQ(content.substr(0, 10), std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  EXPECT_EQ(content.substr(10, 58), "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), } ");
  EXPECT_EQ(content[127], '\n');
}

}  // namespace
}  // namespace fedrk::io
