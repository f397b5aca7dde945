// SPDX-License-Identifier: Apache-2.0
#include "report/comparison_files.hpp"

#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/temp_folder.hpp"

namespace fedrk::io {
namespace {

FinishedComparison small_comparison() {
  Outcome fast, slow;
  fast.name = "cg";
  fast.label = "conjugate gradients";
  fast.server_sees = "sums, and \"more\"";
  fast.participants = 4;
  fast.reached = true;
  fast.rounds = 3;
  fast.bytes_up = 24.5;
  fast.flops = 1e6;
  fast.error = 1e-7;
  fast.errors = {1.0, 0.1, 1e-7};
  fast.support = {0, 2};
  slow = fast;
  slow.name = "fedrk";
  slow.label = "FedRK";
  slow.reached = false;
  slow.error = std::numeric_limits<double>::infinity();
  slow.residual = 0.5;
  slow.support = {0, 1};
  FinishedComparison comparison;
  comparison.title = "small";
  comparison.rows = 8;
  comparison.clients = 4;
  comparison.unknowns = {"a", "b,c", "d"};
  comparison.true_support = {0, 2};
  comparison.outcomes = {fast, slow};
  comparison.left_out = {{"gram", "too large"}};
  return comparison;
}

TEST(ComparisonFiles, TellProgramsEverythingInOneDocument) {
  const auto told = nlohmann::json::parse(comparison_json(small_comparison()));

  EXPECT_EQ(told["unknowns"], 3);
  EXPECT_EQ(told["reference"], "truth");
  ASSERT_EQ(told["methods"].size(), 2U);
  EXPECT_EQ(told["methods"][0]["name"], "cg");
  EXPECT_EQ(told["methods"][0]["rounds"], 3);
  EXPECT_EQ(told["methods"][0]["bytes_up_per_client"], 24.5);
  EXPECT_EQ(told["methods"][0]["relative_residual"], nullptr);
  EXPECT_EQ(told["methods"][0]["support"], (nlohmann::json{"a", "d"}));
  EXPECT_EQ(told["methods"][0]["true_entries_found"], 2);
  EXPECT_EQ(told["methods"][1]["reached"], false);
  EXPECT_EQ(told["methods"][1]["relative_error"], nullptr);  // JSON has no infinity
  EXPECT_EQ(told["methods"][1]["true_entries_found"], 1);
  EXPECT_EQ(told["left_out"][0]["name"], "gram");
  EXPECT_EQ(told["interrupted"], false);
}

TEST(ComparisonFiles, AreATableThatOtherProgramsRead) {
  const std::string text = comparison_csv(small_comparison());

  EXPECT_NE(text.find("\ncg,conjugate gradients,true,3,4,24.5,0,1e+06,0,1e-07,,a d,\"sums, and \"\"more\"\"\"\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(",,0.5,\"a b,c\","), std::string::npos) << text;
}

TEST(ComparisonFiles, AreWrittenWithAPlotWhereErrorsAreKnown) {
  const test::TempFolder folder;
  FinishedComparison comparison = small_comparison();

  ASSERT_TRUE(write_comparison_files(folder.path(), comparison));
  EXPECT_NE(folder.read("comparison.svg").find("conjugate gradients"), std::string::npos);
  EXPECT_NE(folder.read("comparison.csv").find("fedrk"), std::string::npos);

  comparison.reference = Reference::None;
  ASSERT_TRUE(write_comparison_files(folder.path(), comparison));
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "comparison.svg"));  // rather none than that of another run
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "comparison.json"));
}

}  // namespace
}  // namespace fedrk::io
