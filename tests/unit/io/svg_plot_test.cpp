// SPDX-License-Identifier: Apache-2.0
#include "io/svg_plot.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <regex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace fedrk::io {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

// Every pair after M or L, and every cx, cy: the places where something is drawn.
std::vector<Point> drawn_points(const std::string& picture) {
  std::vector<Point> points;
  const std::regex place(R"re([ML](-?[0-9.]+) (-?[0-9.]+)|cx="(-?[0-9.]+)" cy="(-?[0-9.]+)")re");
  for (std::sregex_iterator it(picture.begin(), picture.end(), place); it != std::sregex_iterator(); ++it) {
    const bool circle = (*it)[3].matched;
    points.push_back({std::stod((*it)[circle ? 3 : 1]), std::stod((*it)[circle ? 4 : 2])});
  }
  return points;
}

Point size_of(const std::string& picture) {
  std::smatch box;
  EXPECT_TRUE(std::regex_search(picture, box, std::regex(R"re(viewBox="0 0 ([0-9]+) ([0-9]+)")re")));
  return {std::stod(box[1]), std::stod(box[2])};
}

void expect_all_within(const std::string& picture) {
  const Point size = size_of(picture);
  for (const Point& point : drawn_points(picture)) {
    EXPECT_TRUE(point.x >= 0.0 && point.x <= size.x && point.y >= 0.0 && point.y <= size.y)
        << point.x << ' ' << point.y;
  }
  EXPECT_FALSE(std::regex_search(picture, std::regex(R"re(\b(nan|inf)\b)re"))) << picture;
}

LinePlot plot_of(std::vector<Point> points) {
  return {.title = "a plot", .x_label = "round", .y_label = "relative residual", .series = {{"residual", points}}};
}

TEST(LinePlot, NamesDecadesAndAxes) {
  const std::string picture = svg(plot_of({{1, 1.0}, {2, 0.01}, {3, 0.001}}));

  for (const char* label : {">10⁰<", ">10⁻¹<", ">10⁻²<", ">10⁻³<", ">round<", ">relative residual<"}) {
    EXPECT_TRUE(contains(picture, label)) << label;
  }
  EXPECT_FALSE(contains(picture, ">10⁻⁴<"));
  EXPECT_TRUE(contains(picture, R"(role="img")"));
  EXPECT_TRUE(contains(picture, "<title>a plot</title>"));
}

TEST(LinePlot, NamesOnesTwosAndFivesWhereTheValuesSpanLittle) {
  const std::string picture = svg(plot_of({{1, 0.9}, {2, 0.31}}));

  for (const char* label : {">0.2<", ">0.5<", ">1<"}) EXPECT_TRUE(contains(picture, label)) << label;
}

TEST(LinePlot, LeavesOutSomeDecadesWhereThereAreMany) {
  const std::string picture = svg(plot_of({{1, 1.0}, {2, 1e-300}}));

  EXPECT_LE(count(picture, "text-anchor=\"end\">10"), 8U);
  expect_all_within(picture);
}

TEST(LinePlot, PutsItsFirstAndLastValueAtTheEndsOfTheScale) {
  const std::string picture = svg(plot_of({{0, 1.0}, {10, 0.001}}));

  const std::vector<Point> points = drawn_points(picture);
  const auto bottom = std::ranges::max(points, {}, &Point::y);
  const auto right = std::ranges::max(points, {}, &Point::x);
  EXPECT_TRUE(std::ranges::any_of(points, [&](const Point& p) { return p.y == bottom.y && p.x == right.x; }));
  expect_all_within(picture);
}

TEST(LinePlot, GivesZerosAPlaceBelowTheDecades) {
  const std::string picture = svg(plot_of({{1, 1.0}, {2, 1e-9}, {3, 0.0}}));

  EXPECT_TRUE(contains(picture, ">0</text>"));
  expect_all_within(picture);
}

TEST(LinePlot, DrawsARunOfZerosAlone) { expect_all_within(svg(plot_of({{1, 0.0}, {2, 0.0}}))); }

TEST(LinePlot, DrawsASinglePointAsADot) {
  const std::string picture = svg(plot_of({{1, 0.5}}));

  EXPECT_EQ(count(picture, "<circle"), 1U);
  expect_all_within(picture);
}

TEST(LinePlot, BreaksTheLineAtGaps) {
  std::vector<Point> points;
  for (int i = 0; i < 100; ++i) points.push_back({static_cast<double>(i), 1.0 + i});
  points[30].y = kNaN;
  points[60].y = kInfinity;
  points[62].y = -1.0;  // has no logarithm; 61 is left alone between two gaps

  const std::string picture = svg(plot_of(points));

  std::smatch line;
  ASSERT_TRUE(std::regex_search(picture, line, std::regex(R"re(class="line s0" d="(M[^"]+L[^"]*)")re")));
  EXPECT_EQ(count(line[1], "M"), 4U);
  EXPECT_EQ(count(picture, "<circle"), 1U);
  expect_all_within(picture);
}

