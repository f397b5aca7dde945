// SPDX-License-Identifier: Apache-2.0

// A client's part of a round, set-up included over a hundred rounds, and the exact projection.

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "bench/harness.hpp"
#include "bench/peers.hpp"
#include "bench/ratios.hpp"
#include "experiments/support.hpp"
#include "fedrk/generate.hpp"
#include "fedrk/site.hpp"

namespace fedrk::bench {
namespace {

constexpr double kRounds = 100.0;  // that a set-up serves

struct PassTimes {
  double ours, other;  // microseconds a pass
};

Client client_of(const LinearSystem& system) { return {ClientId{0}, "site", RowBlock(copy_of(system)), 1}; }

// What comes before the first pass: norms, alias table and where used the Gram matrix, against norms and distribution.
// Copies of the rows are left out on both sides.
PassTimes set_up_shares(const LinearSystem& system, const LocalTask& task, const PassTimes& pass, EigenSolver& peer) {
  PassTimes shortest{1e300, 1e300};
  for (int turn = 0; turn < 10; ++turn) {
    LinearSystem copy = copy_of(system);
    // The peer first: its reading pushes the copy, just written, out of the nearest caches, as ours then does with it.
    const double other = time_of([&] { peer.prepare(); });
    std::optional<Client> fresh;  // outlives the clock: what it frees was copied outside, too
    const double ours = time_of([&] {
      fresh.emplace(ClientId{0}, "site", RowBlock(std::move(copy)), 1);
      keep(fresh->local_update(task).values.data());
    });
    shortest = {std::min(shortest.ours, ours), std::min(shortest.other, other)};
  }
  return {std::max(0.0, shortest.ours / 1e3 - pass.ours) / kRounds, shortest.other / 1e3 / kRounds};
}

PassTimes pass_times(const LinearSystem& system, std::uint64_t steps, double seconds) {
  const auto& matrix = std::get<Matrix>(system.rows);
  Client client = client_of(system);
  EigenSolver peer(matrix, system.rhs);
  const AlignedVector x(matrix.cols(), 0.1);
  // Batches of about a millisecond: a client's rows stay in its caches as long as they would on its own machine.
  const auto repeats = static_cast<int>(std::clamp<std::uint64_t>(4000 / steps, 2, 50));
  std::uint32_t round = 0;
  const auto times = shortest_times({{"fedrk",
                                      [&] {
                                        for (int k = 0; k < repeats; ++k) {
                                          const LocalTask task{RoundIndex{++round}, x, FixedSteps{steps}};
                                          keep(client.local_update(task).values.data());
                                        }
                                      },
                                      static_cast<double>(repeats)},
                                     {"Eigen",
                                      [&] {
                                        for (int k = 0; k < repeats; ++k) keep(peer.pass(steps, x).data());
                                      },
                                      static_cast<double>(repeats)}},
                                    seconds);
  const LocalTask task{RoundIndex{1}, x, FixedSteps{steps}};
  const PassTimes pass{times[0] / 1e3, times[1] / 1e3};
  const PassTimes share = set_up_shares(system, task, pass, peer);
  return {pass.ours + share.ours, pass.other + share.other};
}

// The cell of the grid where fedrk does worst.
void worst_of_all(const Settings& settings, std::size_t cols, Report& report) {
  Ratio worst{"client pass, worst of tau 1..20000, m 16..1024", "Eigen loop", 0.0, 1.0, "us", 1.05};
  // Also on both sides of where the rule for the form switches: 1.5 MB of rows, 1 MB of inner products.
  std::vector<std::uint64_t> taus{1, 2, 5, 20, 50, 100, 300, 1000, 5000, 20000};
  std::vector<std::size_t> sizes{16, 64, 128, 180, 190, 256, 350, 360, 512, 1024};
  if (settings.quick) taus = {1, 50}, sizes = {16};
  for (const std::size_t rows : sizes) {
    const auto problem = generate({.rows = rows, .cols = cols, .seed = 1});
    for (const std::uint64_t tau : taus) {
      const PassTimes times = pass_times(problem.system, tau, settings.seconds / 10.0);
      if (times.ours / times.other < worst.value) continue;
      worst = {worst.what, fmt::format("Eigen loop, there m = {}, tau = {}", rows, tau),
               times.ours, times.other,
               "us",       worst.at_most};
    }
  }
  report.add(worst);
}

void exact_projection(const Settings& settings, std::size_t rows, std::size_t cols, Report& report) {
  const auto problem = generate({.rows = rows, .cols = cols, .seed = 1});
  Client client = client_of(problem.system);
  EigenSolver peer(std::get<Matrix>(problem.system.rows), problem.system.rhs);
  const AlignedVector x(cols, 0.1);
  AlignedVector out(cols);
  constexpr int kRepeats = 20;
  std::uint32_t round = 0;
  const auto often = [](const auto& work) {
    return [work] {
      for (int k = 0; k < kRepeats; ++k) work();
    };
  };
  const auto times = shortest_times({{"fedrk", often([&] {
                                        const LocalTask task{RoundIndex{++round}, x, ExactProjection{}};
                                        keep(client.local_update(task).values.data());
                                      }),
                                      kRepeats},
                                     {"Eigen", often([&] { peer.two_products(x, out); }), kRepeats},
                                     {"OpenBLAS", often([&] { peer.two_blas_products(x, out); }), kRepeats}},
                                    settings.seconds);
  const bool blas = times[2] < times[1];
  report.add(Ratio{fmt::format("exact projection, {} x {}", rows, cols),
                   fmt::format("two products by {}", blas ? "OpenBLAS" : "Eigen"), times[0] / 1e3,
                   std::min(times[1], times[2]) / 1e3, "us", 1.3});
}

}  // namespace

void client_passes(const Settings& settings, Report& report) {
  const std::size_t rows = settings.quick ? 16 : 128, cols = settings.quick ? 64 : 1024;
  const auto problem = generate({.rows = rows, .cols = cols, .seed = 1});
  for (const auto& [tau, limit] : {std::pair{20U, 0.8}, {100U, 1.05}, {1000U, 0.2}, {5000U, 0.1}}) {
    const PassTimes times = pass_times(problem.system, tau, settings.seconds);
    report.add(Ratio{fmt::format("client pass, {} x {}, tau = {}", rows, cols, tau), "Eigen loop", times.ours,
                     times.other, "us", limit});
  }
  worst_of_all(settings, cols, report);
  exact_projection(settings, rows, cols, report);
}

}  // namespace fedrk::bench
