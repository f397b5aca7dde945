// SPDX-License-Identifier: Apache-2.0
#include "data/csv.hpp"

#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

#include "support/doubles.hpp"
#include "support/temp_folder.hpp"

namespace fedrk::io {
namespace {

using test::TempFolder;
using Names = std::vector<std::string>;

std::vector<double> row(const Dataset& data, std::size_t i) {
  const auto values = std::get<Matrix>(data.system.rows).row(i);
  return {values.begin(), values.end()};
}

TEST(Csv, SplitsATableIntoFeaturesTargetAndLabels) {
  const TempFolder folder;
  const auto path = folder.write("a.csv", "a,site,y,b,note\n1,north,2,3,x\n-4.5,south,+6,7e1,\n");

  const auto data = read_csv(path, {.target = "y", .ignore = {"note"}, .group_by = "site", .margins = {}});

  ASSERT_TRUE(data) << data.error().message;
  EXPECT_EQ(data->columns, (Names{"a", "b"}));
  EXPECT_EQ(data->labels, (Names{"north", "south"}));
  EXPECT_EQ(data->system.rhs, (std::vector{2.0, 6.0}));
  EXPECT_EQ(row(*data, 0), (std::vector{1.0, 3.0}));
  EXPECT_EQ(row(*data, 1), (std::vector{-4.5, 70.0}));
}

TEST(Csv, TellsTheNamesOfTheColumnsWithoutTheRows) {
  const TempFolder folder;

  EXPECT_EQ(*read_csv_columns(folder.write("a.csv", "a;\"b,c\";y\nanything\n")), (Names{"a", "b,c", "y"}));

  EXPECT_FALSE(read_csv_columns(folder.write("b.csv", "1,2\n")));
  EXPECT_FALSE(read_csv_columns(folder / "missing.csv"));
}

TEST(Csv, TakesTheDelimiterThatTheHeaderUses) {
  const TempFolder folder;
  for (const std::string content : {"a,b,y\n1,2,3\n", "a;b;y\n1;2;3\n", "a\tb\ty\n1\t2\t3\n", "\"p,q\";b;y\n1;2;3\n"}) {
    const auto data =
        read_csv(folder.write("a.csv", content), {.target = "y", .ignore = {}, .group_by = {}, .margins = {}});

    ASSERT_TRUE(data) << data.error().message;
    EXPECT_EQ(row(*data, 0), (std::vector{1.0, 2.0}));
  }
}

TEST(Csv, ForgivesWhatSpreadsheetsDo) {
  const TempFolder folder;
  const auto path =
      folder.write("a.csv", "\xEF\xBB\xBF\"a\", \"b \"\"c\"\"\" ,y\r\n 1 , \"2\" ,3 \r\n4,1e-400,6\r\n\r\n \r\n");

  const auto data = read_csv(path, {.target = "y", .ignore = {}, .group_by = {}, .margins = {}});

  ASSERT_TRUE(data) << data.error().message;
  EXPECT_EQ(data->columns, (Names{"a", "b \"c\""}));
  EXPECT_EQ(row(*data, 0), (std::vector{1.0, 2.0}));
  EXPECT_EQ(row(*data, 1), (std::vector{4.0, 0.0}));
}

TEST(Csv, ReadsTextInMemoryAsItReadsAFile) {
  const TempFolder folder;
  const TableOptions options{.target = "y", .ignore = {}, .group_by = "who", .margins = {}};
  const std::string nul("a,who,y\n1,x,2\n\0,x,2\n", 21);
  for (const std::string& content :
       {std::string("\xEF\xBB\xBF"
                    "a,who,y\r\n1,x,2\r\n3,z,4"),
        std::string("a,who,y\n1,x,2\n3,z\n"), std::string(" \n"), std::string("a,who,y\n"), nul}) {
    const auto path = folder.write("a.csv", content);

    const auto from_file = read_csv(path, options);
    const auto from_text = read_csv_text(content, path.string(), options);

    ASSERT_EQ(static_cast<bool>(from_text), static_cast<bool>(from_file));
    if (!from_file) {
      EXPECT_EQ(from_text.error().message, from_file.error().message);
      continue;
    }
    EXPECT_EQ(from_text->columns, from_file->columns);
    EXPECT_EQ(from_text->labels, from_file->labels);
    EXPECT_EQ(from_text->system.rhs, from_file->system.rhs);
    EXPECT_EQ(row(*from_text, 1), row(*from_file, 1));
  }
  EXPECT_FALSE(read_csv_text("", "nothing", options));
}

TEST(Csv, ReadsTheColumnsThatAreNamedInTheirOrder) {
  TableOptions options{.target = "y", .ignore = {}, .group_by = "who", .margins = {}};
  options.columns = {"c", "a"};

  const auto data = read_csv_text("a,who,b,y,c\n1,x,text,2,3\n4,z,,5,6\n", "a.csv", options);
  options.columns = {"c", "d"};
  const auto without = read_csv_text("a,who,b,y,c\n1,x,2,3,4\n", "a.csv", options);

  ASSERT_TRUE(data) << data.error().message;
  EXPECT_EQ(data->columns, (Names{"c", "a"}));
  EXPECT_EQ(row(*data, 1), (std::vector{6.0, 4.0}));
  EXPECT_EQ(data->system.rhs, (std::vector{2.0, 5.0}));
  EXPECT_EQ(data->labels, (Names{"x", "z"}));
  EXPECT_EQ(without.error().message, "a.csv: no column 'd' to explain by; the columns are a, who, b, y, c");
}

TEST(Csv, TakesNoColumnForAFeatureAndForTheOwnersToo) {
  TableOptions options{.target = "y", .ignore = {}, .group_by = "c", .margins = {}};
  options.columns = {"a", "c"};

  const auto data = read_csv_text("a,y,c\n1,2,3\n", "a.csv", options);

  ASSERT_FALSE(data);
  EXPECT_EQ(data.error().message, "a.csv: column 'c' is one to explain by, not one to group by");
}

TEST(Csv, LeavesMarginsThatColumnsCanJoinWithoutACopy) {
  const TempFolder folder;
  const auto path = folder.write("a.csv", "a,y\n1,2\n3,4");
  auto data = read_csv(path, {.target = "y", .ignore = {}, .group_by = {}, .margins = {.front = 1, .back = 2}});
  ASSERT_TRUE(data) << data.error().message;
  auto& matrix = std::get<Matrix>(data->system.rows);
  const double* const before = matrix.row(0).data();

  matrix.add_columns({.front = 1, .back = 2});

  EXPECT_EQ(matrix.row(0).data() + 1, before);
  EXPECT_EQ(row(*data, 1), (std::vector{0.0, 3.0, 0.0, 0.0}));
}

struct BadTable {
  std::string content, message;
  TableOptions options{.target = "y", .ignore = {}, .group_by = {}, .margins = {}};
};

TEST(Csv, NamesThePlaceTheFactAndTheExpectation) {
  const TempFolder folder;
  const TableOptions no_target{}, other{.target = "lpsa", .ignore = {}, .group_by = {}, .margins = {}};
  const auto with = [](Names ignore, std::string group_by) {
    return TableOptions{.target = "y", .ignore = std::move(ignore), .group_by = std::move(group_by), .margins = {}};
  };
  std::string wide = "y";
  for (int i = 1; i < 15; ++i) wide += ",c" + std::to_string(i);
  const std::vector<BadTable> cases{
      {"", "a.csv: the file is empty"},
      {" \n\n", "a.csv: the file is blank"},
      {"\na,y\n1,2\n", "a.csv:1: expected a header with column names, found a blank line"},
      {"1,2,3\n4,5,6\n", "a.csv:1: expected a header with column names, found numbers"},
      {"a,y\n", "a.csv: expected rows of numbers below the header, found none"},
      {"a,y\n1,2\n1\n", "a.csv:3: expected 2 fields, found 1"},
      {"a,y\n1,2\n1,2,3\n", "a.csv:3: expected 2 fields, found 3"},
      {"a,y\n1,2\nx,2,3\n", "a.csv:3: expected 2 fields, found 3"},
      {"a\ty\n1\t\n1\t2\n", "a.csv:2: column 'y': expected a number, found nothing"},
      {"age,y\nabc,2\n", "a.csv:2: column 'age': expected a number, found text"},
      {"age,y\n1,2\n,2\n", "a.csv:3: column 'age': expected a number, found nothing"},
      {"age,y\n1,nan\n", "a.csv:2: column 'y': expected a finite number, found nan"},
      {"age,y\n-inf,1\n", "a.csv:2: column 'age': expected a finite number, found -inf"},
      {"age,y\n1e999,1\n", "a.csv:2: column 'age': the number is too large for a double"},
      {"a,b,c\n1,2,3\n", "a.csv: no column 'lpsa'; the columns are a, b, c", other},
      {wide + "\n",
       "a.csv: no column 'lpsa'; the columns are y, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11 and 3 more", other},
      {"a,b\n1,2\n",
       "a.csv: a CSV table needs --target NAME, the column that becomes the right-hand side; the columns are a, b",
       no_target},
      {"a,b,y,b\n", "a.csv:1: columns 2 and 4 are both named 'b'"},
      {"a,,y\n", "a.csv:1: column 2 has no name"},
      {"a,b\xFF,y\n", "a.csv:1: column 2: expected a name in UTF-8, found other bytes"},
      {"P1,34,7.5\nP2,35,8.5\n", "a.csv: no column 'lpsa'; the header holds numbers: is it a row of the data?", other},
      {"a,y\n1,2\n", "a.csv: no column 'b' to ignore; the columns are a, y", with({"b"}, "")},
      {"a,y\n1,2\n", "a.csv: no column 'site' to group by; the columns are a, y", with({}, "site")},
      {"a,y\n1,2\n", "a.csv: column 'y' is the target, not one to group by", with({}, "y")},
      {"a,y\n1,2\n", "a.csv: column 'y' is the target, not one to ignore", with({"y"}, "")},
      {"a,y\n1,2\n", "a.csv: expected at least one column beside the target 'y', found none", with({"a"}, "")},
      {"a,s,y\n1,,2\n", "a.csv:2: column 's': expected the name of the row's owner, found nothing", with({}, "s")},
      {"a,s,y\n1,\xE9t\xE9,2\n", "a.csv:2: column 's': expected text in UTF-8, found other bytes", with({}, "s")},
      {std::string("a,y\n1,2\n3,\0004\n", 13), "a.csv:3: expected text, found a NUL byte"},
      {"a,y\n\"1,2\n", "a.csv:2: expected a closing quote '\"' on the same line"},
      {"a,\"y\n1,2\n", "a.csv:1: expected a closing quote '\"' on the same line"},
      {"a,y\n\"1\"2,2\n", "a.csv:2: expected the end of the field after a closing quote '\"'"},
      {"a,y\n1,2\n\n3,4\n", "a.csv:3: expected 2 fields, found a blank line"},
  };
  for (const auto& [content, message, options] : cases) {
    const auto data = read_csv(folder.write("a.csv", content), options);
    ASSERT_FALSE(data) << message;
    EXPECT_EQ(folder.local(data.error().message), message);
  }
}

TEST(Csv, TakesNoMemoryForRowsThatTheFileCannotHold) {
  const TempFolder folder;
  std::string content = "y";
  for (int i = 0; i < 50'000; ++i) content += ",c" + std::to_string(i);
  content += '\n';
  for (int i = 0; i < 400'000; ++i) content += "1\n";  // with the header: 160 GB of doubles

  const auto data =
      read_csv(folder.write("a.csv", content), {.target = "y", .ignore = {}, .group_by = {}, .margins = {}});

  ASSERT_FALSE(data);
  EXPECT_EQ(folder.local(data.error().message), "a.csv:2: expected 50001 fields, found 1");
}

TEST(Csv, WritesWhatItReadsBackToTheSameBits) {
  const TempFolder folder;
  const std::size_t rows = 300, cols = 7;
  const auto values = test::any_doubles(rows * (cols + 1), 11);
  Matrix matrix(rows, cols);
  LinearSystem system;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < cols; ++j) matrix.row(i)[j] = values[i * (cols + 1) + j];
    system.rhs.push_back(values[i * (cols + 1) + cols]);
  }
  system.rows = std::move(matrix);
  const Names names{"a", "b,c", "d;e", "say \"f\"", " g ", "h\ti", "größe"};

  const auto written = write_csv(folder / "a.csv", system, 100, 200, names, "the, target");
  const auto data = read_csv(folder / "a.csv", {.target = "the, target", .ignore = {}, .group_by = {}, .margins = {}});

  ASSERT_TRUE(written) << written.error().message;
  ASSERT_TRUE(data) << data.error().message;
  EXPECT_EQ(data->columns, names);
  ASSERT_EQ(data->system.rhs.size(), 200U);
  for (std::size_t i = 0; i < 200; ++i) {
    EXPECT_TRUE(test::same_bits(data->system.rhs[i], system.rhs[100 + i]));
    for (std::size_t j = 0; j < cols; ++j) {
      EXPECT_TRUE(test::same_bits(row(*data, i)[j], values[(100 + i) * (cols + 1) + j]));
    }
  }
}

TEST(Csv, WritesASparseSystemWithItsZeros) {
  const TempFolder folder;
  const LinearSystem system{SparseMatrix(2, 3, {{0, 1, 2.5}, {1, 0, -1.0}, {1, 2, 4.0}}), {7.0, 8.0}};

  ASSERT_TRUE(write_csv(folder / "a.csv", system, 0, 2, {}, "y"));

  EXPECT_EQ(folder.read("a.csv"), "x1,x2,x3,y\n0,2.5,0,7\n-1,0,4,8\n");
}

TEST(Csv, QuotesOnlyFieldsThatNeedIt) {
  EXPECT_EQ(csv_field("plain text"), "plain text");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("a\"b"), "\"a\"\"b\"");
  EXPECT_EQ(csv_field(" a"), "\" a\"");
}

}  // namespace
}  // namespace fedrk::io