TEST(LinePlot, IsEmptyWithoutAPoint) {
  EXPECT_EQ(svg(plot_of({})), "");
  EXPECT_EQ(svg(plot_of({{1, kNaN}, {kNaN, 1}})), "");
}

TEST(LinePlot, TellsManySeriesApart) {
  LinePlot plot = plot_of({{1, 1}, {2, 2}});
  for (int i = 0; i < 5; ++i) plot.series.push_back({"a method with a rather long name <&>", {{1, 1}, {2, 3.0 + i}}});

  const std::string picture = svg(plot);

  for (const char* line : {"line s0", "line s1", "line s2", "line s3", "line s4", "line s5"}) {
    EXPECT_EQ(count(picture, line), 2U) << line;  // in the plot and in its legend
  }
  EXPECT_EQ(count(picture, "&lt;&amp;&gt;"), 5U);
  expect_all_within(picture);
}

TEST(LinePlot, KeepsLevelsInside) {
  LinePlot plot = plot_of({{1, 1.0}, {2, 0.5}});
  plot.levels = {{"tolerance", 1e-8, true}, {"horizon", 0.6, false}, {"nothing", kNaN, true}};

  const std::string picture = svg(plot);

  EXPECT_TRUE(contains(picture, "level asked"));
  EXPECT_TRUE(contains(picture, "level seen"));
  EXPECT_TRUE(contains(picture, ">10⁻⁸<"));
  expect_all_within(picture);
}

TEST(LinePlot, DrawsExtremeNumbersOnEitherScale) {
  for (const bool log_y : {true, false}) {
    LinePlot plot = plot_of({{1, 1.7e308}, {2, 5e-324}, {3, -1.7e308}, {1e300, 1.0}});
    plot.log_y = log_y;

    expect_all_within(svg(plot));
  }
}

TEST(LinePlot, NamesRoundNumbersOnALinearScale) {
  LinePlot plot = plot_of({{1, -0.4}, {2, 0.35}});
  plot.log_y = false;

  const std::string picture = svg(plot);

  for (const char* label : {">−0.4<", ">0<", ">0.2<", ">0.4<"}) EXPECT_TRUE(contains(picture, label)) << label;
}

TEST(ThinOut, KeepsTheExtremesTheEndsAndTheGaps) {
  std::vector<Point> points;
  for (int i = 0; i < 100'000; ++i) points.push_back({static_cast<double>(i), 1.0 + 0.1 * std::sin(i)});
  points[54'321].y = 30.0;
  points[54'322].y = 1e-9;
  points[70'000].y = kNaN;

  const std::vector<Point> thinned = thin_out(points, 1000);

  const auto has = [&](std::size_t i) {
    return std::ranges::any_of(thinned, [&](const Point& point) { return point.x == points[i].x; });
  };
  for (const std::size_t i : {0U, 54'321U, 54'322U, 70'000U, 99'999U}) EXPECT_TRUE(has(i)) << i;
  EXPECT_LE(thinned.size(), 1003U);
  EXPECT_TRUE(std::ranges::is_sorted(thinned, {}, &Point::x));
}

TEST(ThinOut, LeavesShortSeriesAlone) {
  EXPECT_EQ(thin_out({{1, 1}, {2, 2}, {3, 3}}, 1000).size(), 3U);
  EXPECT_TRUE(thin_out({}, 1000).empty());
}

TEST(BarChart, DrawsNegativeValuesToTheLeftOfZero) {
  const std::string picture = svg(BarChart{.bars = {{.label = "up", .value = 2.0}, {.label = "down", .value = -1.0}}});

  const std::regex bar(R"re(<rect class="bar" x="([0-9.]+)" y="[0-9.]+" width="([0-9.]+)")re");
  const std::vector<std::smatch> bars(std::sregex_iterator(picture.begin(), picture.end(), bar), {});
  ASSERT_EQ(bars.size(), 2U);
  EXPECT_NEAR(std::stod(bars[1][1]) + std::stod(bars[1][2]), std::stod(bars[0][1]), 0.11);
  EXPECT_NEAR(std::stod(bars[0][2]), 2.0 * std::stod(bars[1][2]), 0.11);
}

TEST(BarChart, EscapesAndShortensLabelsAndKeepsThemInTooltips) {
  const std::string name = "<script>alert('" + std::string(100, 'x') + "')</script>";

  const std::string picture = svg(BarChart{.bars = {{.label = name, .value = 1.0, .highlighted = false}}});

  EXPECT_FALSE(contains(picture, "<script>"));
  EXPECT_EQ(count(picture, std::string(100, 'x')), 1U);
  EXPECT_TRUE(contains(picture, "…"));
  EXPECT_TRUE(contains(picture, "bar muted"));
}

TEST(BarChart, SurvivesValuesThatAreNoNumbers) {
  expect_all_within(svg(BarChart{
      .columns = {"one", "two"},
      .bars = {{.label = "a", .value = kNaN, .cells = {"x"}}, {.label = "b", .value = kInfinity}, {.label = "c"}}}));
  EXPECT_EQ(svg(BarChart{}), "");
}

}  // namespace
}  // namespace fedrk::io
