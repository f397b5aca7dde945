// SPDX-License-Identifier: Apache-2.0
#include "report/plot/svg_plot.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "report/report_style.hpp"

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
    const bool fixture = (*it)[3].matched;
    points.push_back({std::stod((*it)[fixture ? 3 : 1]), std::stod((*it)[fixture ? 4 : 2])});
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

TEST(LinePlot, TellsEightSeriesApartWithoutColour) {
  LinePlot plot = plot_of({{1, 1}, {2, 2}});
  for (int i = 1; i < 8; ++i) plot.series.push_back({"another", {{1, 1}, {2, 3.0 + i}}});

  const std::string picture = svg(plot);

  EXPECT_EQ(count(picture, "line s7"), 2U);
  // Shapes differ; where there are many series, each point of these short ones has one, and so has the legend.
  const std::regex mark(R"re(<path class="(?:dot|ring) s[0-7]" d="M[0-9. ]+([^"]+)")re");
  std::map<std::string, int> shapes;
  for (std::sregex_iterator it(picture.begin(), picture.end(), mark); it != std::sregex_iterator(); ++it) {
    ++shapes[(*it)[1]];
  }
  EXPECT_EQ(shapes.size(), 8U);
  for (const auto& [shape, times] : shapes) EXPECT_EQ(times, 3) << shape;
  expect_all_within(picture);
}

TEST(LinePlot, GivesEachOfEightSeriesItsDashesAndItsColour) {
  const std::string style(kPlotStyle);

  std::set<std::string> dashes;
  for (int i = 0; i < 8; ++i) {
    const std::string name = "s" + std::to_string(i);
    std::smatch rule;
    ASSERT_TRUE(std::regex_search(style, rule, std::regex(R"re(\.plot \.)re" + name + R"re(\{([^}]*)\})re"))) << name;
    dashes.insert(std::regex_replace(rule[1].str(), std::regex("stroke:[^;]*;?"), ""));
    EXPECT_EQ(count(style, "--" + name + ":#"), 2U) << name;  // light and dark
    EXPECT_TRUE(contains(style, ".plot .dot." + name + "{fill")) << name;
  }

  EXPECT_EQ(dashes.size(), 8U);
}

TEST(LinePlot, NamesDecadesOnALogarithmicXAxis) {
  LinePlot plot = plot_of({{0.0, 1.0}, {-1.0, 1.0}, {0.003, 1.0}, {1.0, 0.5}, {20.0, 0.1}});
  plot.log_x = true;

  const std::string picture = svg(plot);

  for (const char* label : {">10⁻²<", ">10⁻¹<", ">10⁰<", ">10¹<"}) EXPECT_TRUE(contains(picture, label)) << label;
  EXPECT_EQ(count(picture, "<circle"), 3U);  // no place for zero and less
  expect_all_within(picture);
}

TEST(LinePlot, PutsAFactorAtEqualLengthsOnALogarithmicXAxis) {
  LinePlot plot = plot_of({{1.0, 1.0}, {10.0, 1.0}, {100.0, 1.0}});
  plot.log_x = true;

  std::vector<double> places;
  for (const Point& point : drawn_points(svg(plot))) places.push_back(point.x);
  std::ranges::sort(places);
  const double middle = (places.front() + places.back()) / 2;

  EXPECT_TRUE(std::ranges::any_of(places, [&](double x) { return std::abs(x - middle) < 0.11; }));
}

TEST(LinePlot, NamesRoundNumbersWhereALogarithmicXAxisIsShort) {
  LinePlot plot = plot_of({{3.1, 1.0}, {4.6, 0.5}});
  plot.log_x = true;
  EXPECT_TRUE(contains(svg(plot), ">3.4<"));

  plot.series = {{"two decades", {{2.0, 1.0}, {90.0, 0.5}}}};
  for (const char* label : {">2<", ">5<", ">10<", ">50<"}) EXPECT_TRUE(contains(svg(plot), label)) << label;
}

TEST(LinePlot, DrawsExtremeNumbersOnALogarithmicXAxis) {
  for (const std::vector<Point>& points :
       {std::vector<Point>{{5e-324, 1}, {1e-323, 2}}, {{1.7e308, 1}}, {{5e-324, 1}, {1.7e308, 2}}, {{7, 1}, {7, 2}}}) {
    LinePlot plot = plot_of(points);
    plot.log_x = true;

    const std::string picture = svg(plot);

    expect_all_within(picture);
    EXPECT_LE(count(picture, "text-anchor=\"middle\">1"), 14U);
  }
}

TEST(LinePlot, LeavesPointsUnconnectedWhereAsked) {
  LinePlot plot = plot_of({{1, 1}, {2, 2}, {3, kNaN}, {4, 1}});
  plot.series[0].mark = Mark::Points;

  const std::string picture = svg(plot);

  EXPECT_FALSE(contains(picture, "class=\"line"));
  EXPECT_EQ(count(picture, "class=\"dot s0\""), 4U);  // three points and the legend
  expect_all_within(picture);
}

TEST(LinePlot, DrawsStemsFromTheBottomWithHeadsWhereTheyAreFew) {
  LinePlot plot{.x_label = "entry",
                .log_y = false,
                .series = {{"true", {{3, 50}, {900, 42}}, false, Mark::Stems}, {"others", {}, false, Mark::Stems}}};
  for (int j = 1; j <= 1024; ++j) plot.series[1].points.push_back({static_cast<double>(j), 1.0 + j % 3});

  const std::string picture = svg(plot);

  // The last of its class; the one before is the sample in the legend. (A regular expression would go a level of the
  // stack deeper with each character, and the path has thousands.)
  const std::string opening = "class=\"s1 stem\" d=\"";
  const std::size_t start = picture.rfind(opening);
  ASSERT_NE(start, std::string::npos);
  const std::size_t path = start + opening.size();
  const std::string stems = picture.substr(path, picture.find('"', path) - path);
  EXPECT_EQ(count(stems, "M"), 1024U);
  EXPECT_EQ(count(picture, "class=\"dot s0\""), 3U);
  EXPECT_EQ(count(picture, "class=\"dot s1\""), 0U);
  EXPECT_TRUE(contains(picture, ">0</text>"));  // lengths are compared from zero
  EXPECT_LT(start, picture.rfind("s0 stem"));   // the first is on top
  expect_all_within(picture);
}

TEST(LinePlot, NamesMarkersBesideTheirLines) {
  LinePlot plot = plot_of({{1, 1.0}, {100, 0.5}});
  plot.markers = {{"here <&>", 50}, {"and here", 51}, {"a long name at the end of the axis", 120}, {"nowhere", kNaN}};

  const std::string picture = svg(plot);

  EXPECT_EQ(count(picture, "class=\"marker\""), 3U);
  EXPECT_TRUE(contains(picture, ">here &lt;&amp;&gt;</text>"));
  EXPECT_TRUE(contains(picture, "text-anchor=\"end\">a long name at the end of the axis<"));
  EXPECT_FALSE(contains(picture, "nowhere"));
  // Two names that would overlap stand above each other, and the picture is taller for it.
  std::smatch first, second;
  ASSERT_TRUE(std::regex_search(picture, first, std::regex(R"re(y="([0-9.]+)">here)re")));
  ASSERT_TRUE(std::regex_search(picture, second, std::regex(R"re(y="([0-9.]+)">and here)re")));
  EXPECT_LT(std::stod(first[1]), std::stod(second[1]) - 13.0);
  EXPECT_GT(size_of(picture).y, plot.height + 30.0);
  expect_all_within(picture);
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
