// SPDX-License-Identifier: Apache-2.0
#include "bench/report.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "base/write_file.hpp"
#include "bench/harness.hpp"
#include "bench/machine.hpp"
#include "report/json_text.hpp"
#include "report/plot/standalone_svg.hpp"

namespace fedrk::bench {
namespace {

std::string limit_of(const Ratio& ratio) {
  if (ratio.at_most) return fmt::format("<= {:.3g}", *ratio.at_most);
  if (ratio.at_least) return fmt::format(">= {:.3g}", *ratio.at_least);
  return "";
}

io::Json json_of(const Ratio& ratio) {
  io::Json line{{"what", ratio.what}, {"peer", ratio.peer},   {"ratio", ratio.value},
                {"ours", ratio.ours}, {"other", ratio.other}, {"unit", ratio.unit}};
  if (ratio.at_most) line["at_most"] = *ratio.at_most;
  if (ratio.at_least) line["at_least"] = *ratio.at_least;
  if (ratio.at_most || ratio.at_least) line["holds"] = ratio.holds();
  return line;
}

io::LinePlot growth_plot(const Report& report) {
  io::LinePlot plot{.title = "Time against size",
                    .x_label = "size (named first in the legend), over the smallest; last in the legend: the exponent",
                    .y_label = "time, over the first of its series",
                    .log_x = true,
                    .whole_x = false};
  for (const Growth& growth : report.growths) {
    io::Series series{.label = fmt::format("{}, {}: {:.2f}", growth.variable, growth.what, growth.exponent)};
    for (std::size_t i = 0; i < growth.sizes.size(); ++i) {
      series.points.push_back(
          {growth.sizes[i] / growth.sizes.front(), growth.nanoseconds[i] / growth.nanoseconds.front()});
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

}  // namespace

void Report::add(Ratio ratio) {
  if (!judged) ratio.at_most = ratio.at_least = std::nullopt;
  fmt::print("{:<46} {:>10.4g} {:<8} {:<34} {:>10.4g}  {:>6.3f} {:>8} {}\n", ratio.what, ratio.ours, ratio.unit,
             ratio.peer, ratio.other, ratio.value, limit_of(ratio),
             limit_of(ratio).empty() ? ""
             : ratio.holds()         ? "holds"
                                     : "DOES NOT HOLD");
  std::fflush(stdout);
  ratios.push_back(std::move(ratio));
}

void Report::add(Growth growth) {
  growth.exponent = fitted_exponent(growth.sizes, growth.nanoseconds);
  fmt::print("{} against {} from {:g} to {:g}: {:.4g} to {:.4g} us, exponent {:.2f}\n", growth.what, growth.variable,
             growth.sizes.front(), growth.sizes.back(), growth.nanoseconds.front() / 1e3,
             growth.nanoseconds.back() / 1e3, growth.exponent);
  std::fflush(stdout);
  growths.push_back(std::move(growth));
}

std::string json_of(const Report& report) {
  io::Json document;
  document["date"] = fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::chrono::system_clock::now()));
  for (const auto& [name, value] : machine_description()) document["machine"][name] = value;
  document["ratios"] = io::Json::array();
  for (const Ratio& ratio : report.ratios) document["ratios"].push_back(json_of(ratio));
  document["growth"] = io::Json::array();
  for (const Growth& growth : report.growths) {
    document["growth"].push_back({{"what", growth.what},
                                  {"variable", growth.variable},
                                  {"sizes", growth.sizes},
                                  {"nanoseconds", growth.nanoseconds},
                                  {"exponent", growth.exponent}});
  }
  document["notes"] = report.notes;
  return io::text_of(document);
}

Result<void> write_report(const Report& report, const std::filesystem::path& stem) {
  auto path = stem;
  path += ".json";
  if (auto written = io::write_file(path, json_of(report)); !written) return written;
  auto picture = stem;
  picture += "-growth.svg";
  return io::write_svg(picture, growth_plot(report));
}

}  // namespace fedrk::bench
