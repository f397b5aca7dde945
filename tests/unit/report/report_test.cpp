// SPDX-License-Identifier: Apache-2.0
#include "report/report.hpp"

#include <regex>
#include <string>

#include <gtest/gtest.h>

#include "support/temp_folder.hpp"

namespace fedrk::io {
namespace {

using fedrk::test::TempFolder;

constexpr const char* kResult = R"({
  "version": "0.1.0", "status": "finished:completed", "stop_reason": "round_limit",
  "stop_words": "all 4 rounds were made", "method": "published", "title": "prostate",
  "problem": {"files": ["data/prostate.csv"], "target": "lpsa", "rows": 97, "columns": 9, "sparse": false,
              "standardized": true, "intercept": true, "noise_columns": 0},
  "options": {"rounds": 4, "participants": 2, "local_steps": 20, "server_steps": "inf", "server_sampling": "uniform",
              "row_sampling": "squared-norm", "keep": 1, "tolerance": 1e-8, "patience": 100},
  "rounds": 4, "relative_residual": 0.31, "relative_error": null, "seconds": 0.12, "bytes_up": 528000,
  "bytes_down": 480000, "seed": 18446744073709551615,
  "clients": [{"name": "north", "rows": 50, "rounds": 4, "absences": 0},
              {"name": "south", "rows": 47, "rounds": 3, "absences": 1}],
  "coefficients": [{"name": "age", "coefficient": -0.02, "standardized": -0.14},
                   {"name": "lcavol", "coefficient": 0.587, "standardized": 0.6922}],
  "selection": [{"name": "lcavol", "count": 3}, {"name": "age", "count": 1}],
  "convergence": {"progress": "hovering", "level": 0.31, "since_round": 2, "words": "It hovers around 0.31."},
  "warnings": ["One row weighs more than half."]
})";

constexpr const char* kHistory =
    "round,participants,absent,residual,movement,seconds,bytes_up,bytes_down\n"
    "1,north;south,,1.0,2.5,0.03,100,90\n"
    "2,\"north;south\",,,0.5,0.03,100,90\n"
    "3,north,south,0.32,0.4,0.03,100,90\n"
    "4,north;south,,0.31,0.4,0.03,100,90\n";

bool has_text(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

constexpr const char* kNoHistory = "";  // for runs that ended before their first round: no such file

std::string page_of(const std::string& result, const std::string& history) {
  const TempFolder folder;
  folder.write("result.json", result);
  if (!history.empty()) folder.write("history.csv", history);
  const Result<std::string> page = render_report(folder.path());
  return page ? *page : "error: " + page.error().message;
}

// What stands on the page for a reader or a browser, without the style sheet.
std::string body_of(const std::string& page) { return page.substr(std::min(page.find("<body>"), page.size())); }

std::string problem_with(const std::string& result, const std::string& history) {
  const TempFolder folder;
  folder.write("result.json", result);
  if (!history.empty()) folder.write("history.csv", history);
  const Result<std::string> page = render_report(folder.path());
  return page ? "no error" : folder.local(page.error().message);
}

TEST(Report, SaysWhatWasSolvedByWhomAndHowItEnded) {
  const std::string page = page_of(kResult, kHistory);

  for (const char* message : {"<title>prostate: all 4 rounds were made</title>",
                              "<h1>prostate: all 4 rounds were made</h1>",
                              "data/prostate.csv",
                              "97 × 9",
                              "lpsa",
                              ">north<",
                              ">south<",
                              "∞ (exact projection)",
                              "τ<sub>g</sub>",
                              "528\u00A0kB up",
                              "480\u00A0kB down",
                              "18446744073709551615",
                              "fedrk solve plan.toml",
                              "It hovers around 0.31.",
                              "One row weighs more than half.",
                              "75.0 %",
                              "0.6922",
                              "horizon 0.31",
                              "tolerance 10⁻⁸",
                              "The tolerance was not reached.",
                              "more rounds would not bring it lower",
                              "<td>100</td>"}) {
    EXPECT_TRUE(has_text(page, message)) << message;
  }
}

TEST(Report, OfAFitSaysHowWellItFits) {
  const std::string page = page_of(R"json({
    "goal": "fit", "status": "finished:unconverged", "converged": false, "title": "prostate", "method": "gram",
    "problem": {"target": "lpsa", "rows": 97, "columns": 9},
    "model": {"family": "gaussian", "rows": 97, "rank": 9, "df_residual": 88, "sigma": 0.69951, "r_squared": 0.66336},
    "coefficients": [{"name": "(Intercept)", "coefficient": 0.18}, {"name": "twice", "coefficient": null}]
  })json",
                                   kNoHistory);

  for (const char* part : {"Not converged", "What was fitted", "Rows × coefficients", "Residual standard error",
                           "0.6995", "on 88 degrees of freedom", "R²", "0.6634", "fedrk fit plan.toml"}) {
    EXPECT_TRUE(has_text(page, part)) << part;
  }
}

