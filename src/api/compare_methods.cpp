// SPDX-License-Identifier: Apache-2.0
#include "api/compare_methods.hpp"

#include <algorithm>
#include <new>

#include <fmt/format.h>

#include "analysis/comparison.hpp"
#include "analysis/survey.hpp"
#include "fedrk/in_process_engine.hpp"
#include "methods/others/pooled.hpp"
#include "plan/memory.hpp"
#include "report/text.hpp"

namespace fedrk::api {
namespace {

using io::available_memory;

std::vector<ClientShape> shapes_of(const std::vector<Client>& clients) {
  std::vector<ClientShape> shapes;
  for (const Client& client : clients) {
    const ClientSurvey found = survey(client);
    shapes.push_back({found.rows, found.nonzeros});
  }
  return shapes;
}

// A direct solver on all rows takes about this many operations.
double direct_cost(const io::Federation& federation) {
  const auto rows = static_cast<double>(federation.problem.rows),
             cols = static_cast<double>(federation.problem.unknowns.size());
  return federation.problem.sparse ? 0.0 : 4.0 * rows * cols * std::min(rows, cols);
}

Result<std::vector<Contender>> chosen(const std::vector<std::string>& names, std::vector<Contender> all) {
  if (names.empty() || names == std::vector<std::string>{"all"}) return all;
  std::vector<Contender> list;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(all, name, &Contender::name);
    if (found == all.end()) {
      std::vector<std::string> known;
      for (const Contender& contender : all) known.push_back(contender.name);
      return Error{fmt::format("--methods: no '{}' here; there are {}", name, fmt::join(known, ", "))};
    }
    list.push_back(*found);
  }
  return list;
}

// What errors are measured by: the known solution where it is the one to find, that is, where few entries are asked for
// or where it solves the equations and they leave no choice; else the least-squares solution nearest to the start, if a
// direct solver is affordable.
io::Reference find_reference(const io::Federation& federation, Engine& engine, ComparisonOptions& options) {
  constexpr double kAffordable = 4e11, kSolves = 1e-12;  // some minutes; the relative residual of rounding
  if (!federation.problem.truth.empty()) {
    const bool enough_rows = federation.problem.rows >= federation.problem.unknowns.size();
    const auto solves = [&] { return measure_residual(engine, federation.problem.truth).value_or(1.0) <= kSolves; };
    const bool costly = direct_cost(federation) > kAffordable;
    if (options.run.sparsity > 0 || costly || (enough_rows && solves())) {
      options.reference = federation.problem.truth;
      return io::Reference::Truth;
    }
  }
  if (options.run.sparsity > 0 || direct_cost(federation) > kAffordable) return io::Reference::None;
  Pooled direct(engine.roster().size(), direct_solution);
  options.reference = FederatedRun({.seed = options.run.seed, .rounds = 1}).run(engine, direct, options.start).x;
  return io::Reference::DirectSolution;
}

// Notes on what the table cannot say.
std::vector<std::string> notes_on(const io::FinishedComparison& comparison, Engine& engine,
                                  const ComparisonOptions& options) {
  std::vector<std::string> notes;
  const auto& outcomes = comparison.outcomes;
  const bool by_error = comparison.reference != io::Reference::None;
  if (!outcomes.empty() && std::ranges::none_of(outcomes, &Outcome::reached)) {
    const auto& level = by_error ? outcomes.front().error : outcomes.front().residual;
    notes.push_back(
        fmt::format("No method reached the target, so they are sorted by {}; the least is {} by {}. --error sets "
                    "another target.",
                    by_error ? "error" : "residual", level ? brief(*level) : "not known", outcomes.front().label));
  }
  if (comparison.reference == io::Reference::DirectSolution) {
    const auto residual = measure_residual(engine, options.reference);
    if (residual && *residual > 1e-9) {
      notes.push_back(
          fmt::format("The equations contradict each other: the least-squares solution leaves a relative "
                      "residual of {}. Kaczmarz steps then hover around it, and the error of such a method is "
                      "that of its last iterate.",
                      brief(*residual)));
    }
  }
  return notes;
}

std::vector<std::size_t> support_of(const std::vector<double>& truth) {
  std::vector<std::size_t> support;
  for (std::size_t j = 0; j < truth.size(); ++j) {
    if (truth[j] != 0.0) support.push_back(j);
  }
  return support.size() == truth.size() ? std::vector<std::size_t>{} : support;
}

double stored_numbers(const std::vector<ClientShape>& shapes) {
  double numbers = 0.0;
  for (const ClientShape& shape : shapes) numbers += static_cast<double>(shape.nonzeros);
  return numbers;
}

// Why a method cannot run here; empty where it can.
std::string too_large(const Contender& contender) {
  const auto available = available_memory();
  if (!available || contender.memory <= *available) return "";
  return fmt::format("which would hold {} at once while {} are free", bytes_text(contender.memory),
                     bytes_text(*available));
}

// One method that cannot be run takes nothing from the others.
void run_methods(const std::vector<Contender>& list, Engine& engine, const std::vector<ClientShape>& shapes,
                 const ComparisonOptions& options, const CompareOptions& wanted, io::FinishedComparison& comparison) {
  const auto stopped = [&] { return wanted.stop != nullptr && wanted.stop->requested(); };
  for (std::size_t k = 0; k < list.size(); ++k) {
    std::string why = stopped() ? "as the comparison was stopped" : too_large(list[k]);
    if (why.empty()) {
      if (wanted.observer != nullptr) wanted.observer->begin(k, list.size(), options.run.rounds, list[k].label);
      try {
        comparison.outcomes.push_back(compete(list[k], engine, shapes, options, wanted.stop, wanted.observer));
        if (!stopped()) continue;
        comparison.outcomes.pop_back();
        why = "as the comparison was stopped";
      } catch (const std::bad_alloc&) {
        why = "for which the memory was not enough";
      }
    }
    comparison.left_out.push_back({list[k].name, why});
  }
  comparison.interrupted = stopped();
}

}  // namespace

