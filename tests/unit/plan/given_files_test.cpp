// SPDX-License-Identifier: Apache-2.0
#include "plan/given_files.hpp"

#include <gtest/gtest.h>

namespace fedrk::io {
namespace {

using Files = std::vector<std::string>;

TEST(GivenFiles, AreToldApartByTheirEndings) {
  const auto given = sort_files(Files{"a.csv", "p/plan.toml", "b.TSV", "c.txt", "d.svm", "e.libsvm", "A.mtx", "B.npy"});

  ASSERT_TRUE(given) << given.error().message;
  EXPECT_EQ(given->plan, "p/plan.toml");
  EXPECT_EQ(given->data, (Files{"a.csv", "b.TSV", "c.txt", "d.svm", "e.libsvm"}));
  EXPECT_EQ(given->matrix, (Files{"A.mtx", "B.npy"}));
}

TEST(GivenFiles, OfNoKnownKindAreRefused) {
  EXPECT_EQ(sort_files(Files{"a.xlsx"}).error().message.substr(0, 51),
            "a.xlsx: expected a name that ends in .toml (a plan)");
  EXPECT_EQ(sort_files(Files{"a.toml", "b.toml"}).error().message, "a.toml and b.toml are both plans: give one");
}

TEST(GivenFiles, TakeThePlaceOfThoseOfAPlan) {
  Plan plan;
  plan.matrix = {"A.npy"};
  plan.rhs = {"b.npy"};

  GivenFiles{.plan = "p.toml"}.put_into(plan);
  EXPECT_EQ(plan.matrix, Files{"A.npy"});

  GivenFiles{.matrix = {"B.npy"}}.put_into(plan);
  EXPECT_EQ(plan.matrix, Files{"B.npy"});
  EXPECT_EQ(plan.rhs, Files{"b.npy"});

  GivenFiles{.data = {"a.csv"}}.put_into(plan);
  EXPECT_EQ(plan.data, Files{"a.csv"});
  EXPECT_TRUE(plan.matrix.empty());
  EXPECT_TRUE(plan.rhs.empty());
}

}  // namespace
}  // namespace fedrk::io
