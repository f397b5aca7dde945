// SPDX-License-Identifier: Apache-2.0
#include "methods/private_gram.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "fedrk/error.hpp"
#include "fedrk/run.hpp"
#include "linalg/dense.hpp"
#include "linalg/kernels.hpp"
#include "methods/exposure.hpp"
#include "methods/gaussian_privacy.hpp"
#include "methods/method_options.hpp"
#include "support/direct_solver.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk {
namespace {

constexpr privacy::PublicShape kGramShape{
    .rows = 80'000, .clients = 8, .max_rows = 10'000, .unknowns = 9, .participants = 8};
const privacy::PrivacyOptions kByGram{.epsilon = 1.0, .delta = 1e-5, .mechanism = privacy::Mechanism::Gram};

TEST(GramPlan, SpendsAllOnOneSumWithEnoughNoiseWithoutOneShare) {
  const privacy::GramPlan plan = make_gram_plan(kByGram, kGramShape);

  EXPECT_NEAR(privacy::rho_of_products(plan.work, kGramShape.max_rows, kGramShape.unknowns, 8),
              privacy::rho_of(1.0, 1e-5), 1e-12);
  EXPECT_NEAR(7.0 * plan.work.noise * plan.work.noise, plan.sigma * plan.sigma, 1e-9 * plan.sigma * plan.sigma);
  // sqrt(2) c^2 / mu
  EXPECT_NEAR(plan.sigma, std::sqrt(2.0) * plan.work.bound * plan.work.bound * 3.7306316, 1e-4 * plan.sigma);
  EXPECT_GE(std::ldexp(plan.work.noise, -plan.work.exponent), 0x1.0p20);
}

TEST(GramPlan, WeighsTheRightHandSideSoThatBothNoisesDoTheSameHarm) {
  const double w = make_gram_plan(kByGram, kGramShape).work.rhs_weight;
  const auto harm = [](double s) { return (1.0 + s) * (1.0 + s) * (9.0 + 1.0 / s); };
  EXPECT_LT(harm(w * w), harm(1.01 * w * w));
  EXPECT_LT(harm(w * w), harm(0.99 * w * w));
}

TEST(GramPlan, KeepsSumsExactWhereThereAreVeryManyRows) {
  privacy::PublicShape shape = kGramShape;
  shape.max_rows = std::size_t{1} << 40;
  const privacy::GramPlan plan = make_gram_plan(kByGram, shape);
  EXPECT_NEAR(privacy::rho_of_products(plan.work, shape.max_rows, shape.unknowns, 8), plan.rho, 1e-9 * plan.rho);
}

TEST(GramPlan, IsRefusedWhereItCouldNotHold) {
  privacy::PublicShape groups = kGramShape;
  groups.participants = 4;
  EXPECT_THROW(make_gram_plan(kByGram, groups), InvalidArgument);
  privacy::PrivacyOptions options = kByGram;
  options.clip = 1.0;
  EXPECT_THROW(make_gram_plan(options, kGramShape), InvalidArgument);
  options.clip.reset();
  options.row_clip = 0.0;
  EXPECT_THROW(make_gram_plan(options, kGramShape), InvalidArgument);
}

// ---- The method.

privacy::GramPlan without_noise() {
  privacy::GramPlan plan = make_gram_plan(kByGram, kGramShape);
  plan.work.bound = 1e3;
  plan.work.noise = 1e-9;
  plan.work.exponent = -30;
  return plan;
}

TEST(PrivateGram, FindsLeastSquaresWhereNothingIsShortenedAndNoiseIsSmall) {
  LinearSystem system = generate({.rows = 400, .cols = 9, .noise = 0.5, .seed = 2}).system;
  const std::vector<double> truth = test::least_squares(system);
  InProcessEngine engine(test::clients_of(std::move(system), 8, 1));
  PrivateGram method(without_noise());

  const RunResult result = FederatedRun({.rounds = 1, .residual_every = RunOptions::kNever}).run(engine, method);

  EXPECT_LT(test::relative_distance(result.x, truth), 1e-7);
  EXPECT_EQ(result.termination, Termination::RoundLimit);
  EXPECT_EQ(result.method, "private-gram");
  EXPECT_NE(result.notes.front().find("epsilon 1 and delta 1e-05"), std::string::npos) << result.notes.front();
}

TEST(PrivateGram, ShortensDirectionsInWhichTheRowsSayLessThanTheNoise) {
  // Nothing but noise: whatever it is, no eigenvalue is left below that of the noise, and x is short.
  InProcessEngine engine(test::clients_of(generate({.rows = 80, .cols = 9, .noise = 0.5, .seed = 2}).system, 8, 1));
  const privacy::GramPlan plan = make_gram_plan(kByGram, kGramShape);
  PrivateGram method(plan);

  const RunResult result = FederatedRun({.rounds = 1, .residual_every = RunOptions::kNever}).run(engine, method);

  // ||x|| <= ||d||/floor, with d within a few times its noise and the rows' part, 80 c^2, well below that.
  EXPECT_LT(std::sqrt(squared_norm(result.x)), 6.0);
  EXPECT_NE(result.notes.back().find("directions the rows say less than the noise"), std::string::npos);
}

TEST(PrivateGram, AsksOnceAndUsesNoSumWithLessNoiseThanPlanned) {
  PrivateGram method(make_gram_plan(kByGram, kGramShape));
  std::vector<double> x(9, 1.0);
  RoundReplies round{.replies = {{ClientId{0}, AlignedVector(55, 1.0)}}, .answered = {ClientId{0}, ClientId{2}}};

  const Request request = method.request(RoundIndex{0}, x);
  method.update(RoundIndex{0}, round, x);

  EXPECT_TRUE(request.sent.empty());
  EXPECT_EQ(request.reveal, Reveal::Sums);
  EXPECT_EQ(x, std::vector<double>(9, 1.0));
  EXPECT_NE(method.notes().back().find("Fewer than 8 participants answered"), std::string::npos);
  EXPECT_THROW(method.request(RoundIndex{1}, x), InvalidArgument);
}

TEST(PrivateGram, IsWhatAPlanMakesThatSaysSo) {
  InProcessEngine engine(test::clients_of(generate({.rows = 60, .cols = 2, .seed = 1}).system, 3, 1), 1);
  const MethodOptions options{.privacy = kByGram};
  const RunOptions run = run_options_for(Private{kByGram}, {.rounds = 6});
  EXPECT_EQ(run.rounds, 1);
  EXPECT_EQ(make_method(options, run, engine)->name(), "private-gram");
}

TEST(PrivateGram, IsAskedForByNoPlanOfPasses) {
  const auto serves_with = [](privacy::Mechanism mechanism, LocalWork work) {
    MethodOptions options{.privacy = {.epsilon = 1.0}};
    options.privacy.mechanism = mechanism;
    return serves(LocalTask{RoundIndex{0}, {}, std::move(work)}, options, {});
  };
  using enum privacy::Mechanism;
  for (const auto mechanism : {Auto, Passes, Gram}) {
    EXPECT_EQ(serves_with(mechanism, ClippedPass{}), mechanism != Gram);
    EXPECT_EQ(serves_with(mechanism, NoisyProducts{}), mechanism != Passes);
    EXPECT_FALSE(serves_with(mechanism, CrossProducts{}));
  }
}

TEST(FlooredSolution, RaisesEigenvaluesToTheFloor) {
  // Eigenvalues 3 along (1, 1) and -1 along (1, -1).
  const std::vector<double> matrix{1.0, 2.0, 2.0, 1.0};
  const FlooredSolution along = solve_floored(matrix, std::vector{3.0, 3.0}, 0.5);
  const FlooredSolution across = solve_floored(matrix, std::vector{1.0, -1.0}, 0.5);
  EXPECT_EQ(along.raised, 1);
  for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(along.x[k], 1.0, 1e-14);
  EXPECT_NEAR(across.x[0], 2.0, 1e-14);
  EXPECT_NEAR(across.x[1], -2.0, 1e-14);
}

}  // namespace
}  // namespace fedrk
