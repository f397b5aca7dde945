// SPDX-License-Identifier: Apache-2.0
#include "secure_sum/disclosure.hpp"

#include <gtest/gtest.h>

#include "data/record_hashes.hpp"
#include "fedrk/matrix.hpp"
#include "support/bare_owner.hpp"
#include "support/masked_fixture.hpp"

namespace fedrk::network {
namespace {

const SumRows kHundred{.clients = {"a", "b", "c"}, .rows = 100}, kThirty{.clients = {"a", "b", "c"}, .rows = 30};

/// A table of one column x1 with rising values, and b.
class Table final : public test::BareOwner {
 public:
  explicit Table(std::size_t rows, double first = 0.0, double b = 1.0) {
    Matrix matrix(rows, 1);
    for (std::size_t i = 0; i < rows; ++i) matrix.row(i)[0] = first + static_cast<double>(i);
    system_ = {std::move(matrix), std::vector<double>(rows, b)};
  }
  Result<TableShape> read(const std::string&, const io::Plan&) override { return Error{"not here"}; }
  Result<std::vector<std::string>> record_columns() const override { return io::record_columns(1); }
  Result<std::vector<std::uint64_t>> record_hashes(std::uint64_t salt,
                                                   std::span<const std::string> columns) const override {
    return io::record_hashes(system_, salt, columns);
  }
  Result<ColumnSums> sum_columns(const io::SumColumns&) override { return Error{"not here"}; }
  Result<io::PreparedRows> prepare(const io::PrepareRows&, ClientId) override { return Error{"not here"}; }
  Result<LocalReply> answer(const LocalTask&) override { return Error{"not here"}; }

 private:
  LinearSystem system_;
};

RunGroup group_of(const std::string& names, const std::vector<std::size_t>& sizes = {}) {
  RunGroup group;
  for (const char name : names) group.members.push_back({std::string(1, name)});
  std::uint32_t next = 0;
  for (const std::size_t size : sizes.empty() ? std::vector{names.size()} : sizes) {
    auto& clients = group.groups.emplace_back();
    while (clients.size() < size) clients.push_back(ClientId{next++});
  }
  return group;
}

class DisclosureTest : public testing::Test {
 protected:
  /// A run of these clients about these columns; why not, where it may not be.
  std::string run(const RunGroup& group, std::vector<std::string> columns = {"age", "y"},
                  const Table& table = Table(50)) {
    disclosure_.emplace(*ledger_);
    const auto begun = disclosure_->begin(rules_, table, std::move(columns));
    if (!begun || !begun->empty()) return begun ? *begun : begun.error().message;
    if (std::string wrong = disclosure_->wrong_company(group); !wrong.empty()) return wrong;
    EXPECT_TRUE(disclosure_->enter(group));
    return "";
  }
  bool spends(const DisclosureCost& cost, const SumRows& sum) { return disclosure_->spend(cost, sum)->empty(); }

