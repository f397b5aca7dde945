// SPDX-License-Identifier: Apache-2.0
#include "experiments/page.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/findings.hpp"
#include "support/temp_folder.hpp"

namespace fedrk::experiments {
namespace {

using test::made_up;

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(Page, CountsTheVerdictsInWords) {
  std::vector<Finished> all{made_up("fig1", true), made_up("fig2", true)};
  EXPECT_TRUE(contains(render_page(all), "All 2 verdicts hold"));

  all.push_back(made_up("fig3", false));
  EXPECT_TRUE(contains(render_page(all), "1 of 3 verdicts does not hold"));
  EXPECT_TRUE(contains(render_page({}), "No verdict yet"));
}

TEST(Page, SaysAtItsHeadThatRunsWereSmaller) {
  std::vector<Finished> all{made_up("fig1", true), made_up("fig1-large", true)};
  all[0].settings.scale = 0.25;  // concerns the other one only
  EXPECT_TRUE(contains(render_page(all), "All 2 verdicts hold<"));

  all[0].settings.quick = true;
  EXPECT_TRUE(contains(render_page(all), "All 2 verdicts hold, some at reduced size<"));
  all[1].settings.scale = 0.25;
  EXPECT_TRUE(contains(render_page(all), "All 2 verdicts hold, at reduced size<"));
  EXPECT_TRUE(contains(render_page({}), "No verdict yet<"));
}

TEST(Page, ShowsAFailingVerdictAsFailing) {
  const std::string page = render_page(std::vector{made_up("fig1", false)});

  EXPECT_EQ(count(page, "✗ does not hold"), 2U);  // in the contents and beside the verdict
  EXPECT_EQ(count(page, "✓ holds"), 0U);
}

TEST(Page, HoldsFiguresCaptionsAndLinks) {
  const std::string page = render_page(std::vector{made_up("fig1", true)});

  EXPECT_EQ(count(page, "<svg"), 1U);
  EXPECT_TRUE(contains(page, "caption of fig1"));
  for (const char* link : {"fig1.svg", "fig1.csv", "fig1.json", "#fig1"}) {
    EXPECT_TRUE(contains(page, std::string("href=\"") + link + "\"")) << link;
  }
  EXPECT_TRUE(contains(page, "<section id=\"fig1\">"));
  EXPECT_TRUE(contains(page, "1.50\u00A0s"));
  EXPECT_FALSE(contains(page, "http://"));  // needs nothing from elsewhere
  EXPECT_FALSE(contains(page, "https://"));
}

TEST(Page, EscapesWhatItIsGiven) {
  Finished finished = made_up("fig1", true);
  finished.findings.name = "<script>\"";
  finished.findings.figures[0].name = "a b%\"<script>";
  finished.findings.notes = {"<script>"};

  const std::string page = render_page(std::vector{finished});

  EXPECT_FALSE(contains(page, "<script>"));
  EXPECT_TRUE(contains(page, "two points &lt;&amp;&gt;"));
  EXPECT_TRUE(contains(page, "href=\"a%20b%25%22%3Cscript%3E.svg\""));
}

TEST(Page, KeepsTheResultsOfAnEarlierRun) {
  const test::TempFolder folder;
  ASSERT_TRUE(write_findings(folder.path(), made_up("fig1", false)));
  const auto earlier = read_findings(folder.path(), "fig1");
  ASSERT_TRUE(earlier);

  const std::string page = render_page(std::vector{*earlier, made_up("fig2", true)});

  EXPECT_TRUE(contains(page, "1 of 2 verdicts does not hold"));
  EXPECT_TRUE(contains(page, "<img src=\"fig1.svg\" alt=\"caption of fig1\">"));
  EXPECT_TRUE(contains(page, "from an earlier run"));
  EXPECT_EQ(count(page, "<svg"), 1U);
}

TEST(Page, NamesWhatIsNotFinished) {
  const std::vector<std::string> to_come{"fig2", "fig3"};

  EXPECT_TRUE(contains(render_page(std::vector{made_up("fig1", true)}, to_come), "Not finished: fig2, fig3."));
}

}  // namespace
}  // namespace fedrk::experiments
