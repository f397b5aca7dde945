// SPDX-License-Identifier: Apache-2.0
#include "data/dataset.hpp"

#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

#include "data/npy.hpp"
#include "support/temp_folder.hpp"

namespace fedrk::io {
namespace {

using test::TempFolder;

const TableOptions kTargetY{.target = "y", .ignore = {}, .group_by = {}, .margins = {}};
const std::string kArray = "%%MatrixMarket matrix array real general\n";
const std::string kCoordinate = "%%MatrixMarket matrix coordinate real general\n";

TEST(Dataset, IsReadByTheEndingOfItsName) {
  const TempFolder folder;
  for (const auto* name : {"a.csv", "a.tsv", "a.txt", "a.CSV"}) {
    const auto data = read_table(folder.write(name, "a,y\n1,2\n"), kTargetY);
    ASSERT_TRUE(data) << data.error().message;
    EXPECT_FALSE(is_sparse(data->system.rows));
  }
  for (const auto* name : {"a.svm", "a.libsvm"}) {
    const auto data = read_table(folder.write(name, "2 1:1\n"), kTargetY);
    ASSERT_TRUE(data) << data.error().message;
    EXPECT_TRUE(is_sparse(data->system.rows));
  }
}

TEST(Dataset, SaysWhichEndingsAreKnownAndWhereMatricesGo) {
  const TempFolder folder;
  ASSERT_TRUE(write_npy(folder / "A.npy", std::vector{1.0}));
  folder.write("A.mtx", kArray + "1 1\n1\n");
  folder.write("a.dat", "a,y\n1,2\n");
  const auto message = [&](const char* name) {
    return folder.local(read_table(folder / name, kTargetY).error().message);
  };

  EXPECT_EQ(message("A.npy"),
            "A.npy: expected a table, found a matrix; give it with --matrix, and its right-hand side with --rhs");
  EXPECT_EQ(message("A.mtx"),
            "A.mtx: expected a table, found a matrix; give it with --matrix, and its right-hand side with --rhs");
  EXPECT_EQ(message("a.dat"),
            "a.dat: expected a name that ends in .csv, .tsv or .txt (CSV), or in .svm or .libsvm (LIBSVM)");
}

TEST(Dataset, SaysWhatCannotBeRead) {
  const TempFolder folder;
  std::filesystem::create_directory(folder / "sub.csv");
  const auto message = [&](const char* name) {
    return folder.local(read_table(folder / name, kTargetY).error().message);
  };

  EXPECT_EQ(message("none.csv"), "none.csv: cannot be read: No such file or directory");
  EXPECT_EQ(message("none.dat"), "none.dat: cannot be read: No such file or directory");
  EXPECT_EQ(message("sub.csv"), "sub.csv: expected a file, found a folder");
  EXPECT_EQ(read_vector("/dev/null").error().message, "/dev/null: expected a regular file, found a pipe or device");
}

TEST(Dataset, ReadsAMatrixByItsContent) {
  const TempFolder folder;
  ASSERT_TRUE(write_npy(folder / "A.dat", std::vector{1.0, 2.0}));

  const auto dense = read_matrix(folder / "A.dat");
  const auto sparse = read_matrix(folder.write("A.txt", kCoordinate + "2 3 1\n2 3 4\n"));
  const auto neither = read_matrix(folder.write("A.csv", "a,b\n1,2\n"));

  ASSERT_TRUE(dense);
  EXPECT_EQ(row_count(*dense), 2U);
  ASSERT_TRUE(sparse);
  EXPECT_TRUE(is_sparse(*sparse));
  EXPECT_EQ(folder.local(neither.error().message), "A.csv: expected a Matrix Market or NPY file, found neither");
}

TEST(Dataset, ReadsAVectorFromOneColumnOrOneRow) {
  const TempFolder folder;
  const std::vector<double> expected{1.0, 0.0, 3.0};
  ASSERT_TRUE(write_npy(folder / "b.npy", expected));

  EXPECT_EQ(*read_vector(folder / "b.npy"), expected);
  EXPECT_EQ(*read_vector(folder.write("b.mtx", kArray + "3 1\n1\n0\n3\n")), expected);
  EXPECT_EQ(*read_vector(folder.write("b.mtx", kArray + "1 3\n1\n0\n3\n")), expected);
  EXPECT_EQ(*read_vector(folder.write("b.mtx", kCoordinate + "3 1 2\n1 1 1\n3 1 3\n")), expected);
  EXPECT_EQ(*read_vector(folder.write("b.mtx", kCoordinate + "1 3 2\n1 1 1\n1 3 3\n")), expected);
}

TEST(Dataset, RefusesAVectorThatIsAMatrixOrAbsurdlyLong) {
  const TempFolder folder;
  const auto message = [&](const std::string& content) {
    return folder.local(read_vector(folder.write("b.mtx", content)).error().message);
  };

  EXPECT_EQ(message(kArray + "2 2\n1\n2\n3\n4\n"), "b.mtx: expected a vector, found a 2 x 2 matrix");
  EXPECT_EQ(message(kCoordinate + "1 4000000000 1\n1 1 1\n"),
            "b.mtx: 4000000000 columns announced; expected at most 4194371 in a vector file of this size");
}

}  // namespace
}  // namespace fedrk::io
