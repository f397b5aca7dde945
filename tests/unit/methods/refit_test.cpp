// SPDX-License-Identifier: Apache-2.0
#include "methods/refit.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "support/direct_solver.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk {
namespace {

using Support = std::vector<std::uint32_t>;

GeneratorOptions sparse_problem(std::uint64_t seed, double density = 1.0) {
  return {.kind = ProblemKind::Sparse,
          .rows = 90,
          .cols = 40,
          .nonzeros = 4,
          .noise = 0.01,
          .density = density,
          .seed = seed};
}

Support support_of(std::span<const double> x) {
  Support support;
  for (std::uint32_t j = 0; j < x.size(); ++j) {
    if (x[j] != 0.0) support.push_back(j);
  }
  return support;
}

// Least squares on some of the columns by a direct solver, with zeros elsewhere.
std::vector<double> fit(const LinearSystem& system, const Support& support) {
  std::vector<double> x(column_count(system.rows), 0.0);
  const auto part = test::least_squares(restrict_to(system, support));
  for (std::size_t k = 0; k < support.size(); ++k) x[support[k]] = part[k];
  return x;
}

RefitOptions options_for(std::uint64_t seed, std::size_t keep, std::size_t participants = 0) {
  return {.run = {.seed = seed, .rounds = 500, .participants = participants}, .keep = keep};
}

// The gradient is below 1e-8 of ||A||_F ||b||; with singular values alike that is about as much of x, times the square
// root of the number of columns.
TEST(Refit, IsLeastSquaresOnTheLargestEntries) {
  for (const double density : {1.0, 0.3}) {
    for (const std::size_t participants : {0U, 3U}) {
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const auto problem = generate(sparse_problem(seed, density));
        InProcessEngine engine(test::clients_of(copy_of(problem.system), 6, seed), 1);
        auto x = problem.solution;
        for (std::size_t j = 0; j < x.size(); ++j) x[j] += j % 3 == 0 ? 1e-4 : 0.0;

        const Refit made = refit(engine, options_for(seed, 4, participants), x);

        EXPECT_EQ(made.support, support_of(problem.solution));
        EXPECT_LT(test::relative_distance(made.result.x, fit(problem.system, made.support)), 1e-5)
            << "density " << density << ", seed " << seed;
        EXPECT_EQ(support_of(made.result.x), made.support);
        const double residual =
            std::sqrt(squared_residual(problem.system, made.result.x) / squared_norm(problem.system.rhs));
        ASSERT_TRUE(made.result.relative_residual);
        EXPECT_NEAR(*made.result.relative_residual, residual, 1e-6 * residual) << "density " << density;
      }
    }
  }
}

// Entries beyond four standard errors stay: those of the truth, which are a hundred times that here but for the least,
// and once in 16,000 one that is not.
TEST(Refit, FindsOutWhichEntriesStandOutOfTheNoise) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto problem = generate(sparse_problem(seed));
    InProcessEngine engine(test::clients_of(copy_of(problem.system), 6, seed), 1);
    auto x = problem.solution;
    for (std::size_t j = 0; j < x.size(); ++j) x[j] += j % 3 == 0 ? 1e-2 : 0.0;

    const Refit made = refit(engine, options_for(seed, 0), x);

    EXPECT_EQ(made.support, support_of(problem.solution)) << "seed " << seed;
    EXPECT_EQ(support_of(made.result.x), made.support);
    EXPECT_LT(test::relative_distance(made.result.x, fit(problem.system, made.support)), 1e-5) << "seed " << seed;
    ASSERT_EQ(made.result.notes.size(), 1);
    EXPECT_NE(made.result.notes[0].find("The " + std::to_string(made.support.size()) + " selected"), std::string::npos);
  }
}

// An entry that is missing at the end, as x moves on, is found where it was there before.
TEST(Refit, LooksAlsoAtEntriesThatWereOftenThere) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto problem = generate(sparse_problem(seed));
    const Support truth = support_of(problem.solution);
    InProcessEngine engine(test::clients_of(copy_of(problem.system), 6, seed), 1);
    auto x = problem.solution;
    x[truth.front()] = 0.0;
    RefitOptions options = options_for(seed, 0);
    EXPECT_NE(refit(engine, options, x).support, truth) << "seed " << seed;
    options.often = {truth.back(), truth.front(), truth.front() == 0 ? 1U : 0U};

    const Refit made = refit(engine, options, x);

    EXPECT_EQ(made.support, truth) << "seed " << seed;
    EXPECT_LT(test::relative_distance(made.result.x, fit(problem.system, made.support)), 1e-5) << "seed " << seed;
  }
}

