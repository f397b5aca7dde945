// SPDX-License-Identifier: Apache-2.0
#pragma once

// The cases that every engine runs: the same plan on the same data must give the iterates of one process and one
// thread, bit for bit.

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "fedrk/run.hpp"
#include "methods/conjugate_gradients.hpp"
#include "methods/gram_method.hpp"
#include "methods/method_options.hpp"
#include "methods/others/first_order.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk::test {

struct EngineCase {
  std::string name;
  GeneratorOptions problem;
  std::size_t clients;
  RunOptions options;
  std::function<std::unique_ptr<Method>(const Engine&)> method{};  // empty: FedRK

  friend void PrintTo(const EngineCase& test_case, std::ostream* out) { *out << test_case.name; }
};

/// The method that a plan with these wishes gets.
inline std::function<std::unique_ptr<Method>(const Engine&)> wished(MethodOptions options, RunOptions run) {
  return [=](const Engine& engine) { return make_method(options, run, engine); };
}

inline EngineCase wished_case(std::string name, const GeneratorOptions& problem, std::size_t clients,
                              const MethodOptions& options, const RunOptions& run) {
  return {std::move(name), problem, clients, run, wished(options, run)};
}

inline std::vector<EngineCase> engine_cases() {
  const GeneratorOptions gaussian{.rows = 240, .cols = 120, .seed = 11};
  const GeneratorOptions sparse{.rows = 240, .cols = 120, .density = 0.1, .seed = 12};
  const GeneratorOptions noisy{.kind = ProblemKind::Inconsistent, .rows = 240, .cols = 30, .seed = 13};
  return {
      {"steps", gaussian, 8, {.seed = 1, .rounds = 30, .participants = 3, .local_budget = FixedSteps{200}}},
      {"many_steps", gaussian, 8, {.seed = 15, .rounds = 15, .participants = 4, .local_budget = FixedSteps{3000}}},
      {"few_steps", gaussian, 40, {.seed = 16, .rounds = 30, .local_budget = FixedSteps{3}}},
      {"everyone", gaussian, 8, {.seed = 2, .rounds = 30, .local_budget = FixedSteps{150}}},
      {"exact", gaussian, 8, {.seed = 3, .rounds = 20, .participants = 5, .local_budget = ExactProjection{}}},
      {"exact_server",
       gaussian,
       8,
       {.seed = 4, .rounds = 20, .local_budget = ExactProjection{}, .server_budget = ExactProjection{}}},
      {"norm_weighted_server", gaussian, 8, {.seed = 5, .rounds = 30, .server_sampling = RowSampling::SquaredNorm}},
      {"threshold", gaussian, 8, {.seed = 6, .rounds = 30, .participants = 4, .sparsity = 9}},
      {"sparse_rows", sparse, 8, {.seed = 7, .rounds = 30, .participants = 3, .local_budget = FixedSteps{300}}},
      {"sparse_rows_exact", sparse, 8, {.seed = 8, .rounds = 20, .local_budget = ExactProjection{}}},
      {"inconsistent", noisy, 6, {.seed = 9, .rounds = 60, .tolerance = 1e-3, .patience = 20}},
      {"one_client", gaussian, 1, {.seed = 10, .rounds = 10, .local_budget = FixedSteps{500}}},
      {"averaged_gradient_steps",
       gaussian,
       8,
       {.seed = 11, .rounds = 10, .participants = 5},
       [](const Engine& engine) {
         return std::make_unique<Averaging>(engine.roster(), GradientSteps{.count = 4, .step = 0.05, .proximal = 0.1});
       }},
      {"scaffold",  // sends each client something of its own
       noisy,
       6,
       {.seed = 12, .rounds = 10, .participants = 3},
       [](const Engine& engine) {
         return std::make_unique<Scaffold>(engine.roster().size(), engine.dimension(),
                                           GradientSteps{.count = 3, .step = 1e-3, .batch = 5});
       }},
      {"conjugate_gradients",  // sends something other than x; two groups, whose sums are added up: 30 columns take
       noisy,                  // 32 sweeps of two rounds
       6,
       {.seed = 13, .rounds = 64, .participants = 3},
       [](const Engine& engine) {
         return std::make_unique<ConjugateGradients>(FitOptions{.tolerance = 1e-8}, engine.roster());
       }},
      {"gram_of_pairs",  // sends nothing, and gets answers of another length, which are added up as pairs
       noisy,
       6,
       {.seed = 14, .rounds = 20, .participants = 3},
       [](const Engine& engine) {
         return std::make_unique<GramMethod>(FitOptions{.tolerance = 1e-8, .pairs = true}, engine.roster());
       }},
      {"gram_of_doubles",
       noisy,
       6,
       {.seed = 17, .rounds = 20, .participants = 3},
       [](const Engine& engine) {
         return std::make_unique<GramMethod>(FitOptions{.tolerance = 1e-8, .pairs = false}, engine.roster());
       }},
      wished_case("sums_with_memory", gaussian, 8, {.memory = 5},
                  {.seed = 20, .rounds = 40, .participants = 3, .local_budget = FixedSteps{200}}),
      wished_case("updates_with_memory", sparse, 8, {.memory = 20, .reveal = Reveal::Updates},
                  {.seed = 21, .rounds = 20, .participants = 5, .local_budget = FixedSteps{50}}),
      wished_case("least_squares", noisy, 6, {.least_squares = true}, {.seed = 23, .rounds = 40}),
      wished_case("soft_thresholding", gaussian, 8, {.soft = 0.5}, {.seed = 24, .rounds = 30, .participants = 3}),
      wished_case("soft_thresholding_by_updates", sparse, 8, {.reveal = Reveal::Updates, .soft = 0.5},
                  {.seed = 25, .rounds = 30, .participants = 3}),
      wished_case("auto", gaussian, 8, {}, {.seed = 26, .rounds = 40, .participants = 3}),
      wished_case("auto_contradicted", noisy, 6, {},  // changes its method on the way
                  {.seed = 27, .rounds = 60, .participants = 3, .local_budget = FixedSteps{100}, .residual_every = 1}),
      wished_case("tail_average", noisy, 6, {.name = MethodName::Fedrk, .average = TailBurnIn{10}},
                  {.seed = 28, .rounds = 30, .participants = 3}),
  };
}

/// The clients' seeds derive from the plan's, as in a run within one process.
inline std::vector<Client> clients_for(const EngineCase& test_case) {
  return clients_of(generate(test_case.problem).system, test_case.clients, test_case.options.seed);
}

/// Everything about a run that must not depend on the engine.
struct Trace {
  std::vector<std::vector<double>> iterates;
  std::vector<double> residuals;
  Termination termination{};
  std::optional<double> final_residual;
  friend bool operator==(const Trace&, const Trace&) = default;
};

inline Trace trace_of(Engine& engine, const EngineCase& test_case) {
  struct Recorder final : RoundObserver {
    Trace trace;
    void on_round(const RoundRecord& record, std::span<const double> x) override {
      trace.iterates.emplace_back(x.begin(), x.end());
      trace.residuals.push_back(record.relative_residual.value_or(-1.0));
    }
  } recorder;
  RoundObserver* const observers[] = {&recorder};
  const FederatedRun run(test_case.options);
  const auto method = test_case.method ? test_case.method(engine) : nullptr;
  const RunResult result = method ? run.run(engine, *method, {}, observers) : run.run(engine, {}, observers);
  recorder.trace.termination = result.termination;
  recorder.trace.final_residual = result.relative_residual;
  return recorder.trace;
}

}  // namespace fedrk::test
