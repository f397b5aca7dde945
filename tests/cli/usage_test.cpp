// SPDX-License-Identifier: Apache-2.0

// What a user reads before a run: help in two sizes, and suggestions for mistyped words.

#include <algorithm>
#include <sstream>

#include <gtest/gtest.h>

#include "support/program.hpp"

namespace fedrk {
namespace {

// The options that a help text lists.
std::vector<std::string> options_in(const std::string& help) {
  std::vector<std::string> names;
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find("--");
    if (at == std::string::npos || line.find_first_not_of(" -h,") < at || at > 5) continue;
    names.push_back(line.substr(at, line.find_first_of(" \n", at) - at));
  }
  return names;
}

bool lists(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

TEST(Help, ListsAboutADozenOptionsAndTheRestOnRequest) {
  const test::Program program;
  for (const std::string command : {"fit", "solve", "server"}) {
    const auto common = options_in(program.run(command + " --help").out);
    const auto all = options_in(program.run(command + " --help-all").out);

    EXPECT_GE(common.size(), 10U) << command;
    EXPECT_LE(common.size(), 16U) << command;
    EXPECT_GT(all.size(), common.size()) << command;
    for (const std::string& name : common) EXPECT_TRUE(lists(all, name)) << name;
  }
}

TEST(Help, IsTheSameInBothSizesWhereThereIsNoMore) {
  const test::Program program;
  for (const std::string command :
       {"", "generate", "reproduce", "report", "provision", "check", "client", "status", "stop", "resume"}) {
    const auto help = program.run(command + " --help"), all = program.run(command + " --help-all");

    EXPECT_EQ(all.exit_code, 0) << command << all.err;
    EXPECT_EQ(all.out, help.out) << command;
    EXPECT_FALSE(help.out.empty()) << command;
  }
}

TEST(Help, ListsThePapersParametersOfSolve) {
  const auto all = options_in(test::Program().run("solve --help-all").out);

  for (const char* name :
       {"--method", "--participants", "--local-steps", "--server-steps", "--keep", "--noise-columns", "--memory",
        "--reveal", "--rounds", "--tolerance", "--seed", "--threads", "--data", "--matrix", "--rhs"}) {
    EXPECT_TRUE(lists(all, name)) << name;
  }
}

TEST(Help, FitsInAHundredAndTwentyColumns) {
  const test::Program program;
  for (const char* command : {"fit", "solve", "compare", "server", "generate"}) {
    std::istringstream lines(program.run(std::string(command) + " --help-all").out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 120U) << command << ": " << line;
  }
}

TEST(Suggestion, IsTheNearestOptionOfTheCommand) {
  const test::Program program;
  const auto told = [&](const std::string& arguments) {
    const auto ended = program.run(arguments);
    EXPECT_EQ(ended.exit_code, 2) << arguments;
    EXPECT_EQ(ended.out, "") << arguments;
    return ended.err.substr(0, ended.err.find('\n'));
  };

  EXPECT_EQ(told("solve a.csv --particpants 5"), "fedrk: unknown option --particpants; did you mean --participants?");
  EXPECT_EQ(told("solve a.csv --local_steps=5"), "fedrk: unknown option --local_steps; did you mean --local-steps?");
  EXPECT_EQ(told("fit a.csv --taregt y"), "fedrk: unknown option --taregt; did you mean --target?");
  EXPECT_EQ(told("solve a.csv --toler 5"), "fedrk: unknown option --toler; did you mean --tolerance?");
  EXPECT_EQ(told("solve a.csv --zzzzzzzz"), "fedrk: unknown option --zzzzzzzz");
  EXPECT_EQ(told("report one two"), "fedrk: unexpected argument 'two'");
  EXPECT_EQ(told("comapre"), "fedrk: unknown command comapre; did you mean compare?");
  EXPECT_EQ(told("zebra"), "fedrk: unknown command zebra");
  EXPECT_EQ(told("--seed 3 fit a.csv"), "fedrk: unknown option --seed; options follow the command");
  EXPECT_EQ(told("-V"), "fedrk: unknown option -V; options follow the command");
}

TEST(WrongValue, IsNamedInOneLineByEveryCommand) {
  const test::Program program;
  const auto told = [&](const std::string& arguments) {
    const auto ended = program.run(arguments);
    EXPECT_EQ(ended.exit_code, 2) << arguments;
    return ended.err;
  };

  EXPECT_EQ(told("stop run --wait -3"), "fedrk: --wait: expected a number from 0, found '-3'\n");
  EXPECT_EQ(told("check c.toml --timeout 0"), "fedrk: --timeout: expected a number from 0.001 to 3600, found '0'\n");
  EXPECT_EQ(told("generate gaussian --rows many --out p"),
            "fedrk: --rows: expected a whole number from 0, found 'many'\n");
  EXPECT_EQ(told("provision p --port 99999"),
            "fedrk: --port: expected a whole number from 1 to 65535, found '99999'\n");
  EXPECT_EQ(told("provision p --days 0.5"), "fedrk: --days: expected a whole number from 1 to 3650, found '0.5'\n");
  EXPECT_EQ(told("solve a.csv --out one --out two"), "fedrk: --out: expected one value, found 2\n");
  EXPECT_EQ(told("solve a.csv --intercept=maybe").substr(0, 7), "fedrk: ");
  EXPECT_EQ(told("solve a.csv --out --overwrite"), "fedrk: --out: expected DIR, found the option --overwrite\n");
  EXPECT_EQ(told("solve a.csv --out ''"), "fedrk: --out: expected a name, found an empty text\n");
  EXPECT_EQ(told("fit a.csv --no-intercept=maybe").substr(0, 24), "fedrk: --no-intercept: e");
  EXPECT_EQ(told("fit a.csv --no-intercept --intercept"),
            "fedrk: --no-intercept: contradicts --intercept: give one of them\n");
  EXPECT_EQ(told("solve a.csv --epsilon 0"), "fedrk: --epsilon: expected a number above 0, found '0'\n");
  program.folder().write("server.toml", "clients = ['a', 'b', 'c']\n");
  EXPECT_EQ(told("server server.toml a.toml --plan b.toml"), "fedrk: PLAN and --plan both name the plan: give one\n");
  EXPECT_EQ(told("server --max-memory 5"),
            "fedrk: --max-memory: removed; messages that are arriving take at most 2 GB\n");
}

}  // namespace
}  // namespace fedrk