class MostEntries final : public RoundObserver {
 public:
  void on_round(const RoundRecord&, std::span<const double> x) override { most = std::max(most, support_of(x).size()); }
  std::size_t most = 0;
};

// There are no more entries to fit than a third of the rows.
TEST(Refit, LooksAtNoMoreEntriesThanItsRowsBear) {
  const auto problem = generate(sparse_problem(1));
  InProcessEngine engine(test::clients_of(copy_of(problem.system), 6, 1), 1);
  RefitOptions options = options_for(1, 0);
  for (std::uint32_t j = 40; j-- > 0;) options.often.push_back(j);

  MostEntries seen;
  RoundObserver* const observers[] = {&seen};

  const Refit made = refit(engine, options, problem.solution, observers);

  EXPECT_EQ(seen.most, 30);
  EXPECT_EQ(made.support, support_of(problem.solution)) << "those of x go first";
}

// A right-hand side of pure noise selects nothing, and then the answer is zero and its residual all of b.
TEST(Refit, IsZeroWhereNothingStandsOut) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto problem = generate({.kind = ProblemKind::Inconsistent, .rows = 90, .cols = 40, .seed = seed});
    InProcessEngine engine(test::clients_of(copy_of(problem.system), 6, seed), 1);
    std::vector<double> x(40, 0.0);
    x[3] = 0.1, x[8] = -0.2;

    const Refit made = refit(engine, options_for(seed, 0), x);

    EXPECT_TRUE(made.support.empty()) << "seed " << seed;
    EXPECT_EQ(support_of(made.result.x), made.support) << "seed " << seed;
    if (made.result.relative_residual) {
      EXPECT_NEAR(*made.result.relative_residual, 1.0, 1e-12) << "seed " << seed;
    }
  }
}

TEST(Refit, OfNothingIsNothing) {
  const auto problem = generate(sparse_problem(1));
  InProcessEngine engine(test::clients_of(copy_of(problem.system), 6, 1), 1);
  const Refit made = refit(engine, options_for(1, 0), std::vector<double>(40, 0.0));
  EXPECT_TRUE(made.support.empty());
  EXPECT_EQ(made.result.x, std::vector<double>(40, 0.0));
  EXPECT_TRUE(made.result.history.empty());
}

// Of sparse rows some lose all their entries: those equations say nothing of the selected ones.
TEST(Refit, LeavesOutRowsThatLoseAllTheirEntries) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const auto problem = generate(sparse_problem(seed, 0.1));
    const Support support = support_of(problem.solution);
    const LinearSystem part = restrict_to(problem.system, support);
    std::size_t empty = 0;
    for (std::size_t i = 0; i < 90; ++i) empty += std::get<SparseMatrix>(part.rows).row(i).columns.empty() ? 1 : 0;
    ASSERT_GT(empty, 0);
    InProcessEngine engine(test::clients_of(copy_of(problem.system), 6, seed), 1);

    const Refit made = refit(engine, options_for(seed, 4), problem.solution);

    EXPECT_LT(test::relative_distance(made.result.x, fit(problem.system, support)), 1e-5) << "seed " << seed;
  }
}

TEST(Refit, ShowsItsRoundsAtFullLengthAndNumbersThemOn) {
  struct Lengths final : RoundObserver {
    std::vector<std::size_t> lengths;
    std::vector<std::uint32_t> rounds;
    void on_round(const RoundRecord& record, std::span<const double> x) override {
      lengths.push_back(x.size());
      rounds.push_back(record.round.value);
    }
  } seen;
  RoundObserver* const observers[] = {&seen};
  const auto problem = generate(sparse_problem(2));
  InProcessEngine engine(test::clients_of(copy_of(problem.system), 6, 2), 1);
  auto options = options_for(2, 0);
  options.run.first_round = 70;
  auto x = problem.solution;
  x[0] += 1e-3;

  const Refit made = refit(engine, options, x, observers);

  ASSERT_EQ(seen.rounds.size(), made.result.history.size());
  for (std::size_t k = 0; k < seen.rounds.size(); ++k) {
    EXPECT_EQ(seen.lengths[k], 40);
    EXPECT_EQ(seen.rounds[k], 70 + k);
  }
}

}  // namespace
}  // namespace fedrk