TEST(Report, SaysOnceWhatIsBothAWarningAndTheOutcome) {
  std::string result = kResult;
  result.replace(result.find("One row weighs more than half."), 30, "It hovers around 0.31.");

  const std::string page = page_of(result, kHistory);

  EXPECT_EQ(page.find("It hovers around 0.31."), page.rfind("It hovers around 0.31."));
  EXPECT_TRUE(has_text(page, "It hovers around 0.31."));
}

TEST(Report, IsOneHtmlFileThatNeedsNothingElse) {
  const std::string page = page_of(kResult, kHistory);

  EXPECT_TRUE(page.starts_with("<!DOCTYPE html>\n<html lang=\"en\">"));
  for (const char* outside : {"http://", "https://", "src=", "href=", "@import", "url(", "<script", "<link"}) {
    EXPECT_FALSE(has_text(page, outside)) << outside;
  }
}

TEST(Report, ListsCoefficientsAsTheDataDoAndDrawsTheLargestFirst) {
  const std::string page = page_of(kResult, kHistory);

  const std::string part = page.substr(page.find("<h2>Coefficients</h2>"));
  EXPECT_LT(part.find(">age<"), part.find(">lcavol<"));
  EXPECT_TRUE(has_text(part.substr(0, part.find("<svg")), "<td>−0.1400</td>")) << part;
  const std::string picture = part.substr(part.find("<svg"));
  EXPECT_LT(picture.find(">lcavol<"), picture.find(">age<"));
}

TEST(Report, DrawsNoInterceptBesideTheCoefficients) {
  const std::string page = page_of(R"json({"coefficients": [{"name": "(Intercept)", "coefficient": 1000},
                                                          {"name": "age", "coefficient": 0.1}]})json",
                                   kNoHistory);

  const std::size_t picture = page.find("<svg");
  EXPECT_LT(page.find(">(Intercept)<"), picture);
  EXPECT_EQ(page.find(">(Intercept)<", picture), std::string::npos);
  EXPECT_TRUE(has_text(page, "the intercept is not drawn"));
}

TEST(Report, PutsTheResultFirstAndFoldsTheMethod) {
  const std::string page = page_of(kResult, kHistory);

  const std::size_t folded = page.find("<details>");
  EXPECT_LT(page.find("One row weighs more than half."), page.find("<h2>Coefficients</h2>"));
  for (const char* part : {"<h2>Coefficients</h2>", "<h2>What was selected</h2>", "<h2>Clients</h2>"}) {
    EXPECT_LT(page.find(part), folded) << part;
  }
  for (const char* part : {"<h2>What was solved</h2>", "<h2>How it converged</h2>", "<h2>Why it stopped</h2>"}) {
    EXPECT_GT(page.find(part), folded) << part;
    EXPECT_NE(page.find(part), std::string::npos) << part;
  }
}

TEST(Report, HighlightsAsManyEntriesAsWereKept) {
  const std::string page = page_of(kResult, kHistory);

  const std::size_t start = page.find("<h2>What was selected</h2>");
  const std::string part = page.substr(start, page.find("</section>", start) - start);
  const std::size_t muted = part.find("bar muted");
  EXPECT_LT(part.find(">lcavol<"), muted);
  EXPECT_LT(part.find(">age<"), muted);
  EXPECT_EQ(part.find("bar muted", muted + 1), std::string::npos);
}

TEST(Report, ShowsTheErrorWhereTheTruthWasGiven) {
  const std::string page = page_of(R"({"rounds": 2, "relative_error": 1e-9})",
                                   "round,participants,absent,residual,movement,seconds,bytes_up,bytes_down,error\n"
                                   "1,a,,1.0,1,0,0,0,0.9\n2,a,,0.1,1,0,0,0,0.09\n");

  EXPECT_TRUE(has_text(page, ">relative error<"));
  EXPECT_TRUE(has_text(page, "10⁻⁹"));
}

TEST(Report, EscapesWhateverTheDataFilesNamed) {
  const std::string name = R"(<script>alert(\"1\")</script>&'<b>)";
  std::string result = std::regex_replace(kResult, std::regex("lcavol|north|lpsa|prostate|finished:completed"), name);
  result =
      std::regex_replace(result, std::regex("squared-norm|round_limit|published|0\\.1\\.0|It hovers|One row"), name);

  const std::string page = page_of(result, kHistory);

  EXPECT_FALSE(has_text(page, "<script")) << page;
  EXPECT_FALSE(has_text(page, "<b>"));
  EXPECT_FALSE(has_text(page, "&'"));
  EXPECT_TRUE(has_text(page, "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;&lt;b&gt;"));
}

TEST(Report, ReplacesControlCharacters) {
  const std::string page = page_of(R"({"title": "bell\u0007 nul\u0000 end"})", kNoHistory);

  EXPECT_TRUE(has_text(page, "bell\uFFFD nul\uFFFD end"));
}

