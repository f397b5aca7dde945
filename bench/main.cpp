// SPDX-License-Identifier: Apache-2.0

// The table of ratios and growth that `make bench` shows and keeps.

#include <algorithm>
#include <cstdio>
#include <exception>
#include <stdexcept>

#include <fmt/format.h>

#include "bench/arguments.hpp"
#include "bench/machine.hpp"
#include "bench/ratios.hpp"

int main(int argc, char** argv) {
  using namespace fedrk::bench;
  Settings settings;
  std::filesystem::path out;
  std::string only;
  const auto ended =
      read_arguments("Times of fedrk as ratios to plain programs for the same work, and how they grow.",
                     {{"--out", &out, "write STEM.json and the plots of growth"},
                      {"--seconds", &settings.seconds, "for each contest"},
                      {"--scale", &settings.scale, "of both sides of the large file, 5.4 GB at 1"},
                      {"--scratch", &settings.scratch, "folder for the large file, which is removed again"},
                      {"--only", &only, "one of large, dense, sparse, passes, sums, csv, runs, clients, growth"},
                      {"--quick", &settings.quick, "small sizes, to see that everything runs"}},
                     argc, argv);
  if (ended) return *ended;
  if (settings.quick) settings.seconds = 0.05;

  try {
    Report report;
    report.judged = !settings.quick;
    for (const auto& [name, value] : machine_description()) fmt::print("{}: {}\n", name, value);
    fmt::print("\nRatios: fedrk first, then the peer. Shortest of many short batches in turn.\n\n");
    using Contest = void (*)(const Settings&, Report&);
    const std::pair<std::string_view, Contest> contests[] = {
        {"large", large_file},  // first: its peak of memory is that of the process
        {"dense", dense_steps}, {"sparse", sparse_steps}, {"passes", client_passes}, {"sums", fit_sums},
        {"csv", csv_text},      {"runs", whole_runs},     {"clients", many_clients}, {"growth", growth}};
    const auto is_asked = [&](const auto& contest) { return only.empty() || only == contest.first; };
    if (std::ranges::none_of(contests, is_asked)) throw std::runtime_error("no contest is called " + only);
    if (out.has_parent_path()) std::filesystem::create_directories(out.parent_path());
    for (const auto& [name, contest] : contests) {
      if (only.empty() || only == name) contest(settings, report);
    }
    if (settings.quick) report.notes.emplace_back("small sizes: the numbers mean nothing");
    if (report.judged) {
      const auto missed = std::ranges::count_if(report.ratios, [](const Ratio& ratio) { return !ratio.holds(); });
      fmt::print("\n{}\n", missed == 0 ? "Every limit holds." : fmt::format("{} limits do not hold.", missed));
    }
    if (out.empty()) return 0;
    if (const auto written = write_report(report, out); !written) throw std::runtime_error(written.error().message);
    fmt::print("\n{}.json\n", out.string());
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench: {}\n", error.what());
    return 1;
  }
}
