// SPDX-License-Identifier: Apache-2.0

// The attacks of `fedrk inspect --attack` that take their time.

#include <span>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "linalg/kernels.hpp"
#include "support/masked_sums.hpp"
#include "support/program.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk {
namespace {

using nlohmann::json;
// Without the breaks and margins of lines.
std::string unwrapped(const std::string& text) {
  std::istringstream words(text);
  std::string line, word;
  while (words >> word) line += (line.empty() ? "" : " ") + word;
  return line;
}

std::string format_entry(double entry) {
  std::ostringstream text;
  text.precision(17);
  text << entry;
  return text.str();
}

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

TEST(InspectAttack, RebuildsNoRecordFromSumsOverManyRows) {
  const test::Program program;
  const std::string command =
      "inspect " + kProstate + " --method auto --keep all --sparse soft:0.01 --rounds 400 --attack";

  const auto text = program.run(command);
  const auto attack = json::parse(program.run(command + " --format json").out)["attack"];

  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_NE(unwrapped(text.out).find("400 sums show 9 directions of the rows"), std::string::npos) << text.out;
  EXPECT_NE(unwrapped(text.out).find("with more rows than unknowns it tells no record"), std::string::npos);
  EXPECT_NE(unwrapped(text.out).find("gave 0 of 97 records and confirmed 0"), std::string::npos);
  EXPECT_EQ(text.out.find("with known draws"), std::string::npos);
  EXPECT_EQ(attack["updates"], 0);
  EXPECT_EQ(attack["sums"], 400);
  EXPECT_EQ(attack["recovered"], 0);
  EXPECT_EQ(attack["confirmed"], 0);
  EXPECT_TRUE(attack["recovered_with_draws"].is_null());
  EXPECT_TRUE(attack["spans"]["recovered"].is_null());
}

// Three rows at each of 32 sites; docs/privacy.md has the numbers. A rule of ten rows leaves no sum.
TEST(InspectAttack, ComputesSitesFromRunsThatDifferByOne) {
  const test::Program program;
  const auto moments_of = [&](const std::string& clients) {
    return json::parse(program
                           .run("inspect --goal fit --data " FEDRK_SOURCE
                                "/data/prostate.csv --target lpsa --clients " +
                                clients + " --attack --format json")
                           .out)["attack"]["moments"];
  };

  const json few = moments_of("7"), many = moments_of("32");

  EXPECT_EQ(few["clients"], 7);
  EXPECT_EQ(few["records"], 0);
  EXPECT_EQ(few["within_rules"]["sums"], 1);
  EXPECT_EQ(few["within_rules"]["clients"], 0);
  EXPECT_EQ(many["clients"], 32);
  EXPECT_GE(many["records"], 81);
  EXPECT_EQ(many["within_rules"]["sums"], 0);
}

TEST(InspectAttack, ComputesSitesFromResidualsOfGroupsDrawnAfresh) {
  const test::Program program;

  const auto attack =
      json::parse(program.run("inspect " + kProstate + " --method auto --keep all --rounds 400 --attack --format json")
                      .out)["attack"];

  EXPECT_EQ(attack["moments"]["by"], "residuals");
  EXPECT_EQ(attack["moments"]["clients"], 7);
  EXPECT_EQ(attack["moments"]["within_rules"]["clients"], 0);
}

// ---- Wide tables: 98 rows of 300 columns at seven sites.

enum class Entries { Binary, Gaussian };

std::string wide_table(Entries entries) {
  const auto x = test::gaussian_vector(300, 1);
  const LinearSystem binary = test::discrete_table(98, 300, 2, 1);
  std::string text;
  for (std::size_t j = 0; j < 300; ++j) text += "g" + std::to_string(j) + ",";
  text += "y\n";
  for (std::size_t i = 0; i < 98; ++i) {
    const auto gaussian = test::gaussian_vector(300, 100 + i);
    const std::span<const double> row =
        entries == Entries::Binary ? std::get<Matrix>(binary.rows).row(i) : std::span<const double>(gaussian);
    for (const double entry : row) text += format_entry(entry) + ",";
    text += format_entry(dot(row, x)) + "\n";
  }
  return text;
}

json attack_wide(Entries entries, const std::string& plan) {
  const test::Program program;
  program.folder().write("wide.csv", wide_table(entries));
  const auto outcome = program.run("inspect --data wide.csv --target y --clients 7 --attack --format json " + plan);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return json::parse(outcome.out)["attack"];
}

// 2 groups of 42 and 56 rows, of whom a fifth may be shown.
TEST(InspectAttack, RebuildsABinaryTableFromItsSums) {
  for (const std::string plan : {"--goal solve", "--goal solve --intercept --standardize", "--goal fit --method cg"}) {
    const json attack = attack_wide(Entries::Binary, plan + " --participants 3");

    EXPECT_EQ(attack["recovered"], 98) << plan;
    EXPECT_EQ(attack["confirmed"], 98) << plan;
    EXPECT_EQ(attack["spans"]["directions"], 98) << plan;
    EXPECT_EQ(attack["spans"]["groups"][0]["shown"], 42) << plan;
    EXPECT_EQ(attack["spans"]["groups"][0]["within_rules"], 42 / 5) << plan;
    EXPECT_EQ(attack["spans"]["within_rules"]["directions"], 42 / 5 + 56 / 5) << plan;
    EXPECT_EQ(attack["spans"]["within_rules"]["recovered"], 0) << plan;
    EXPECT_EQ(attack["spans"]["within_rules"]["confirmed"], 0) << plan;
  }
}

TEST(InspectAttack, RebuildsABinaryTableFromCrossProductsThatOwnersRefuse) {
  const json attack = attack_wide(Entries::Binary, "--goal fit --participants 3");

  EXPECT_EQ(attack["recovered"], 98);
  EXPECT_EQ(attack["spans"]["sums"], 2);
  EXPECT_EQ(attack["spans"]["within_rules"]["directions"], 0);
}

TEST(InspectAttack, ShowsTheDirectionsAloneWhereColumnsAreNotDiscrete) {
  const json attack = attack_wide(Entries::Gaussian, "--goal solve --participants 3");

  EXPECT_TRUE(attack["recovered"].is_null());
  EXPECT_EQ(attack["spans"]["directions"], 98);
  EXPECT_GT(attack["spans"]["runs"], 1) << "one run shows about 22 of each group";
  EXPECT_NE(attack["words"].get<std::string>().find("the search needs columns of few whole numbers"), std::string::npos)
      << attack["words"];
  EXPECT_EQ(attack["confirmed"], 98);
  EXPECT_EQ(attack["spans"]["within_rules"]["confirmed"], 0);
}

}  // namespace
}  // namespace fedrk
