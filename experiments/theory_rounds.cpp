// SPDX-License-Identifier: Apache-2.0

// Single rounds with exact local projections, tau = infinity, and one server step, tau_g = 1.
//
// One server step lands on the end point of one of the clients that moved, each equally likely. So, with P_i the
// projection onto client i's solutions and I(S) the clients of S with P_i x != x,
//
//     E ||x^(1) - x*||^2 = mean over all S of the given size of  mean over i in I(S) of ||P_i x - x*||^2,
//
// or ||x - x*||^2 where I(S) is empty. On small federations all S can be listed.

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "analysis/observers.hpp"
#include "experiments/judgements.hpp"
#include "experiments/theory_parts.hpp"
#include "fedrk/generate.hpp"
#include "fedrk/in_process_engine.hpp"
#include "fedrk/run.hpp"

namespace fedrk::experiments {
namespace {

struct Federation {
  std::string label;
  LinearSystem system;
  std::vector<std::size_t> rows_of_client;
  std::size_t participants;
  std::vector<double> solution, start;
};

Federation even_clients(std::uint64_t seed) {
  auto problem = generate({.rows = 24, .cols = 10, .clients = 6, .seed = seed});
  return {"6 even clients, 2 a round", std::move(problem.system), std::move(problem.rows_of_client), 2,
          std::move(problem.solution), gaussian_vector(10, seed)};
}

// 1, 2, 4, 8 and 16 rows: the last two clients know more than half of the 12 unknowns, the last one all.
Federation unequal_clients(std::uint64_t seed) {
  auto problem = generate({.kind = ProblemKind::Heterogeneous, .rows = 1, .cols = 12, .clients = 5, .seed = seed});
  return {"clients of 1 to 16 rows, 3 a round", std::move(problem.system), std::move(problem.rows_of_client), 3,
          std::move(problem.solution),          gaussian_vector(12, seed)};
}

// x* has two zeros, and the equations of the first client ask for nothing else: from zero it does not move, and its
// displacement is dropped.
Federation with_a_satisfied_client(std::uint64_t seed) {
  auto problem = generate({.rows = 14, .cols = 8, .clients = 4, .seed = seed});
  auto& rows = std::get<Matrix>(problem.system.rows);
  problem.solution[0] = problem.solution[1] = 0.0;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    if (i < problem.rows_of_client[0]) std::ranges::fill(rows.row(i).subspan(2), 0.0);
    problem.system.rhs[i] = dot(rows.row(i), problem.solution);
  }
  return {"a client without anything to say, 2 of 4 a round",
          std::move(problem.system),
          std::move(problem.rows_of_client),
          2,
          std::move(problem.solution),
          std::vector<double>(8, 0.0)};
}

struct Expectation {
  double mean = 0.0, standard_deviation = 0.0;
};

// Over all subsets, through the projections alone. Relative to the squared error at the start.
Expectation enumerate(const Federation& federation) {
  const double start = std::pow(distance(federation.start, federation.solution), 2);
  std::vector<double> ends;  // of a client that moves; -1 of one that does not
  for (const Client& client : clients_of(copy_of(federation.system), federation.rows_of_client, 1)) {
    const LinearSystem& own = client.block().system();
    const auto end = nearest_solution(own, federation.start);
    ends.push_back(end == federation.start ? -1.0 : std::pow(distance(end, federation.solution), 2) / start);
  }
  double sum = 0.0, squares = 0.0, subsets = 0.0;
  for (std::uint32_t members = 0; members < (1U << ends.size()); ++members) {
    if (static_cast<std::size_t>(std::popcount(members)) != federation.participants) continue;
    double first = 0.0, second = 0.0, moved = 0.0;
    for (std::size_t i = 0; i < ends.size(); ++i) {
      if ((members >> i & 1U) == 0U || ends[i] < 0.0) continue;
      first += ends[i];
      second += ends[i] * ends[i];
      moved += 1.0;
    }
    sum += moved > 0.0 ? first / moved : 1.0;
    squares += moved > 0.0 ? second / moved : 1.0;
    subsets += 1.0;
  }
  const double mean = sum / subsets;
  return {mean, std::sqrt(std::max(squares / subsets - mean * mean, 0.0))};
}

RunOptions exact_rounds(std::uint64_t seed, std::uint32_t rounds, std::size_t participants) {
  RunOptions options;
  options.seed = seed;
  options.rounds = rounds;
  options.participants = participants;
  options.local_budget = ExactProjection{};
  options.server_budget = FixedSteps{1};
  return options;
}

// First rounds of many runs, which differ in who takes part and in whose hyperplane the server takes.
Measured measure(const Federation& federation, std::size_t trials, std::uint64_t seed) {
  InProcessEngine engine(clients_of(copy_of(federation.system), federation.rows_of_client, seed), 1);
  const double start = std::pow(distance(federation.start, federation.solution), 2);
  double sum = 0.0;
  for (std::size_t k = 0; k < trials; ++k) {
    const auto result =
        FederatedRun(exact_rounds(trial_seed(seed, k), 1, federation.participants)).run(engine, federation.start);
    sum += std::pow(distance(result.x, federation.solution), 2) / start;
  }
  const Expectation expected = enumerate(federation);
  const auto count = static_cast<double>(trials);
  return {federation.label, sum / count, expected.standard_deviation / std::sqrt(count), expected.mean};
}

// The errors of a run on a consistent system, the one before the first round included.
std::vector<double> errors_of(const GeneratedProblem& problem, const RunOptions& options) {
  InProcessEngine engine(clients_of(copy_of(problem.system), problem.rows_of_client, options.seed), 1);
  ErrorToTruth error(problem.solution);
  RoundObserver* const observers[] = {&error};
  (void)FederatedRun(options).run(engine, {}, observers);
  std::vector<double> errors{1.0};  // from zero
  errors.insert(errors.end(), error.errors().begin(), error.errors().end());
  return errors;
}

double largest_rise(std::span<const double> errors) {
  double largest = 0.0;
  for (std::size_t t = 1; t < errors.size(); ++t) largest = std::max(largest, errors[t] - errors[t - 1]);
  return largest;
}

}  // namespace

