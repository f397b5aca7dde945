// SPDX-License-Identifier: Apache-2.0
#include "methods/method_options.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "fedrk/error.hpp"
#include "methods/conjugate_gradients.hpp"
#include "methods/fedrk_method.hpp"
#include "methods/gram_method.hpp"
#include "methods/hyperplane_method.hpp"
#include "methods/private_gram.hpp"
#include "methods/private_mean.hpp"
#include "methods/sparse_kaczmarz.hpp"
#include "methods/tail_average.hpp"
#include "round/task_cost.hpp"

namespace fedrk {
namespace {

// Makes the method of each goal.
struct Maker {
  const MethodOptions& options;
  const RunOptions& run;
  const Engine& engine;
  const FitSetup& setup;

  std::unique_ptr<Method> operator()(const Equations& goal) const {
    return std::make_unique<HyperplaneMethod>(HyperplaneOptions{.local_budget = run.local_budget,
                                                                .reveal = goal.reveal,
                                                                .memory = goal.memory,
                                                                .grows = goal.grows,
                                                                .memory_limit = options.memory_limit,
                                                                .server_budget = run.server_budget,
                                                                .server_sampling = run.server_sampling,
                                                                .seed = run.seed,
                                                                .sparsity = run.sparsity,
                                                                .noise_columns = run.noise_columns},
                                              engine.roster().size());
  }
  std::unique_ptr<Method> operator()(const LeastSquares& goal) const {
    const std::size_t unknowns = engine.dimension();
    const FitOptions fit{.tolerance = run.tolerance,
                         .intercept = setup.intercept,
                         .penalty = ridge_penalty(goal.ridge, setup.intercept, setup.frame, unknowns, setup.spread),
                         .frame = setup.frame,
                         .column_norms = setup.column_norms,
                         .pairs = pairs_are_cheap(engine.roster(), unknowns),
                         .certify = engine.wants_certificate(),
                         .memory_limit = options.memory_limit};
    if (is_by_gram(goal, unknowns, setup.link) && products_are_allowed(goal)) {
      return std::make_unique<GramMethod>(fit, engine.roster());
    }
    return std::make_unique<ConjugateGradients>(fit, engine.roster());
  }
  // The products of all columns, the right-hand side with them. Where owners do not let so much be shown, conjugate
  // gradients go as far as they may.
  bool products_are_allowed(const LeastSquares& goal) const {
    const Allowance left = engine.allowance();
    const std::uint64_t wanted = cost_of({.round = {}, .x = {}, .work = CrossProducts{}}, engine.dimension()).columns;
    if (wanted <= left.columns) return true;
    if (goal.by == MethodName::Auto) return false;
    throw InvalidArgument("the owners of the rows let the sums of a group show the products of " +
                          std::to_string(left.columns) + " columns (max-share), and this plan wants " +
                          std::to_string(wanted) +
                          ", the intercept and the target with them: leave columns out, or let a sum have more rows by "
                          "larger groups (--participants), or everyone");
  }
  std::unique_ptr<Method> operator()(const FedRk&) const { return std::make_unique<FedrkMethod>(run); }
  std::unique_ptr<Method> operator()(const SparseEquations& goal) const {
    const auto* steps = std::get_if<FixedSteps>(&run.server_budget);
    return std::make_unique<SparseKaczmarz>(SparseOptions{goal.lambda, std::get<FixedSteps>(run.local_budget),
                                                          goal.reveal, steps ? steps->count : 1000, run.seed});
  }
  std::unique_ptr<Method> operator()(const Private& goal) const {
    const auto shape = public_shape(engine.roster(), engine.dimension(), run.participants);
    if (goal.options.mechanism == privacy::Mechanism::Gram) {
      return std::make_unique<PrivateGram>(privacy::make_gram_plan(goal.options, shape));
    }
    return std::make_unique<PrivateMean>(privacy::make_privacy_plan(goal.options, shape, run.rounds));
  }
};

// A fit is a sum over all rows; what concerns local steps, selections and what the server sees has no part in it.
void validate_fit(const MethodOptions& options, const RunOptions& run) {
  const auto refuse = [](bool wrong, const char* message) {
    if (wrong) throw InvalidArgument(message);
  };
  const bool by_name = options.name == MethodName::Gram || options.name == MethodName::Cg;
  refuse(by_name && !options.fits(), "the methods gram and cg are for fits: use fedrk fit, or --least-squares");
  if (!options.fits()) return;
  refuse(options.name == MethodName::Fedrk || options.hyperplanes || options.memory,
         "least squares and ridge regression use no hyperplanes: leave out FedRK, hyperplanes and memory");
  refuse(options.reveal == Reveal::Updates,
         "least squares and ridge regression need sums only: leave out --reveal updates");
  refuse(
      options.soft > 0.0 || options.refit || options.average || run.sparsity > 0 || run.noise_columns > 0,
      "soft thresholding, refits, averages, entries to keep and noise columns are not part of a fit: leave them out");
}

// Whatever else would be told of the rows, or would make of the noise what it is not.
void validate_private(const MethodOptions& options, const RunOptions& run) {
  const auto refuse = [](bool wrong, const char* message) {
    if (wrong) throw InvalidArgument(message);
  };
  options.privacy.validate();
  const privacy::PrivacyOptions& privacy = options.privacy;
  if (!privacy.on()) {
    return refuse(
        privacy.clip || privacy.row_clip || privacy.min_answers > 0 || privacy.mechanism != privacy::Mechanism::Auto,
        "a clip, a mechanism and a least number of answers are for differential privacy: give an epsilon too");
  }
  refuse(options.name == MethodName::Fedrk || options.reveal == Reveal::Updates,
         "differential privacy needs sums: single updates would have too little noise");
  refuse(run.tolerance > 0.0 || (run.residual_every > 0 && run.residual_every != RunOptions::kNever),
         "residuals are not private: with an epsilon the number of rounds is fixed, without tolerance");
  refuse(options.fits() || options.soft > 0.0 || options.refit || options.average || run.sparsity > 0,
         "differential privacy has methods of its own, clipped passes and a noisy Gram sum: leave out fits, soft "
         "thresholding, refits, "
         "averages and entries to keep");
  refuse(options.memory || options.hyperplanes || run.noise_columns > 0,
         "differential privacy knows no hyperplanes, memory or noise columns: leave them out");
  refuse(run.participants == 1 || run.participants == 2, "differential privacy needs at least 3 participants a round");
}

}  // namespace

bool MethodOptions::refits(const RunOptions& run) const {
  return refit || (run.sparsity > 0 && soft == 0.0 && run.noise_columns == 0);
}

Goal goal_of(const MethodOptions& options, const RunOptions& run) {
  if (options.privacy.on()) return Private{options.privacy};
  if (options.name == MethodName::Fedrk || options.hyperplanes == HyperplaneKind::Fedrk) return FedRk{};
  if (options.fits()) return LeastSquares{options.ridge, options.name, options.fit};
  const Reveal reveal = options.reveal.value_or(Reveal::Sums);
  if (options.soft > 0.0) return SparseEquations{options.soft, reveal};
  const bool asked_for_more = options.hyperplanes || options.memory || options.reveal == Reveal::Sums;
  if (!asked_for_more && (run.sparsity > 0 || run.noise_columns > 0)) return FedRk{};
  return Equations{reveal, options.memory.value_or(Equations{}.memory), !options.memory};
}

void MethodOptions::validate(const RunOptions& run) const {
  const auto refuse = [](bool wrong, const char* message) {
    if (wrong) throw InvalidArgument(message);
  };
  validate_private(*this, run);
  validate_fit(*this, run);
  refuse(!(ridge >= 0.0 && soft >= 0.0), "the weights of penalties are positive");
  const bool by_fedrk = name == MethodName::Fedrk || hyperplanes == HyperplaneKind::Fedrk;
  refuse(by_fedrk && soft > 0.0, "FedRK knows no soft thresholding");
  refuse(by_fedrk && memory.value_or(0) > 0,
         "FedRK's own hyperplanes do not hold the solutions, so a memory of them "
         "would be wrong; memory needs valid ones");
  refuse(by_fedrk && reveal == Reveal::Sums, "FedRK needs every client's update, not their sum");
  refuse(name == MethodName::Fedrk && hyperplanes == HyperplaneKind::Valid, "FedRK has its own hyperplanes");
  refuse(run.noise_columns > 0 && !is<FedRk>(goal_of(*this, run)),
         "noise columns are FedRK's way with noisy data: leave them out, or use that method");
  const bool hard = run.sparsity > 0 && soft == 0.0;
  refuse(
      hard && (memory.value_or(0) > 0 || reveal == Reveal::Sums),
      "keeping s entries takes x off the hyperplanes, so it has no use for a memory, and with sums it would need one: "
      "soft thresholding works with sums");
  refuse(soft > 0.0 && run.sparsity > 0 && !refit,
         "soft thresholding needs no number of entries to keep; with a refit it is the number that is fitted");
  refuse(soft > 0.0 && std::holds_alternative<ExactProjection>(run.local_budget),
         "soft thresholding has no exact projection: give a number of local steps");
  refuse(soft > 0.0 && memory.value_or(0) > 0, "soft thresholding keeps no memory");
  refuse(refit && soft == 0.0 && run.sparsity == 0, "a refit needs a selection: soft thresholding or entries to keep");
  refuse(refit && run.noise_columns > 0, "a refit does without noise columns");
}

bool is_by_gram(const LeastSquares& goal, std::size_t unknowns, const LinkSpeed& link) {
  if (goal.by == MethodName::Gram) return true;
  return goal.by == MethodName::Auto && goal.data && gram_is_quicker(unknowns, link);
}

std::unique_ptr<Method> make_method(const MethodOptions& options, const RunOptions& run, const Engine& engine,
                                    const FitSetup& setup) {
  auto method = std::visit(Maker{options, run, engine, setup}, goal_of(options, run));
  if (!options.average) return method;
  return std::make_unique<TailAverage>(std::move(method), options.average->rounds.value_or(run.rounds / 2));
}

}  // namespace fedrk
