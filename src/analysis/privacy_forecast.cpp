// SPDX-License-Identifier: Apache-2.0
#include "analysis/privacy_forecast.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fedrk/generate.hpp"
#include "fedrk/in_process_engine.hpp"
#include "fedrk/run.hpp"
#include "linalg/kernels.hpp"
#include "linalg/random/rng_stream.hpp"
#include "methods/conjugate_gradients.hpp"
#include "methods/private_gram.hpp"
#include "methods/private_mean.hpp"
#include "problem/partition.hpp"

namespace fedrk {
namespace {

constexpr std::uint64_t kTries = 3;
constexpr double kMaxOperations = 4e8;
constexpr std::uint32_t kGradientRounds = 30;  // of conjugate gradients, for condition numbers near one

/// A federation to try a plan on: one client for each participant.
struct Model {
  std::size_t rows = 0, clients = 0, unknowns = 0;
};

Model model_of(const privacy::PublicShape& shape) {
  return {std::max<std::size_t>(1, shape.rows / shape.clients), shape.participants, shape.unknowns};
}

/// By how much there are fewer rows than there would be.
double thin_out(Model& model, std::size_t most) {
  if (model.rows <= most) return 1.0;
  const double factor = static_cast<double>(model.rows) / static_cast<double>(most);
  model.rows = most;
  return factor;
}

std::size_t affordable_rows(double cost_of_a_row) {
  return static_cast<std::size_t>(std::max(1.0, kMaxOperations / cost_of_a_row));
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

/// Of a method over the tries, relative to the length of the solution.
struct TriedErrors {
  double median = 0.0;
  double along = 0.0;  // the mean of their part along the solution
};

/// Of `count` methods. `make(k)` makes the k-th anew for each try.
template <class Make>
std::vector<TriedErrors> tried_errors(const Model& model, std::size_t rounds, std::size_t count, Make make) {
  std::vector<std::vector<double>> errors(count);
  std::vector<TriedErrors> tried(count);
  for (std::uint64_t seed = 1; seed <= kTries; ++seed) {
    InProcessEngine engine = engine_of(model, seed);
    RunOptions run{.rounds = kGradientRounds, .residual_every = RunOptions::kNever};
    ConjugateGradients exactly({}, engine.roster());
    const std::vector<double> truth = FederatedRun(run).run(engine, exactly).x;
    run.rounds = static_cast<std::uint32_t>(rounds);
    for (std::size_t k = 0; k < count; ++k) {
      auto privately = make(k);
      const std::vector<double> x = FederatedRun(run).run(engine, privately).x;
      errors[k].push_back(distance(x, truth) / std::sqrt(squared_norm(truth)));
      tried[k].along += (dot(x, truth) / squared_norm(truth) - 1.0) / static_cast<double>(kTries);
    }
  }
  for (std::size_t k = 0; k < count; ++k) {
    std::ranges::sort(errors[k]);
    tried[k].median = errors[k][kTries / 2];
  }
  return tried;
}

// Of all tries, for one row of each client: to make it, to ask about it, and to find the least-squares solution.
double cost_of_a_row(const Model& model, double asked) {
  const double entry = 50.0 + asked + 4.0 * kGradientRounds;
  return entry * static_cast<double>(kTries * model.clients * model.unknowns);
}

// ---- Passes.

// The noise in x after the last round, by the size of an entry.
double last_noise(const privacy::PrivacyPlan& plan, std::size_t participants) {
  const auto k = static_cast<double>(participants);
  return plan.rounds.back().pass.noise / std::sqrt(k);
}

// ---- A Gram sum.

// Of Gaussian columns and a solution with entries of one, the noise in an entry of d - E x, by the number of rows.
double first_order(const privacy::GramPlan& plan, const privacy::PublicShape& shape) {
  const double sigma = plan.work.noise * std::sqrt(static_cast<double>(shape.participants));
  const double weight = plan.work.rhs_weight;
  const double entry = 0.5 * (static_cast<double>(shape.unknowns) + 1.0 + 1.0 / (weight * weight));
  return sigma * std::sqrt(entry) / static_cast<double>(shape.rows);
}

}  // namespace

namespace {

// A pass over a part of the rows with clips longer by the same factor goes as far.
privacy::PrivacyPlan with_longer_clips(privacy::PrivacyPlan plan, double factor, bool noise) {
  for (privacy::PrivateRound& round : plan.rounds) {
    round.pass.clip *= factor;
    if (!noise) round.pass.noise = 0.0;
  }
  return plan;
}

// Longer clips hover more, too: of the error without noise, what is not along the solution (which was not reached then)
// comes of single rows, and its square would be `factor` times smaller with all of them.
double without_hovering(const TriedErrors& noisy, const TriedErrors& bare, double factor) {
  const double hovers = std::max(0.0, bare.median * bare.median - bare.along * bare.along);
  return std::sqrt(std::max(0.0, noisy.median * noisy.median - hovers * (1.0 - 1.0 / factor)));
}

}  // namespace

PrivacyForecast forecast(const privacy::PrivacyPlan& plan, const privacy::PublicShape& shape) {
  PrivacyForecast told{last_noise(plan, shape.participants), plan.rounds.back().sigma};
  Model model = model_of(shape);
  const double cost = cost_of_a_row(model, 12.0 * static_cast<double>(plan.rounds.size()));
  // The noise of the last round alone is too much, and there are too many columns to find out by how much.
  if (told.relative_error > kHopeless && cost > kMaxOperations) return told;
  const double factor = thin_out(model, affordable_rows(cost));
  const auto tried = tried_errors(model, plan.rounds.size(), 2,
                                  [&](std::size_t k) { return PrivateMean(with_longer_clips(plan, factor, k == 0)); });
  told.relative_error = without_hovering(tried[0], tried[1], factor);
  return told;
}

namespace {

// Fewer rows make smaller sums: with less noise by the same factor it is as large beside them. Rows are as they were,
// and so is what shortens them.
std::vector<PrivacyForecast> forecasts(std::span<const privacy::GramPlan> plans, const privacy::PublicShape& shape) {
  std::vector<PrivacyForecast> told;
  for (const privacy::GramPlan& plan : plans) told.push_back({first_order(plan, shape), plan.sigma});
  Model model = model_of(shape);
  constexpr std::size_t kRowsOfAColumn = 20;
  const double asked = 1.5 * static_cast<double>(plans.size() * shape.unknowns);
  const std::size_t affordable = affordable_rows(cost_of_a_row(model, asked));
  const std::size_t enough = kRowsOfAColumn * shape.unknowns / model.clients + 1;
  if (affordable < std::min(enough, model.rows)) return told;
  const double factor = thin_out(model, affordable);
  const auto tried = tried_errors(model, 1, plans.size(), [&](std::size_t k) {
    privacy::GramPlan thinned = plans[k];
    thinned.work.noise /= factor;
    thinned.work.exponent -= std::ilogb(factor);
    return PrivateGram(thinned);
  });
  for (std::size_t k = 0; k < plans.size(); ++k) told[k].relative_error = tried[k].median;
  return told;
}

// Short rows let less noise do, long ones are nearer to least squares.
MechanismChoice best_gram(privacy::PrivacyOptions options, const privacy::PublicShape& shape) {
  options.mechanism = privacy::Mechanism::Gram;
  const privacy::GramPlan usual = make_gram_plan(options, shape);
  std::vector<privacy::GramPlan> plans;
  for (const double factor : {0.75, 1.0, 1.3, 1.7, 2.2}) {
    if (options.row_clip && factor != 1.0) continue;
    privacy::PrivacyOptions tried = options;
    tried.row_clip = factor * usual.work.bound;
    plans.push_back(make_gram_plan(tried, shape));
  }
  const std::vector<PrivacyForecast> told = forecasts(plans, shape);
  const auto best = std::ranges::min_element(told, {}, &PrivacyForecast::relative_error);
  options.row_clip = plans[static_cast<std::size_t>(best - told.begin())].work.bound;
  return {options, *best, {}, 1, usual.min_answers};
}

MechanismChoice passes(privacy::PrivacyOptions options, const privacy::PublicShape& shape, std::uint32_t rounds) {
  options.mechanism = privacy::Mechanism::Passes;
  const privacy::PrivacyPlan plan = make_privacy_plan(options, shape, rounds);
  return {options, forecast(plan, shape), {}, plan.rounds.size(), plan.min_answers};
}

}  // namespace

PrivacyForecast forecast(const privacy::GramPlan& plan, const privacy::PublicShape& shape) {
  return forecasts(std::span(&plan, 1), shape)[0];
}

MechanismChoice choose_mechanism(const privacy::PrivacyOptions& options, const privacy::PublicShape& shape,
                                 std::uint32_t rounds) {
  using privacy::Mechanism;
  if (options.mechanism == Mechanism::Gram || options.row_clip) return best_gram(options, shape);
  const bool one_sum = shape.participants == shape.clients;
  if (options.mechanism == Mechanism::Passes || options.clip || !one_sum) return passes(options, shape, rounds);
  MechanismChoice one = passes(options, shape, rounds), other = best_gram(options, shape);
  if (other.forecast.relative_error < one.forecast.relative_error) std::swap(one, other);
  one.other = other.forecast.relative_error;
  return one;
}

}  // namespace fedrk
