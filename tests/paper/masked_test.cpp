// SPDX-License-Identifier: Apache-2.0

// What masks cost, at the size of the paper's figures and on its data.

#include <algorithm>
#include <optional>

#include <gtest/gtest.h>

#include "experiments/prostate.hpp"
#include "fedrk/in_process_engine.hpp"
#include "methods/method_options.hpp"
#include "support/direct_solver.hpp"
#include "support/local_federation.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk {
namespace {

// ---- As many rounds as without masks, to the same solution.

struct Outcome {
  std::vector<double> x;
  std::optional<std::uint32_t> rounds;  // to a relative error of 1e-6
};

class ErrorWatch final : public RoundObserver {
 public:
  explicit ErrorWatch(std::span<const double> truth) : truth_(truth.begin(), truth.end()) {}
  void on_round(const RoundRecord& record, std::span<const double> x) override {
    if (!reached && test::relative_distance(x, truth_) <= 1e-6) reached = record.round.value + 1;
  }
  std::optional<std::uint32_t> reached;

 private:
  std::vector<double> truth_;
};

Outcome solve(Engine& engine, std::size_t participants, std::span<const double> truth) {
  const RunOptions run{
      .seed = 3, .rounds = 400, .participants = participants, .local_budget = FixedSteps{1000}, .residual_every = 1};
  const auto method = make_method({.memory = 5, .reveal = Reveal::Sums}, run, engine);
  ErrorWatch watch(truth);
  RoundObserver* const observers[] = {&watch};
  const RunResult result = FederatedRun(run).run(engine, *method, {}, observers);
  return {result.x, watch.reached};
}

class MaskedSums : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Participants, MaskedSums, testing::Values(5, 16));

// With 5 clients a round in groups that are kept some 64 rounds are enough, with all 16 some 35. Both runs go on until
// rounding, so that they meet at the solution.
TEST_P(MaskedSums, NeedTheRoundsOfPlainSumsAndFindTheirSolution) {
  const std::size_t participants = GetParam();
  const auto problem = generate({.rows = 2048, .cols = 1024, .seed = 3});
  InProcessEngine plain(test::clients_of(copy_of(problem.system), 16, 3), 2);
  const Outcome expected = solve(plain, participants, problem.solution);
  test::ReplayGuards guards;
  std::optional<Outcome> before;
  for (const std::size_t first : {0U, 7U}) {  // the order in which clients join
    network::FederationOptions options;
    options.masked = true;
    options.plan.run.participants = participants;
    test::LocalFederation federation(test::clients_of(copy_of(problem.system), 16, 3), options, {}, first, {}, &guards);
    const Outcome masked = solve(federation.engine(), participants, problem.solution);

    ASSERT_TRUE(masked.rounds);
    EXPECT_LE(*masked.rounds, participants == 5 ? 68U : 38U);
    EXPECT_LE(test::relative_distance(masked.x, expected.x), 1e-12);
    EXPECT_EQ(masked.x, before.value_or(masked).x) << "the same bits";
    before = masked;
  }
}

// ---- Least squares, which auto comes to after the hyperplanes have gone astray.

// Groups of three and four clients, each with sums of its own, by one Gram sum and by conjugate gradients. A criterion
// of 1e-12 is some 1e-11 of the fit, as this matrix has a condition number of 4.
TEST(MaskedLeastSquares, FindTheFitOfTheDirectSolver) {
  const experiments::Prostate data = experiments::prostate();
  const std::vector<double> fit = test::least_squares(data.system);
  for (const MethodName name : {MethodName::Gram, MethodName::Cg}) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      network::FederationOptions options;
      options.masked = true;
      options.plan.set_job(io::Job::Fit);
      options.plan.run.participants = 3;
      options.plan.intercept = false;  // the rows have theirs
      test::LocalFederation federation(test::clients_of(copy_of(data.system), 7, seed), options);
      const RunOptions run{.seed = seed, .rounds = 300, .participants = 3, .min_group = 3, .tolerance = 1e-12};
      const auto method = make_method({.name = name, .fit = true}, run, federation.engine());
      const RunResult result = FederatedRun(run).run(federation.engine(), *method);

      EXPECT_TRUE(result.converged.value_or(false)) << result.history.size();
      EXPECT_LE(test::relative_distance(result.x, fit), 1e-10) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace fedrk
