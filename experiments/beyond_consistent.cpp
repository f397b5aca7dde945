// SPDX-License-Identifier: Apache-2.0

// The Gaussian system of figure 1, by sums and memory: with some of the clients in a round, and with everyone.

#include <utility>

#include <fmt/format.h>

#include "experiments/beyond_parts.hpp"
#include "experiments/beyond_runs.hpp"
#include "experiments/judgements_beyond.hpp"
#include "fedrk/generate.hpp"
#include "methods/conjugate_gradients.hpp"
#include "methods/others/first_order.hpp"

namespace fedrk::experiments {
namespace {

constexpr double kLevel = 1e-6;

struct Size {
  std::size_t rows = 2048, cols = 1024, clients = 16, participants = 5;
  std::uint64_t steps = 1000;
  std::uint32_t rounds = 400;
  double by = 2.0;  // FedRK takes at least so many times the rounds of sums
};
// Over ten seeds FedRK took 2.3 to 2.5 times the rounds of sums, with everyone 3.5 to 3.8 times; at the
// small size 1.97 to 2.6 and 2.9 to 3.8 times over thirty. With everyone sums took 0.85 to 0.90 of the rounds of
// conjugate gradients, at the small size 0.76 to 0.84.
constexpr Size kFull{};
constexpr Size kQuick{.rows = 384, .cols = 192, .clients = 8, .participants = 3, .steps = 400, .by = 1.6};

struct Curves {
  ErrorCurve by_fedrk, sums, memory, averaged;

  std::vector<ErrorCurve> all() const { return {sums, memory, by_fedrk, averaged}; }
};

Curves curves_of(BeyondRuns& runs, const Size& size, std::size_t participants) {
  RunOptions run;
  run.rounds = size.rounds;
  run.participants = participants;
  run.local_budget = FixedSteps{size.steps};
  Averaging averaging(runs.engine().roster(), work_of(run.local_budget));
  return {runs.by_options("published", {.name = MethodName::Fedrk}, run),
          runs.by_options("sums, memory 5", {.hyperplanes = HyperplaneKind::Valid, .memory = 5, .reveal = Reveal::Sums},
                          run),
          runs.by_options("single, memory 20",
                          {.hyperplanes = HyperplaneKind::Valid, .memory = 20, .reveal = Reveal::Updates}, run),
          runs.by_method("averaged local steps", averaging, run)};
}

void show(std::string name, std::string who, std::span<const ErrorCurve> curves, const Size& size, Findings& findings) {
  findings.tables.push_back(table_of(name, "round", series_of(curves)));
  findings.figures.push_back(
      {std::move(name),
       fmt::format("A {}x{} standard Gaussian system with a solution, {} clients, {} in a round, {} local steps each. "
                   "\"Sums\": the server sees one sum of all answers in a round, and projects onto those of the last "
                   "rounds together. \"Single\": it sees every answer, as in FedRK.",
                   size.rows, size.cols, size.clients, who, size.steps),
       error_plot("Relative error against rounds, " + who + " clients in a round", "relative error",
                  series_of(curves))});
}

}  // namespace

void compare_on_consistent(const Settings& settings, const Progress& progress, Findings& findings) {
  const Size& size = settings.quick ? kQuick : kFull;
  const auto problem = generate({.rows = size.rows, .cols = size.cols, .seed = settings.seed});
  BeyondRuns runs(problem.system, problem.solution, size.clients, settings, progress, 9);
  const Curves some = curves_of(runs, size, size.participants), everyone = curves_of(runs, size, 0);
  RunOptions run;
  run.rounds = size.rounds;
  ConjugateGradients method({.tolerance = 0.0}, runs.engine().roster());
  const ErrorCurve conjugate = runs.by_method("conjugate gradients", method, run);

  const auto named = [](ErrorCurve curve, std::string_view label) {
    curve.label = label;
    return curve;
  };
  const std::string few = fmt::format("{} of {}", size.participants, size.clients);
  const std::string all = fmt::format("all {}", size.clients);
  findings.judgements.push_back(
      takes_fewer_rounds(named(some.sums, fmt::format("with {} clients a round, sums with a memory of 5 rounds", few)),
                         named(some.by_fedrk, "FedRK"), kLevel, size.by));
  findings.judgements.push_back(
      takes_fewer_rounds(named(everyone.sums, fmt::format("with {}, sums with a memory of 5 rounds", all)),
                         named(everyone.by_fedrk, "FedRK"), kLevel, size.by));
  findings.judgements.push_back(
      takes_fewer_rounds(named(everyone.sums, fmt::format("with {}, sums with a memory of 5 rounds", all)),
                         named(conjugate, "conjugate gradients"), kLevel, 1.0));
  std::vector<ErrorCurve> with_everyone = everyone.all();
  with_everyone.push_back(conjugate);
  show("beyond-some", few, some.all(), size, findings);
  show("beyond-everyone", all, with_everyone, size, findings);
}

}  // namespace fedrk::experiments
