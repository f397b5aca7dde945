// SPDX-License-Identifier: Apache-2.0

// What masks cost and what they hide, at the size of the paper's figures and on its data.

#include <algorithm>
#include <optional>

#include <gtest/gtest.h>

#include "fedrk/engine/in_process_engine.hpp"
#include "fedrk/masking/grid_scale.hpp"
#include "fedrk/methods/method_options.hpp"
#include "support/direct_solver.hpp"
#include "support/local_federation.hpp"
#include "support/masked_circle.hpp"
#include "support/prostate_attack.hpp"
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

// Section 7b of the algorithms has 93 rounds with 5 clients a round, 35 with all 16; the factors by which clients relax
// their hyperplanes cost one or two more. Both runs go on until rounding, so that they meet at the solution.
TEST_P(MaskedSums, NeedTheRoundsOfPlainSumsAndFindTheirSolution) {
  const std::size_t participants = GetParam();
  const auto problem = generate({.rows = 2048, .cols = 1024, .seed = 3});
  InProcessEngine plain(test::clients_of(copy_of(problem.system), 16, 3), 2);
  const Outcome expected = solve(plain, participants, problem.solution);
  test::MaskBooks books;
  std::optional<Outcome> before;
  for (const std::size_t first : {0U, 7U}) {  // the order in which clients join
    network::FederationOptions options;
    options.masked = true;
    test::LocalFederation federation(test::clients_of(copy_of(problem.system), 16, 3), options, {}, first, {}, &books);
    const Outcome masked = solve(federation.engine(), participants, problem.solution);

    ASSERT_TRUE(masked.rounds);
    EXPECT_LE(*masked.rounds, participants == 5 ? 100U : 38U);
    EXPECT_LE(test::relative_distance(masked.x, expected.x), 1e-12);
    EXPECT_EQ(masked.x, before.value_or(masked).x) << "the same bits";
    before = masked;
  }
}

// ---- Least squares, which auto comes to after the hyperplanes have gone astray.

// The hyperplanes of equations that contradict each other throw x far off, by up to 1e10. A grid that still had its
// unit from there would leave x and the clients' slack apart for good, at 1e-10 to 1e-5 of the fit. A tolerance of
// 1e-12 of the gradient is some 1e-11 of the fit, as this matrix has a condition number of 4.
TEST(MaskedLeastSquares, FindTheFitOfTheDirectSolver) {
  const experiments::Prostate data = experiments::prostate();
  const std::vector<double> fit = test::least_squares(data.system);
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    network::FederationOptions options;
    options.masked = true;
    test::LocalFederation federation(test::clients_of(copy_of(data.system), 5, seed), options);
    const RunOptions run{.seed = seed, .rounds = 3000, .participants = 3, .tolerance = 1e-12};
    const auto method = make_method({.reveal = Reveal::Sums}, run, federation.engine());
    const RunResult result = FederatedRun(run).run(federation.engine(), *method);

    EXPECT_EQ(result.termination, Termination::Converged) << result.history.size();
    EXPECT_LE(test::relative_distance(result.x, fit), 1e-10) << "seed " << seed;
  }
}

// ---- What a curious server makes of it.

/// A server over masked clients that keeps the sums, and every part by itself as if it were an update.
class CuriousEngine final : public Engine {
 public:
  CuriousEngine(std::vector<Client> clients, std::uint64_t steps) : unknowns_(clients.front().block().cols()) {
    for (const Client& client : clients) roster_.push_back(client.summary());
    const test::MaskedCircle::Entries plan{{"local-steps", std::to_string(steps)}};
    circle_.emplace(std::move(clients), nullptr, plan);
    circle_->introduce();
  }

  std::span<const ClientSummary> roster() const override { return roster_; }
  std::size_t dimension() const override { return unknowns_; }

  RoundReplies local_updates(const LocalTask& task, std::span<const ClientId> participants) override {
    const std::vector<ClientId> who(participants.begin(), participants.end());
    const masking::Grid grid = scale_.next(task, who.size());
    const v1::Task message = test::MaskedCircle::task(number_++, task, who, 0, grid);
    const std::size_t heard = circle_->heard().size();
    auto sum = circle_->sum(message, task, who);
    if (!sum) throw std::runtime_error("no sum");
    const masking::PartLayout layout = masking::layout_of(task, sum->values.size(), grid);
    for (std::size_t k = heard; k < circle_->heard().size(); ++k) {
      const auto& [client, answer] = circle_->heard()[k];
      auto part = masking::read_sum(layout, grid, wire::words_of(answer.update().values()));
      parts.push_back({task.round,
                       task.work,
                       {task.x.begin(), task.x.end()},
                       {who[k - heard]},
                       {who[k - heard], std::move(part.values)}});
    }
    scale_.learn(task, sum->values);
    return {{*std::move(sum)}, {}, who};
  }

  Transcript parts;

 private:
  std::size_t unknowns_;
  std::vector<ClientSummary> roster_;
  std::optional<test::MaskedCircle> circle_;
  masking::GridScale scale_;
  std::uint64_t number_ = 0;
};

// The same server that rebuilds more than half of the records from single updates (attack_test.cpp).
TEST(MaskedParts, GiveNoRecordAway) {
  for (const std::uint64_t steps : {20U, 1U}) {
    auto [clients, run] = test::prostate_clients(1);
    CuriousEngine curious(std::move(clients), steps);
    RecordingEngine engine(curious);
    const RunOptions options{.rounds = 300, .participants = 3, .local_budget = FixedSteps{steps}};
    const auto method = make_method({.memory = 0, .reveal = Reveal::Sums}, options, engine);
    (void)FederatedRun(options).run(engine, *method);

    run.transcript = engine.transcript();
    EXPECT_GE(sums_as_updates(run.transcript, ReadAs::Sum).size(), 300);
    EXPECT_EQ(test::records_from_sums(run), 0);
    run.transcript = curious.parts;
    EXPECT_GE(updates_of(run.transcript, ClientId{0}).size(), 90) << "there is something to look at";
    EXPECT_EQ(test::records_without_draws(run), 0);
    for (std::uint32_t i = 0; i < run.truth.size(); ++i) {
      const auto updates = updates_of(run.transcript, ClientId{i});
      EXPECT_EQ(
          count_matches(recover_from_single_steps(updates, test::kProstateAttack), run.truth[i], test::kProstateAttack),
          0);
      const auto& matrix = std::get<Matrix>(run.truth[i].rows);
      for (std::size_t j = 0; j < matrix.rows(); ++j) EXPECT_FALSE(holds(matrix.row(j), run.truth[i].rhs[j], updates));
    }
  }
}

}  // namespace
}  // namespace fedrk
