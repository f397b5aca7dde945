// SPDX-License-Identifier: Apache-2.0
#include "experiments/findings_files.hpp"

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "experiments/support.hpp"
#include "support/findings.hpp"
#include "support/temp_folder.hpp"

namespace fedrk::experiments {
namespace {

using nlohmann::json;
using test::made_up;

TEST(WriteFindings, LeavesPicturesNumbersAndVerdicts) {
  const test::TempFolder folder;

  const auto said = write_findings(folder.path(), made_up("fig1", true));

  ASSERT_TRUE(said) << said.error().message;
  EXPECT_TRUE(folder.read("fig1.svg").starts_with("<?xml"));
  EXPECT_EQ(folder.read("fig1.csv"), "\"a, b\",c\n1,\"x \"\"y\"\"\"\n2.5,\n");
  const json told = json::parse(folder.read("fig1.json"));
  EXPECT_EQ(told["name"], "fig1");
  EXPECT_EQ(told["holds"], true);
  EXPECT_EQ(told["seconds"], 1.5);
  EXPECT_EQ(told["verdicts"][0]["words"], "one is less than two & <three>");
  EXPECT_EQ(told["figures"][0]["caption"], "caption of fig1");
}

TEST(WriteFindings, SaysWhenAVerdictFails) {
  const test::TempFolder folder;
  Finished finished = made_up("fig1", true);
  finished.findings.judgements.push_back({false, "pigs fly"});

  ASSERT_TRUE(write_findings(folder.path(), finished));

  const json told = json::parse(folder.read("fig1.json"));
  EXPECT_EQ(told["holds"], false);
  EXPECT_EQ(told["verdicts"][0]["holds"], true);
  EXPECT_EQ(told["verdicts"][1]["holds"], false);
}

TEST(WriteFindings, DoesNotHoldWithoutAVerdict) {
  const test::TempFolder folder;
  Finished finished = made_up("fig1", true);
  finished.findings.judgements.clear();

  ASSERT_TRUE(write_findings(folder.path(), finished));

  EXPECT_EQ(json::parse(folder.read("fig1.json"))["holds"], false);
}

TEST(WriteFindings, LeavesNothingThatIsNoNumberAndNoTextInTheJson) {
  const test::TempFolder folder;
  Finished finished = made_up("fig1", true);
  finished.seconds = std::numeric_limits<double>::quiet_NaN();
  finished.settings.scale = std::numeric_limits<double>::infinity();
  finished.findings.judgements[0].message = "broken \xff byte";

  ASSERT_TRUE(write_findings(folder.path(), finished));

  const json told = json::parse(folder.read("fig1.json"));
  EXPECT_TRUE(told["seconds"].is_null());
  EXPECT_TRUE(told["scale"].is_null());
  EXPECT_EQ(told["verdicts"][0]["words"], "broken \uFFFD byte");
  EXPECT_TRUE(read_findings(folder.path(), "fig1"));
}

TEST(WriteFindings, RemovesAPictureThatHasNothingToShowAnyMore) {
  const test::TempFolder folder;
  Finished finished = made_up("fig1", true);
  ASSERT_TRUE(write_findings(folder.path(), finished));
  finished.findings.figures[0].plot = io::LinePlot{};

  ASSERT_TRUE(write_findings(folder.path(), finished));

  EXPECT_FALSE(std::filesystem::exists(folder / "fig1.svg"));
}

TEST(WriteFindings, NamesTheFileThatCannotBeWritten) {
  const test::TempFolder folder;

  const auto said = write_findings(folder / "missing", made_up("fig1", true));

  ASSERT_FALSE(said);
  EXPECT_NE(said.error().message.find("missing/fig1.svg"), std::string::npos) << said.error().message;
}

TEST(TableOf, LeavesCellsEmptyWhereARunEndedEarly) {
  const std::vector<double> three{0.5, 0.25, 0.125}, one{0.75};

  for (const bool long_first : {true, false}) {
    std::vector<io::Series> series{by_round("a", three), by_round("b", one)};
    if (!long_first) std::swap(series[0], series[1]);
    const Table table = table_of("t", "round", series);

    ASSERT_EQ(table.rows.size(), 3U);
    EXPECT_EQ(table.rows[0][0], "1");
    EXPECT_EQ(table.rows[2][0], "3");
    EXPECT_EQ(table.rows[2][long_first ? 1 : 2], "0.125");
    EXPECT_EQ(table.rows[2][long_first ? 2 : 1], "");
  }
  EXPECT_TRUE(table_of("t", "round", {}).rows.empty());
}

TEST(ReadFindings, GivesBackWhatWasWritten) {
  const test::TempFolder folder;
  Finished finished = made_up("fig2", false);
  finished.settings.quick = true;
  finished.settings.seed = 18446744073709551615U;
  finished.findings.notes = {"a note"};
  ASSERT_TRUE(write_findings(folder.path(), finished));

  const auto read = read_findings(folder.path(), "fig2");

  ASSERT_TRUE(read);
  EXPECT_TRUE(read->earlier);
  EXPECT_EQ(read->findings.title, "Title of fig2");
  EXPECT_FALSE(read->findings.holds());
  EXPECT_EQ(read->findings.figures.at(0).name, "fig2");
  EXPECT_EQ(read->findings.tables.at(0).name, "fig2");
  EXPECT_EQ(read->findings.notes.at(0), "a note");
  EXPECT_EQ(read->settings.seed, 18446744073709551615U);
  EXPECT_TRUE(read->settings.quick);
  EXPECT_EQ(read->seconds, 1.5);
}

TEST(ReadFindings, PassesOverWhatIsSomethingElse) {
  const test::TempFolder folder;
  folder.write("fig1.json", "{\"name\":\"fig1\",\"title\":3}");
  folder.write("fig2.json", "{\"name\":");
  folder.write("fig3.json", "[]");

  for (const char* name : {"fig1", "fig2", "fig3", "fig4"}) EXPECT_FALSE(read_findings(folder.path(), name)) << name;
}

TEST(VerdictsJson, HoldsOnlyWhereAllDo) {
  const std::vector<Finished> good{made_up("fig1", true), made_up("fig2", true)};
  const std::vector<Finished> mixed{made_up("fig1", true), made_up("fig2", false)};

  EXPECT_EQ(json::parse(judgements_json(good, "out/index.html"))["holds"], true);
  const json told = json::parse(judgements_json(mixed, "out/index.html"));
  EXPECT_EQ(told["holds"], false);
  EXPECT_EQ(told["page"], "out/index.html");
  EXPECT_EQ(told["experiments"][1]["name"], "fig2");
  EXPECT_EQ(told["experiments"][1]["holds"], false);
}

}  // namespace
}  // namespace fedrk::experiments