  DisclosureRules rules_;
  std::unique_ptr<store::DisclosureLedger> ledger_ = store::disclosures_in_memory();
  std::optional<Disclosure> disclosure_;
};

// ---- Company.

TEST_F(DisclosureTest, AllowsTheSameCompanyAgainAndAgain) {
  EXPECT_EQ(run(group_of("abcdefg", {3, 4})), "");
  EXPECT_EQ(run(group_of("abcdefg", {3, 4})), "");
  EXPECT_EQ(run(group_of("abcdefg")), "") << "all together are groups together";
}

TEST_F(DisclosureTest, RefusesACompanyThatDiffersByTooFew) {
  ASSERT_EQ(run(group_of("abcdefg")), "");

  for (const char* names : {"abcdef", "abcde", "abcdefgh", "abcdefghi"}) {
    EXPECT_NE(run(group_of(names)).find("would tell the part of"), std::string::npos) << names;
  }
}

// Runs of abcdefg, then bcd, then efg tell the part of a: b and e each know of two of them only, in which no set
// differs by fewer than three.
TEST_F(DisclosureTest, StaysWithTheClientsOfItsFirstRun) {
  ASSERT_EQ(run(group_of("abcdefg")), "");

  for (const char* names : {"abc", "abcd", "abcdefghij"}) {
    EXPECT_NE(run(group_of(names)).find("had other clients (a, b, c, d, e, f, g)"), std::string::npos) << names;
  }
  rules_.left = {"g"};
  EXPECT_EQ(run(group_of("abcdef")), "");
}

// abc|def and bcd|aef differ by one on each side.
TEST_F(DisclosureTest, RefusesGroupsThatCutOthersSmall) {
  ASSERT_EQ(run(group_of("abcdef", {3, 3})), "");

  EXPECT_NE(run(group_of("bcdaef", {3, 3})), "");
}

// Of six, six and six others each two sets differ by three or more, and three of them leave cells of two.
TEST_F(DisclosureTest, LooksAtAllEarlierSumsTogether) {
  ASSERT_EQ(run(group_of("abcdefghijkl", {6, 6})), "");
  ASSERT_EQ(run(group_of("abcghidefjkl", {6, 6})), "") << "cells of three";

  EXPECT_NE(run(group_of("abdegjcfhikl", {6, 6})), "");
}

TEST_F(DisclosureTest, LetsOtherColumnsHaveOtherCompany) {
  ASSERT_EQ(run(group_of("abcdefg"), {"age"}), "");

  EXPECT_EQ(run(group_of("abcdef"), {"weight"}), "");
  EXPECT_NE(run(group_of("abcdef"), {"age", "weight"}), "");
}

// ---- Directions.

TEST_F(DisclosureTest, CountsVectorsOverRuns) {
  rules_.max_share = 0.05;
  ASSERT_EQ(run(group_of("abc"), {"u", "v", "w", "x", "y", "z"}), "");
  EXPECT_EQ(disclosure_->allowance(kHundred).vectors, 5);
  for (int k = 0; k < 3; ++k) EXPECT_TRUE(spends({.vectors = 1, .scalars = 1}, kHundred));
  ASSERT_TRUE(disclosure_->end());

  ASSERT_EQ(run(group_of("abc"), {"u", "v", "w", "x", "y", "z"}), "");
  EXPECT_EQ(disclosure_->allowance(kHundred).vectors, 2);
  EXPECT_TRUE(spends({.vectors = 2}, kHundred));
  EXPECT_FALSE(spends({.vectors = 1}, kHundred));
}

TEST_F(DisclosureTest, CountsColumnsOfProductsOnce) {
  rules_.max_share = 0.1;  // three of thirty rows
  const std::vector<std::string> columns{"u", "v", "w", "x"};
  ASSERT_EQ(run(group_of("abc"), columns), "");
  EXPECT_FALSE(spends({.gram_columns = columns}, kThirty));
  for (int again = 0; again < 3; ++again) EXPECT_TRUE(spends({.gram_columns = {"u", "v"}}, kThirty));
  EXPECT_TRUE(spends({.gram_columns = {"w"}}, kThirty));
  EXPECT_FALSE(spends({.gram_columns = {"x"}}, kThirty));
  EXPECT_FALSE(spends({.vectors = 1}, kThirty));
}

// Ten columns of a hundred rows: whatever is asked, no more than these columns can be shown.
TEST_F(DisclosureTest, NeverUsesUpATallTable) {
  ASSERT_EQ(run(group_of("abc")), "");
  for (int k = 0; k < 1000; ++k) ASSERT_TRUE(spends({.vectors = 1, .scalars = 1}, kHundred));
  EXPECT_EQ(disclosure_->allowance(kHundred).vectors, Allowance::kNoLimit);
  EXPECT_EQ(disclosure_->allowance({.rows = 100, .linear = false}).vectors, 18) << "of local steps it can";
}

// Plans of a few columns each: together they would show all of a wide table.
TEST_F(DisclosureTest, CountsTheColumnsOfAllPlansTogether) {
  int given = 0;
  for (int plan = 0; plan < 10; ++plan) {
    std::vector<std::string> columns;
    for (int j = 0; j < 8; ++j) columns.push_back("x" + std::to_string(8 * plan + j));
    ASSERT_EQ(run(group_of("abc"), columns), "");
    for (int k = 0; k < 8; ++k) given += spends({.vectors = 1, .scalars = 1}, kHundred) ? 1 : 0;
  }
  EXPECT_EQ(given, 16 + 4) << "two plans of eight columns, and vectors as far as 20 directions";
}

// Those of seven sites' rows are no reason to tell those of three.
TEST_F(DisclosureTest, CountsProductsAnewInASmallerSum) {
  const std::vector<std::string> columns{"age", "x1", "y"};
  const DisclosureCost gram{.gram_columns = columns};
  const SumRows all{.clients = {"a", "b", "c", "d", "e", "f", "g"}, .rows = 30};
  ASSERT_EQ(run(group_of("abcdefg"), columns), "");
  EXPECT_TRUE(spends(gram, all));
  ASSERT_EQ(run(group_of("abcdefg", {3, 4}), columns), "");

  EXPECT_FALSE(spends(gram, {.clients = {"a", "b", "c"}, .rows = 10}));
  EXPECT_TRUE(spends(gram, all)) << "the same once more";
}

// Two years that were used by themselves, in one table.
TEST_F(DisclosureTest, CountsForATableWhatWasShownOfItsPartsBefore) {
  rules_.max_share = 0.1;
  const std::vector<std::string> columns{"p", "q", "r", "s", "t", "u", "v", "w", "x", "y", "z"};
  ASSERT_EQ(run(group_of("abc"), columns, Table(20)), "");
  EXPECT_TRUE(spends({.vectors = 6}, kHundred));
  ASSERT_EQ(run(group_of("abc"), columns, Table(20, 20.0)), "");
  EXPECT_TRUE(spends({.vectors = 3}, kHundred));

  ASSERT_EQ(run(group_of("abc"), columns, Table(40)), "");
  EXPECT_FALSE(spends({.vectors = 2}, kHundred));
  EXPECT_TRUE(spends({.vectors = 1}, kHundred));
}

TEST_F(DisclosureTest, GivesAsManyNumbersAsVectors) {
  rules_.max_share = 0.05;
  ASSERT_EQ(run(group_of("abc"), {"u", "v", "w", "x", "y", "z"}), "");
  int given = 0;
  while (given < 100 && spends({.scalars = 1}, kHundred)) ++given;
  EXPECT_EQ(given, 16);
  EXPECT_TRUE(spends({.vectors = 1, .scalars = 1}, kHundred));
  EXPECT_FALSE(spends({.scalars = 1}, kHundred));
}

// ---- Changed tables.

TEST_F(DisclosureTest, RefusesATableThatChangedByAFewRecords) {
  ASSERT_EQ(run(group_of("abc"), {"x1"}, Table(50)), "");

  EXPECT_NE(run(group_of("abc"), {"x1"}, Table(49)).find("changed by fewer than 10 records"), std::string::npos);
  EXPECT_NE(run(group_of("abc"), {"x1"}, Table(50, 1.0)).find("changed by fewer than 10 records"), std::string::npos);
  EXPECT_EQ(run(group_of("abc"), {"x1"}, Table(60)), "") << "ten more";
  EXPECT_NE(run(group_of("abc"), {"x1"}, Table(55)).find("changed by fewer than 10 records"), std::string::npos)
      << "compared with both";
  EXPECT_EQ(run(group_of("abc"), {"x1"}, Table(50)), "") << "as it was";
}

// Whatever became of columns that no run was about.
TEST_F(DisclosureTest, KnowsATableByTheColumnsOfTheRun) {
  ASSERT_EQ(run(group_of("abc"), {"x1"}, Table(50, 0.0, 1.0)), "");

  EXPECT_EQ(run(group_of("abc"), {"x1"}, Table(50, 0.0, 2.0)), "") << "another b in every record";
  EXPECT_NE(run(group_of("abc"), {"x1"}, Table(49, 0.0, 3.0)), "");
  EXPECT_NE(run(group_of("ab"), {"x1"}, Table(50, 0.0, 3.0)), "") << "nor are its companions forgotten";
}

// What was shown of records counts for the table that has them still; another table is another matter.
TEST_F(DisclosureTest, CountsForTheTableAndNotForTheFolder) {
  rules_.max_share = 0.05;
  const std::vector<std::string> columns{"u", "v", "w", "x", "y", "z"};
  ASSERT_EQ(run(group_of("abc"), columns, Table(50)), "");
  EXPECT_TRUE(spends({.vectors = 5}, kHundred));

  ASSERT_EQ(run(group_of("abc"), columns, Table(60)), "");
  EXPECT_FALSE(spends({.vectors = 1}, kHundred));
  ASSERT_EQ(run(group_of("abd"), columns, Table(50, 1000.0)), "");
  EXPECT_TRUE(spends({.vectors = 5}, kHundred));
}

}  // namespace
}  // namespace fedrk::network
