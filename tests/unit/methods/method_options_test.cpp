// SPDX-License-Identifier: Apache-2.0
#include "methods/method_options.hpp"

#include <gtest/gtest.h>

#include "fedrk/error.hpp"
#include "methods/conjugate_gradients.hpp"
#include "methods/fedrk_method.hpp"
#include "methods/gram_method.hpp"
#include "methods/hyperplane_method.hpp"
#include "methods/sparse_kaczmarz.hpp"
#include "methods/tail_average.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk {
namespace {

std::string refusal(const MethodOptions& options, const RunOptions& run = {}) {
  try {
    options.validate(run);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "accepted";
}

TEST(MethodOptions, AreRefusedWhereTheWishesDoNotGoTogether) {
  const char* not_of_a_fit =
      "soft thresholding, refits, averages, entries to keep and noise columns are not part of a fit: leave them out";
  for (const MethodOptions& fit :
       {MethodOptions{.ridge = 1.0}, MethodOptions{.least_squares = true}, MethodOptions{.fit = true}}) {
    EXPECT_EQ(refusal(fit), "accepted");
    MethodOptions with = fit;
    with.soft = 1.0;
    EXPECT_EQ(refusal(with), not_of_a_fit);
    EXPECT_EQ(refusal(fit, {.sparsity = 3}), not_of_a_fit);
    EXPECT_EQ(refusal(fit, {.noise_columns = 3}), not_of_a_fit);
    with = fit;
    with.memory = 5;
    EXPECT_TRUE(refusal(with).starts_with("least squares and ridge regression use no hyperplanes"));
    with = fit;
    with.name = MethodName::Fedrk;
    EXPECT_TRUE(refusal(with).starts_with("least squares and ridge regression use no hyperplanes"));
    with = fit;
    with.reveal = Reveal::Updates;
    EXPECT_TRUE(refusal(with).starts_with("least squares and ridge regression need sums only"));
  }
  EXPECT_TRUE(refusal({.name = MethodName::Gram}).starts_with("the methods gram and cg are for fits"));
  EXPECT_EQ(refusal({.name = MethodName::Cg, .least_squares = true}), "accepted");

  const char* negative = "the weights of penalties are positive";
  EXPECT_EQ(refusal({.ridge = -1.0}), negative);
  EXPECT_EQ(refusal({.soft = -1.0}), negative);

  EXPECT_EQ(refusal({.hyperplanes = HyperplaneKind::Fedrk, .soft = 1.0}), "FedRK knows no soft thresholding");

  const char* no_memory =
      "FedRK's own hyperplanes do not hold the solutions, so a memory of them would be wrong; memory needs valid "
      "ones";
  EXPECT_EQ(refusal({.name = MethodName::Fedrk, .memory = 5}), no_memory);
  EXPECT_EQ(refusal({.hyperplanes = HyperplaneKind::Fedrk, .memory = HyperplaneMemory::kAll}), no_memory);
  EXPECT_EQ(refusal({.name = MethodName::Fedrk, .memory = 0}), "accepted");

  const char* no_sums = "FedRK needs every client's update, not their sum";
  EXPECT_EQ(refusal({.name = MethodName::Fedrk, .reveal = Reveal::Sums}), no_sums);
  EXPECT_EQ(refusal({.name = MethodName::Fedrk, .reveal = Reveal::Updates}), "accepted");
  EXPECT_EQ(refusal({.name = MethodName::Fedrk, .hyperplanes = HyperplaneKind::Valid}),
            "FedRK has its own hyperplanes");

  const char* no_noise = "noise columns are FedRK's way with noisy data: leave them out, or use that method";
  EXPECT_EQ(refusal({.soft = 1.0}, {.noise_columns = 3}), no_noise);
  EXPECT_EQ(refusal({.memory = 5}, {.noise_columns = 3}), no_noise);
  EXPECT_EQ(refusal({}, {.noise_columns = 3}), "accepted");

  const char* not_kept =
      "keeping s entries takes x off the hyperplanes, so it has no use for a memory, and with sums it would need one: "
      "soft thresholding works with sums";
  EXPECT_EQ(refusal({.memory = 5}, {.sparsity = 3}), not_kept);
  EXPECT_EQ(refusal({.reveal = Reveal::Sums}, {.sparsity = 3}), not_kept);
  EXPECT_EQ(refusal({.hyperplanes = HyperplaneKind::Valid, .memory = 0, .reveal = Reveal::Updates}, {.sparsity = 3}),
            "accepted");
  EXPECT_EQ(refusal({.soft = 1.0}, {.sparsity = 3}),
            "soft thresholding needs no number of entries to keep; with a refit it is the number that is fitted");

  EXPECT_EQ(refusal({.soft = 1.0, .refit = true}, {.sparsity = 3}), "accepted");

  EXPECT_EQ(refusal({.soft = 1.0}, {.local_budget = ExactProjection{}}),
            "soft thresholding has no exact projection: give a number of local steps");
  EXPECT_EQ(refusal({.memory = 2, .soft = 1.0}), "soft thresholding keeps no memory");
  EXPECT_EQ(refusal({.memory = 0, .soft = 1.0}), "accepted");

  EXPECT_EQ(refusal({.refit = true}), "a refit needs a selection: soft thresholding or entries to keep");
  EXPECT_EQ(refusal({.soft = 1.0, .refit = true}), "accepted");
  EXPECT_EQ(refusal({.refit = true}, {.sparsity = 3}), "accepted");
  EXPECT_EQ(refusal({.refit = true}, {.sparsity = 3, .noise_columns = 2}), "a refit does without noise columns");
  EXPECT_EQ(refusal({}), "accepted");
}

TEST(MethodOptions, LeaveNothingBesideDifferentialPrivacyThatWouldTellMore) {
  const privacy::PrivacyOptions privately{.epsilon = 1.0, .delta = 1e-5};
  EXPECT_EQ(refusal({.privacy = privately}), "accepted");
  EXPECT_EQ(refusal({.reveal = Reveal::Sums, .privacy = privately}), "accepted");
  EXPECT_EQ(refusal({.privacy = {.clip = 1.0}}),
            "a clip, a mechanism and a least number of answers are for differential privacy: give an epsilon too");
  using enum privacy::Mechanism;
  EXPECT_EQ(refusal({.privacy = {.epsilon = 1.0, .mechanism = Passes, .row_clip = 2.0}}),
            refusal({.privacy = {.epsilon = 1.0, .mechanism = Gram, .clip = 2.0}}));
  EXPECT_EQ(refusal({.privacy = {.epsilon = 1.0, .clip = 1.0, .row_clip = 2.0}}),
            "a clip is for passes and a row clip for the noisy Gram sum: give one of them");

  const char* sums = "differential privacy needs sums: single updates would have too little noise";
  EXPECT_EQ(refusal({.reveal = Reveal::Updates, .privacy = privately}), sums);
  EXPECT_EQ(refusal({.name = MethodName::Fedrk, .privacy = privately}), sums);

  const char* residuals = "residuals are not private: with an epsilon the number of rounds is fixed, without tolerance";
  EXPECT_EQ(refusal({.privacy = privately}, {.tolerance = 1e-3}), residuals);
  EXPECT_EQ(refusal({.privacy = privately}, {.residual_every = 5}), residuals);

  const std::string one = "differential privacy has methods of its own";
  EXPECT_TRUE(refusal({.ridge = 1.0, .privacy = privately}).starts_with(one));
  EXPECT_TRUE(refusal({.least_squares = true, .privacy = privately}).starts_with(one));
  EXPECT_TRUE(refusal({.soft = 1.0, .privacy = privately}).starts_with(one));
  EXPECT_TRUE(refusal({.refit = true, .privacy = privately}).starts_with(one));
  EXPECT_TRUE(refusal({.average = TailBurnIn{}, .privacy = privately}).starts_with(one));
  EXPECT_TRUE(refusal({.privacy = privately}, {.sparsity = 3}).starts_with(one));

  const char* no_planes = "differential privacy knows no hyperplanes, memory or noise columns: leave them out";
  EXPECT_EQ(refusal({.memory = 5, .privacy = privately}), no_planes);
  EXPECT_EQ(refusal({.hyperplanes = HyperplaneKind::Valid, .privacy = privately}), no_planes);
  EXPECT_EQ(refusal({.privacy = privately}, {.noise_columns = 2}), no_planes);
  EXPECT_EQ(refusal({.privacy = privately}, {.participants = 2}),
            "differential privacy needs at least 3 participants a round");
  EXPECT_TRUE(refusal({.privacy = {.epsilon = 1.0, .delta = 0.1}}).starts_with("delta is above 0 and below 0.1"));
}

TEST(MethodOptions, AreFedrkByNameOrByItsOwnFeatures) {
  const RunOptions plain, sparse{.sparsity = 3}, noisy{.noise_columns = 2};
  EXPECT_FALSE(is<FedRk>(goal_of({}, plain)));
  EXPECT_TRUE(is<FedRk>(goal_of({.name = MethodName::Fedrk}, plain)));
  EXPECT_TRUE(is<FedRk>(goal_of({.hyperplanes = HyperplaneKind::Fedrk}, plain)));
  EXPECT_TRUE(is<FedRk>(goal_of({}, sparse)));
  EXPECT_TRUE(is<FedRk>(goal_of({}, noisy)));
  EXPECT_TRUE(is<FedRk>(goal_of({.reveal = Reveal::Updates}, sparse)));
  EXPECT_FALSE(is<FedRk>(goal_of({.hyperplanes = HyperplaneKind::Valid}, sparse)));
  EXPECT_FALSE(is<FedRk>(goal_of({.memory = 5}, noisy)));
  EXPECT_FALSE(is<FedRk>(goal_of({.reveal = Reveal::Sums}, sparse)));
  EXPECT_FALSE(is<FedRk>(goal_of({.soft = 1.0}, sparse)));
}

// Eight passes over the largest client's rows where the inner products of 40 rows (12,800 bytes) fit, else two.
TEST(MethodOptions, MakeEightPassesOverTheRowsOrTwoWhereTheyAreCostly) {
  const std::vector<ClientSummary> roster{{ClientId{0}, "a", 10}, {ClientId{1}, "b", 40}, {ClientId{2}, "c", 7}};
  EXPECT_EQ(default_local_budget(goal_of({}, {}), roster, 12800), StepBudget{FixedSteps{320}});
  EXPECT_EQ(default_local_budget(goal_of({}, {}), roster, 12799), StepBudget{FixedSteps{80}});
  EXPECT_EQ(default_local_budget(goal_of({.name = MethodName::Fedrk}, {}), roster, 12800), StepBudget{FixedSteps{20}});
  EXPECT_EQ(default_local_budget(goal_of({.soft = 1.0}, {}), roster, 12800), StepBudget{FixedSteps{20}});
  EXPECT_EQ(default_local_budget(goal_of({}, {.sparsity = 2}), roster, 12800), StepBudget{FixedSteps{20}});
  EXPECT_EQ(default_local_budget(goal_of({}, {}), std::vector<ClientSummary>{{ClientId{0}, "a", 0}}, 12800),
            StepBudget{FixedSteps{8}});
}

TEST(MethodOptions, DrawRowsByNormInFedrkAndShuffleThemInOthers) {
  EXPECT_EQ(default_sampling(goal_of({.name = MethodName::Fedrk}, {})), RowSampling::SquaredNorm);
  EXPECT_EQ(default_sampling(goal_of({}, {.noise_columns = 1})), RowSampling::SquaredNorm);
  EXPECT_EQ(default_sampling(goal_of({}, {})), RowSampling::Shuffled);
  EXPECT_EQ(default_sampling(goal_of({.soft = 1.0}, {})), RowSampling::Shuffled);
}

TEST(MethodOptions, WatchResidualsInEveryRoundUnlessFedrkOrToldOtherwise) {
  const RunOptions run{.patience = 50};
  EXPECT_EQ(run_options_for(goal_of({}, {}), run).residual_every, 1);
  EXPECT_EQ(run_options_for(goal_of({}, {}), run).patience, 0);
  EXPECT_EQ(run_options_for(goal_of({}, {}), {.residual_every = 7}).residual_every, 7);
  EXPECT_EQ(run_options_for(goal_of({.name = MethodName::Fedrk}, {}), run).patience, 50);
  EXPECT_EQ(run_options_for(goal_of({.name = MethodName::Fedrk}, {}), run).residual_every, 0);
}

TEST(MethodOptions, GiveAFitAThousandSweeps) {
  EXPECT_EQ(default_rounds(goal_of({}, {.participants = 3}), {.participants = 3}, 10), 1000);
  EXPECT_EQ(default_rounds(goal_of({.fit = true}, {}), {}, 10), 1000);
  EXPECT_EQ(default_rounds(goal_of({.fit = true}, {.participants = 3}), {.participants = 3}, 10), 4000);
}

template <class Expected>
bool makes(const MethodOptions& options, const RunOptions& run = {}) {
  InProcessEngine engine(test::clients_of(generate({.rows = 12, .cols = 4}).system, 3, 1), 1);
  const auto method = make_method(options, run, engine);
  return dynamic_cast<const Expected*>(method.get()) != nullptr;
}

TEST(MethodOptions, MakeTheMethodTheyName) {
  EXPECT_TRUE(makes<HyperplaneMethod>({}));
  EXPECT_TRUE(makes<HyperplaneMethod>({.reveal = Reveal::Updates}));
  EXPECT_TRUE(makes<GramMethod>({.fit = true}));
  EXPECT_TRUE(makes<GramMethod>({.name = MethodName::Gram, .least_squares = true}));
  EXPECT_TRUE(makes<ConjugateGradients>({.name = MethodName::Cg, .fit = true}));
  EXPECT_TRUE(makes<ConjugateGradients>({.least_squares = true}));
  EXPECT_TRUE(makes<ConjugateGradients>({.ridge = 1.0}));
  EXPECT_TRUE(makes<FedrkMethod>({.name = MethodName::Fedrk}));
  EXPECT_TRUE(makes<FedrkMethod>({}, {.sparsity = 2}));
  EXPECT_TRUE(makes<HyperplaneMethod>({.hyperplanes = HyperplaneKind::Valid}));
  EXPECT_TRUE(makes<HyperplaneMethod>({.memory = 0}));
  EXPECT_TRUE(makes<HyperplaneMethod>({.memory = 7}));
  EXPECT_TRUE(makes<SparseKaczmarz>({.soft = 1.0}));
  EXPECT_TRUE(makes<TailAverage>({.name = MethodName::Fedrk, .average = TailBurnIn{}}));
}

}  // namespace
}  // namespace fedrk
