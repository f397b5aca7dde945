// SPDX-License-Identifier: Apache-2.0

// The attacks of `fedrk inspect --attack` that take their time.

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/program.hpp"

namespace fedrk {
namespace {

using nlohmann::json;
const std::string kProstate = FEDRK_SOURCE "/data/prostate.toml";

TEST(InspectAttack, RebuildsRecordsFromThePublishedRun) {
  const test::Program program;

  const auto attack =
      json::parse(program.run("inspect " + kProstate + " --rounds 1000 --attack --format json").out)["attack"];

  EXPECT_EQ(attack["tried"], true);
  EXPECT_EQ(attack["updates"], 3000);
  EXPECT_EQ(attack["records"], 97);
  EXPECT_EQ(attack["clients"].size(), 7);
  EXPECT_GE(attack["recovered"], 10);  // 28 to 40 in three seeds; 2000 rounds give twice as many and more
  EXPECT_GE(attack["recovered_with_draws"], 90);
  EXPECT_EQ(attack["confirmed"], 97);
}

TEST(InspectAttack, RebuildsNoRecordFromSums) {
  const test::Program program;
  const std::string command =
      "inspect " + kProstate + " --method auto --keep all --sparse soft:0.01 --rounds 400 --attack";

  const auto text = program.run(command);
  const auto attack = json::parse(program.run(command + " --format json").out)["attack"];

  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_NE(text.out.find("sums 0 of 97 records were recovered"), std::string::npos);
  EXPECT_EQ(text.out.find("with known draws"), std::string::npos);
  EXPECT_EQ(attack["updates"], 0);
  EXPECT_EQ(attack["sums"], 400);
  EXPECT_EQ(attack["recovered"], 0);
  EXPECT_EQ(attack["confirmed"], 0);
  EXPECT_TRUE(attack["recovered_with_draws"].is_null());
}

}  // namespace
}  // namespace fedrk
