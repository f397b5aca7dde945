// SPDX-License-Identifier: Apache-2.0
#include "analysis/privacy_forecast.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "fedrk/generate.hpp"
#include "fedrk/in_process_engine.hpp"
#include "fedrk/run.hpp"
#include "linalg/kernels.hpp"
#include "linalg/random/rng_stream.hpp"
#include "methods/conjugate_gradients.hpp"
#include "methods/private_mean.hpp"
#include "problem/partition.hpp"

namespace fedrk {
namespace {

constexpr std::uint64_t kTries = 3;
constexpr double kMaxOperations = 4e8;
constexpr std::uint32_t kGradientRounds = 30;  // of conjugate gradients, for condition numbers near one

/// A federation to try the plan on: one client for each participant.
struct Model {
  privacy::PrivacyPlan plan;
  std::size_t rows = 0, clients = 0, unknowns = 0;
};

// The noise in x after the last round, by the size of an entry.
double last_noise(const privacy::PrivacyPlan& plan, std::size_t participants) {
  const auto k = static_cast<double>(participants);
  return plan.rounds.back().pass.noise / std::sqrt(k);
}

// Of all tries, for one row of each client: to make it, to step on it, and to find the least-squares solution.
double cost_of_a_row(const Model& model) {
  const double entry = 50.0 + 6.0 * static_cast<double>(model.plan.rounds.size()) + 4.0 * kGradientRounds;
  return entry * static_cast<double>(kTries * model.clients * model.unknowns);
}

// A pass over a part of the rows with clips longer by the same factor goes as far.
void thin_out(Model& model) {
  const auto most = static_cast<std::size_t>(std::max(1.0, kMaxOperations / cost_of_a_row(model)));
  if (model.rows <= most) return;
  const double factor = static_cast<double>(model.rows) / static_cast<double>(most);
  for (privacy::PrivateRound& round : model.plan.rounds) round.pass.clip *= factor;
  model.rows = most;
}

InProcessEngine engine_of(const Model& model, std::uint64_t seed) {
  const std::size_t rows = model.rows * model.clients;
  GeneratedProblem made = generate({.rows = rows, .cols = model.unknowns, .noise = 0.5, .seed = seed});
  const Partition partition = partition_contiguous(rows, model.clients);
  auto parts = split(std::move(made.system), partition);
  std::vector<Client> clients;
  for (std::uint32_t i = 0; i < parts.size(); ++i) {
    clients.emplace_back(ClientId{i}, partition.names[i], RowBlock(std::move(parts[i])),
                         client_seed(seed, partition.names[i]));
  }
  return InProcessEngine(std::move(clients), 1);
}

double error_of_a_try(const Model& model, std::uint64_t seed) {
  InProcessEngine engine = engine_of(model, seed);
  RunOptions run{.rounds = kGradientRounds, .residual_every = RunOptions::kNever};
  ConjugateGradients exactly({}, engine.roster());
  const std::vector<double> truth = FederatedRun(run).run(engine, exactly).x;
  run.rounds = static_cast<std::uint32_t>(model.plan.rounds.size());
  PrivateMean privately(model.plan);
  const std::vector<double> x = FederatedRun(run).run(engine, privately).x;
  return distance(x, truth) / std::sqrt(squared_norm(truth));
}

}  // namespace

PrivacyForecast forecast(const privacy::PrivacyPlan& plan, const privacy::PublicShape& shape) {
  PrivacyForecast told{last_noise(plan, shape.participants), plan.rounds.back().sigma};
  Model model{plan, std::max<std::size_t>(1, shape.rows / shape.clients), shape.participants, shape.unknowns};
  // The noise of the last round alone is too much, and there are too many columns to find out by how much.
  if (told.relative_error > kHopeless && cost_of_a_row(model) > kMaxOperations) return told;
  thin_out(model);
  std::vector<double> errors;
  for (std::uint64_t seed = 1; seed <= kTries; ++seed) errors.push_back(error_of_a_try(model, seed));
  std::ranges::sort(errors);
  told.relative_error = errors[kTries / 2];
  return told;
}

}  // namespace fedrk
