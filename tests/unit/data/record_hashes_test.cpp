// SPDX-License-Identifier: Apache-2.0
#include "data/record_hashes.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "fedrk/matrix.hpp"
#include "support/temp_folder.hpp"

namespace fedrk::io {
namespace {

constexpr std::uint64_t kSalt = 17;

class RecordHashes : public testing::Test {
 protected:
  std::vector<std::uint64_t> hashes(const std::string& csv, const std::vector<std::string>& columns,
                                    std::uint64_t salt = kSalt) {
    folder_.write("t.csv", csv);
    auto made = csv_record_hashes(folder_ / "t.csv", salt, columns);
    EXPECT_TRUE(made) << made.error().message;
    return *std::move(made);
  }
  static std::size_t common(const std::vector<std::uint64_t>& one, const std::vector<std::uint64_t>& other) {
    std::vector<std::uint64_t> both;
    std::ranges::set_intersection(one, other, std::back_inserter(both));
    return both.size();
  }
  test::TempFolder folder_;
};

TEST_F(RecordHashes, AreThoseOfTheRecordsWhateverTheirOrder) {
  const auto first = hashes("name,age,y\nann,41,1\nbob,52.5,0\n\"o'hara, c\",60,1\n", {"age", "name", "y"});

  EXPECT_EQ(first.size(), 3);
  EXPECT_TRUE(std::ranges::is_sorted(first));
  EXPECT_EQ(hashes("y,name,age\n0,bob,52.50\n1,\"o'hara, c\",6e1\n1,ann,41.0\n", {"age", "name", "y"}), first)
      << "rows, columns and the spelling of numbers";
}

TEST_F(RecordHashes, DependOnTheSaltAndOnTheColumnsThatAreAskedFor) {
  const std::string table = "age,y\n41,1\n52,3\n";
  const auto both = hashes(table, {"age", "y"});

  EXPECT_EQ(common(both, hashes(table, {"age", "y"}, 18)), 0);
  EXPECT_EQ(common(both, hashes(table, {"age"})), 0);
  EXPECT_EQ(hashes(table, {"age"}), hashes("age,y\n41,7\n52,7\n", {"age"}));
  EXPECT_EQ(common(hashes("age,y\n1,2\n", {"age", "y"}), hashes("age,y\n2,1\n", {"age", "y"})), 0)
      << "a value belongs to its column";
}

TEST_F(RecordHashes, KeepRecordsApartThatDifferInOneValue) {
  const auto first = hashes("age,y\n41,1\n52,0\n63,1\n", {"age", "y"});

  EXPECT_EQ(common(first, hashes("age,y\n41,1\n52,0\n63,0\n", {"age", "y"})), 2);
  EXPECT_EQ(common(first, hashes("age,y\n41,1\n52,0\n", {"age", "y"})), 2);
}

TEST_F(RecordHashes, OfASystemNameItsColumnsByTheirPlaces) {
  const LinearSystem system{Matrix{{1.0, 2.0}, {3.0, 0.0}}, {5.0, 6.0}};
  const std::vector<std::string> columns = record_columns(2);
  auto sorted = columns;
  std::ranges::sort(sorted);

  const auto made = record_hashes(system, kSalt, sorted);

  EXPECT_EQ(columns, (std::vector<std::string>{"x1", "x2", "b"}));
  EXPECT_EQ(made.size(), 2);
  EXPECT_NE(made[0], made[1]);
  EXPECT_EQ(hashes("x1,x2,b\n3,0,6\n1,2,5\n", sorted), made) << "as of a table";
}

}  // namespace
}  // namespace fedrk::io
