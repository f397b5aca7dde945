// SPDX-License-Identifier: Apache-2.0
#include "methods/hyperplane_memory.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "support/direct_solver.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk {
namespace {

constexpr std::size_t kNoLimit = std::size_t{1} << 30;

// The hyperplane { z : <normal, z> = offset }, as seen from x.
Hyperplane plane_at(std::span<const double> normal, double offset, std::span<const double> x) {
  return {aligned_copy(normal), offset - dot(normal, x), squared_norm(normal)};
}

// Round t brings the rows t * each, ... of a system.
class Rounds {
 public:
  Rounds(const LinearSystem& system, std::size_t each) : system_(system), each_(each) {}

  void bring(std::uint32_t t, HyperplaneMemory& memory, std::vector<double>& x) const {
    const auto& matrix = std::get<Matrix>(system_.rows);
    std::vector<Hyperplane> planes;
    for (std::size_t i = t * each_; i < (t + 1) * each_; ++i) {
      planes.push_back(plane_at(matrix.row(i), system_.rhs[i], x));
    }
    memory.project(RoundIndex{t}, planes, x);
  }

 private:
  const LinearSystem& system_;
  std::size_t each_;
};

LinearSystem first_rows(const LinearSystem& system, std::size_t count) {
  LinearSystem part{Matrix(count, column_count(system.rows)),
                    {system.rhs.begin(), system.rhs.begin() + static_cast<std::ptrdiff_t>(count)}};
  for (std::size_t i = 0; i < count; ++i) {
    axpy(1.0, std::get<Matrix>(system.rows).row(i), std::get<Matrix>(part.rows).row(i));
  }
  return part;
}

// Of 30 Gaussian equations in 40 unknowns the condition number is about ten: 1e-12 is rounding, some times over.
TEST(HyperplaneMemory, ProjectsOntoAllThatItKnows) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto problem = generate({.rows = 30, .cols = 40, .seed = seed});
    const auto start = test::gaussian_vector(40, seed);
    HyperplaneMemory memory(HyperplaneMemory::kAll, kNoLimit);
    const Rounds rounds(problem.system, 3);

    auto x = start;
    for (std::uint32_t t = 0; t < 10; ++t) {
      rounds.bring(t, memory, x);
      const auto truth = test::nearest_solution(first_rows(problem.system, 3 * (t + 1)), start);
      EXPECT_LT(test::relative_distance(x, truth), 1e-12) << "seed " << seed << ", round " << t;
    }
    EXPECT_EQ(memory.size(), 30);
  }
}

TEST(HyperplaneMemory, BringsAnyPointBackToTheIntersection) {
  const auto problem = generate({.rows = 12, .cols = 20, .seed = 3});
  HyperplaneMemory memory(HyperplaneMemory::kAll, kNoLimit);
  std::vector<double> x(20, 0.0);
  for (std::uint32_t t = 0; t < 4; ++t) Rounds(problem.system, 3).bring(t, memory, x);

  auto elsewhere = test::gaussian_vector(20, 5);
  const auto truth = test::nearest_solution(problem.system, elsewhere);
  memory.project(RoundIndex{4}, {}, elsewhere);

  EXPECT_LT(test::relative_distance(elsewhere, truth), 1e-12);
}

TEST(HyperplaneMemory, LeavesOutWhatSaysNothingNew) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto problem = generate({.rows = 4, .cols = 10, .seed = seed});
    const auto& matrix = std::get<Matrix>(problem.system.rows);
    HyperplaneMemory memory(HyperplaneMemory::kAll, kNoLimit);
    auto x = test::gaussian_vector(10, seed);
    Rounds(problem.system, 4).bring(0, memory, x);
    const auto before = x;

    // Three times the first less the second and the third, long before and after the others.
    for (const double length : {1e-6, 1.0, 1e6}) {
      std::vector<double> normal(10, 0.0);
      axpy(3.0 * length, matrix.row(0), normal);
      axpy(-length, matrix.row(1), normal);
      axpy(-length, matrix.row(2), normal);
      std::vector<Hyperplane> again{plane_at(normal, dot(normal, problem.solution), x)};
      memory.project(RoundIndex{1}, again, x);
    }

    EXPECT_EQ(memory.size(), 4);
    EXPECT_LT(test::relative_distance(x, before), 1e-14);
  }
}