TEST(Report, NeverPrintsWhatIsNotANumber) {
  const std::string page = page_of(
      R"({"rounds": 0, "seconds": 0, "bytes_up": 0, "bytes_down": 1e308, "relative_residual": 1e308,
          "selection": [{"name": "a", "count": 0}], "coefficients": [{"name": "a", "coefficient": -1.7e308},
          {"name": "b", "coefficient": 1.7e308}, {"name": "c", "coefficient": 5e-324}, {"name": "d"}]})",
      "round,residual,movement\n1,0,inf\n2,1e308,nan\n3,,-inf\n4,5e-324,0\n");

  EXPECT_FALSE(std::regex_search(body_of(page), std::regex(R"(\b(nan|inf|infinity)\b)", std::regex::icase)));
  EXPECT_TRUE(has_text(page, "<svg"));
}

TEST(Report, ManagesWithoutAnyOptionalKey) {
  EXPECT_TRUE(has_text(page_of("{}", kNoHistory), "No round was recorded."));
  EXPECT_TRUE(has_text(page_of(R"({"clients": [], "coefficients": [], "selection": []})", "round\n1\n"), "</html>"));
  EXPECT_TRUE(has_text(page_of(R"({"clients": [{}], "coefficients": [{}], "selection": [{}]})", "round\n"), "</html>"));
}

TEST(Report, ManagesWithKeysOfTheWrongType) {
  const std::string page = page_of(
      R"({"version": 1, "status": [], "title": {}, "problem": "x", "options": [1], "rounds": "many", "clients": {"a": 1},
          "coefficients": [1, "x", null], "selection": 7, "convergence": [], "warnings": [1, {}], "seed": 1.5})",
      kNoHistory);

  EXPECT_TRUE(has_text(page, "</html>"));
}

TEST(Report, ShowsARunOfOneRound) {
  const std::string page = page_of(R"({"rounds": 1, "seconds": 0.1})", "round,residual,movement\n1,0.97,3e200\n");

  EXPECT_TRUE(has_text(page, "<circle"));
}

TEST(Report, SaysHowManyEntriesItLeavesOut) {
  std::string list;
  for (int i = 0; i < 1024; ++i) {
    list += (i == 0 ? "" : ",") + (R"({"name": "x)" + std::to_string(i + 1) + R"(", "coefficient": 1, "rounds": 1})");
  }
  const std::string page = page_of(R"({"coefficients": [)" + list + R"(], "clients": [)" + list + "]}", kNoHistory);

  EXPECT_TRUE(has_text(page, "… and 994 more in solution.csv"));
  EXPECT_TRUE(has_text(page, "… and 974 more in result.json"));
}

TEST(Report, IsCalledAfterItsFolderWhereTheRunHasNoTitle) {
  const TempFolder folder;
  folder.write("result.json", "{}");

  const Result<std::string> page = render_report(folder.path() / "");

  ASSERT_TRUE(page) << page.error().message;
  EXPECT_TRUE(has_text(*page, "<h1>" + folder.path().filename().string() + "</h1>"));
}

TEST(Report, AsksForTheFolderOfARun) {
  EXPECT_EQ(render_report("runs/nowhere").error().message,
            "runs/nowhere: no result.json here; give the folder of a run");
}

TEST(Report, NamesThePlaceOfWhatIsMalformed) {
  const std::string header = "round,residual,movement\n";

  EXPECT_TRUE(problem_with("{\"a\": ", kNoHistory).starts_with("result.json: not valid JSON: parse error at line 1"));
  EXPECT_TRUE(problem_with("", kNoHistory).starts_with("result.json: "));
  EXPECT_EQ(problem_with("[1]", kNoHistory), "result.json: expected the result of a run, found other JSON");
  EXPECT_EQ(problem_with("{}", "a,b\n1,2\n"), "history.csv:1: expected a header line with the column 'round'");
  EXPECT_EQ(problem_with("{}", header + "1,2,3\n2,3\n"), "history.csv:3: expected 3 fields, found 2");
  EXPECT_EQ(problem_with("{}", header + "1,abc,3\n"), "history.csv:2: residual: expected a number, found text");
  EXPECT_EQ(problem_with("{}", header + "x,1,3\n"), "history.csv:2: round: expected a number, found text");
  EXPECT_TRUE(problem_with("{}", header + "1,\"2,3\n").starts_with("history.csv:2: expected a closing quote"));
}

TEST(Report, WritesItselfIntoTheFolderOrWhereItIsTold) {
  const TempFolder folder;
  folder.write("result.json", kResult);
  folder.write("history.csv", kHistory);

  const Result<std::filesystem::path> inside = write_report(folder.path());
  const Result<std::filesystem::path> elsewhere = write_report(folder.path(), folder / "other.html");

  ASSERT_TRUE(inside) << inside.error().message;
  ASSERT_TRUE(elsewhere) << elsewhere.error().message;
  EXPECT_EQ(*inside, folder / "report.html");
  EXPECT_EQ(*elsewhere, folder / "other.html");
  EXPECT_EQ(folder.read("report.html"), folder.read("other.html"));
}

}  // namespace
}  // namespace fedrk::io
