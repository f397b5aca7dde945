// SPDX-License-Identifier: Apache-2.0

// fedrk compare: one problem by every method, as a user sees it.

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/program.hpp"

namespace fedrk {
namespace {

using nlohmann::json;

const std::string kSmall =
    "compare --generate gaussian --rows 240 --cols 60 --clients 6 --participants 3 "
    "--local-steps 200 --rounds 400 --progress none ";

TEST(Compare, ListsEveryMethodTheFewestRoundsFirst) {
  const test::Program program;

  const auto ended = program.run(kSmall + "--format json");

  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const json told = json::parse(ended.out);
  std::set<std::string> names;
  bool arrived = true;
  std::size_t rounds = 0;
  for (const json& method : told["methods"]) {
    names.insert(method["name"].get<std::string>());
    EXPECT_FALSE(method["server_sees"].get<std::string>().empty());
    if (method["reached"] != arrived) {
      EXPECT_TRUE(arrived);
      arrived = false;
      rounds = 0;
    }
    EXPECT_GE(method["rounds"].get<std::size_t>(), rounds);
    rounds = method["rounds"].get<std::size_t>();
  }
  EXPECT_EQ(names, (std::set<std::string>{"auto", "cg", "fedavg", "fedavg-rk", "fedprox", "fedrk", "fedrk-norm",
                                          "fedsgd", "full-memory", "gram", "memory", "qr", "rek", "rk", "scaffold",
                                          "sums", "tail", "valid"}));
}

TEST(Compare, CountsWhatTheOneShotMethodSends) {
  const test::Program program;

  const auto ended = program.run(kSmall + "--methods gram,fedrk --sort up --format json");

  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const json told = json::parse(ended.out);
  ASSERT_EQ(told["methods"].size(), 2U);
  for (const json& method : told["methods"]) {
    if (method["name"] != "gram") continue;
    EXPECT_EQ(method["rounds"], 2);  // three of six clients at a time: each is asked once
    EXPECT_EQ(method["bytes_up_per_client"], 8 * 61 * 62 / 2);
  }
  EXPECT_LE(told["methods"][0]["bytes_up_per_client"].get<double>(), told["methods"][1]["bytes_up_per_client"]);
}

TEST(Compare, ShowsPeopleATableAndLeavesFiles) {
  const test::Program program;

  const auto ended = program.run(kSmall + "--methods fedrk,cg --out c");

  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  for (const char* word : {"FedRK, 200 local steps", "conjugate gradients", "3 of 6", "server sees"}) {
    EXPECT_NE(ended.out.find(word), std::string::npos) << word << "\n" << ended.out;
  }
  for (const char* file : {"c/comparison.json", "c/comparison.csv", "c/comparison.svg"}) {
    EXPECT_TRUE(std::filesystem::exists(program.path(file))) << file;
  }
}

TEST(Compare, FindsLeastSquaresByItselfWhereNobodyKnowsTheSolution) {
  const test::Program program;

  const auto ended = program.run(
      "compare --generate inconsistent --rows 200 --cols 20 --clients 4 --rounds 50 --methods fedrk,cg,rek --format "
      "json");

  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const json told = json::parse(ended.out);
  EXPECT_EQ(told["reference"], "direct_solution");
  std::map<std::string, bool> reached;
  for (const json& method : told["methods"]) reached[method["name"]] = method["reached"];
  EXPECT_EQ(reached, (std::map<std::string, bool>{{"cg", true}, {"fedrk", false}, {"rek", true}}));
}

TEST(Compare, SelectsFeaturesOfRealData) {
  const test::Program program;

  const auto ended = program.run("compare '" FEDRK_SOURCE "/data/prostate.toml' --rounds 2000 --format json");

  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const json told = json::parse(ended.out);
  EXPECT_EQ(told["reference"], "none");
  for (const json& method : told["methods"]) {
    EXPECT_EQ(method["support"].size(), 5U) << method["name"];
    if (method["name"] == "fedrk") {
      EXPECT_EQ(method["support"], (json{"(Intercept)", "lcavol", "lweight", "lbph", "svi"}));
    }
  }
}

TEST(Compare, TellsWhatTheAutomaticChoiceMetAndWhoseAnswerIsRight) {
  const test::Program program;
  const std::string small = "compare --generate inconsistent --rows 200 --cols 20 --clients 4 --local-steps 400 ";

  const auto told = program.run(small + "--participants 2 --rounds 600 --methods auto,fedrk,cg");
  const auto everyone = program.run(small + "--rounds 100 --methods auto,cg,gram --format json");

  ASSERT_EQ(told.exit_code, 0) << told.err;
  EXPECT_NE(told.out.find("contradict each other"), std::string::npos) << told.out;
  EXPECT_NE(told.out.find("one sum"), std::string::npos) << told.out;
  const json outcome = json::parse(everyone.out);
  for (const json& method : outcome["methods"]) {
    const bool solves = method["name"] == "auto";
    EXPECT_EQ(method["reached"], !solves) << method;
    if (!solves) continue;
    EXPECT_NE(method["remarks"][0].get<std::string>().find("contradict each other"), std::string::npos) << method;
    EXPECT_LE(method["relative_residual"].get<double>(), 1.0) << method;
  }
}

TEST(Compare, FindsASparseSolutionBySoftThresholding) {
  const test::Program program;

  const std::string small =
      "compare --generate sparse --rows 128 --cols 256 --nonzeros 5 --clients 8 --participants 3 --keep 5 --rounds 200 "
      "--local-steps 20 --methods soft --format json ";
  program.folder().write("plan.toml", "sparse = \"soft:1.5\"\n");
  for (const char* weight : {"--soft 1.5", "plan.toml"}) {
    const auto ended = program.run(small + weight);

    ASSERT_EQ(ended.exit_code, 0) << ended.err;
    const json method = json::parse(ended.out)["methods"][0];
    EXPECT_EQ(method["true_entries_found"], 5);
    EXPECT_EQ(method["label"], "soft thresholding, 1.5");
  }
}

TEST(Compare, LeavesOutWhatWouldNotFitTheMemory) {
  const test::Program program;

  // The Gram sum would hold some 200 GB.
  const auto ended = program.run(
      "compare --generate gaussian --rows 40 --cols 100000 --density 0.0001 --clients 2 --rounds 2 "
      "--methods fedrk,gram --format json --progress none");

  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const json told = json::parse(ended.out);
  ASSERT_EQ(told["methods"].size(), 1U);
  EXPECT_EQ(told["left_out"][0]["name"], "gram");
}

TEST(Compare, LeavesWhatIsCompleteWhenItIsStopped) {
  const test::Program program;

  // The second method would take minutes. In the foreground, or `timeout` signals the program and then its group: two
  // signals, of which the second ends the program at once, as it should.
  const auto ended = program.run(
      "compare --generate gaussian --rows 512 --cols 256 --clients 4 --local-steps inf --rounds 4000000 --error 1e-300 "
      "--methods cg,fedavg-rk --format json --progress none",
      "timeout --foreground --preserve-status -s INT 3");

  EXPECT_EQ(ended.exit_code, 3) << ended.err;
  const json told = json::parse(ended.out);
  EXPECT_EQ(told["interrupted"], true);
  ASSERT_EQ(told["methods"].size(), 1U);
  EXPECT_EQ(told["methods"][0]["name"], "cg");
  EXPECT_EQ(told["left_out"][0]["name"], "fedavg-rk");
}

// The names of --help are those that --methods knows, with and without --keep.
TEST(Compare, HelpsWithNamesThatExist) {
  const test::Program program;
  const std::string help = program.run("compare --help").out;
  const std::size_t from = help.find("Methods: ") + 9;
  std::string listed = help.substr(from, help.find(';', from) - from) + ", soft, iht, lasso";
  std::ranges::replace(listed, '\n', ' ');
  for (const std::string keep : {"", "--keep 5 "}) {
    const auto refused = program.run(kSmall + keep + "--methods nobody");
    const std::size_t there = refused.err.find("there are ") + 10;
    std::istringstream names(refused.err.substr(there));
    int count = 0;
    for (std::string name; names >> name; ++count) {
      std::erase_if(name, [](char c) { return c == ',' || c == '.'; });
      if (name == "and") continue;
      EXPECT_NE((", " + listed).find(" " + name), std::string::npos) << name << '\n' << listed;
    }
    EXPECT_GT(count, 10) << refused.err;
  }
  std::istringstream names(listed);
  for (std::string name; names >> name;) {
    std::erase(name, ',');
    const std::string keep = name == "soft" || name == "iht" || name == "lasso" ? "--keep 5 " : "";
    const auto ended = program.run(kSmall + keep + "--format json --methods " + name);
    EXPECT_EQ(ended.exit_code, 0) << name << '\n' << ended.err;
  }
}

TEST(Compare, RefusesWhatItCannotDoInOneLine) {
  const test::Program program;
  const auto refused = [&](const std::string& arguments, const std::string& message) {
    const auto ended = program.run("compare " + arguments);
    EXPECT_EQ(ended.exit_code, 2) << arguments;
    EXPECT_NE(ended.err.find(message), std::string::npos) << ended.err;
    EXPECT_EQ(ended.out, "");
  };

  refused(kSmall.substr(8) + "--methods fedrk,adam", "fedrk: --methods: no 'adam' here; there are fedrk, fedrk-norm,");
  refused(kSmall.substr(8) + "--noise-columns 3", "fedrk: --noise-columns: only FedRK has a use");
  refused(kSmall.substr(8) + "--tolerance 1e-3", "fedrk: --tolerance: a comparison runs to --error EPS");
  for (const std::string flag :
       {"--method auto", "--memory 3", "--patience 5", "--server-sampling uniform", "--ridge 1", "--residual-every 3",
        "--reveal sums", "--round-trip 5", "--least-squares"}) {
    refused(kSmall.substr(8) + flag, "has no effect on a comparison");
  }
  refused("--generate gaussian --data a.csv --target b", "fedrk: give either files or --generate, not both");
  refused("--generate gauss", "expected gaussian, heterogeneous, inconsistent or sparse, found 'gauss'");
  refused("--generate gaussian --soft 2", "fedrk: --soft concerns sparse answers only; add --keep S");
  refused("--generate gaussian --keep 3 --soft 0", "--soft: expected a number above 0, found '0'");
  refused("--generate gaussian --error 0", "expected a number above 0, found '0'");
  refused("", "fedrk: give a plan, --data, --matrix or --generate");
  refused("'" FEDRK_SOURCE "/data/prostate.toml' --rows 5", "fedrk: --rows describes a generated problem");
  refused("--generate gaussian --rows 3 --clients 5", "fedrk: ");
}

}  // namespace
}  // namespace fedrk
