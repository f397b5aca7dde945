// SPDX-License-Identifier: Apache-2.0

// What a curious server makes of masked parts, on the paper's data.

#include <algorithm>
#include <optional>

#include <gtest/gtest.h>

#include "methods/method_options.hpp"
#include "secure_sum/grid_scale.hpp"
#include "support/masked_fixture.hpp"
#include "support/prostate_attack.hpp"

namespace fedrk {
namespace {

/// A server over masked clients that keeps the sums, and every part by itself as if it were an update.
class CuriousEngine final : public Engine {
 public:
  CuriousEngine(std::vector<Client> clients, std::uint64_t steps, std::size_t group)
      : unknowns_(clients.front().block().cols()) {
    for (const Client& client : clients) roster_.push_back(client.summary());
    const test::PlanEntries plan{{"local-steps", std::to_string(steps)}};
    const auto minds_nothing = [](network::ClientProtocolOptions& options) { options.consent.expose_rows = true; };
    fixture_.emplace(std::move(clients), minds_nothing, test::FixtureRun{.plan = plan});
    fixture_->form_groups(group);
    fixture_->distribute_keys();
  }

  std::span<const ClientSummary> roster() const override { return roster_; }
  std::size_t dimension() const override { return unknowns_; }

  RoundReplies local_updates(const LocalTask& task, std::span<const ClientId> participants) override {
    const std::vector<ClientId> who(participants.begin(), participants.end());
    const masking::Grid grid = scale_.next(task, who.size());
    const wire::Task message = test::MaskedFixture::task(number_++, task, who, grid);
    const std::size_t heard = fixture_->heard().size();
    auto sum = fixture_->sum(message, task, who);
    if (!sum) throw std::runtime_error("no sum");
    const masking::PartLayout layout = masking::layout_of(task, sum->values.size(), grid);
    for (std::size_t k = heard; k < fixture_->heard().size(); ++k) {
      const auto& [client, answer] = fixture_->heard()[k];
      auto part = masking::read_sum(layout, grid, *std::get<wire::Update>(answer).masked);
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
  std::optional<test::MaskedFixture> fixture_;
  masking::GridScale scale_;
  std::uint64_t number_ = 0;
};

// The same server that rebuilds more than half of the records from single updates (attack_test.cpp).
TEST(MaskedParts, GiveNoRecordAway) {
  for (const std::uint64_t steps : {20U, 1U}) {
    auto [clients, run] = test::prostate_clients(1);
    CuriousEngine curious(std::move(clients), steps, 3);
    RecordingEngine engine(curious);
    const RunOptions options{.rounds = 300, .participants = 3, .min_group = 3, .local_budget = FixedSteps{steps}};
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
