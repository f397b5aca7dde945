// SPDX-License-Identifier: Apache-2.0

// What differential privacy costs at the size it is meant for: 80,000 rows of 9 columns, epsilon 1, delta 1e-5.

#include <algorithm>

#include <gtest/gtest.h>

#include "analysis/privacy_forecast.hpp"
#include "methods/conjugate_gradients.hpp"
#include "methods/method_options.hpp"
#include "methods/private_mean.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk {
namespace {

constexpr std::size_t kRows = 80'000, kColumns = 9;
const MethodOptions kOptions{.privacy = {.epsilon = 1.0, .delta = 1e-5}};

double private_error(std::size_t clients, std::uint64_t seed, const MethodOptions& options = kOptions) {
  LinearSystem system = generate({.rows = kRows, .cols = kColumns, .noise = 0.5, .seed = 100 + seed}).system;
  InProcessEngine engine(test::clients_of(std::move(system), clients, seed));
  // To rounding in a few rounds, as the columns are nearly orthogonal.
  ConjugateGradients exactly({.tolerance = 1e-12}, engine.roster());
  const auto truth = FederatedRun({.rounds = 40, .residual_every = RunOptions::kNever}).run(engine, exactly).x;
  const RunOptions run = run_options_for(Private{options.privacy}, {.seed = seed, .rounds = privacy::kUsualRounds});
  const auto method = make_method(options, run, engine);
  return test::relative_distance(FederatedRun(run).run(engine, *method).x, truth);
}

class DifferentialPrivacy : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Clients, DifferentialPrivacy, testing::Values(8, 16));

// Required are 0.05. Measured over the five seeds: see docs/methods.md; the worst is below 0.01.
TEST_P(DifferentialPrivacy, CostsLittleAccuracyWhereThereAreManyRows) {
  std::vector<double> errors;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) errors.push_back(private_error(GetParam(), seed));
  std::ranges::sort(errors);
  RecordProperty("median", std::to_string(errors[2]));
  RecordProperty("worst", std::to_string(errors[4]));

  EXPECT_LE(errors[4], 0.02) << "median " << errors[2];

  const privacy::PublicShape shape{kRows, GetParam(), kRows / GetParam(), kColumns, GetParam()};
  const double told = forecast(make_privacy_plan(kOptions.privacy, shape, privacy::kUsualRounds), shape).relative_error;
  EXPECT_LE(told, 2.0 * errors[4]);
  EXPECT_GE(told, 0.5 * errors[0]);
}

// At epsilon 8 one noisy Gram sum is nearer than six passes; the forecast says so before.
TEST(DifferentialPrivacyByGram, IsBetterWhereTheForecastSaysSo) {
  MethodOptions passes{.privacy = {.epsilon = 8.0, .delta = 1e-5}}, gram = passes;
  const privacy::PublicShape shape{kRows, 8, kRows / 8, kColumns, 8};
  const MechanismChoice choice = choose_mechanism(passes.privacy, shape, privacy::kUsualRounds);
  ASSERT_EQ(choice.options.mechanism, privacy::Mechanism::Gram);
  gram.privacy = choice.options;
  passes.privacy.mechanism = privacy::Mechanism::Passes;

  std::vector<double> by_passes, by_gram;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    by_passes.push_back(private_error(8, seed, passes));
    by_gram.push_back(private_error(8, seed, gram));
  }
  std::ranges::sort(by_passes);
  std::ranges::sort(by_gram);
  RecordProperty("passes", std::to_string(by_passes[2]));
  RecordProperty("gram", std::to_string(by_gram[2]));

  EXPECT_LT(by_gram[2], by_passes[2]);
  EXPECT_LE(choice.forecast.relative_error, 2.0 * by_gram[4]);
  EXPECT_GE(choice.forecast.relative_error, 0.5 * by_gram[0]);
}

}  // namespace
}  // namespace fedrk
