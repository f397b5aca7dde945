// SPDX-License-Identifier: Apache-2.0
#include "fedrk/solve.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fedrk/generate.hpp"
#include "support/read_only_pages.hpp"

namespace fedrk {
namespace {

// x + y = 3 and x - y = -1
const std::vector<double> kSum{1.0, 1.0}, kDifference{1.0, -1.0}, kThree{3.0}, kMinusOne{-1.0};

TEST(SolveInMemory, FindsTheSolutionOfAllOwnersRows) {
  const Solution found = solve({{view(kSum, 2), kThree}, {view(kDifference, 2), kMinusOne}});

  ASSERT_EQ(found.x.size(), 2U);
  EXPECT_NEAR(found.x[0], 1.0, 1e-7);
  EXPECT_NEAR(found.x[1], 2.0, 1e-7);
  EXPECT_TRUE(found.converged);
  EXPECT_EQ(found.status, RunStatus::Completed);
  EXPECT_LE(*found.relative_residual, 1e-8);
  EXPECT_EQ(found.rounds, found.history.size());
  EXPECT_FALSE(found.stop_reason.empty());
  EXPECT_NE(found.summary().find("2 rows, 2 unknowns, 2 clients"), std::string::npos) << found.summary();
}

TEST(SolveInMemory, NeverWritesTheRows) {
  auto problem = generate({.rows = 60, .cols = 5, .seed = 3});
  const Matrix& A = std::get<Matrix>(problem.system.rows);
  for (const double factor : {1.0, 1e-5, 1e200}) {  // as they are; columns far apart; rows beyond squares
    std::vector<double> numbers, rhs;
    for (std::size_t i = 0; i < 60; ++i) {
      numbers.insert(numbers.end(), A.row(i).begin(), A.row(i).end());
      rhs.push_back(problem.system.rhs[i]);
      if (factor == 1e-5) {
        rhs[i] += numbers[5 * i] * (factor - 1.0) * problem.solution[0];
        numbers[5 * i] *= factor;
      } else if (i == 7) {
        for (std::size_t j = 0; j < 5; ++j) numbers[5 * i + j] *= factor;
        rhs[i] *= factor;
      }
    }
    const test::ReadOnlyPages pages(numbers);

    const Solution found = solve({{view(pages.data(), 30, 5), std::span(rhs).first(30)},
                                  {view(pages.data() + 150, 30, 5), std::span(rhs).last(30)}});

    EXPECT_TRUE(found.converged) << factor;
    for (std::size_t j = 0; j < 5; ++j) EXPECT_NEAR(found.x[j], problem.solution[j], 1e-4) << factor;
  }
}

TEST(SolveInMemory, TakesRowsThatStandApart) {
  const std::vector<double> numbers{1.0, 1.0, 99.0, 1.0, -1.0, 99.0};
  const std::vector<double> rhs{3.0, -1.0};

  const Solution apart = solve({{view(numbers.data(), 2, 2, 3), rhs}});
  const Solution together = solve({{view(std::vector<double>{1.0, 1.0, 1.0, -1.0}, 2), rhs}});

  EXPECT_EQ(apart.x, together.x);
}

TEST(SolveInMemory, FindsLeastSquaresWhereAsked) {
  const std::vector<double> A{1.0, 1.0, 1.0}, b{1.0, 2.0, 6.0};

  const Solution equations = solve({{view(A, 1), b}});
  const Solution squares = solve({{view(A, 1), b}}, {.least_squares = true});

  EXPECT_FALSE(equations.converged);
  EXPECT_EQ(equations.status, RunStatus::Unconverged);
  EXPECT_FALSE(equations.warnings.empty());
  EXPECT_TRUE(squares.converged);
  EXPECT_NEAR(squares.x[0], 3.0, 1e-12);
}

TEST(SolveInMemory, ShowsObserversXAndStopsWhenAsked) {
  struct Watch final : RoundObserver {
    void on_round(const RoundRecord&, std::span<const double> x) override {
      ++rounds;
      length = x.size();
      if (rounds == 2) stop.request();
    }
    std::size_t rounds = 0, length = 0;
    StopSignal stop;
  } watch;
  auto problem = generate({.rows = 60, .cols = 40, .seed = 3});
  const Matrix& A = std::get<Matrix>(problem.system.rows);

  const Solution found = solve({{view(A.row(0).data(), 30, 40, A.stride()), std::span(problem.system.rhs).first(30)},
                                {view(A.row(30).data(), 30, 40, A.stride()), std::span(problem.system.rhs).last(30)}},
                               {.observers = {&watch}, .stop = &watch.stop});

  EXPECT_EQ(watch.rounds, 2U);
  EXPECT_EQ(watch.length, 40U);
  EXPECT_EQ(found.rounds, 2U);
  EXPECT_EQ(found.status, RunStatus::Stopped);
  EXPECT_FALSE(found.converged);
}

/// x moves along the gradient.
struct Descent final : Method {
  Request request(RoundIndex, std::span<const double> x) override {
    return {Gradient{}, x, {}, Reveal::Sums, Audience::Everyone};
  }
  void update(RoundIndex, RoundReplies& round, std::span<double> x) override {
    for (std::size_t j = 0; j < x.size(); ++j) x[j] += 0.5 * round.replies.front().values[j];
  }
  std::string_view name() const override { return "descent"; }
};

TEST(SolveInMemory, RunsAMethodOfOnesOwn) {
  Descent method;

  const Solution found = solve({{view(kSum, 2), kThree}, {view(kDifference, 2), kMinusOne}}, method);

  EXPECT_EQ(found.x, (std::vector<double>{1.0, 2.0}));  // the columns are orthogonal, of squared length 2
  EXPECT_TRUE(found.converged);
  EXPECT_EQ(found.method, "descent");
  EXPECT_THROW((void)solve({{view(kSum, 2), kThree}}, method, {.least_squares = true}), InvalidArgument);
}

TEST(SolveInMemory, RefusesSizesThatDoNotFit) {
  const std::vector<double> three{1.0, 2.0, 3.0};
  EXPECT_THROW((void)solve({}), InvalidArgument);
  EXPECT_THROW((void)solve({{view(kSum, 2), three}}), InvalidArgument);
  EXPECT_THROW((void)solve({{view(kSum, 2), kThree}, {view(three, 3), kThree}}), InvalidArgument);
  EXPECT_THROW((void)solve({{view(kSum.data(), 0, 2), kThree}}), InvalidArgument);
  EXPECT_THROW((void)solve({{view(kSum.data(), 1, 2, 1), kThree}}), InvalidArgument);
  EXPECT_THROW((void)view(three, 2), InvalidArgument);
  EXPECT_THROW((void)solve({{view(kSum, 2), kThree}}, {.participants = 2}), InvalidArgument);
}

TEST(SolveInMemory, NamesTheRowThatIsNotFinite) {
  const std::vector<double> A{1.0, 2.0, NAN, 1.0}, b{1.0, 1.0};
  try {
    (void)solve({{view(kSum, 2), kThree}, {view(A, 2), b}});
    FAIL();
  } catch (const InvalidData& error) {
    EXPECT_STREQ(error.what(), "client-2: row 2 holds a number that is not finite");
  }
}

}  // namespace
}  // namespace fedrk
