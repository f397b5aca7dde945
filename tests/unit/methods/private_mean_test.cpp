// SPDX-License-Identifier: Apache-2.0
#include "methods/private_mean.hpp"

#include <gtest/gtest.h>

#include "fedrk/error.hpp"
#include "fedrk/run.hpp"
#include "methods/method_options.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk {
namespace {

constexpr privacy::PublicShape kMeanShape{.rows = 60, .clients = 3, .max_rows = 20, .unknowns = 2, .participants = 3};

privacy::PrivacyPlan plan_of(std::uint32_t rounds) { return make_privacy_plan({.epsilon = 1.0}, kMeanShape, rounds); }

/// Lets others work, and looks at what they are asked.
class Watching final : public Engine {
 public:
  explicit Watching(Engine& inner) : inner_(inner) {}
  std::span<const ClientSummary> roster() const override { return inner_.roster(); }
  std::size_t dimension() const override { return inner_.dimension(); }
  RoundReplies local_updates(const LocalTask& task, std::span<const ClientId> participants) override {
    ++tasks;
    residuals += task.report_residual ? 1 : 0;
    private_sums += std::holds_alternative<ClippedPass>(task.work) && task.reveal == Reveal::Sums ? 1 : 0;
    return inner_.local_updates(task, participants);
  }
  int tasks = 0, residuals = 0, private_sums = 0;

 private:
  Engine& inner_;
};

TEST(PrivateMean, MovesByTheMeanOfThoseInTheSum) {
  PrivateMean method(plan_of(2));
  const RoundIndex t{0};
  std::vector<double> x{1.0, 1.0};
  RoundReplies round{.replies = {{ClientId{0}, {3.0, -6.0}}}, .answered = {ClientId{0}, ClientId{1}, ClientId{2}}};

  const Request request = method.request(t, x);
  method.update(t, round, x);

  EXPECT_EQ(request.reveal, Reveal::Sums);
  EXPECT_TRUE(std::holds_alternative<ClippedPass>(request.work));
  EXPECT_EQ(x, (std::vector<double>{2.0, -1.0}));
}

TEST(PrivateMean, DoesNotUseASumWithLessNoiseThanPlanned) {
  PrivateMean method(plan_of(1));
  std::vector<double> x{1.0, 1.0};
  RoundReplies round{.replies = {{ClientId{0}, {3.0, -6.0}}}, .answered = {ClientId{0}, ClientId{2}}};

  method.request(RoundIndex{0}, x);
  method.update(RoundIndex{0}, round, x);

  EXPECT_EQ(x, (std::vector<double>{1.0, 1.0}));
  EXPECT_NE(method.notes().back().find("In 1 of the rounds fewer than 3"), std::string::npos);
}

TEST(PrivateMean, AsksNoMoreThanWasPlanned) {
  PrivateMean method(plan_of(1));
  const std::vector<double> x{1.0, 1.0};
  RoundReplies nobody;
  std::vector<double> moved = x;
  method.request(RoundIndex{0}, x);
  method.update(RoundIndex{0}, nobody, moved);
  EXPECT_THROW(method.request(RoundIndex{1}, x), InvalidArgument);
}

TEST(PrivateMean, AsksForNoResidualsInTheRoundsOrAtTheEnd) {
  InProcessEngine inner(test::clients_of(generate({.rows = 60, .cols = 2, .seed = 1}).system, 3, 1), 1);
  Watching engine(inner);
  const MethodOptions options{.privacy = {.epsilon = 1.0}};
  const RunOptions run = run_options_for(Private{options.privacy}, {.rounds = 4});
  const auto method = make_method(options, run, engine);

  const RunResult result = FederatedRun(run).run(engine, *method);

  EXPECT_EQ(engine.tasks, 4);
  EXPECT_EQ(engine.private_sums, 4);
  EXPECT_EQ(engine.residuals, 0);
  EXPECT_FALSE(result.relative_residual);
  EXPECT_EQ(result.termination, Termination::RoundLimit);
  EXPECT_NE(result.notes.front().find("epsilon 1 and delta 1e-06"), std::string::npos) << result.notes.front();
}

TEST(PrivateMean, KnowsOfAFederationWhatEverybodyKnows) {
  const std::vector<ClientSummary> roster{{ClientId{0}, "a", 10, 1.0, 1.0}, {ClientId{1}, "b", 30, 2.0, 2.0}};
  const privacy::PublicShape all = public_shape(roster, 5, 0), one = public_shape(roster, 5, 1);
  EXPECT_EQ(all.rows, 40);
  EXPECT_EQ(all.max_rows, 30);
  EXPECT_EQ(all.participants, 2);
  EXPECT_EQ(one.participants, 1);
}

}  // namespace
}  // namespace fedrk
