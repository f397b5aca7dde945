// SPDX-License-Identifier: Apache-2.0
#include "methods/sparse_kaczmarz.hpp"

#include <cmath>
#include <tuple>

#include <gtest/gtest.h>

#include "fedrk/run.hpp"
#include "kaczmarz/soft_threshold.hpp"
#include "support/direct_solver.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk {
namespace {

std::vector<double> soft_of(std::span<const double> v, double lambda) {
  std::vector<double> x(v.size());
  soft_threshold(v, lambda, x);
  return x;
}

// ---- The projection.

// <s, soft(v + t s)> = d on either side of where v stands, near and far. It is a sum of 30 products.
TEST(BregmanProjection, LandsOnTheHyperplane) {
  for (const double lambda : {0.0, 0.3, 1.0, 10.0}) {
    for (const double by : {-100.0, -3.0, -0.1, -1e-9, 0.0, 1e-9, 0.1, 3.0, 100.0}) {
      for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        const auto s = test::gaussian_vector(30, seed);
        auto v = test::gaussian_vector(30, seed + 20);
        const auto before = v;
        const double offset = dot(s, soft_of(v, lambda)) + by;

        bregman_project(s, offset, lambda, v);

        EXPECT_NEAR(dot(s, soft_of(v, lambda)), offset, 1e-12 * (10.0 + std::abs(by)))
            << "lambda " << lambda << ", by " << by << ", seed " << seed;
        // The way is along s, upwards where the product was too small.
        auto way = v;
        axpy(-1.0, before, way);
        const double t = dot(way, s) / squared_norm(s);
        axpy(-t, s, way);
        EXPECT_LT(std::sqrt(squared_norm(way)), 1e-11 * (1.0 + std::abs(t)));
        EXPECT_GE(t * by, -1e-12);
      }
    }
  }
}

TEST(BregmanProjection, IsTheOrthogonalOneWithoutAPenalty) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto s = test::gaussian_vector(30, seed);
    auto v = test::gaussian_vector(30, seed + 20), expected = v;
    axpy((2.0 - dot(s, v)) / squared_norm(s), s, expected);

    bregman_project(s, 2.0, 0.0, v);

    EXPECT_LT(test::relative_distance(v, expected), 1e-14);
  }
}

// From v = 0, s = (1, 2), lambda = 1: soft(t s) = (t - 1, 2 t - 1) for t >= 1, and (0, 2 t - 1) for 1/2 <= t <= 1.
// <s, .> is 4 t - 2 on the latter piece, 2 at its end, and 5 t - 3 beyond. So d = 1 asks for t = 3/4 and d = 7 for 2.
TEST(BregmanProjection, IsWhatItIsByHand) {
  for (const double sign : {1.0, -1.0}) {
    std::vector<double> near{0.0, 0.0}, far{0.0, 0.0};
    bregman_project(std::vector{1.0, 2.0}, sign * 1.0, 1.0, near);
    bregman_project(std::vector{1.0, 2.0}, sign * 7.0, 1.0, far);

    EXPECT_NEAR(near[0], sign * 0.75, 1e-15);
    EXPECT_NEAR(near[1], sign * 1.5, 1e-15);
    EXPECT_NEAR(far[0], sign * 2.0, 1e-15);
    EXPECT_NEAR(far[1], sign * 4.0, 1e-15);
  }
}

// d = 0 from v = (3, 0), s = (1, 0): every v between -1 and 1 will do; it is enough to arrive at one.
TEST(BregmanProjection, EndsWhereTheProductIsFlat) {
  std::vector<double> v{3.0, 0.0};
  bregman_project(std::vector{1.0, 0.0}, 0.0, 1.0, v);
  EXPECT_EQ(soft(v[0], 1.0), 0.0);
}

TEST(BregmanProjection, BearsExtremeLengths) {
  for (const double length : {1e-100, 1e-10, 1e10, 1e100}) {
    const auto direction = test::gaussian_vector(10, 3);
    std::vector<double> s(10, 0.0), v = test::gaussian_vector(10, 4);
    axpy(length, direction, s);

    bregman_project(s, 5.0 * length, 1.0, v);

    EXPECT_NEAR(dot(direction, soft_of(v, 1.0)), 5.0, 1e-10) << length;
  }
}

// ---- The clients' steps.

// <Delta, x*> - <Delta, soft(v)> for a consistent system, as the steps add up multiples of rows.
TEST(SparseSteps, GiveAHyperplaneThatHoldsTheSolution) {
  for (const double density : {1.0, 0.3}) {
    for (const double lambda : {0.0, 0.5}) {
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const auto problem = generate({.rows = 10, .cols = 30, .density = density, .seed = seed});
        Client client(ClientId{0}, "site", RowBlock(copy_of(problem.system)), seed);
        const auto v = test::gaussian_vector(30, seed), x = soft_of(v, lambda);

        const auto reply = client.local_update({RoundIndex{1}, v, SparseSteps{FixedSteps{40}, lambda}, true});

        EXPECT_NEAR(*reply.gap, dot(reply.values, problem.solution) - dot(reply.values, x),
                    1e-12 * std::sqrt(squared_norm(reply.values)) * 20.0);
        EXPECT_NEAR(*reply.squared_residual, squared_residual(problem.system, x), 1e-10);
      }
    }
  }
}