io::Plan comparison_plan(io::Plan plan) {
  plan.row_sampling = plan.row_sampling.value_or(StepOptions{}.sampling);  // as in FedRK: one order for all methods
  plan.method = {};                                                        // every contender has its own
  plan.job = io::Job::Solve;  // and all have the rows as a solver would: scaled where the plan says so
  return plan;
}

Result<io::FinishedComparison> compare_methods(const CompareOptions& wanted, const io::Plan& plan,
                                               io::Federation federation) {
  const std::vector<ClientShape> shapes = shapes_of(federation.clients);
  InProcessEngine engine(std::move(federation.clients), wanted.threads);
  RunOptions run = plan.run;
  run.rounds = plan.rounds.value_or(run.rounds);
  run.local_budget = plan.local_steps.value_or(run.local_budget);
  ComparisonOptions options{run, wanted.target, {}, federation.problem.start};
  ContenderOptions all{.run = run, .soft = wanted.soft, .fixed = federation.problem.intercept ? 1U : 0U};
  all.pooled_accuracy = 0.01 * wanted.target;  // a residual tells the error only up to the condition number
  if (federation.problem.sparse) all.stored_numbers = stored_numbers(shapes);
  all.stop = wanted.stop;
  const auto list = chosen(wanted.methods, contenders(engine, all));
  if (!list) return list.error();

  io::FinishedComparison comparison;
  comparison.title = wanted.title;
  comparison.rows = federation.problem.rows;
  comparison.clients = shapes.size();
  comparison.unknowns = federation.problem.unknowns;
  comparison.seed = plan.run.seed;
  comparison.target = wanted.target;
  if (wanted.observer != nullptr) wanted.observer->prepare("what errors are measured by");
  comparison.reference = find_reference(federation, engine, options);
  comparison.true_support = support_of(federation.problem.truth);
  run_methods(*list, engine, shapes, options, wanted, comparison);
  sort_outcomes(comparison.outcomes, wanted.sort);
  comparison.notes = notes_on(comparison, engine, options);
  return comparison;
}

}  // namespace fedrk::api
