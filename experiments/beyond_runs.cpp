// SPDX-License-Identifier: Apache-2.0
#include "experiments/beyond_runs.hpp"

#include <utility>

#include "analysis/observers.hpp"

namespace fedrk::experiments {

BeyondRuns::BeyondRuns(const LinearSystem& system, std::vector<double> truth, std::size_t clients,
                       const Settings& settings, const Progress& progress, std::size_t runs)
    : truth_(std::move(truth)),
      by_norm_(clients_of(copy_of(system), clients, settings.seed), settings.threads),
      shuffled_(clients_of(copy_of(system), clients, settings.seed, 0, {.sampling = RowSampling::Shuffled}),
                settings.threads),
      seed_(settings.seed),
      progress_(progress),
      runs_(runs) {}

ErrorCurve BeyondRuns::by_options(std::string label, const MethodOptions& options, const RunOptions& run_options) {
  Engine& engine = is<FedRk>(goal_of(options, run_options)) ? by_norm_ : shuffled_;
  RunOptions wanted = run_options_for(goal_of(options, run_options), run_options);
  wanted.seed = seed_;
  const auto method = make_method(options, wanted, engine);
  return run(std::move(label), engine, *method, wanted);
}

ErrorCurve BeyondRuns::by_method(std::string label, Method& method, const RunOptions& run_options) {
  return run(std::move(label), by_norm_, method, run_options);
}

ErrorCurve BeyondRuns::run(std::string label, Engine& engine, Method& method, RunOptions run_options) {
  const auto share = [&](std::size_t runs) { return static_cast<double>(runs) / static_cast<double>(runs_); };
  const Stretch stretch(progress_, share(made_), share(made_ + 1), label);
  run_options.seed = seed_;
  if (run_options.residual_every == 0) run_options.residual_every = RunOptions::kNever;  // the error is known here
  ErrorToTruth error(truth_);
  ReportRounds report(stretch, run_options.rounds);
  RoundObserver* const observers[] = {&error, &report};
  (void)FederatedRun(run_options).run(engine, method, {}, observers);
  stretch.done(1, 1);  // some end before their last round
  ++made_;
  return {std::move(label), error.errors()};
}

std::vector<io::Series> series_of(std::span<const ErrorCurve> curves) {
  std::vector<io::Series> series;
  for (const ErrorCurve& curve : curves) series.push_back(by_round(curve.label, curve.errors, 1.0));
  return series;
}

Table rounds_table(std::string name, std::span<const ErrorCurve> curves, double level) {
  Table table{std::move(name), {"method", "rounds", "last_error"}, {}};
  for (const ErrorCurve& curve : curves) {
    const auto rounds = rounds_to(level, curve.errors);
    table.rows.push_back({curve.label, rounds ? std::to_string(*rounds) : "",
                          number_row(std::vector{curve.errors.empty() ? 1.0 : curve.errors.back()})[0]});
  }
  return table;
}

}  // namespace fedrk::experiments
