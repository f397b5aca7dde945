// SPDX-License-Identifier: Apache-2.0
#include "report/plot/svg_plot.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "report/page_text.hpp"
#include "report/plot/axis.hpp"
#include "report/plot/plot_legend.hpp"

namespace fedrk::io {
namespace {

constexpr double kMinLeft = 84.0;          // plots above each other line up
constexpr std::size_t kMaxPoints = 1000;   // of a line: about one per pixel
constexpr std::size_t kMaxSingles = 4000;  // of what is not connected
constexpr std::size_t kFewPoints = 40;     // up to here each point of a line gets a dot
constexpr int kShapesOnALine = 6;

class Canvas {
 public:
  explicit Canvas(const LinePlot& plot) : plot_(plot), x_(x_axis(plot)), y_(y_axis(plot)) {
    double labels = 0.0;
    for (const Tick& tick : y_.ticks()) labels = std::max(labels, kPlotFont * text_width(tick.label));
    left_ = std::max(kMinLeft, labels + 42.0);
    legend_ = lay_out_legend(plot, left_);
    markers_ = lay_out_markers(plot, [this](double x) { return across(x_.place(x)); });
    top_ = (legend_.empty() ? 14.0 : legend_.back().y + 22.0) + height_of(markers_);
    // Further rows of the legend and names of markers make the picture taller, not the plot smaller.
    height_ = plot.height + (legend_.empty() ? 0.0 : legend_.back().y - legend_.front().y) + height_of(markers_);
    bottom_ = height_ - 50.0;
  }

  std::string draw() {
    out_ = fmt::format(R"(<svg class="plot" role="img" viewBox="0 0 {:.0f} {:.0f}"><title>{}</title>)", kPlotWidth,
                       height_, escape_html(plot_.title));
    out_ += drawn(legend_);
    draw_axes();
    out_ += drawn(markers_, top_, bottom_);
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

  double right() const { return kPlotWidth - 26.0; }
  double across(double place) const { return left_ + place * (right() - left_); }
  double down(double place) const { return bottom_ - place * (bottom_ - top_); }

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
      write(R"(<path class="axis" d="M{:.1f} {:.1f}v{}"/>)", x, bottom_, tick.label.empty() ? 3 : 5);
      if (tick.label.empty()) continue;
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
    const bool connected = series.mark == Mark::Line;
    const std::vector<Point> points = thin_out(series.points, connected ? kMaxPoints : kMaxSingles);
    connected ? draw_line(series, points, index) : draw_singles(series, points, index);
    out_ += '\n';
  }

  void draw_line(const Series& series, const std::vector<Point>& points, std::size_t index) {
    const bool dots = points.size() <= kFewPoints;
    const bool many = plot_.series.size() > kFewSeries;
    std::string path;
    std::string marks;
    // Where shapes stand along the line; each series has its own places, so that they do not hide one another.
    const double apart = 1.0 / kShapesOnALine;
    double next_shape = apart * (static_cast<double>(index) + 0.5) / static_cast<double>(plot_.series.size());
    const auto seen = [&](std::size_t i) { return i < points.size() && drawable(plot_, points[i]); };
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (!seen(i)) continue;
      const double place = x_.place(points[i].x);
      const double x = across(place);
      const double y = down(y_.place(points[i].y));
      const bool begins = i == 0 || !seen(i - 1);
      fmt::format_to(std::back_inserter(path), "{}{:.1f} {:.1f}", begins ? "M" : "L", x, y);
      if (many && (dots || place >= next_shape)) {
        marks += shape(index, x, y);
        while (next_shape <= place) next_shape += apart;
      } else if (dots || (begins && !seen(i + 1))) {
        marks += dot(index, x, y);  // a point between two gaps makes no line; it shows as a dot
      }
    }
    if (!path.empty()) write(R"(<path class="{}" d="{}"/>{})", line_class(series, index), path, marks);
  }

  void draw_singles(const Series& series, const std::vector<Point>& points, std::size_t index) {
    const bool stems = series.mark == Mark::Stems;
    std::string path;
    std::string marks;
    for (const Point& point : points) {
      if (!drawable(plot_, point)) continue;
      const double x = across(x_.place(point.x));
      const double y = down(y_.place(point.y));
      if (stems) fmt::format_to(std::back_inserter(path), "M{:.1f} {:.1f}V{:.1f}", x, bottom_, y);
      if (!stems || points.size() <= kFewStems) marks += shape(index, x, y);
    }
    if (!path.empty()) write(R"(<path class="{}" d="{}"/>)", stem_class(index), path);
    out_ += marks;
  }

  const LinePlot& plot_;
  Axis x_;
  Axis y_;
  std::vector<LegendEntry> legend_;
  std::vector<MarkerLabel> markers_;
  double height_ = 0.0;
  double left_ = 0.0;
  double top_ = 0.0;
  double bottom_ = 0.0;
  std::string out_;
};

// Of points first .. last - 1, the places of the least, the greatest and the last gap go to `kept`.
void keep_landmarks(const std::vector<Point>& points, std::size_t first, std::size_t last,
                    std::vector<std::size_t>& kept) {
  std::size_t lowest = last;  // `last`: none yet
  std::size_t greatest = last;
  std::size_t gap = last;
  for (std::size_t i = first; i < last; ++i) {
    if (!std::isfinite(points[i].y)) {
      gap = i;
      continue;
    }
    if (lowest == last || points[i].y < points[lowest].y) lowest = i;
    if (greatest == last || points[i].y > points[greatest].y) greatest = i;
  }
  for (const std::size_t i : {lowest, greatest, gap}) {
    if (i != last) kept.push_back(i);
  }
}

}  // namespace

std::string svg(const LinePlot& plot) {
  const bool anything = std::ranges::any_of(plot.series, [&](const Series& series) {
    return std::ranges::any_of(series.points, [&](const Point& point) { return drawable(plot, point); });
  });
  return anything ? Canvas(plot).draw() : "";
}

std::vector<Point> thin_out(const std::vector<Point>& points, std::size_t most) {
  if (points.size() <= most || most < 4) return points;
  const std::size_t stretches = most / 2;
  std::vector<std::size_t> kept{0, points.size() - 1};
  for (std::size_t k = 0; k < stretches; ++k) {
    keep_landmarks(points, k * points.size() / stretches, (k + 1) * points.size() / stretches, kept);
  }
  std::sort(kept.begin(), kept.end());
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  std::vector<Point> thinned;
  thinned.reserve(kept.size());
  for (const std::size_t i : kept) thinned.push_back(points[i]);
  return thinned;
}

}  // namespace fedrk::io