// ---- Runs.

RunResult solve(Engine& engine, const RunOptions& options, SparseOptions method) {
  method.seed = options.seed;
  SparseKaczmarz made(method);
  return FederatedRun(options).run(engine, made);
}

// Optimality: A x = b, and v = lambda sign(x) + x where x is not zero, |v| <= lambda where it is, for a v in the row
// space; the last holds as v starts at zero and moves by rows. v is what the answer is made of, so only A x = b is left
// to show. To have v, the answer is taken apart: on the support v = x + lambda sign(x), and these entries alone fix the
// coefficients y of v = A^T y by least squares where the support is at least as large as the number of rows.
TEST(SparseKaczmarz, TendsToTheLeastPenaltyAmongTheSolutions) {
  // One equation x1 + 2 x2 = d: from the hand calculation above, d = 1: x = (0, 1/2); d = 7: x = (1, 3).
  for (const auto& [d, first, second] : {std::tuple{1.0, 0.0, 0.5}, {7.0, 1.0, 3.0}, {-7.0, -1.0, -3.0}}) {
    InProcessEngine engine(test::clients_of({Matrix{{1.0, 2.0}}, {d}}, 1, 1), 1);
    const auto result = solve(engine, {.rounds = 50}, {.lambda = 1.0});
    EXPECT_NEAR(result.x[0], first, 1e-13);
    EXPECT_NEAR(result.x[1], second, 1e-13);
  }
}

// Two equations of two clients: x1 + x2 + x3 = 3 and x1 - x2 = 2. With v = (p + q, p - q, p) and lambda = 1, x = (x1,
// x2, x3) = (v1 - 1, 0, v3 - 1) for p > 1, |p - q| <= 1: x1 = 2 = p + q - 1 and x3 = 1 = p - 1, so p = 2, q = 1, v2
// = 1.
TEST(SparseKaczmarz, SolvesTwoEquationsByHand) {
  for (const Reveal reveal : {Reveal::Sums, Reveal::Updates}) {
    InProcessEngine engine(test::clients_of({Matrix{{1.0, 1.0, 1.0}, {1.0, -1.0, 0.0}}, {3.0, 2.0}}, 2, 1), 1);
    const auto result = solve(engine, {.rounds = 3000}, {.lambda = 1.0, .reveal = reveal});
    EXPECT_NEAR(result.x[0], 2.0, 1e-6);
    EXPECT_NEAR(result.x[1], 0.0, 1e-6);
    EXPECT_NEAR(result.x[2], 1.0, 1e-6);
  }
}

// Optimality conditions: A x = b, and a v in the row space with soft(v) = x. The v of the run is not shown, so the
// method is held on to and asked for the answer at the v that the loop moved.
class Watched final : public Method {
 public:
  explicit Watched(const SparseOptions& options) : inner_(options) {}
  Request request(RoundIndex t, std::span<const double> v) override { return inner_.request(t, v); }
  void update(RoundIndex t, RoundReplies& round, std::span<double> v) override {
    inner_.update(t, round, v);
    last.assign(v.begin(), v.end());
  }
  std::span<const double> answer(std::span<const double> v) override { return inner_.answer(v); }
  std::vector<double> last;

 private:
  SparseKaczmarz inner_;
};

TEST(SparseKaczmarz, SatisfiesTheOptimalityConditions) {
  for (const Reveal reveal : {Reveal::Sums, Reveal::Updates}) {
    for (const std::size_t participants : {0U, 2U}) {
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        auto problem = generate({.kind = ProblemKind::Sparse, .rows = 24, .cols = 40, .nonzeros = 4, .seed = seed});
        const LinearSystem system = copy_of(problem.system);
        InProcessEngine engine(
            test::clients_of(std::move(problem.system), 4, seed, {.sampling = RowSampling::Shuffled}), 1);
        Watched method({.lambda = 1.0, .local_budget = FixedSteps{20}, .reveal = reveal, .seed = seed});

        const auto result =
            FederatedRun({.seed = seed, .rounds = 3000, .participants = participants}).run(engine, method);

        EXPECT_EQ(soft_of(method.last, 1.0), result.x);
        // The rate is that of 24 nearly square equations; 3000 rounds are enough for six digits.
        EXPECT_LT(std::sqrt(squared_residual(system, result.x) / squared_norm(system.rhs)), 1e-6) << "seed " << seed;
        // v = A^T y: what is left of it by a projection onto the rows is nothing. (A z = A v has v as its least-norm
        // solution exactly where v is in the row space.)
        LinearSystem images{Matrix(24, 40), multiply(system.rows, method.last)};
        for (std::size_t i = 0; i < 24; ++i) {
          axpy(1.0, std::get<Matrix>(system.rows).row(i), std::get<Matrix>(images.rows).row(i));
        }
        EXPECT_LT(test::relative_distance(method.last, test::least_squares(images)), 1e-9);
      }
    }
  }
}

}  // namespace
}  // namespace fedrk
