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

double private_error(std::size_t clients, std::uint64_t seed) {
  LinearSystem system = generate({.rows = kRows, .cols = kColumns, .noise = 0.5, .seed = 100 + seed}).system;
  InProcessEngine engine(test::clients_of(std::move(system), clients, seed));
  // To rounding in a few rounds, as the columns are nearly orthogonal.
  ConjugateGradients exactly({.tolerance = 1e-12}, engine.roster());
  const auto truth = FederatedRun({.rounds = 40, .residual_every = RunOptions::kNever}).run(engine, exactly).x;
  const RunOptions run = run_options_for(Private{kOptions.privacy}, {.seed = seed, .rounds = privacy::kUsualRounds});
  const auto method = make_method(kOptions, run, engine);
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

}  // namespace
}  // namespace fedrk
