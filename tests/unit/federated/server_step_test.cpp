// SPDX-License-Identifier: Apache-2.0
#include "fedrk/federated/server_step.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "support/direct_solver.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk {
namespace {

std::vector<Hyperplane> planes_through(std::vector<std::vector<double>> displacements, std::span<const double> x) {
  std::vector<Hyperplane> planes;
  for (std::uint32_t i = 0; i < displacements.size(); ++i) {
    planes.push_back(*hyperplane_from(std::move(displacements[i]), x));
  }
  return planes;
}

TEST(ServerStep, WithOneHyperplaneGoesToTheClientsEndPoint) {
  std::vector<double> x{1.0, 1.0, 1.0};
  const auto planes = planes_through({{1.0, -2.0, 0.5}}, x);

  ServerStep(FixedSteps{20}, RowSampling::Uniform).project(planes, stream_for(1, Purpose::ServerSteps), x);

  EXPECT_NEAR(x[0], 2.0, 1e-14);
  EXPECT_NEAR(x[1], -1.0, 1e-14);
  EXPECT_NEAR(x[2], 1.5, 1e-14);
}

TEST(ServerStep, ToTheEndIsTheProjectionOntoTheIntersection) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    auto x = test::gaussian_vector(12, seed);
    std::vector<std::vector<double>> deltas;
    for (std::uint64_t k = 1; k <= 4; ++k) deltas.push_back(test::gaussian_vector(12, 100 * seed + k));
    deltas.push_back(deltas.front());  // two clients that agree make the planes dependent
    const auto planes = planes_through(deltas, x);
    LinearSystem planes_as_rows{Matrix(5, 12), {}};
    for (std::size_t i = 0; i < 5; ++i) {
      std::ranges::copy(planes[i].normal, std::get<Matrix>(planes_as_rows.rows).row(i).begin());
      planes_as_rows.rhs.push_back(planes[i].offset);
    }
    const auto truth = test::nearest_solution(planes_as_rows, x);

    auto many_steps = x;
    ServerStep(FixedSteps{20000}, RowSampling::Uniform)
        .project(planes, stream_for(seed, Purpose::ServerSteps), many_steps);
    ServerStep(UntilProjected{}, RowSampling::Uniform).project(planes, stream_for(seed, Purpose::ServerSteps), x);

    EXPECT_LT(test::relative_distance(x, truth), 1e-13);
    EXPECT_LT(test::relative_distance(many_steps, truth), 1e-10);  // the steps converge to the same point
  }
}

TEST(ServerStep, DrawsUniformlyOrByLength) {
  // Two orthogonal planes, one step: which entry moved tells which plane was drawn.
  int first_uniform = 0, first_by_norm = 0;
  for (std::uint32_t t = 0; t < 2000; ++t) {
    for (const RowSampling sampling : {RowSampling::Uniform, RowSampling::SquaredNorm}) {
      std::vector<double> x{0.0, 0.0};
      const auto planes = planes_through({{3.0, 0.0}, {0.0, 1.0}}, x);
      ServerStep(FixedSteps{1}, sampling).project(planes, stream_for(1, Purpose::ServerSteps, RoundIndex{t}), x);
      (sampling == RowSampling::Uniform ? first_uniform : first_by_norm) += x[0] != 0.0 ? 1 : 0;
    }
  }

  EXPECT_NEAR(first_uniform, 1000, 112);  // five standard deviations of the binomial
  EXPECT_NEAR(first_by_norm, 1800, 67);   // 9 : 1
}

TEST(ServerStep, WithoutHyperplanesStaysPut) {
  std::vector<double> x{1.0, 2.0};

  ServerStep(FixedSteps{20}, RowSampling::Uniform).project({}, stream_for(1, Purpose::ServerSteps), x);
  ServerStep(UntilProjected{}, RowSampling::Uniform).project({}, stream_for(1, Purpose::ServerSteps), x);

  EXPECT_EQ(x, (std::vector{1.0, 2.0}));
}

}  // namespace
}  // namespace fedrk
