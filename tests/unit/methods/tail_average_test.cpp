// SPDX-License-Identifier: Apache-2.0
#include "methods/tail_average.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "fedrk/run.hpp"
#include "methods/fedrk_method.hpp"
#include "support/direct_solver.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk {
namespace {

// Its x after round t is t, its answer ten times that.
class Counting final : public Method {
 public:
  Request request(RoundIndex, std::span<const double> x) override { return {FixedSteps{1}, x}; }
  void update(RoundIndex t, RoundReplies&, std::span<double> x) override { x[0] = static_cast<double>(t.value); }
  bool finished() const override { return true; }
  std::span<const double> answer(std::span<const double> x) override {
    answer_ = {10.0 * x[0]};
    return answer_;
  }
  std::vector<std::string> notes() const override { return {"counted"}; }

 private:
  std::vector<double> answer_;
};

TEST(TailAverage, IsTheMeanOfTheAnswersAfterTheBurnIn) {
  TailAverage average(std::make_unique<Counting>(), 3);
  std::vector<double> x{0.0};
  RoundReplies none;
  const std::vector<double> expected{0.0, 10.0, 20.0, 30.0, 35.0, 40.0};  // the means of 30, 40, 50 from round 3 on
  for (std::uint32_t t = 0; t < 6; ++t) {
    average.update(RoundIndex{t}, none, x);
    EXPECT_DOUBLE_EQ(average.answer(x)[0], expected[t]) << "round " << t;
    EXPECT_EQ(x[0], static_cast<double>(t)) << "the iterate itself is left alone";
  }
  EXPECT_TRUE(average.finished());
  EXPECT_EQ(average.notes(), std::vector<std::string>{"counted"});
}

TEST(TailAverage, AsksWhatTheMethodWithinAsks) {
  TailAverage average(std::make_unique<Counting>(), 3);
  const std::vector<double> x{4.0};
  const Request request = average.request(RoundIndex{0}, x);
  EXPECT_EQ(request.sent.data(), x.data());
  EXPECT_TRUE(std::holds_alternative<FixedSteps>(request.work));
}

// A mean of 300 scattered iterates is closer to their centre than one of them; the bias of few local steps is small.
TEST(TailAverage, IsCloserToTheLeastSquaresSolutionThanTheIterates) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    auto problem = generate({.kind = ProblemKind::Inconsistent, .rows = 120, .cols = 20, .seed = seed});
    const auto truth = test::least_squares(problem.system);
    InProcessEngine engine(test::clients_of(std::move(problem.system), 6, seed), 1);
    const RunOptions options{.seed = seed, .rounds = 400, .local_budget = FixedSteps{3}};
    TailAverage average(std::make_unique<FedrkMethod>(options), 100);

    const auto alone = FederatedRun(options).run(engine), mean = FederatedRun(options).run(engine, average);

    EXPECT_LT(distance(mean.x, truth), 0.5 * distance(alone.x, truth)) << "seed " << seed;
  }
}

TEST(TailAverage, SaysThatThereWasNothingToAverageAndLeavesOutWhatIsNoNumber) {
  TailAverage early(std::make_unique<Counting>(), 3);
  std::vector<double> x{0.0};
  RoundReplies none;
  early.update(RoundIndex{0}, none, x);
  EXPECT_EQ(early.notes().back(),
            "The run ended within the 3 rounds before averaging was to begin: the answer is its last iterate.");

  class Lost final : public Method {
    Request request(RoundIndex, std::span<const double> at) override { return {FixedSteps{1}, at}; }
    void update(RoundIndex t, RoundReplies&, std::span<double> at) override { at[0] = t.value == 0 ? 1.0 : HUGE_VAL; }
  };
  TailAverage lost(std::make_unique<Lost>(), 0);
  lost.update(RoundIndex{0}, none, x);
  lost.update(RoundIndex{1}, none, x);
  EXPECT_EQ(lost.answer(x)[0], 1.0);
}

}  // namespace
}  // namespace fedrk
