// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "report/page_text.hpp"
#include "report/plot/plot_legend.hpp"
#include "report/plot/svg_plot.hpp"

namespace fedrk::io {
namespace {

constexpr double kHeader = 30.0;
constexpr double kRow = 26.0;
constexpr double kThickness = 14.0;
constexpr double kGap = 16.0;
constexpr std::size_t kMaxBarLetters = 32;

double value_of(const Bar& bar) { return std::isfinite(bar.value) ? std::clamp(bar.value, -1e300, 1e300) : 0.0; }

std::string cell_of(const Bar& bar, std::size_t column) {
  return column < bar.cells.size() ? shorten(bar.cells[column], 24) : "";
}

// From left to right: labels, bars, columns of text aligned at their right ends.
struct Layout {
  double bars_left = 0.0;
  double bars_right = 0.0;
  double zero = 0.0;                // where values begin
  double per_unit = 0.0;            // of value
  std::vector<double> column_ends;  // x of each column's right edge
};

Layout lay_out(const BarChart& chart) {
  Layout layout;
  layout.column_ends.resize(chart.columns.size());
  double right = kPlotWidth - 4.0;
  for (std::size_t column = chart.columns.size(); column-- > 0;) {
    double width = text_width(chart.columns[column]);
    for (const Bar& bar : chart.bars) width = std::max(width, text_width(cell_of(bar, column)));
    layout.column_ends[column] = right;
    right -= kPlotFont * width + kGap;
  }
  double labels = text_width(chart.label_header);
  double lowest = 0.0;
  double greatest = 0.0;
  for (const Bar& bar : chart.bars) {
    labels = std::max(labels, text_width(shorten(bar.label, kMaxBarLetters)));
    lowest = std::min(lowest, value_of(bar));
    greatest = std::max(greatest, value_of(bar));
  }
  layout.bars_left = kPlotFont * labels + kGap;
  layout.bars_right = std::max(right, layout.bars_left + 40.0);
  const double span = greatest - lowest;
  layout.per_unit = span > 0.0 ? (layout.bars_right - layout.bars_left) / span : 0.0;
  layout.zero = layout.bars_left - lowest * layout.per_unit;
  return layout;
}

void draw_header(const BarChart& chart, const Layout& layout, std::string& out) {
  fmt::format_to(std::back_inserter(out), R"(<text class="name" x="0" y="16">{}</text>)",
                 escape_html(chart.label_header));
  for (std::size_t column = 0; column < chart.columns.size(); ++column) {
    fmt::format_to(std::back_inserter(out), R"(<text class="name" x="{:.1f}" y="16" text-anchor="end">{}</text>)",
                   layout.column_ends[column], escape_html(chart.columns[column]));
  }
  fmt::format_to(std::back_inserter(out), R"(<path class="grid" d="M0 {0:.1f}H{1:.0f}"/>)", kHeader - 5.0, kPlotWidth);
  out += '\n';
}

void draw_bar(const Bar& bar, const Layout& layout, std::size_t columns, double top, std::string& out) {
  const double length = value_of(bar) * layout.per_unit;
  const double width = value_of(bar) == 0.0 ? 0.0 : std::max(std::abs(length), 1.0);  // what is not zero is visible
  const double left = length < 0.0 ? layout.zero - width : layout.zero;
  const double baseline = top + kRow / 2 + 4.5;
  fmt::format_to(std::back_inserter(out), R"(<g><title>{}</title><text class="label" x="0" y="{:.1f}">{}</text>)",
                 escape_html(bar.label), baseline, escape_html(shorten(bar.label, kMaxBarLetters)));
  fmt::format_to(std::back_inserter(out),
                 R"(<rect class="bar{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.0f}" rx="2"/>)",
                 bar.highlighted ? "" : " muted", left, top + (kRow - kThickness) / 2, width, kThickness);
  for (std::size_t column = 0; column < columns; ++column) {
    fmt::format_to(std::back_inserter(out), R"(<text class="value" x="{:.1f}" y="{:.1f}" text-anchor="end">{}</text>)",
                   layout.column_ends[column], baseline, escape_html(cell_of(bar, column)));
  }
  out += "</g>\n";
}

}  // namespace

std::string svg(const BarChart& chart) {
  if (chart.bars.empty()) return "";
  const Layout layout = lay_out(chart);
  const double height = kHeader + kRow * static_cast<double>(chart.bars.size()) + 4.0;
  std::string out = fmt::format(R"(<svg class="plot" role="img" viewBox="0 0 {:.0f} {:.0f}"><title>{}</title>)",
                                kPlotWidth, height, escape_html(chart.title));
  draw_header(chart, layout, out);
  double top = kHeader;
  for (const Bar& bar : chart.bars) {
    draw_bar(bar, layout, chart.columns.size(), top, out);
    top += kRow;
  }
  fmt::format_to(std::back_inserter(out), R"(<path class="axis" d="M{0:.1f} {1:.1f}V{2:.1f}"/></svg>)", layout.zero,
                 kHeader - 2.0, height - 2.0);
  return out + '\n';
}

}  // namespace fedrk::io
