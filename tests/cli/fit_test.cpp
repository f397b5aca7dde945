// SPDX-License-Identifier: Apache-2.0

// fedrk fit as a user runs it.

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "support/program.hpp"

namespace fedrk {
namespace {

class Fit : public testing::Test {
 protected:
  void SetUp() override {
    const auto& folder = program.folder();
    folder.write("north.csv", "u,v,y\n1,2,3\n4,5,6\n2,0,1\n");
    folder.write("south.csv", "y,u,v\n1,2,2\n4,1,0\n3,3,1\n");
    folder.write("other.csv", "u,w,y\n1,2,3\n");
    folder.write("short.csv", "u,y\n1,2\n");
    folder.write("A.mtx", "%%MatrixMarket matrix array real general\n2 1\n1\n2\n");
  }
  // The one line on stderr, without "fedrk: ".
  std::string refusal(const std::string& arguments) const {
    const auto ended = program.run(arguments);
    EXPECT_EQ(ended.exit_code, 2) << arguments << '\n' << ended.err;
    EXPECT_EQ(ended.out, "");
    EXPECT_EQ(std::ranges::count(ended.err, '\n'), 1) << ended.err;
    return ended.err.substr(0, ended.err.size() - 1).substr(std::string("fedrk: ").size());
  }
  test::Program program;
};

TEST_F(Fit, HelpsWithItsOwnEntriesAndAnExample) {
  const auto help = program.run("fit --help-all");

  EXPECT_EQ(help.exit_code, 0);
  for (const char* part : {"--target", "--site", "--ridge", "--powers", "--standardize", "--intercept", "--tolerance",
                           "Examples:", "Exit codes:", "(Intercept)"}) {
    EXPECT_NE(help.out.find(part), std::string::npos) << part << '\n' << help.out;
  }
  for (const char* part : {"--local-steps", "--keep", "--hyperplanes", "--noise-columns", "--sparse", "--refit",
                           "--average", "--memory", "--row-sampling", "--epsilon", "--goal", "--start "}) {
    EXPECT_EQ(help.out.find(part), std::string::npos) << part << '\n' << help.out;
  }
}

TEST_F(Fit, IsTheFirstCommandThatHelpShows) {
  const auto help = program.run("--help");

  EXPECT_LT(help.out.find("\n  fit "), help.out.find("\n  solve ")) << help.out;
}

TEST_F(Fit, RefusesFlagsThatAreAboutEquations) {
  for (const char* flag : {"--keep 3", "--local-steps 5", "--memory 2", "--epsilon 1", "--sparse soft:1"}) {
    const auto ended = program.run("fit north.csv --target y " + std::string(flag));
    EXPECT_EQ(ended.exit_code, 2) << flag;
    EXPECT_NE(ended.err.find(std::string(flag).substr(0, 6)), std::string::npos) << ended.err;
    EXPECT_NE(ended.err.find("an option of fedrk solve"), std::string::npos) << ended.err;
  }
  EXPECT_EQ(refusal("fit north.csv --target y --method fedrk"),
            "FedRK solves equations: a fit takes --method auto, gram or cg");
  EXPECT_EQ(refusal("solve north.csv --target y --method gram"),
            "--method gram is for fits: fedrk fit, or --least-squares");
}

TEST_F(Fit, RefusesEntriesOfAPlanThatAreAboutEquations) {
  program.folder().write("plan.toml", "data = ['north.csv']\ntarget = 'y'\nkeep = 2\n");

  EXPECT_EQ(refusal("fit plan.toml"), "keep is for fedrk solve: a fit has no such entry, so leave it out");
}

TEST_F(Fit, SaysWhichCommandAPlanIsFor) {
  program.folder().write("fit.toml", "goal = 'fit'\ndata = ['north.csv']\ntarget = 'y'\n");
  program.folder().write("solve.toml", "goal = 'solve'\ndata = ['north.csv']\ntarget = 'y'\n");

  EXPECT_EQ(refusal("solve fit.toml"), "fit.toml is a plan for fedrk fit: run \"fedrk fit fit.toml\"");
  EXPECT_EQ(refusal("fit solve.toml"), "solve.toml is a plan for fedrk solve: run \"fedrk solve solve.toml\"");
}

TEST_F(Fit, TellsAllColumnsThatDoNotFit) {
  EXPECT_EQ(
      refusal("fit north.csv south.csv other.csv short.csv --target y"),
      "the tables do not fit each other: other.csv lacks 'v'; other.csv has 'w', north.csv has not; short.csv lacks "
      "'v'. Every table needs the same columns, in any order");
}

TEST_F(Fit, SaysWhatIsWrongWithTheFiles) {
  EXPECT_EQ(refusal("fit --target y").substr(0, 8), "no data:");
  EXPECT_EQ(refusal("fit north.xlsx --target y").substr(0, 40), "north.xlsx: expected a name that ends in");
  EXPECT_EQ(refusal("fit none.csv --target y"), "none.csv: cannot be read: No such file or directory");
  EXPECT_NE(refusal("fit north.csv south.csv").find("needs --target NAME"), std::string::npos);
  EXPECT_EQ(refusal("fit A.mtx"), "1 --matrix but 0 --rhs: each matrix needs its right-hand side");
  EXPECT_EQ(refusal("fit north.csv A.mtx --target y").substr(0, 37), "--data and --matrix cannot be mixed: ");
  EXPECT_EQ(refusal("fit north.csv south.csv --target y --site u"),
            "--partition and --site split one file; several are given");
  EXPECT_EQ(refusal("fit north.csv --target y --site u --partition shuffled"),
            "--site and --partition both say how to split: give one");
  EXPECT_EQ(refusal("fit north.csv --target y --powers w:2"), "powers: no column 'w' among the features");
}

// What a positional file does, solve shows as well.
TEST_F(Fit, SharesItsPositionalFilesWithSolve) {
  const auto named = program.run("solve --data north.csv --data south.csv --target y --rounds 5 --out a");
  const auto placed = program.run("solve north.csv south.csv --target y --rounds 5 --out b");

  EXPECT_EQ(named.exit_code, placed.exit_code) << placed.err;
  EXPECT_EQ(program.folder().read("a/solution.csv"), program.folder().read("b/solution.csv"));
}

}  // namespace
}  // namespace fedrk
