// SPDX-License-Identifier: Apache-2.0
#include "io/svg_plot.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include <fmt/format.h>

#include "io/axis.hpp"
#include "io/page_text.hpp"

namespace fedrk::io {
namespace {

constexpr double kWidth = 880.0;
constexpr double kFont = 13.0;
constexpr double kLegendRow = 22.0;
constexpr double kSample = 28.0;           // the piece of line before a legend's text
constexpr double kLeastLeft = 84.0;        // plots above each other line up
constexpr std::size_t kMostPoints = 1000;  // about one per pixel
constexpr std::size_t kFewPoints = 40;     // up to here each point gets a dot
constexpr std::size_t kManyPoints = 600;   // from here on the line is thin
constexpr std::size_t kColours = 6;        // those of plot_style.hpp

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  bool zero = false;

  bool empty() const { return low > high; }
  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  void add_for_log(double value) {
    if (value > 0.0) add(value);
    if (value == 0.0) zero = true;
  }
};

bool drawable(const LinePlot& plot, const Point& point) {
  return std::isfinite(point.x) && std::isfinite(point.y) && !(plot.log_y && point.y < 0.0);
}

Axis x_axis(const LinePlot& plot) {
  Range range;
  for (const Series& series : plot.series) {
    for (const Point& point : series.points) {
      if (drawable(plot, point)) range.add(point.x);
    }
  }
  if (range.low > 0.0 && range.low < 0.1 * range.high) range.low = 0.0;
  if (plot.whole_x && range.low == range.high) return Axis::linear(range.low - 1.0, range.low + 1.0, 8, true);
  return Axis::linear(range.low, range.high, 8, plot.whole_x);
}

Axis y_axis(const LinePlot& plot) {
  Range range;
  const auto add = [&](double y) { plot.log_y ? range.add_for_log(y) : range.add(y); };
  for (const Series& series : plot.series) {
    for (const Point& point : series.points) {
      if (drawable(plot, point)) add(point.y);
    }
  }
  for (const Level& level : plot.levels) {
    if (!std::isfinite(level.y)) continue;
    add(level.y);
    if (plot.log_y && level.y > 1e-300) add(0.9 * level.y);  // or it would lie on the frame when it is a power of ten
  }
  const int most_ticks = std::max(2, static_cast<int>(plot.height / 45.0));
  if (!plot.log_y) return Axis::linear_to_ticks(range.low, range.high, most_ticks);
  if (range.empty()) return Axis::logarithmic(0.1, 1.0, most_ticks, true);  // nothing but zeros
  return Axis::logarithmic(range.low, range.high, most_ticks, range.zero);
}

// One entry of the legend, and where it stands.
struct LegendEntry {
  std::string line;  // class and dashes
  std::string label;
  double x = 0.0;
  double y = 0.0;
};

// Many points make a thick line a smear.
std::string line_class(const Series& series, std::size_t index) {
  const bool thin = series.thin || series.points.size() > kManyPoints;
  return fmt::format("line s{}{}", index % kColours, thin ? " thin" : "");
}

std::string line_class(const Level& level) { return level.dashed ? "level asked" : "level seen"; }

class Canvas {
 public:
  explicit Canvas(const LinePlot& plot) : plot_(plot), x_(x_axis(plot)), y_(y_axis(plot)) {
    double labels = 0.0;
    for (const Tick& tick : y_.ticks()) labels = std::max(labels, kFont * text_width(tick.label));
    left_ = std::max(kLeastLeft, labels + 42.0);
    lay_out_legend();
    // Further rows of the legend make the picture taller, not the plot smaller.
    height_ = plot.height + (legend_.empty() ? 0.0 : legend_.back().y - legend_.front().y);
    bottom_ = height_ - 50.0;
  }

  std::string draw() {
    out_ = fmt::format(R"(<svg class="plot" role="img" viewBox="0 0 {:.0f} {:.0f}"><title>{}</title>)", kWidth, height_,
                       escape_html(plot_.title));
    draw_legend();
    draw_axes();
    // The first series is the subject: it is drawn above the others, and the levels above what hovers around them.
    for (std::size_t i = plot_.series.size(); i-- > 0;) draw_series(plot_.series[i], i);
    for (const Level& level : plot_.levels) draw_level(level);
    return std::move(out_) + "</svg>\n";
  }

