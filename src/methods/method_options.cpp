// SPDX-License-Identifier: Apache-2.0
#include "fedrk/methods/method_options.hpp"

#include <algorithm>
#include <cmath>

#include "fedrk/base/error.hpp"
#include "fedrk/federated/published_method.hpp"
#include "fedrk/methods/conjugate_gradients.hpp"
#include "fedrk/methods/gram_method.hpp"
#include "fedrk/methods/hyperplane_method.hpp"
#include "fedrk/methods/private_mean.hpp"
#include "fedrk/methods/sparse_kaczmarz.hpp"
#include "fedrk/methods/tail_average.hpp"

namespace fedrk {
namespace {

constexpr std::size_t kUsualMemory = 5;

Reveal reveal_of(const MethodOptions& options) { return options.reveal.value_or(Reveal::Sums); }

HyperplaneOptions hyperplane_options(const MethodOptions& options, const RunOptions& run) {
  return {.local_budget = run.local_budget,
          .reveal = reveal_of(options),
          .memory = options.memory.value_or(kUsualMemory),
          .grows = !options.memory,
          .memory_limit = options.memory_limit,
          .server_budget = run.server_budget,
          .server_sampling = run.server_sampling,
          .seed = run.seed,
          .sparsity = run.sparsity,
          .noise_columns = run.noise_columns};
}

std::unique_ptr<Method> fit_method(const MethodOptions& options, const RunOptions& run, const Engine& engine,
                                   const FitSetup& setup) {
  const std::size_t unknowns = engine.dimension();
  const FitOptions fit{.tolerance = run.tolerance,
                       .intercept = setup.intercept,
                       .penalty = ridge_penalty(options.ridge, setup.intercept, setup.frame, unknowns, setup.spread),
                       .frame = setup.frame,
                       .column_norms = setup.column_norms,
                       .pairs = pairs_are_cheap(engine.roster(), unknowns),
                       .memory_limit = options.memory_limit};
  if (fits_by_gram(options, unknowns, setup.link)) return std::make_unique<GramMethod>(fit, engine.roster());
  return std::make_unique<ConjugateGradients>(fit, engine.roster());
}

std::unique_ptr<Method> without_average(const MethodOptions& options, const RunOptions& run, const Engine& engine,
                                        const FitSetup& setup) {
  const auto roster = engine.roster();
  if (options.privacy.on()) {
    return std::make_unique<PrivateMean>(privacy::make_privacy_plan(
        options.privacy, public_shape(roster, engine.dimension(), run.participants), run.rounds));
  }
  if (options.is_published(run)) return std::make_unique<PublishedMethod>(run);
  if (options.fits()) return fit_method(options, run, engine, setup);
  if (options.soft > 0.0) {
    const auto* steps = std::get_if<FixedSteps>(&run.server_budget);
    return std::make_unique<SparseKaczmarz>(SparseOptions{options.soft, std::get<FixedSteps>(run.local_budget),
                                                          reveal_of(options), steps ? steps->count : 1000, run.seed});
  }
  return std::make_unique<HyperplaneMethod>(hyperplane_options(options, run), roster.size());
}

// A fit is a sum over all rows; what concerns local steps, selections and what the server sees has no part in it.
void validate_fit(const MethodOptions& options, const RunOptions& run) {
  const auto refuse = [](bool wrong, const char* words) {
    if (wrong) throw InvalidArgument(words);
  };
  const bool by_name = options.name == MethodName::Gram || options.name == MethodName::Cg;
  refuse(by_name && !options.fits(), "the methods gram and cg are for fits: use fedrk fit, or --least-squares");
  if (!options.fits()) return;
  refuse(
      options.name == MethodName::Published || options.hyperplanes || options.memory,
      "least squares and ridge regression use no hyperplanes: leave out the published method, hyperplanes and memory");
  refuse(options.reveal == Reveal::Updates,
         "least squares and ridge regression need sums only: leave out --reveal updates");
  refuse(
      options.soft > 0.0 || options.refit || options.average || run.sparsity > 0 || run.noise_columns > 0,
      "soft thresholding, refits, averages, entries to keep and noise columns are not part of a fit: leave them out");
}

// Whatever else would be told of the rows, or would make of the noise what it is not.
void validate_private(const MethodOptions& options, const RunOptions& run) {
  const auto refuse = [](bool wrong, const char* words) {
    if (wrong) throw InvalidArgument(words);
  };
  options.privacy.validate();
  if (!options.privacy.on()) {
    return refuse(options.privacy.clip || options.privacy.least > 0,
                  "a clip and a least number of answers are for differential privacy: give an epsilon too");
  }
  refuse(options.name == MethodName::Published || options.reveal == Reveal::Updates,
         "differential privacy needs sums: single updates would have too little noise");
  refuse(run.tolerance > 0.0 || (run.residual_every > 0 && run.residual_every != RunOptions::kNever),
         "residuals are not private: with an epsilon the number of rounds is fixed, without tolerance");
  refuse(
      options.fits() || options.soft > 0.0 || options.refit || options.average || run.sparsity > 0,
      "differential privacy has one method, clipped steps and their mean: leave out fits, soft thresholding, refits, "
      "averages and entries to keep");
  refuse(options.memory || options.hyperplanes || run.noise_columns > 0,
         "differential privacy knows no hyperplanes, memory or noise columns: leave them out");
  refuse(run.participants == 1 || run.participants == 2, "differential privacy needs at least 3 participants a round");
}

}  // namespace

bool MethodOptions::is_published(const RunOptions& run) const {
  if (name == MethodName::Published || hyperplanes == HyperplaneKind::Published) return true;
  const bool asked_for_more = privacy.on() || hyperplanes || memory || reveal == Reveal::Sums || soft > 0.0 || fits();
  return !asked_for_more && (run.sparsity > 0 || run.noise_columns > 0);
}

bool MethodOptions::refits(const RunOptions& run) const {
  return refit || (run.sparsity > 0 && soft == 0.0 && run.noise_columns == 0);
}

bool MethodOptions::ends_by_itself(const RunOptions& run) const {
  if (fits() || privacy.on()) return true;
  return !is_published(run) && soft == 0.0 && memory.value_or(1) > 0;
}

MethodOptions MethodOptions::settled(const RunOptions& run) const {
  MethodOptions all = *this;
  const bool published = is_published(run);
  all.reveal = published ? Reveal::Updates : reveal_of(*this);
  all.hyperplanes = published ? HyperplaneKind::Published : HyperplaneKind::Valid;
  all.memory = published || soft > 0.0 || privacy.on() || fits() ? 0 : memory.value_or(kUsualMemory);
  return all;
}

void MethodOptions::validate(const RunOptions& run) const {
  const auto refuse = [](bool wrong, const char* words) {
    if (wrong) throw InvalidArgument(words);
  };
  validate_private(*this, run);
  validate_fit(*this, run);
  refuse(!(ridge >= 0.0 && soft >= 0.0), "the weights of penalties are positive");
  const bool published = name == MethodName::Published || hyperplanes == HyperplaneKind::Published;
  refuse(published && soft > 0.0, "the published method knows no soft thresholding");
  refuse(published && memory.value_or(0) > 0,
         "the published hyperplanes do not hold the solutions, so a memory of them "
         "would be wrong; memory needs valid ones");
  refuse(published && reveal == Reveal::Sums, "the published method needs every client's update, not their sum");
  refuse(name == MethodName::Published && hyperplanes == HyperplaneKind::Valid,
         "the published method has published hyperplanes");
  refuse(run.noise_columns > 0 && !is_published(run),
         "noise columns are the published method's way with noisy data: leave them out, or use that method");
  const bool hard = run.sparsity > 0 && soft == 0.0;
  refuse(
      hard && (memory.value_or(0) > 0 || reveal == Reveal::Sums),
      "keeping s entries takes x off the hyperplanes, so it has no use for a memory, and with sums it would need one: "
      "soft thresholding works with sums");
  refuse(soft > 0.0 && run.sparsity > 0 && !refit,
         "soft thresholding needs no number of entries to keep; with a refit it is the number that is fitted");
  refuse(soft > 0.0 && std::holds_alternative<UntilProjected>(run.local_budget),
         "soft thresholding has no exact projection: give a number of local steps");
  refuse(soft > 0.0 && memory.value_or(0) > 0, "soft thresholding keeps no memory");
  refuse(refit && soft == 0.0 && run.sparsity == 0, "a refit needs a selection: soft thresholding or entries to keep");
  refuse(refit && run.noise_columns > 0, "a refit does without noise columns");
}

StepBudget usual_local_budget(const MethodOptions& options, const RunOptions& run,
                              std::span<const ClientSummary> roster, std::size_t gram_memory) {
  if (options.is_published(run) || options.soft > 0.0) return FixedSteps{20};
  std::size_t rows = 1;
  for (const ClientSummary& client : roster) rows = std::max(rows, client.rows);
  if (options.privacy.on()) return FixedSteps{rows};  // a pass
  const bool cheap = StepOptions{.gram_memory = gram_memory}.gram_fits(rows);
  return FixedSteps{(cheap ? 8 : 2) * static_cast<std::uint64_t>(rows)};
}

std::uint32_t usual_rounds(const MethodOptions& options, const RunOptions& run, std::size_t clients) {
  if (options.privacy.on()) return privacy::kUsualRounds;
  if (!options.fits() || run.participants == 0) return RunOptions{}.rounds;
  const auto groups = static_cast<std::uint32_t>(std::max<std::size_t>(1, clients / run.participants + 1));
  return RunOptions{}.rounds * groups;
}

RowSampling usual_sampling(const MethodOptions& options, const RunOptions& run) {
  return options.is_published(run) ? RowSampling::SquaredNorm : RowSampling::Shuffled;
}

bool fits_by_gram(const MethodOptions& options, std::size_t unknowns, const LinkSpeed& link) {
  if (options.name == MethodName::Gram) return true;
  return options.name == MethodName::Auto && options.fit && gram_is_quicker(unknowns, link);
}

std::unique_ptr<Method> make_method(const MethodOptions& options, const RunOptions& run, const Engine& engine,
                                    const FitSetup& setup) {
  auto method = without_average(options, run, engine, setup);
  if (!options.average) return method;
  return std::make_unique<TailAverage>(std::move(method), options.average->rounds.value_or(run.rounds / 2));
}

RunOptions run_options_for(const MethodOptions& options, RunOptions run) {
  if (!options.ends_by_itself(run)) return run;
  run.patience = 0;
  if (options.privacy.on()) {
    run.residual_every = RunOptions::kNever;
    run.tolerance = 0.0;
    return run;
  }
  if (options.soft == 0.0 && run.residual_every == 0) run.residual_every = 1;
  return run;
}

}  // namespace fedrk
