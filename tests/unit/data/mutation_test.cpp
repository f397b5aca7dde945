// SPDX-License-Identifier: Apache-2.0

// Damaged files: a few thousand seeded changes to valid ones. A reader gives a value or an error of one line, and never
// crashes, hangs or takes memory that the file does not warrant; the sanitizer builds look closely.

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "data/dataset.hpp"
#include "data/npy.hpp"
#include "support/temp_folder.hpp"

namespace fedrk::io {
namespace {

using test::TempFolder;
using namespace std::string_view_literals;

constexpr int kMutations = 3000;

// Characters that mean something to one of the formats, so that changes reach beyond the first check.
constexpr std::string_view kTelling = "0123456789+-.eE,;:\t \n\r\"#%'(){}[]<fnaix\0\xFF\xEF"sv;

std::string mutated(std::string text, std::mt19937_64& random) {
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  for (std::size_t changes = 1 + below(4); changes > 0 && !text.empty(); --changes) {
    const std::size_t at = below(text.size()), length = 1 + below(8);
    const char telling = kTelling[below(kTelling.size())];
    switch (below(6)) {
      case 0:
        text[at] = static_cast<char>(random());
        break;
      case 1:
        text[at] = telling;
        break;
      case 2:
        text.insert(at, 1, telling);
        break;
      case 3:
        text.erase(at, length);
        break;
      case 4:
        text.insert(at, text.substr(below(text.size()), length));
        break;
      default:
        text.resize(at);
        break;
    }
  }
  return text;
}

// The message of the reader's error; empty for a value.
using Reader = std::function<std::string(const std::filesystem::path&)>;

void survive(const std::string& name, const std::string& valid, const Reader& read) {
  const TempFolder folder;
  ASSERT_EQ(read(folder.write(name, valid)), "");
  std::mt19937_64 random(20240229);
  int refused = 0;
  for (int i = 0; i < kMutations; ++i) {
    const std::string content = mutated(valid, random);
    const std::string message = read(folder.write(name, content));
    if (message.empty()) continue;
    ++refused;
    ASSERT_TRUE(message.starts_with((folder / name).string() + ":")) << message;
    ASSERT_EQ(message.find('\n'), std::string::npos) << message;
  }
  EXPECT_GT(refused, kMutations / 10);
}

std::string read_matrix_message(const std::filesystem::path& path) {
  const auto matrix = read_matrix(path);
  const auto vector = read_vector(path);
  return matrix ? "" : matrix.error().message;
}

TEST(Mutation, OfACsvTableIsSurvived) {
  const TableOptions options{.target = "y", .ignore = {"note"}, .group_by = "site", .margins = {.front = 1, .back = 1}};
  survive("a.csv", "a,\"b c\",y,site,note\n1,2.5,-3e2,north,\n4,+5,6,\"so,uth\",x\r\n 7 ,8e-3,\"9\",east,\"y\"\n",
          [&](const std::filesystem::path& path) {
            const auto data = read_table(path, options);
            return data ? "" : data.error().message;
          });
}

TEST(Mutation, OfALibsvmTableIsSurvived) {
  survive("a.svm", "# note\n1 1:0.5 3:-2 # first\n-1 2:1e3\n0.5\n2 1:1 2:2 3:3\n",
          [](const std::filesystem::path& path) {
            const auto data = read_table(path, {});
            return data ? "" : data.error().message;
          });
}

TEST(Mutation, OfAMatrixMarketFileIsSurvived) {
  const std::string banner = "%%MatrixMarket matrix ";
  survive("a.mtx", banner + "coordinate real general\n% note\n3 3 4\n1 1 1.5\n2 3 -2\n3 1 4e1\n3 3 1\n",
          read_matrix_message);
  survive("a.mtx", banner + "coordinate integer symmetric\n3 3 3\n1 1 1\n2 1 -2\n3 2 4\n", read_matrix_message);
  survive("a.mtx", banner + "array real general\n2 3\n1\n2\n3.5\n-4\n5\n6e1\n", read_matrix_message);
  survive("a.mtx", banner + "array real skew-symmetric\n3 3\n1\n2\n3.5\n", read_matrix_message);
}

TEST(Mutation, OfAnNpyFileIsSurvived) {
  const TempFolder folder;
  Matrix matrix(3, 2);
  for (std::size_t i = 0; i < 3; ++i) matrix.row(i)[1] = 0.5;
  ASSERT_TRUE(write_npy(folder / "a.npy", matrix, 0, 3));
  std::string fortran = folder.read("a.npy");
  fortran.replace(fortran.find("False"), 5, "True ");

  survive("a.npy", folder.read("a.npy"), read_matrix_message);
  survive("a.npy", fortran, read_matrix_message);
}

}  // namespace
}  // namespace fedrk::io
