// SPDX-License-Identifier: Apache-2.0

// Every baseline against a direct solver, over several seeds, through the round loop.

#include <cmath>
#include <memory>

#include <gtest/gtest.h>

#include "fedrk/run.hpp"
#include "methods/others/first_order.hpp"
#include "methods/others/pooled.hpp"
#include "support/direct_solver.hpp"
#include "support/scripted_engine.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk {
namespace {

constexpr std::size_t kClients = 4;

struct Federation {
  explicit Federation(const GeneratorOptions& options) : Federation(generate(options), options.seed) {}
  Federation(GeneratedProblem problem, std::uint64_t seed)
      : least_squares(test::least_squares(problem.system)),
        truth(problem.solution),
        engine(test::clients_of(std::move(problem.system), kClients, seed)) {}

  double distance_to(std::span<const double> x) const { return test::relative_distance(x, least_squares); }

  std::vector<double> least_squares, truth;
  InProcessEngine engine;
};

// The largest ||A_i||^2, asked of the clients as a server would.
double largest_curvature(Engine& engine) {
  std::vector<ClientId> everyone;
  for (const ClientSummary& client : engine.roster()) everyone.push_back(client.id);
  double largest = 0.0;
  for (const LocalReply& reply : engine.local_updates({RoundIndex{0}, {}, Curvature{}}, everyone).replies) {
    largest = std::max(largest, reply.values[0]);
  }
  return largest;
}

TEST(Averaging, OfOneClientsStepsIsThoseSteps) {
  auto problem = generate({.rows = 8, .cols = 20, .seed = 3});
  InProcessEngine engine(test::clients_of(std::move(problem.system), 1, 3));
  Averaging method(engine.roster(), FixedSteps{30});

  const auto averaged = FederatedRun({.seed = 3, .rounds = 5}).run(engine, method);
  const auto by_fedrk =
      FederatedRun({.seed = 3, .rounds = 5, .local_budget = FixedSteps{30}, .server_budget = FixedSteps{1}})
          .run(engine);

  EXPECT_LT(distance(averaged.x, by_fedrk.x), 1e-12);  // one hyperplane, one step: x + Delta
}

TEST(Averaging, WeighsClientsByTheirRows) {
  LinearSystem one{Matrix{{1.0}, {1.0}, {1.0}}, {3.0, 3.0, 3.0}}, other{Matrix{{1.0}}, {-1.0}};
  std::vector<Client> clients;
  clients.emplace_back(ClientId{0}, "a", RowBlock(std::move(one)), 1);
  clients.emplace_back(ClientId{1}, "b", RowBlock(std::move(other)), 2);
  InProcessEngine engine(std::move(clients));
  Averaging method(engine.roster(), ExactProjection{});

  EXPECT_DOUBLE_EQ(FederatedRun({.rounds = 1}).run(engine, method).x[0], 2.0);  // (3 * 3 - 1) / 4
}

TEST(FedAvg, OfGradientStepsSolvesAConsistentSystem) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Federation federation({.rows = 200, .cols = 20, .seed = seed});
    Averaging method(federation.engine.roster(),
                     GradientSteps{.count = 5, .step = 50.0 / largest_curvature(federation.engine)});

    const auto result = FederatedRun({.seed = seed, .rounds = 400, .participants = 2}).run(federation.engine, method);

    EXPECT_LT(federation.distance_to(result.x), 1e-9);
  }
}

TEST(FedProx, IsFedAvgThatGoesLessFar) {
  Federation federation({.rows = 80, .cols = 40, .seed = 1});
  const double step = 20.0 / largest_curvature(federation.engine);
  const auto after_one_round = [&](double proximal) {
    Averaging method(federation.engine.roster(), GradientSteps{.count = 50, .step = step, .proximal = proximal});
    return std::sqrt(squared_norm(FederatedRun({.rounds = 1}).run(federation.engine, method).x));
  };

  EXPECT_LT(after_one_round(0.2 / step), 0.9 * after_one_round(0.0));
}

TEST(Scaffold, ReachesLeastSquaresWhereFedAvgStaysBeside) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Federation federation({.kind = ProblemKind::Inconsistent, .rows = 203, .cols = 20, .seed = seed});
    const double curvature = largest_curvature(federation.engine);
    Scaffold scaffold(kClients, 20, {.count = 5, .step = 0.2 / curvature});
    Averaging fedavg(federation.engine.roster(),
                     GradientSteps{.count = 20, .step = 1.0 / curvature, .loss = GradientSteps::Loss::Sum});

    const auto corrected = FederatedRun({.seed = seed, .rounds = 1500}).run(federation.engine, scaffold);
    const auto drifted = FederatedRun({.seed = seed, .rounds = 1500}).run(federation.engine, fedavg);

    EXPECT_LT(federation.distance_to(corrected.x), 1e-8);
    EXPECT_GT(federation.distance_to(drifted.x), 0.01);
  }
}

