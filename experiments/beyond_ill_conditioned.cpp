// SPDX-License-Identifier: Apache-2.0

// Large condition numbers. A memory of all rounds learns one equation from every answer, so it ends when there is one
// for each unknown.

#include <cmath>

#include <fmt/format.h>

#include "experiments/beyond_parts.hpp"
#include "experiments/beyond_runs.hpp"
#include "experiments/judgements_beyond.hpp"
#include "linalg/kernels.hpp"
#include "linalg/random/rng_stream.hpp"

namespace fedrk::experiments {
namespace {

struct Size {
  std::size_t rows = 1200, cols = 400, clients = 12, participants = 5;
  std::uint64_t steps = 1000;
  std::uint32_t rounds = 300;
};
constexpr Size kFull{};
constexpr Size kQuick{.rows = 240, .cols = 80, .clients = 8, .participants = 3, .steps = 300, .rounds = 100};

struct Conditioning {
  double number;
  const char* message;
  double level;  // that full memory must come to: rounding, magnified by the condition number
};
constexpr Conditioning kConditionings[] = {{1e3, "1e3", 1e-10}, {1e6, "1e6", 1e-7}};

// `count` orthonormal vectors: Gaussian ones, each freed of its part within those before it, twice.
Matrix orthonormal_rows(std::size_t count, std::size_t length, std::uint64_t seed) {
  Matrix rows(count, length);
  for (std::size_t i = 0; i < count; ++i) {
    const auto row = rows.row(i);
    const auto start = gaussian_vector(length, trial_seed(seed, i));
    std::copy(start.begin(), start.end(), row.begin());
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t k = 0; k < i; ++k) axpy(-dot(rows.row(k), row), rows.row(k), row);
    }
    const double length_left = std::sqrt(squared_norm(row));
    for (double& value : row) value /= length_left;
  }
  return rows;
}

// Singular values from 1 down to 1/condition, evenly spread in the logarithm.
LinearSystem ill_conditioned(const Size& size, double condition, std::span<const double> solution, std::uint64_t seed) {
  const Matrix left = orthonormal_rows(size.cols, size.rows, client_seed(seed, "left"));
  const Matrix right = orthonormal_rows(size.cols, size.cols, client_seed(seed, "right"));
  Matrix rows(size.rows, size.cols);
  for (std::size_t k = 0; k < size.cols; ++k) {
    const double value = std::pow(condition, -static_cast<double>(k) / static_cast<double>(size.cols - 1));
    for (std::size_t i = 0; i < size.rows; ++i) axpy(value * left.row(k)[i], right.row(k), rows.row(i));
  }
  LinearSystem system{std::move(rows), {}};
  system.rhs = multiply(system.rows, solution);
  return system;
}

}  // namespace

void compare_on_ill_conditioned(const Settings& settings, const Progress& progress, Findings& findings) {
  const Size& size = settings.quick ? kQuick : kFull;
  const MethodOptions full{
      .hyperplanes = HyperplaneKind::Valid, .memory = HyperplaneMemory::kAll, .reveal = Reveal::Updates};
  const auto solution = gaussian_vector(size.cols, settings.seed);
  // Kept groups are asked in turn: after a turn of all groups every client has sent one hyperplane.
  const std::size_t turns = (size.cols + size.clients - 1) / size.clients;
  const std::size_t groups = (2 * size.clients + size.participants) / (2 * size.participants);
  const std::size_t ends[] = {turns, turns * groups};
  std::vector<ErrorCurve> curves, with_everyone, by_fedrk;
  double done = 0.0;
  for (const Conditioning& conditioning : kConditionings) {
    const Progress half = part_of(progress, done, done + 0.5);
    done += 0.5;
    BeyondRuns runs(ill_conditioned(size, conditioning.number, solution, settings.seed), solution, size.clients,
                    settings, half, 3);
    RunOptions run;
    run.rounds = size.rounds;
    run.local_budget = FixedSteps{size.steps};
    const auto label = [&](std::string_view method, std::size_t participants) {
      return fmt::format("{}, {} a round, condition {}", method, participants, conditioning.message);
    };
    const ErrorCurve everyone = runs.by_options(label("full memory", size.clients), full, run);
    by_fedrk.push_back(runs.by_options(label("published", size.clients), {.name = MethodName::Fedrk}, run));
    run.participants = size.participants;
    const ErrorCurve some = runs.by_options(label("full memory", size.participants), full, run);
    for (std::size_t k = 0; k < 2; ++k) {
      findings.judgements.push_back(arrives_within("full memory ends with one update for each unknown",
                                                   std::vector{k == 0 ? everyone : some}, conditioning.level, ends[k]));
    }
    with_everyone.push_back(everyone);
    curves.push_back(some);
  }
  findings.judgements.push_back(stays_above("FedRK hardly moves there: its error stays above", by_fedrk, 0.1));
  curves.insert(curves.end(), by_fedrk.begin(), by_fedrk.end());
  auto plot =
      error_plot("Relative error against rounds for large condition numbers", "relative error", series_of(curves));
  curves.insert(curves.end(), with_everyone.begin(), with_everyone.end());
  findings.tables.push_back(table_of("beyond-condition", "round", series_of(curves)));
  findings.figures.push_back(
      {"beyond-condition",
       fmt::format("A system of {}x{} whose singular values are spread over three and over six decades, {} clients. "
                   "With the hyperplanes of all rounds in memory, the run ends when there is one for each of the {} "
                   "unknowns: after {} rounds with {} clients a round, after {} with everyone. FedRK is "
                   "shown with everyone.",
                   size.rows, size.cols, size.clients, size.cols, ends[1], size.participants, ends[0]),
       std::move(plot)});
}

}  // namespace fedrk::experiments
