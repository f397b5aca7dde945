// SPDX-License-Identifier: Apache-2.0

// One Kaczmarz step, dense and sparse: fedrk's loop against plain ones, and against its own kernel on rows in the order
// of memory, which nothing that draws rows can beat by much.

#include <fmt/format.h>

#include "bench/harness.hpp"
#include "bench/peers.hpp"
#include "bench/ratios.hpp"
#include "fedrk/aligned_vector.hpp"
#include "fedrk/generate.hpp"
#include "fedrk/row_block.hpp"
#include "kaczmarz/randomized_kaczmarz.hpp"
#include "problem/storage.hpp"

namespace fedrk::bench {
namespace {

constexpr std::uint64_t kSteps = 1000;

// axpy(k) and dot(k+1) on one row after another.
void steps_in_memory_order(const Matrix& matrix, std::size_t first, std::uint64_t steps, std::span<double> x) {
  double product = 0.0;
  const auto row = [&](std::uint64_t k) { return matrix.row((first + k) % matrix.rows()); };
  for (std::uint64_t k = 0; k < steps; ++k) product = axpy_dot(1e-9 * product, row(k), row(k + 1), row(k + 2), x);
  keep(&product);
}

void dense_contest(std::size_t rows, std::size_t cols, double limit, const Settings& settings, Report& report) {
  auto problem = generate({.rows = rows, .cols = cols, .seed = 1});
  EigenSolver peer(std::get<Matrix>(problem.system.rows), problem.system.rhs);
  const RowBlock block(std::move(problem.system));
  const auto& matrix = std::get<Matrix>(block.system().rows);
  const EquationRows equations{matrix, block.system().rhs, block.squared_norms()};
  const auto sampler = RowSampler::weighted(block.squared_norms());
  AlignedVector x(cols, 0.0), y(cols, 0.0), z(cols, 0.0), w(cols, 0.0);
  std::uint32_t round = 0;
  std::size_t first = 0;

  const auto times = shortest_times(
      {{"fedrk",
        [&] {
          randomized_kaczmarz(equations, sampler, kSteps, stream_for(1, Purpose::LocalSteps, RoundIndex{++round}), x);
        },
        kSteps},
       {"Eigen", [&] { peer.steps(kSteps, y); }, kSteps},
       {"OpenBLAS", [&] { peer.blas_steps(kSteps, z); }, kSteps},
       {"limit", [&] { steps_in_memory_order(matrix, first = (first + kSteps) % rows, kSteps, w); }, kSteps}},
      settings.seconds);
  const std::string what = fmt::format("dense step, {} x {}", rows, cols);
  report.add(Ratio{what, "Eigen, discrete_distribution", times[0], times[1], "ns", limit});
  report.add(Ratio{what, "OpenBLAS ddot, daxpy, the same draws", times[0], times[2], "ns"});
  report.add(Ratio{what, "the kernel in memory order", times[0], times[3], "ns",
                   rows == 2048 ? std::optional(1.3) : std::nullopt});
}

// The same rows as floats: half the bytes, the same sums in doubles.
void float_contest(std::size_t rows, std::size_t cols, const Settings& settings, Report& report) {
  const auto make = [&](Storage storage) {
    auto problem = generate({.rows = rows, .cols = cols, .seed = 1});
    if (storage == Storage::Float32) store_as_floats(problem.system);
    return RowBlock(std::move(problem.system));
  };
  const RowBlock doubles = make(Storage::Float64), floats = make(Storage::Float32);
  const EquationRows wide{std::get<Matrix>(doubles.system().rows), doubles.system().rhs, doubles.squared_norms()};
  const EquationRows narrow{std::get<Matrix32>(floats.system().rows), floats.system().rhs, floats.squared_norms()};
  const auto sampler = RowSampler::weighted(doubles.squared_norms());
  AlignedVector x(cols, 0.0), y(cols, 0.0);
  std::uint32_t round = 0;
  const auto stream = [&] { return stream_for(1, Purpose::LocalSteps, RoundIndex{++round}); };
  const auto times =
      shortest_times({{"floats", [&] { randomized_kaczmarz(narrow, sampler, kSteps, stream(), x); }, kSteps},
                      {"doubles", [&] { randomized_kaczmarz(wide, sampler, kSteps, stream(), y); }, kSteps}},
                     settings.seconds);
  report.add(
      Ratio{fmt::format("dense step, {} x {}, float32", rows, cols), "fedrk with float64", times[0], times[1], "ns"});
}

}  // namespace

void dense_steps(const Settings& settings, Report& report) {
  if (settings.quick) {
    dense_contest(256, 64, 0.6, settings, report);
    return float_contest(256, 64, settings, report);
  }
  dense_contest(2048, 1024, 0.6, settings, report);
  dense_contest(20000, 1000, 0.78, settings, report);
  float_contest(20000, 1000, settings, report);
}

void sparse_steps(const Settings& settings, Report& report) {
  const std::size_t rows = settings.quick ? 2000 : 200000, cols = settings.quick ? 500 : 20000;
  auto problem = generate({.rows = rows, .cols = cols, .density = 20.0 / static_cast<double>(cols), .seed = 1});
  CsrSolver peer(std::get<SparseMatrix>(problem.system.rows), problem.system.rhs);
  const RowBlock block(std::move(problem.system));
  const EquationRows equations{std::get<SparseMatrix>(block.system().rows), block.system().rhs, block.squared_norms()};
  const auto sampler = RowSampler::weighted(block.squared_norms());
  AlignedVector x(cols, 0.0), y(cols, 0.0);
  std::uint32_t round = 0;
  constexpr std::uint64_t kMany = 10 * kSteps;  // short ones

  const auto times = shortest_times({{"fedrk",
                                      [&] {
                                        randomized_kaczmarz(equations, sampler, kMany,
                                                            stream_for(1, Purpose::LocalSteps, RoundIndex{++round}), x);
                                      },
                                      kMany},
                                     {"CSR", [&] { peer.steps(kMany, y); }, kMany}},
                                    settings.seconds);
  report.add(Ratio{fmt::format("sparse step, {} x {}, 20 non-zeros", rows, cols), "CSR loop, discrete_distribution",
                   times[0], times[1], "ns", 0.25});
}

}  // namespace fedrk::bench
