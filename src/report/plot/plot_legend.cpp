// SPDX-License-Identifier: Apache-2.0
#include "report/plot/plot_legend.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "report/page_text.hpp"
#include "report/plot/axis.hpp"

namespace fedrk::io {
namespace {

constexpr double kLegendRow = 22.0;
constexpr double kMarkerRow = 19.0;
constexpr double kSample = 28.0;  // the piece of line before a legend's text
constexpr std::size_t kMaxLetters = 60;

double width_of(const LegendEntry& entry) { return kSample + 8.0 + kPlotFont * text_width(entry.label); }

void append(std::vector<LegendEntry>& legend, LegendEntry entry, double left) {
  entry.label = shorten(entry.label, kMaxLetters);
  entry.x = left;
  entry.y = 14.0;
  if (!legend.empty()) {
    entry.x = legend.back().x + width_of(legend.back()) + 18.0;
    entry.y = legend.back().y;
    if (entry.x + width_of(entry) > kPlotWidth) {
      entry.x = left;
      entry.y += kLegendRow;
    }
  }
  legend.push_back(std::move(entry));
}

LegendEntry entry_of(const Series& series, std::size_t index, bool many_series) {
  switch (series.mark) {
    case Mark::Points:
      return {.label = series.label, .shape = index};
    case Mark::Stems:
      return {.label = series.label,
              .line = stem_class(index),
              .shape = series.points.size() <= kFewStems ? std::optional(index) : std::nullopt,
              .upright = true};
    case Mark::Line:
      break;
  }
  return {.label = series.label,
          .line = line_class(series, index),
          .shape = many_series ? std::optional(index) : std::nullopt};
}

constexpr std::size_t kColours = 8;       // those of report_style.hpp
constexpr std::size_t kManyPoints = 600;  // from here on a thick line would be a smear

// As paths from the middle, about equal in ink; the last four are outlines.
constexpr std::array<std::string_view, kColours> kShapes{
    "m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0z",
    "m-3.2 -3.2h6.4v6.4h-6.4z",
    "m0 -4.4l4.2 7.2h-8.4z",
    "m0 -4.6l4.6 4.6l-4.6 4.6l-4.6 -4.6z",
    "m-3.3 0a3.3 3.3 0 1 0 6.6 0a3.3 3.3 0 1 0 -6.6 0z",
    "m-3 -3h6v6h-6z",
    "m-3.2 -3.2l6.4 6.4m0 -6.4l-6.4 6.4",
    "m-4.2 0h8.4m-4.2 -4.2v8.4",
};

}  // namespace

std::vector<LegendEntry> lay_out_legend(const LinePlot& plot, double left) {
  std::vector<LegendEntry> legend;
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    if (plot.series[i].label.empty()) continue;
    append(legend, entry_of(plot.series[i], i, plot.series.size() > kFewSeries), left);
  }
  for (const Level& level : plot.levels) append(legend, {.label = level.label, .line = line_class(level)}, left);
  return legend;
}

std::string drawn(const std::vector<LegendEntry>& legend) {
  std::string out;
  for (const LegendEntry& entry : legend) {
    const double middle = entry.x + kSample / 2;
    if (entry.upright) {
      out += fmt::format(R"(<path class="{}" d="M{:.1f} {:.1f}v12"/>)", entry.line, middle, entry.y - 5.0);
    } else if (!entry.line.empty()) {
      out += fmt::format(R"(<path class="{}" d="M{:.1f} {:.1f}h{:.0f}"/>)", entry.line, entry.x, entry.y, kSample);
    }
    if (entry.shape) out += shape(*entry.shape, middle, entry.upright ? entry.y - 4.0 : entry.y);
    out += fmt::format(R"(<text x="{:.1f}" y="{:.1f}">{}</text>)", entry.x + kSample + 8.0, entry.y + 4.5,
                       escape_html(entry.label));
  }
  return out + '\n';
}

// From right to left, each in the lowest row where it is free: a name stands to the right of its line, so the line of a
// name in a higher row passes to the left of those below it.
std::vector<MarkerLabel> lay_out_markers(const LinePlot& plot, const std::function<double(double)>& across) {
  std::vector<MarkerLabel> labels;
  for (const Marker& marker : plot.markers) {
    if (!drawable(plot, marker)) continue;
    MarkerLabel label{.text = shorten(marker.label, kMaxLetters), .x = across(marker.x)};
    const double width = kPlotFont * text_width(label.text) + 6.0;
    label.left = label.x + width > kPlotWidth ? label.x - width : label.x;
    label.right = label.left + width;
    labels.push_back(std::move(label));
  }
  std::ranges::stable_sort(labels, std::ranges::greater{}, &MarkerLabel::x);
  for (auto label = labels.begin(); label != labels.end(); ++label) {
    const auto in_the_way = [&](const MarkerLabel& other) {
      return other.row == label->row && other.left < label->right && label->left < other.right;
    };
    while (std::any_of(labels.begin(), label, in_the_way)) ++label->row;
  }
  return labels;
}

double height_of(const std::vector<MarkerLabel>& markers) {
  std::size_t rows = 0;
  for (const MarkerLabel& label : markers) rows = std::max(rows, label.row + 1);
  return kMarkerRow * static_cast<double>(rows);
}

std::string drawn(const std::vector<MarkerLabel>& markers, double top, double bottom) {
  std::string lines;
  std::string names;  // above all lines, which they interrupt
  for (const MarkerLabel& label : markers) {
    const double baseline = top - 6.0 - kMarkerRow * static_cast<double>(label.row);
    const bool before = label.left < label.x;
    lines += fmt::format(R"(<path class="marker" d="M{:.1f} {:.1f}V{:.1f}"/>)", label.x, baseline - 10.0, bottom);
    names +=
        fmt::format(R"(<text class="named" x="{:.1f}" y="{:.1f}"{}>{}</text>)", before ? label.x - 5.0 : label.x + 5.0,
                    baseline, before ? R"( text-anchor="end")" : "", escape_html(label.text));
  }
  return lines.empty() ? "" : lines + names + '\n';
}

std::string line_class(const Series& series, std::size_t index) {
  const bool thin = series.thin || series.points.size() > kManyPoints;
  return fmt::format("line s{}{}", index % kColours, thin ? " thin" : "");
}

std::string line_class(const Level& level) { return level.dashed ? "level asked" : "level seen"; }

std::string stem_class(std::size_t index) { return fmt::format("s{} stem", index % kColours); }

std::string dot(std::size_t index, double x, double y) {
  return fmt::format(R"(<circle class="dot s{}" cx="{:.1f}" cy="{:.1f}" r="3"/>)", index % kColours, x, y);
}

std::string shape(std::size_t index, double x, double y) {
  const std::size_t which = index % kColours;
  return fmt::format(R"(<path class="{} s{}" d="M{:.1f} {:.1f}{}"/>)", which < 4 ? "dot" : "ring", which, x, y,
                     kShapes.at(which));
}

}  // namespace fedrk::io
