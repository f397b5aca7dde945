// SPDX-License-Identifier: Apache-2.0
#include "methods/gram_method.hpp"

#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "fedrk/run.hpp"
#include "support/direct_solver.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk {
namespace {

LinearSystem noisy_system(std::uint64_t seed) {
  return generate({.kind = ProblemKind::Inconsistent, .rows = 120, .cols = 20, .seed = seed}).system;
}

struct Made {
  RunResult result;
  FitSummary summary;
};

Made fit_by_sums(Engine& engine, const FitOptions& options, std::size_t participants = 0,
                 std::vector<double> start = {}) {
  GramMethod method(options, engine.roster());
  auto result = FederatedRun({.rounds = 100, .participants = participants}).run(engine, method, std::move(start));
  return {std::move(result), *method.fit()};
}

// One sweep in double-double; in doubles one more to refine and one to measure.
TEST(GramMethod, FitsLeastSquaresInOneToThreeSweeps) {
  for (const bool pairs : {true, false}) {
    for (const std::size_t participants : {0U, 2U}) {
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const LinearSystem system = noisy_system(seed);
        InProcessEngine engine(test::clients_of(copy_of(system), 6, seed), 1);

        const auto [result, summary] = fit_by_sums(engine, {.pairs = pairs}, participants);

        EXPECT_TRUE(result.converged.value_or(false));
        EXPECT_LE(result.history.size(), (pairs ? 1U : 3U) * (participants == 0 ? 1U : 3U));
        EXPECT_LT(test::relative_distance(result.x, test::least_squares(system)), 1e-13);
        EXPECT_EQ(summary.rows, 120);
        EXPECT_EQ(summary.rank, 20);
        const double squares = squared_residual(system, result.x);
        EXPECT_NEAR(*summary.sigma, std::sqrt(squares / 100.0), 1e-12);
        EXPECT_NEAR(*summary.r_squared, 1.0 - squares / squared_norm(system.rhs), 1e-12);
      }
    }
  }
}

// ---- The certificate.

/// Answers gradients as it is told to, and else by its rows.
class ChangedGradients final : public Engine {
 public:
  using Change = std::function<void(RoundReplies&)>;
  ChangedGradients(Engine& inner, Change change) : inner_(inner), change_(std::move(change)) {}

  std::span<const ClientSummary> roster() const override { return inner_.roster(); }
  std::size_t dimension() const override { return inner_.dimension(); }
  RoundReplies local_updates(const LocalTask& task, std::span<const ClientId> participants) override {
    RoundReplies round = inner_.local_updates(task, participants);
    if (std::holds_alternative<Gradient>(task.work)) change_(round);
    return round;
  }

 private:
  Engine& inner_;
  Change change_;
};

Made certified_fit(const ChangedGradients::Change& change) {
  InProcessEngine inner(test::clients_of(noisy_system(1), 6, 1), 1);
  ChangedGradients engine(inner, change);
  return fit_by_sums(engine, {.penalty = ridge_penalty(3.0, false, {}, 20), .certify = true}, 2);
}

TEST(GramMethod, IsCertifiedByTheGradientAtItsAnswer) {
  const auto [result, summary] = certified_fit([](RoundReplies&) {});

  EXPECT_EQ(result.converged, true);
  EXPECT_EQ(result.history.size(), 6) << "two sweeps over three groups";
  ASSERT_TRUE(summary.certificate);
  EXPECT_LT(*summary.certificate, 1e-13);
  EXPECT_TRUE(result.notes.empty());
}

TEST(GramMethod, IsNotConvergedWhereTheGradientContradictsIt) {
  const auto gradient = [](RoundReplies& round) { round.replies.front().values[3] += 1e-3; };
  const auto residual = [](RoundReplies& round) { *round.replies.front().squared_residual *= 1.0001; };
  for (const ChangedGradients::Change& change :
       {ChangedGradients::Change(gradient), ChangedGradients::Change(residual)}) {
    const auto [result, summary] = certified_fit(change);

    EXPECT_EQ(result.converged, false);
    ASSERT_EQ(result.notes.size(), 1);
    EXPECT_NE(result.notes[0].find("contradict each other"), std::string::npos) << result.notes[0];
  }
}

// Its sums were complete before, so the fit is that of everybody.
TEST(GramMethod, StandsWithoutACertificateWhereAClientStaysAwayAtTheEnd) {
  const auto lost = [](RoundReplies& round) {
    if (round.answered.front() != ClientId{2}) return;
    round.absences.push_back({ClientId{2}, "gone"});
    round.answered.erase(round.answered.begin());
    round.replies.clear();
  };

  const auto [result, summary] = certified_fit(lost);

  EXPECT_EQ(result.converged, true);
  EXPECT_EQ(summary.rows, 120);
  EXPECT_FALSE(summary.certificate);
  ASSERT_EQ(result.notes.size(), 1);
  EXPECT_EQ(result.notes[0],
            "the answer was not certified by a gradient of its own: client-3 stayed away when it was asked for");
}

TEST(GramMethod, FitsRidgeRegressionAroundItsStart) {
  for (const bool pairs : {true, false}) {
    const LinearSystem system = noisy_system(1);
    const auto start = test::gaussian_vector(20, 1);
    InProcessEngine engine(test::clients_of(copy_of(system), 6, 1), 1);

    const auto made = fit_by_sums(engine, {.penalty = ridge_penalty(30.0, false, {}, 20), .pairs = pairs}, 0, start);

    EXPECT_TRUE(made.result.converged.value_or(false));
    EXPECT_LT(test::relative_distance(made.result.x, test::ridge_solution(system, 30.0, start)), 1e-12);
  }
}

