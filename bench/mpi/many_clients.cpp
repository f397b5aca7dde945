// SPDX-License-Identifier: Apache-2.0

// From a thousand to a million small clients in one process: what one more of them costs in time and memory, which the
// model in docs/cluster.md counts with.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "bench/arguments.hpp"
#include "bench/harness.hpp"
#include "bench/report.hpp"
#include "fedrk/in_process_engine.hpp"
#include "fedrk/run.hpp"
#include "methods/method_options.hpp"
#include "support/tiny_systems.hpp"

namespace {

using namespace fedrk;
using namespace fedrk::bench;

constexpr std::size_t kRows = 4, kUnknowns = 20;  // of a client, and of all

/// Resident memory of this process, in bytes.
double resident() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return 1024.0 * std::stod(line.substr(6));
  }
  return 0.0;
}

struct Measured {
  double bytes = 0.0;     // of a client
  double everyone = 0.0;  // nanoseconds of a round
  double some = 0.0;      // of one with a thousand
  double residual = 0.0;  // at the end
};

double shortest_round(const RunResult& result) {
  double seconds = 1e30;
  for (const RoundRecord& record : result.history) seconds = std::min(seconds, record.seconds);
  return 1e9 * seconds;
}

Measured measure(std::size_t clients) {
  Measured measured;
  auto problem = generate({.rows = kRows * clients, .cols = kUnknowns, .seed = 1});
  const double before = resident();
  InProcessEngine engine(test::clients_of(std::move(problem.system), clients, 1), 1);
  const RunOptions everyone{.rounds = 10, .local_budget = FixedSteps{4}, .residual_every = RunOptions::kNever};
  const MethodOptions sums{.memory = 5, .reveal = Reveal::Sums};
  const auto method = make_method(sums, everyone, engine);
  const RunResult all = FederatedRun(everyone).run(engine, *method);
  measured.everyone = shortest_round(all);
  measured.residual = all.relative_residual.value_or(NAN);
  measured.bytes = (resident() - before) / static_cast<double>(clients);
  RunOptions some = everyone;
  some.participants = std::min<std::size_t>(1000, clients);
  const auto other = make_method(sums, some, engine);
  measured.some = shortest_round(FederatedRun(some).run(engine, *other));
  return measured;
}

}  // namespace

int main(int argc, char** argv) {
  bool quick = false;
  std::filesystem::path out;
  const auto ended = read_arguments(
      "What one more client costs, up to a million of them in one process",
      {{"--quick", &quick, "only that it runs"}, {"--out", &out, "where to write, without ending"}}, argc, argv);
  if (ended) return *ended;
  Report report;
  Growth everyone{"a round of sums with everyone", "clients", {}, {}},
      some{"... with a thousand of them", "clients", {}, {}};
  for (std::size_t clients = 1000; clients <= (quick ? 1000U : 1000000U); clients *= 10) {
    const Measured measured = measure(clients);
    everyone.sizes.push_back(static_cast<double>(clients));
    everyone.nanoseconds.push_back(measured.everyone);
    some.sizes.push_back(static_cast<double>(clients));
    some.nanoseconds.push_back(measured.some);
    report.notes.push_back(
        fmt::format("{} clients of {} rows and {} unknowns: {:.0f} bytes and {:.2f} us of a round each; a thousand of "
                    "them {:.2f} ms; "
                    "relative residual {:.1e} after ten rounds",
                    clients, kRows, kUnknowns, measured.bytes, measured.everyone / 1e3 / static_cast<double>(clients),
                    measured.some / 1e6, measured.residual));
    std::printf("%s\n", report.notes.back().c_str());
  }
  if (!quick) {
    report.add(std::move(everyone));
    report.add(std::move(some));
  }
  if (out.empty()) return 0;
  const auto written = write_report(report, out);
  if (!written) std::fprintf(stderr, "%s\n", written.error().message.c_str());
  return written ? 0 : 1;
}