TEST(Scaffold, ConvergesWithSomeOfTheClientsToo) {
  Federation federation({.kind = ProblemKind::Inconsistent, .rows = 200, .cols = 20, .seed = 4});
  Scaffold method(kClients, 20, {.count = 5, .step = 0.1 / largest_curvature(federation.engine)});

  const auto result = FederatedRun({.seed = 4, .rounds = 3000, .participants = 2}).run(federation.engine, method);

  EXPECT_LT(federation.distance_to(result.x), 1e-6);
}

TEST(Scaffold, IsNotLedAstrayByAClientWithoutRows) {
  auto problem = generate({.kind = ProblemKind::Inconsistent, .rows = 30, .cols = 4, .seed = 2});
  const auto truth = test::least_squares(problem.system);
  std::vector<Client> clients = test::clients_of(std::move(problem.system), 3, 2);
  clients.emplace_back(ClientId{3}, "empty", RowBlock({Matrix(0, 4), {}}), 9);
  InProcessEngine engine(std::move(clients));
  Scaffold method(4, 4, {.count = 5, .step = 0.2 / largest_curvature(engine)});

  const auto result = FederatedRun({.rounds = 3000}).run(engine, method);

  EXPECT_LT(test::relative_distance(result.x, truth), 1e-8);
}

TEST(IterativeHardThresholding, FindsTheSupportAndItsValues) {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Federation federation({.kind = ProblemKind::Sparse, .rows = 100, .cols = 200, .nonzeros = 4, .seed = seed});
    GradientDescent method(kClients, 0.6 / 100.0, 4);

    const auto result = FederatedRun({.rounds = 500}).run(federation.engine, method);

    found += test::relative_distance(result.x, federation.truth) < 1e-6 ? 1 : 0;
  }
  EXPECT_GE(found, 4);  // a step above 1/||A||^2, as is usual, may settle on a wrong entry now and then
}

TEST(Pooled, DirectSolutionIsTheLeastSquaresSolution) {
  for (const std::size_t rows : {200U, 20U}) {
    Federation federation({.kind = ProblemKind::Inconsistent, .rows = rows, .cols = 30, .seed = 3});
    Pooled method(kClients, direct_solution);

    const auto result = FederatedRun({.rounds = 10}).run(federation.engine, method);

    EXPECT_LT(federation.distance_to(result.x), 1e-12);
    EXPECT_EQ(result.history.size(), 1);
    EXPECT_EQ(result.history[0].bytes_up, (rows * 31 + kClients) * 8);  // the rows, and a word on their form
  }
}

TEST(Pooled, KaczmarzSolvesAConsistentSystem) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Federation federation({.rows = 100, .cols = 20, .seed = seed});
    Pooled method(kClients,
                  [&](const auto& system, auto x) { pooled_kaczmarz({.seed = seed, .tolerance = 1e-10}, system, x); });

    EXPECT_LT(federation.distance_to(FederatedRun({.rounds = 2}).run(federation.engine, method).x), 1e-9);
  }
}

TEST(Pooled, ExtendedKaczmarzReachesLeastSquaresWherePlainHovers) {
  for (const double density : {1.0, 0.3}) {
    Federation federation({.kind = ProblemKind::Inconsistent, .rows = 100, .cols = 20, .density = density, .seed = 6});
    const PooledSteps steps{.tolerance = 1e-10, .max_passes = 400};
    Pooled plain(kClients, [&](const auto& system, auto x) { pooled_kaczmarz(steps, system, x); });
    Pooled extended(kClients, [&](const auto& system, auto x) { extended_kaczmarz(steps, system, x); });

    EXPECT_GT(federation.distance_to(FederatedRun({.rounds = 2}).run(federation.engine, plain).x), 0.1);
    EXPECT_LT(federation.distance_to(FederatedRun({.rounds = 2}).run(federation.engine, extended).x), 1e-8);
  }
}

TEST(Pooled, KeepsWaitingForOneWhoSendsNonsense) {
  Federation federation({.rows = 40, .cols = 5, .seed = 1});
  test::ScriptedEngine engine(federation.engine, [](const LocalTask&, RoundReplies& round) {
    round.replies[1].values = {0.0, 3.0};
  });
  Pooled method(kClients, direct_solution);

  const auto result = FederatedRun({.rounds = 3}).run(engine, method);

  EXPECT_EQ(result.termination, Termination::RoundLimit);
  EXPECT_EQ(squared_norm(result.x), 0.0);
}

}  // namespace
}  // namespace fedrk