// Eigen's QR is off by the condition number times some 1e-16 itself.
TEST(GramMethod, IsAsAccurateAsAQrFactorisation) {
  for (const bool pairs : {true, false}) {
    for (const double condition : {1e4, 1e6}) {
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const auto problem = test::system_of_condition(600, 60, condition, seed);
        InProcessEngine engine(test::clients_of(copy_of(problem.system), 6, seed), 1);

        const auto made = fit_by_sums(engine, {.tolerance = 1e-13, .pairs = pairs});

        EXPECT_TRUE(made.result.converged.value_or(false)) << condition << ", seed " << seed;
        EXPECT_LT(test::relative_distance(made.result.x, problem.solution), 1e-14 * condition)
            << "pairs " << pairs << ", condition " << condition << ", seed " << seed;
      }
    }
  }
}

// Condition 3e7, whose square is at the end of doubles, and noise: with the factor as preconditioner some more sweeps
// find what refinement does not. Least squares are then known to the square of the condition number times 1e-16.
TEST(GramMethod, GoesOnByConjugateGradientsWhereDoublesDoNotSuffice) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    auto problem = test::system_of_condition(600, 60, 3e7, seed);
    const auto noise = test::gaussian_vector(600, seed);
    axpy(1e-3, noise, problem.system.rhs);
    InProcessEngine engine(test::clients_of(copy_of(problem.system), 6, seed), 1);

    const auto made = fit_by_sums(engine, {.tolerance = 1e-13, .pairs = false});
    const auto exact = fit_by_sums(engine, {.tolerance = 1e-13, .pairs = true});

    EXPECT_TRUE(made.result.converged.value_or(false)) << "seed " << seed;
    EXPECT_TRUE(exact.result.converged.value_or(false)) << "seed " << seed;
    EXPECT_LT(test::relative_distance(made.result.x, exact.result.x), 1e-3) << "seed " << seed;
  }
}

// Columns 3 = 1 + 2 and 5 = 0; the others are fitted as if they were not there.
TEST(GramMethod, NamesColumnsThatAreCombinationsOfOthers) {
  for (const bool pairs : {true, false}) {
    LinearSystem system = noisy_system(2);
    auto& matrix = std::get<Matrix>(system.rows);
    for (std::size_t i = 0; i < 120; ++i) {
      matrix.row(i)[3] = matrix.row(i)[1] + matrix.row(i)[2];
      matrix.row(i)[5] = 0.0;
    }
    std::vector<std::uint32_t> others;
    for (std::uint32_t j = 0; j < 20; ++j) {
      if (j != 3 && j != 5) others.push_back(j);
    }
    const auto truth = test::least_squares(restrict_to(system, others));
    InProcessEngine engine(test::clients_of(std::move(system), 6, 1), 1);

    const auto [result, summary] = fit_by_sums(engine, {.pairs = pairs});

    EXPECT_EQ(summary.not_estimable, (std::vector<std::size_t>{3, 5}));
    EXPECT_EQ(summary.combined_of[0], (std::vector<std::size_t>{1, 2}));
    EXPECT_EQ(summary.rank, 18);
    EXPECT_EQ(summary.df_residual, 102.0);
    EXPECT_TRUE(result.converged.value_or(false));
    for (std::size_t k = 0; k < others.size(); ++k) EXPECT_NEAR(result.x[others[k]], truth[k], 1e-12);
  }
}

// y = 1 + 2 x at x = 1e6 + (0, 1, 2, 3): with a frame the intercept is exact although the column is far from zero.
TEST(GramMethod, SpeaksInTheUnitsOfTheData) {
  LinearSystem system{Matrix{{1.0, 1e6}, {1.0, 1e6 + 1.0}, {1.0, 1e6 + 2.0}, {1.0, 1e6 + 3.0}},
                      {2e6 + 1.0, 2e6 + 3.0, 2e6 + 5.0, 2e6 + 7.0}};
  const Frame frame{{0.0, 1e6 + 1.5}, {1.0, 0.5}, {}};
  std::vector<Client> clients;
  auto parts = split(std::move(system), partition_contiguous(4, 2));
  for (std::uint32_t i = 0; i < 2; ++i) {
    clients.emplace_back(ClientId{i}, "site", RowBlock(std::move(parts[i]), RowUse::Sums), 1, StepOptions{}, frame);
  }
  InProcessEngine engine(std::move(clients), 1);

  const auto made = fit_by_sums(engine, {.intercept = true, .frame = frame});

  EXPECT_DOUBLE_EQ(made.summary.coefficients[0], 1.0);
  EXPECT_DOUBLE_EQ(made.summary.coefficients[1], 2.0);
  EXPECT_TRUE(made.result.converged.value_or(false));
  EXPECT_DOUBLE_EQ(*made.summary.r_squared, 1.0);
}

TEST(GramMethod, IsQuickerUpToSomeThousandColumns) {
  EXPECT_TRUE(gram_is_quicker(100, {}));
  EXPECT_TRUE(gram_is_quicker(1500, {}));
  EXPECT_FALSE(gram_is_quicker(3000, {}));
  EXPECT_FALSE(gram_is_quicker(1500, {.round_trip = 0.001}));
}

}  // namespace
}  // namespace fedrk
