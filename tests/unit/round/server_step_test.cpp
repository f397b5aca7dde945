// SPDX-License-Identifier: Apache-2.0
#include "round/server_step.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "kaczmarz/projection.hpp"
#include "support/direct_solver.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk {
namespace {

std::vector<Hyperplane> planes_of(const std::vector<std::vector<double>>& displacements) {
  std::vector<Hyperplane> planes;
  for (const auto& delta : displacements) planes.push_back(*hyperplane_from({delta.begin(), delta.end()}));
  return planes;
}

TEST(ServerStep, WithOneHyperplaneGoesToTheClientsEndPoint) {
  std::vector<double> x{1.0, 1.0, 1.0};
  const auto planes = planes_of({{1.0, -2.0, 0.5}});

  ServerStep(FixedSteps{20}, RowSampling::Uniform).project(planes, stream_for(1, Purpose::ServerSteps), x);

  EXPECT_NEAR(x[0], 2.0, 1e-14);
  EXPECT_NEAR(x[1], -1.0, 1e-14);
  EXPECT_NEAR(x[2], 1.5, 1e-14);
}

// The steps in coefficient space against the same steps on x, written out. Fewer steps than planes leave some alone.
TEST(ServerStep, MakesTheStepsOfPlainKaczmarz) {
  for (const auto& [clients, steps] : {std::pair{5U, 20U}, {16U, 7U}, {3U, 100U}, {1U, 3U}, {40U, 40U}, {300U, 300U}}) {
    for (const RowSampling sampling : {RowSampling::Uniform, RowSampling::SquaredNorm}) {
      auto x = test::gaussian_vector(33, 1);
      std::vector<std::vector<double>> deltas;
      std::vector<double> squares;
      for (std::uint64_t k = 0; k < clients; ++k) deltas.push_back(test::gaussian_vector(33, 100 + k));
      const auto planes = planes_of(deltas);
      for (const Hyperplane& plane : planes) squares.push_back(plane.squared_norm);
      auto plain = x;
      const auto start = x;
      const auto plane_at = [&](std::size_t i) {
        const double offset = planes[i].gap + dot(planes[i].normal, start);
        return HyperplaneView<std::span<const double>>{planes[i].normal, offset, planes[i].squared_norm};
      };
      const RowSampler sampler = RowSampler::make(sampling, squares);
      RngStream stream = stream_for(9, Purpose::ServerSteps);

      for (unsigned k = 0; k < steps; ++k) project(plane_at(sampler.draw(stream)), plain);
      ServerStep(FixedSteps{steps}, sampling).project(planes, stream_for(9, Purpose::ServerSteps), x);

      EXPECT_LT(test::relative_distance(x, plain), 1e-13) << clients << " clients, " << steps << " steps";
    }
  }
}

TEST(ServerStep, ToTheEndIsTheProjectionOntoTheIntersection) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    auto x = test::gaussian_vector(12, seed);
    std::vector<std::vector<double>> deltas;
    for (std::uint64_t k = 1; k <= 4; ++k) deltas.push_back(test::gaussian_vector(12, 100 * seed + k));
    deltas.push_back(deltas.front());  // two clients that agree make the planes dependent
    const auto planes = planes_of(deltas);
    LinearSystem planes_as_rows{Matrix(5, 12), {}};
    for (std::size_t i = 0; i < 5; ++i) {
      std::ranges::copy(planes[i].normal, std::get<Matrix>(planes_as_rows.rows).row(i).begin());
      planes_as_rows.rhs.push_back(planes[i].gap + dot(planes[i].normal, x));
    }
    const auto truth = test::nearest_solution(planes_as_rows, x);

    auto many_steps = x;
    ServerStep(FixedSteps{20000}, RowSampling::Uniform)
        .project(planes, stream_for(seed, Purpose::ServerSteps), many_steps);
    ServerStep(ExactProjection{}, RowSampling::Uniform).project(planes, stream_for(seed, Purpose::ServerSteps), x);

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
      const auto planes = planes_of({{3.0, 0.0}, {0.0, 1.0}});
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
  ServerStep(ExactProjection{}, RowSampling::Uniform).project({}, stream_for(1, Purpose::ServerSteps), x);

  EXPECT_EQ(x, (std::vector{1.0, 2.0}));
}

}  // namespace
}  // namespace fedrk