 private:
  template <class... Args>
  void write(fmt::format_string<Args...> text, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), text, std::forward<Args>(args)...);
  }

  double right() const { return kWidth - 26.0; }
  double across(double place) const { return left_ + place * (right() - left_); }
  double down(double place) const { return bottom_ - place * (bottom_ - top_); }

  void lay_out_legend() {
    for (std::size_t i = 0; i < plot_.series.size(); ++i) {
      if (!plot_.series[i].label.empty()) add_to_legend(line_class(plot_.series[i], i), plot_.series[i].label);
    }
    for (const Level& level : plot_.levels) add_to_legend(line_class(level), level.label);
    top_ = legend_.empty() ? 14.0 : legend_.back().y + 22.0;
  }

  void add_to_legend(std::string line, const std::string& label) {
    LegendEntry entry{std::move(line), shorten(label, 60), left_, 14.0};
    const double width = kSample + 8.0 + kFont * text_width(entry.label);
    if (!legend_.empty()) {
      const LegendEntry& last = legend_.back();
      entry.x = last.x + kSample + 8.0 + kFont * text_width(last.label) + 18.0;
      entry.y = last.y;
      if (entry.x + width > kWidth) {
        entry.x = left_;
        entry.y += kLegendRow;
      }
    }
    legend_.push_back(std::move(entry));
  }

  void draw_legend() {
    for (const LegendEntry& entry : legend_) {
      write(R"(<path class="{}" d="M{:.1f} {:.1f}h{:.0f}"/>)", entry.line, entry.x, entry.y, kSample);
      write(R"(<text x="{:.1f}" y="{:.1f}">{}</text>)", entry.x + kSample + 8.0, entry.y + 4.5,
            escape_html(entry.label));
    }
    out_ += '\n';
  }

  void draw_axes() {
    for (const Tick& tick : y_.ticks()) {
      const double y = down(tick.place);
      write(R"(<path class="grid{}" d="M{:.1f} {:.1f}H{:.1f}"/>)", tick.label.empty() ? " faint" : "", left_, y,
            right());
      if (!tick.label.empty()) {
        write(R"(<text class="tick" x="{:.1f}" y="{:.1f}" text-anchor="end">{}</text>)", left_ - 8.0, y + 4.5,
              tick.label);
      }
    }
    for (const Tick& tick : x_.ticks()) {
      const double x = across(tick.place);
      write(R"(<path class="axis" d="M{:.1f} {:.1f}v5"/>)", x, bottom_);
      write(R"(<text class="tick" x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text>)", x, bottom_ + 19.0,
            tick.label);
    }
    write(R"(<path class="axis" d="M{:.1f} {:.1f}H{:.1f}"/>)", left_, bottom_, right());
    write(R"(<text class="name" x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text>)", across(0.5), bottom_ + 41.0,
          escape_html(plot_.x_label));
    const double middle = down(0.5);
    write(R"svg(<text class="name" transform="translate(15 {:.1f}) rotate(-90)" text-anchor="middle">{}</text>)svg",
          middle, escape_html(plot_.y_label));
    out_ += '\n';
  }

  void draw_level(const Level& level) {
    if (!std::isfinite(level.y)) return;
    write(R"(<path class="{}" d="M{:.1f} {:.1f}H{:.1f}"/>)", line_class(level), left_, down(y_.place(level.y)),
          right());
    out_ += '\n';
  }

  void draw_series(const Series& series, std::size_t index) {
    const std::vector<Point> points = thin_out(series.points, kMostPoints);
    const bool dots = points.size() <= kFewPoints;
    std::string path;
    std::string marks;
    const auto seen = [&](std::size_t i) { return i < points.size() && drawable(plot_, points[i]); };
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (!seen(i)) continue;
      const double x = across(x_.place(points[i].x));
      const double y = down(y_.place(points[i].y));
      const bool begins = i == 0 || !seen(i - 1);
      fmt::format_to(std::back_inserter(path), "{}{:.1f} {:.1f}", begins ? "M" : "L", x, y);
      // A point between two gaps makes no line; it shows as a dot.
      if (dots || (begins && !seen(i + 1))) {
        fmt::format_to(std::back_inserter(marks), R"(<circle class="dot s{}" cx="{:.1f}" cy="{:.1f}" r="3"/>)",
                       index % kColours, x, y);
      }
    }
    if (!path.empty()) write(R"(<path class="{}" d="{}"/>{})", line_class(series, index), path, marks);
    out_ += '\n';
  }

  const LinePlot& plot_;
  Axis x_;
  Axis y_;
  std::vector<LegendEntry> legend_;
  double height_ = 0.0;
  double left_ = 0.0;
  double top_ = 0.0;
  double bottom_ = 0.0;
  std::string out_;
};

}  // namespace

std::string svg(const LinePlot& plot) {
  const bool anything = std::ranges::any_of(plot.series, [&](const Series& series) {
    return std::ranges::any_of(series.points, [&](const Point& point) { return drawable(plot, point); });
  });
  return anything ? Canvas(plot).draw() : "";
}

}  // namespace fedrk::io
