// SPDX-License-Identifier: Apache-2.0
#include "analysis/hyperplane_contenders.hpp"

#include <algorithm>
#include <cstdio>
#include <string>

#include "methods/method_options.hpp"

namespace fedrk {
namespace {

constexpr std::size_t kFewRounds = 5, kManyRounds = 20;   // of memory
constexpr double kFullMemory = 1024.0 * 1024.0 * 1024.0;  // bytes that all hyperplanes may take

// The method that these options make, to be run until the target, whatever tolerance a plan asks for.
std::function<ReadyMethod(Engine&)> made_of(const MethodOptions& options, RunOptions run) {
  run.tolerance = 0.0;
  return [options, run](Engine& engine) { return ReadyMethod{make_method(options, run, engine), ""}; };
}

// An orthonormal basis of all that the rounds can say: no more vectors than unknowns, equations, or answers.
double full_memory_bytes(const Engine& engine, const RunOptions& run) {
  const auto n = static_cast<double>(engine.dimension());
  const std::size_t each = run.participants == 0 ? engine.roster().size() : run.participants;
  const double answers = static_cast<double>(run.rounds) * static_cast<double>(each);
  return sizeof(double) * n * std::min({n, totals_of(engine.roster()).rows, answers});
}

// The vectors of this many rounds and of the present one.
double memory_bytes(const Engine& engine, std::size_t rounds, std::size_t vectors_a_round) {
  return sizeof(double) * static_cast<double>(engine.dimension()) * static_cast<double>((rounds + 1) * vectors_a_round);
}

Contender with_memory(std::string name, std::string label, std::string about, const MethodOptions& options,
                      const RunOptions& run, double bytes) {
  return {.name = std::move(name),
          .label = std::move(label),
          .server_sees = options.reveal == Reveal::Sums ? kSeesOneSum : kSeesUpdates,
          .about = std::move(about),
          .make = made_of(options, run),
          .memory = bytes,
          .watches_residual = true};
}

void add_memories(const Engine& engine, RunOptions run, std::vector<Contender>& list) {
  run.sparsity = 0;  // x kept to few entries would leave the hyperplanes; the largest entries are judged all the same
  const std::size_t each = run.participants == 0 ? engine.roster().size() : run.participants;
  const auto single = [](std::size_t memory) {
    return MethodOptions{.hyperplanes = HyperplaneKind::Valid, .memory = memory, .reveal = Reveal::Updates};
  };
  list.push_back(with_memory(
      "sums", "summed hyperplanes, memory 5",
      "the clients' hyperplanes added up to one that holds every solution, and a projection onto those of the last "
      "rounds together; the server needs no single update",
      {.hyperplanes = HyperplaneKind::Valid, .memory = kFewRounds, .reveal = Reveal::Sums}, run,
      memory_bytes(engine, kFewRounds, 1)));
  list.push_back(with_memory("memory", "single hyperplanes, memory 20",
                             "a projection onto the valid hyperplanes of every client in the last rounds together; a "
                             "single update gives away as much as one of FedRK's",
                             single(kManyRounds), run, memory_bytes(engine, kManyRounds, each)));
  const double full = full_memory_bytes(engine, run);
  if (full > kFullMemory) return;
  list.push_back(
      with_memory("full-memory", "single hyperplanes, all rounds",
                  "a projection onto the valid hyperplanes of every client in all rounds together, which ends "
                  "with one update for each unknown, whatever the condition number",
                  single(HyperplaneMemory::kAll), run, full));
}

}  // namespace

std::string steps_text(const StepBudget& budget) {
  const auto* steps = std::get_if<FixedSteps>(&budget);
  return steps == nullptr ? "inf" : std::to_string(steps->count);
}

void add_hyperplane_contenders(const Engine& engine, const ContenderOptions& options, std::vector<Contender>& list) {
  const RunOptions& run = options.run;
  // Where entries are to be kept it would be FedRK.
  if (run.sparsity == 0) {
    list.push_back(with_memory("auto", "automatic choice",
                               "sums with a memory of 5 rounds, and of all rounds where these are too slow",
                               {.reveal = Reveal::Sums}, run, memory_bytes(engine, kFewRounds, 1)));
  }
  add_memories(engine, run, list);
  list.push_back(
      {.name = "valid",
       .label = "valid hyperplanes, no memory",
       .server_sees = kSeesUpdates,
       .about = "FedRK with hyperplanes that hold every solution, whatever the number of "
                "local steps",
       .make = made_of({.hyperplanes = HyperplaneKind::Valid, .memory = 0, .reveal = Reveal::Updates}, run)});
  list.push_back({.name = "tail",
                  .label = "FedRK, tail average",
                  .server_sees = kSeesUpdates,
                  .about = "FedRK, whose answer is the mean of its iterates after half of all rounds",
                  .make = made_of({.name = MethodName::Fedrk, .average = TailBurnIn{}}, run)});
}

void add_soft_contender(const ContenderOptions& options, std::vector<Contender>& list) {
  if (std::holds_alternative<ExactProjection>(options.run.local_budget)) return;
  RunOptions run = options.run;
  run.sparsity = 0;  // nobody has to know how many there are
  char weight[32];
  (void)std::snprintf(weight, sizeof weight, "%.3g", options.soft);
  list.push_back({.name = "soft",
                  .label = "soft thresholding, " + std::string(weight),
                  .server_sees = kSeesOneSum,
                  .about = "sparse Kaczmarz: a dual vector is projected onto one summed hyperplane a round, and its "
                           "entries shrunk by the weight are the answer; it has to be told no number of entries",
                  .make = made_of({.reveal = Reveal::Sums, .soft = options.soft}, run)});
}

}  // namespace fedrk
