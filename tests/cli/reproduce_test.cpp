// SPDX-License-Identifier: Apache-2.0

// fedrk reproduce: experiments at reduced size, with their files and their verdicts.

#include <algorithm>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/program.hpp"

namespace fedrk {
namespace {

using nlohmann::json;

TEST(Reproduce, RefusesWhatItDoesNotKnowInOneLine) {
  const test::Program program;
  const auto refused = [&](const std::string& arguments, const std::string& message) {
    const auto ended = program.run("reproduce " + arguments);
    EXPECT_EQ(ended.exit_code, 2) << arguments;
    EXPECT_EQ(ended.err, "fedrk: " + message + "\n");
    EXPECT_EQ(ended.out, "");
  };

  refused("fig5 --out p",
          "no experiment 'fig5'; there are fig1, fig1-baselines, fig1-large, fig2, fig3, fig4, theory, beyond, all");
  refused("fig1-large --scale 0 --out p", "--scale: expected a number above 0 and at most 1, found '0'");
  refused("fig1-large --scale 1.5 --out p", "--scale: expected a number above 0 and at most 1, found '1.5'");
  refused("fig4 --scale 0.5 --out p", "--scale concerns fig1-large only, which is not among the experiments asked for");
  refused("fig4 --threads 0 --out p", "--threads: expected a whole number from 1, found '0'");
  EXPECT_EQ(program.run("reproduce fig4 --seed -1 --out p").exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(program.path("p")));
}

TEST(Reproduce, NeedsAFolder) {
  const test::Program program;

  const auto ended = program.run("reproduce fig4");

  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_EQ(ended.err.find("fedrk: --out is required"), 0U) << ended.err;
}

TEST(Reproduce, HelpsWithWhatItNeedsAndWithItsEnd) {
  const test::Program program;

  const auto ended = program.run("reproduce --help");

  EXPECT_NE(ended.out.find("index.html; required\n"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("Ctrl-C ends the program at once (exit code 130)"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("5.4 GB at full size"), std::string::npos) << ended.out;
}

TEST(Reproduce, LeavesPicturesNumbersVerdictsAndAPage) {
  const test::Program program;

  const auto ended = program.run("reproduce fig4 --quick --out p");

  EXPECT_EQ(ended.exit_code, 0) << ended.out << ended.err;
  EXPECT_NE(ended.err.find("[1 of 1] fig4: "), std::string::npos) << ended.err;
  EXPECT_NE(ended.err.find("[1 of 1] fig4 holds"), std::string::npos) << ended.err;
  EXPECT_EQ(ended.err.find("most selected"), std::string::npos)
      << ended.err;  // words that hold come once, in the table
  EXPECT_NE(ended.out.find("most selected"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("Page: p/index.html\n"), std::string::npos) << ended.out;
  const json told = json::parse(program.folder().read("p/fig4.json"));
  EXPECT_EQ(told["holds"], true);
  ASSERT_FALSE(told["figures"].empty());
  for (const json& figure : told["figures"]) {
    EXPECT_TRUE(std::filesystem::exists(program.path("p/" + figure["name"].get<std::string>() + ".svg")));
  }
  for (const json& table : told["tables"]) {
    EXPECT_TRUE(std::filesystem::exists(program.path("p/" + table.get<std::string>() + ".csv")));
  }
  EXPECT_NE(program.folder().read("p/index.html").find("✓ holds"), std::string::npos);
}

TEST(Reproduce, TellsProgramsInOneDocument) {
  const test::Program program;

  const auto ended = program.run("reproduce fig4 fig4 --quick --format json --progress none --out p");

  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const json told = json::parse(ended.out);
  EXPECT_EQ(told["holds"], true);
  ASSERT_EQ(told["experiments"].size(), 1U);
  EXPECT_EQ(told["experiments"][0]["name"], "fig4");
  EXPECT_FALSE(told["experiments"][0]["verdicts"].empty());
  EXPECT_EQ(told["page"], "p/index.html");
}

TEST(Reproduce, KeepsOnItsPageWhatAnEarlierRunLeft) {
  const test::Program program;
  const json earlier{{"name", "fig2"},
                     {"title", "an earlier title"},
                     {"verdicts", json::array({{{"holds", false}, {"words", "an earlier verdict"}}})},
                     {"set_up", ""},
                     {"notes", json::array()},
                     {"figures", json::array({{{"name", "fig2"}, {"caption", "an earlier picture"}}})},
                     {"tables", json::array()},
                     {"seed", 1},
                     {"quick", false},
                     {"scale", 1.0},
                     {"seconds", 3.0},
                     {"version", "0.0"}};
  std::filesystem::create_directory(program.path("p"));
  program.folder().write("p/fig2.json", earlier.dump());
  program.folder().write("p/fig2.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>");

  const auto ended = program.run("reproduce fig4 --quick --out p");

  EXPECT_EQ(ended.exit_code, 0) << ended.err;  // the verdicts of this run
  const std::string page = program.folder().read("p/index.html");
  EXPECT_NE(page.find("an earlier verdict"), std::string::npos);
  EXPECT_NE(page.find("<img src=\"fig2.svg\""), std::string::npos);
}

}  // namespace
}  // namespace fedrk
