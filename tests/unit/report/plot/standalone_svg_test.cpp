// SPDX-License-Identifier: Apache-2.0
#include "report/plot/standalone_svg.hpp"

#include <limits>
#include <regex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/temp_folder.hpp"

namespace fedrk::io {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

LinePlot every_kind() {
  return {.title = "title <&>",
          .x_label = "x",
          .y_label = "‖x‖ <\"'&>",
          .series = {{"line \x01\xff\xEF\xBF\xBF", {{1, 1}, {2, 0.1}}},
                     {"points", {{1, 1}, {2, 0.1}}, false, Mark::Points},
                     {"stems", {{1, 1}, {2, 0.1}}, false, Mark::Stems}},
          .levels = {{"level", 0.5, true}},
          .markers = {{"marker", 1.5}}};
}

BarChart bars() { return {.title = "bars", .columns = {"rounds"}, .bars = {{.label = "<a>", .value = 2.0}}}; }

// Opening and closing tags match, attributes are quoted, and text holds no stray < or &.
void expect_well_formed(const std::string& text) {
  const std::regex piece(
      R"re(<\?xml [^<>]*\?>|<(/?)([a-z]+)((?: [a-zA-Z-]+="[^"<]*")*)(/?)>|[^<&]|&(?:amp|lt|gt|quot|#39);)re");
  std::vector<std::string> open;
  std::size_t at = 0;
  for (std::sregex_iterator it(text.begin(), text.end(), piece); it != std::sregex_iterator(); ++it) {
    ASSERT_EQ(static_cast<std::size_t>(it->position()), at) << text.substr(at, 80);
    at += static_cast<std::size_t>(it->length());
    if (!(*it)[2].matched) continue;
    if ((*it)[1].length() > 0) {
      ASSERT_FALSE(open.empty());
      EXPECT_EQ(open.back(), (*it)[2]);
      open.pop_back();
    } else if ((*it)[4].length() == 0) {
      open.push_back((*it)[2]);
    }
  }
  EXPECT_EQ(at, text.size());
  EXPECT_TRUE(open.empty());
}

TEST(StandaloneSvg, IsAWellFormedDocumentOfItsOwn) {
  for (const std::variant<LinePlot, BarChart>& plot : {std::variant<LinePlot, BarChart>(every_kind()), {bars()}}) {
    const std::string picture = standalone_svg(plot);

    expect_well_formed(picture);
    EXPECT_TRUE(picture.starts_with("<?xml"));
    EXPECT_TRUE(has(picture, R"(xmlns="http://www.w3.org/2000/svg")"));
    EXPECT_TRUE(std::regex_search(picture, std::regex(R"re(<svg [^>]*width="[0-9]+" height="[0-9]+")re")));
    EXPECT_TRUE(has(picture, "DejaVu Sans"));
    EXPECT_TRUE(has(picture, "fill=\"#ffffff\""));
  }
}

TEST(StandaloneSvg, HoldsColoursWhereAPageHasVariables) {
  const std::string picture = standalone_svg(every_kind());

  EXPECT_FALSE(has(picture, "var("));
  EXPECT_FALSE(has(picture, "--"));
  EXPECT_FALSE(has(picture, "@media"));
  EXPECT_FALSE(has(picture, "100%"));
  EXPECT_TRUE(has(picture, ".plot .s0{stroke:#0072b2}"));     // of the light palette
  EXPECT_TRUE(has(picture, ".plot .level{stroke:#1b2330;"));  // of the page
}

TEST(StandaloneSvg, HoldsNoCharacterThatXmlForbids) {
  const std::string picture = standalone_svg(every_kind());

  EXPECT_TRUE(has(picture, "line \uFFFD\uFFFD\uFFFD"));
}

TEST(StandaloneSvg, IsEmptyWhereThereIsNothingToDraw) {
  EXPECT_EQ(standalone_svg(LinePlot{}), "");
  EXPECT_EQ(standalone_svg(BarChart{}), "");
}

TEST(StandaloneSvg, IsWrittenAndIsGoneWhereThereIsNothingToDraw) {
  const test::TempFolder folder;

  ASSERT_TRUE(write_svg(folder / "plot.svg", every_kind()));
  EXPECT_EQ(folder.read("plot.svg"), standalone_svg(every_kind()));

  ASSERT_TRUE(write_svg(folder / "plot.svg", LinePlot{}));
  EXPECT_EQ(folder.count(), 0U);
}

}  // namespace
}  // namespace fedrk::io