// The same equation from two clients, as when they share rows: no contradiction, wherever the run starts. At zero there
// is no length of x to compare rounding with.
TEST(HyperplaneMemory, TakesAnEquationThatComesTwiceAtZeroForOne) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const auto normal = test::gaussian_vector(30, seed);
    const double offset = test::gaussian_vector(1, seed + 100)[0];
    std::vector<double> x(30, 0.0), scaled(30, 0.0);
    axpy(1.7, normal, scaled);
    HyperplaneMemory memory(HyperplaneMemory::kAll, kNoLimit);

    std::vector<Hyperplane> twice{plane_at(normal, offset, x), plane_at(scaled, 1.7 * offset, x)};
    memory.project(RoundIndex{0}, twice, x);

    EXPECT_EQ(memory.size(), 1);
  }
}

TEST(HyperplaneMemory, LeavesOutAHyperplaneThatIsParallelToTheIntersection) {
  for (const double apart : {1e-3, 1.0, 1e3}) {
    std::vector<double> x{1.0, 1.0, 1.0};
    HyperplaneMemory memory(HyperplaneMemory::kAll, kNoLimit);
    std::vector<Hyperplane> planes{plane_at(std::vector{1.0, 1.0, 0.0}, 2.0, x),
                                   plane_at(std::vector{0.0, 1.0, 1.0}, 1.0, x)};
    memory.project(RoundIndex{0}, planes, x);

    // The sum of the two says <(1, 2, 1), z> = 3.
    std::vector<Hyperplane> third{plane_at(std::vector{1.0, 2.0, 1.0}, 3.0 + apart, x)};
    memory.project(RoundIndex{1}, third, x);

    EXPECT_EQ(memory.size(), 2);
  }
}

// Each basis vector is an equation of its own that every solution satisfies, so the way of a projection is at right
// angles to what is left, to rounding: Pythagoras.
TEST(HyperplaneMemory, HoldsTheSolutionAfterForgetting) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto problem = generate({.rows = 40, .cols = 30, .seed = seed});
    HyperplaneMemory memory(2, kNoLimit);
    const Rounds rounds(problem.system, 2);
    auto x = test::gaussian_vector(30, seed);
    for (std::uint32_t t = 0; t < 20; ++t) {
      const auto before = x;
      rounds.bring(t, memory, x);

      EXPECT_EQ(memory.size(), 2 * std::min<std::size_t>(t + 1, 3));
      const double was = distance(before, problem.solution), way = distance(before, x),
                   left = distance(x, problem.solution);
      EXPECT_NEAR(was * was, way * way + left * left, 1e-12 * was * was);
      const auto& matrix = std::get<Matrix>(problem.system.rows);
      for (const std::size_t i : {2U * t, 2U * t + 1U}) {
        EXPECT_NEAR(dot(matrix.row(i), x), problem.system.rhs[i], 1e-11);
      }
    }
  }
}

TEST(HyperplaneMemory, ForgetsTheOldestWhereTheyDoNotFitTheBytes) {
  const auto problem = generate({.rows = 40, .cols = 30, .seed = 2});
  HyperplaneMemory memory(HyperplaneMemory::kAll, 5 * 30 * sizeof(double)), tiny(HyperplaneMemory::kAll, 1);
  std::vector<double> x(30, 0.0), y(30, 0.0);
  for (std::uint32_t t = 0; t < 20; ++t) {
    const double before = distance(x, problem.solution);
    Rounds(problem.system, 2).bring(t, memory, x);
    Rounds(problem.system, 2).bring(t, tiny, y);

    EXPECT_LE(memory.size(), 5 + 2);  // what was kept, and the two of the round
    EXPECT_LE(tiny.size(), 1 + 2);
    EXPECT_LE(distance(x, problem.solution), before);
  }
  EXPECT_EQ(memory.size(), 7);
}

}  // namespace
}  // namespace fedrk
