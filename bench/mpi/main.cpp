// SPDX-License-Identifier: Apache-2.0

// Rounds on the ranks of an MPI job: two ranks against one, and an empty round against the raw broadcast and reduction
// of the same bytes. To be started on two ranks, each on a core of its own:
//
//     mpirun -n 2 fedrk_mpi_bench --out bench/results/today-mpi

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "bench/arguments.hpp"
#include "bench/harness.hpp"
#include "bench/report.hpp"
#include "fedrk/in_process_engine.hpp"
#include "fedrk/mpi.hpp"
#include "fedrk/run.hpp"
#include "problem/partition.hpp"
#include "support/tiny_systems.hpp"

namespace {

using namespace fedrk;
using namespace fedrk::bench;

struct Settings {
  bool quick = false;
  std::filesystem::path out;
};

/// This rank's even share, for one thread.
ClientGroup share_of(const mpi::Ranks& ranks, std::vector<Client> clients) {
  const auto first = balanced_blocks(std::vector<std::size_t>(clients.size(), 1), ranks.count());
  std::vector<Client> own;
  for (std::size_t i = first[ranks.rank()]; i < first[ranks.rank() + 1]; ++i) own.push_back(std::move(clients[i]));
  return {std::move(own), 1, ClientId{static_cast<std::uint32_t>(first[ranks.rank()])}};
}

/// Nanoseconds of the shortest round, as the history tells. All rounds are alike, and two ranks need two idle cores.
double time_of_round(Engine& engine, const RunOptions& options) {
  const RunResult result = FederatedRun(options).run(engine);
  double seconds = 1e30;
  for (const RoundRecord& record : result.history) seconds = std::min(seconds, record.seconds);
  return 1e9 * seconds;
}

// ---- fig1, everyone taking part: the work of the clients is what is shared.

void two_ranks_against_one(const Settings& settings, const mpi::Ranks& ranks, std::uint64_t steps, Report& report) {
  const RunOptions options{
      .rounds = settings.quick ? 3U : 40U, .local_budget = FixedSteps{steps}, .residual_every = RunOptions::kNever};
  const auto clients = [&] {
    return test::clients_of(generate({.rows = settings.quick ? 256U : 2048U, .cols = 1024, .seed = 1}).system, 16, 1);
  };
  if (ranks.rank() != 0) return mpi::serve(ranks, share_of(ranks, clients()));
  mpi::MpiEngine shared(ranks, share_of(ranks, clients()));
  InProcessEngine alone(clients(), 1);
  double ours = 1e30, other = 1e30;
  for (int turn = 0; turn < (settings.quick ? 2 : 20); ++turn) {
    ours = std::min(ours, time_of_round(shared, options));
    other = std::min(other, time_of_round(alone, options));
  }
  Ratio ratio{fmt::format("fig1, tau = {}, 16 of 16: one rank / {} ranks", steps, ranks.count()), "one thread",
              ours / 1e6, other / 1e6, "ms"};
  ratio.value = other / ours;
  if (steps >= 1000 && ranks.count() == 2) ratio.at_least = 1.6;
  report.add(ratio);
}

// ---- A round in which there is nothing to do but to send x and to add up, and one in which each client looks at its
// ---- row once.

// One row for each rank.
std::vector<Client> idle_clients(std::size_t count, std::size_t unknowns) {
  return test::clients_of(generate({.rows = count, .cols = unknowns, .seed = 1}).system, count, 1);
}

/// Nanoseconds of the shortest round.
double rounds_of_sums(const mpi::Ranks& ranks, std::size_t unknowns, std::uint32_t rounds, std::uint64_t steps) {
  if (ranks.rank() != 0) {
    mpi::serve(ranks, share_of(ranks, idle_clients(ranks.count(), unknowns)));
    return 0.0;
  }
  mpi::MpiEngine engine(ranks, share_of(ranks, idle_clients(ranks.count(), unknowns)));
  std::vector<ClientId> all;
  for (const ClientSummary& client : engine.roster()) all.push_back(client.id);
  const AlignedVector x(unknowns, 1.0);
  double shortest = 1e30;
  for (std::uint32_t t = 0; t < rounds; ++t) {
    LocalTask task{RoundIndex{t}, x, CutSteps{FixedSteps{steps}}, false};
    task.reveal = Reveal::Sums;
    shortest = std::min(shortest, time_of([&] { keep(engine.local_updates(task, all).replies.data()); }));
  }
  return shortest;
}

enum class Vectors {
  Fresh,     // as in a round, x and the parts have just been written: they have to come from another core's cache
  Unchanged  // they may lie in the caches of both
};

double raw_rounds(const mpi::Ranks& ranks, std::size_t unknowns, std::uint32_t rounds, Vectors vectors) {
  AlignedVector x(unknowns, 1.0), part(unknowns, 1.0);
  double shortest = 1e30;
  for (std::uint32_t t = 0; t < rounds; ++t) {
    if (vectors == Vectors::Fresh && ranks.rank() == 0) std::ranges::fill(x, 1.0 + t);
    if (vectors == Vectors::Fresh) std::ranges::fill(part, 1.0 + t);
    ranks.barrier();
    shortest = std::min(shortest, time_of([&] {
                          ranks.broadcast(x.data(), x.size() * sizeof(double));
                          ranks.reduce(part.data(), part.size());
                        }));
  }
  return shortest;
}

void empty_round(const Settings& settings, const mpi::Ranks& ranks, std::size_t unknowns, Report& report) {
  const auto rounds =
      settings.quick ? 20U : static_cast<std::uint32_t>(std::clamp(2e7 / double(unknowns), 20.0, 5000.0));
  double empty = 1e30, raw = 1e30, unchanged = 1e30, one_step = 1e30;
  for (int turn = 0; turn < (settings.quick ? 2 : 10); ++turn) {
    empty = std::min(empty, rounds_of_sums(ranks, unknowns, rounds, 0));
    raw = std::min(raw, raw_rounds(ranks, unknowns, rounds, Vectors::Fresh));
    unchanged = std::min(unchanged, raw_rounds(ranks, unknowns, rounds, Vectors::Unchanged));
    one_step = std::min(one_step, rounds_of_sums(ranks, unknowns, rounds, 1));
  }
  if (ranks.rank() != 0) return;
  const auto judge = [&](const std::string& what, double ours) {
    Ratio ratio{fmt::format("{}: n = {}, {} ranks", what, unknowns, ranks.count()),
                "broadcast and reduction of the same bytes", ours / 1e3, raw / 1e3, "us"};
    ratio.at_most = 3.0;
    report.add(ratio);
  };
  judge("empty round of sums", empty);
  judge("... with one step at each client", one_step);
  report.add(
      {"... the same", "broadcast and reduction of vectors that nobody writes", one_step / 1e3, unchanged / 1e3, "us"});
}

// ---- What a message costs, for the model in docs/cluster.md.

void messages(const Settings& settings, const mpi::Ranks& ranks, Report& report) {
  Growth growth{"one message from rank to rank", "bytes", {}, {}};
  const std::size_t most = settings.quick ? 1U << 12U : 1U << 23U;
  for (std::size_t bytes = 8; bytes <= most; bytes *= 8) {
    std::string text(bytes, 'x');
    const int rounds = settings.quick ? 10 : static_cast<int>(std::clamp(1e8 / double(bytes), 200.0, 20000.0));
    double shortest = 1e30;
    ranks.barrier();
    for (int k = 0; k < rounds; ++k) {
      const double there_and_back = time_of([&] {
        if (ranks.rank() == 0) ranks.send(1, text.data(), bytes);
        if (ranks.rank() == 0) ranks.receive(1, text.data(), bytes);
        if (ranks.rank() == 1) ranks.receive(0, text.data(), bytes);
        if (ranks.rank() == 1) ranks.send(0, text.data(), bytes);
      });
      shortest = std::min(shortest, there_and_back / 2.0);
    }
    growth.sizes.push_back(static_cast<double>(bytes));
    growth.nanoseconds.push_back(shortest);
  }
  if (ranks.rank() == 0) report.add(std::move(growth));
}

int measure(const Settings& settings, const mpi::Ranks& ranks) {
  Report report;
  report.judged = !settings.quick;
  for (const std::uint64_t steps : {100U, 1000U}) two_ranks_against_one(settings, ranks, steps, report);
  for (const std::size_t unknowns : {1024U, 20480U, 1000000U}) {
    if (!settings.quick || unknowns < 100000) empty_round(settings, ranks, unknowns, report);
  }
  if (ranks.count() > 1) messages(settings, ranks, report);
  if (ranks.rank() != 0) return 0;
  if (!settings.out.empty()) {
    if (const auto written = write_report(report, settings.out); !written) {
      std::fprintf(stderr, "%s\n", written.error().message.c_str());
      return 1;
    }
  }
  const bool all = std::ranges::all_of(report.ratios, [](const Ratio& ratio) { return ratio.holds(); });
  return all || !report.judged ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const mpi::Ranks ranks(argc, argv);
  Settings settings;
  const auto ended = read_arguments(
      "Times of rounds on the ranks of an MPI job",
      {{"--quick", &settings.quick, "only that it runs"}, {"--out", &settings.out, "where to write, without ending"}},
      argc, argv);
  if (ended) return *ended;
  return measure(settings, ranks);
}