void check_one_round(const Settings& settings, const Progress& progress, Findings& findings) {
  const std::size_t trials = settings.quick ? 1000 : 20000;
  const Stretch stretch(progress, 0.0, 1.0, "the decrease of one round");
  std::vector<Measured> measured;
  Table table{"theory-one-round", {"federation", "enumerated", "measured", "standard_error"}, {}};
  for (const auto make : {even_clients, unequal_clients, with_a_satisfied_client}) {
    measured.push_back(measure(make(settings.seed), trials, settings.seed));
    stretch.done(measured.size(), 3);
    const Measured& one = measured.back();
    table.rows.push_back(number_row(std::vector{one.theory, one.mean, one.standard_error}));
    table.rows.back().insert(table.rows.back().begin(), one.label);
  }
  findings.judgements.push_back(agrees(
      fmt::format("for tau = infinity and tau_g = 1 the mean squared error after a round, over {} of them, is the "
                  "one enumerated over all subsets of clients",
                  trials),
      measured));
  findings.tables.push_back(std::move(table));
}

void check_no_round_raises_the_error(const Settings& settings, const Progress& progress, Findings& findings) {
  const Stretch stretch(progress, 0.0, 1.0, "rounds that raise the error");
  std::vector<double> worst;
  for (std::size_t k = 0; k < 5; ++k) {
    const std::uint64_t seed = trial_seed(settings.seed, k);
    const auto problem = generate({.rows = 160, .cols = 30, .clients = 8, .seed = seed});
    worst.push_back(largest_rise(errors_of(problem, exact_rounds(seed, 150, 3))));
    stretch.done(k + 1, 5);
  }
  // Each round is a projection onto a set that holds x*. Rounding is some 1e-16 of ||x*|| a step; 1e-12 leaves room for
  // the condition of a client's rows.
  findings.judgements.push_back(all_within(
      "for tau = infinity and tau_g = 1 no round raises the error of a consistent system, largest rise of the "
      "relative error in five runs",
      worst, 1e-12));
}

}  // namespace fedrk::experiments
