// SPDX-License-Identifier: Apache-2.0
#include "analysis/record_attack.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "fedrk/run.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk {
namespace {

// Points that an attacker could be given: x and Delta with x + Delta as it is wanted.
SeenUpdate ending_at(std::vector<double> point, std::vector<double> delta, std::uint32_t round = 0) {
  std::vector<double> x = point;
  for (std::size_t j = 0; j < x.size(); ++j) x[j] -= delta[j];
  return {RoundIndex{round}, std::move(x), std::move(delta)};
}

// <(1, 2, 3), p> = 4 and <(1, -1, 0), p> = 1, contradicting nothing and nobody.
LinearSystem two_records() { return {Matrix{{1.0, 2.0, 3.0}, {1.0, -1.0, 0.0}}, {4.0, 1.0}}; }

// Points on the first hyperplane, then on the second, each with two free coordinates drawn at random.
std::vector<SeenUpdate> points_on_two_planes(std::size_t on_first, std::size_t on_second) {
  RngStream stream = stream_for(3, Purpose::GeneratedNoise);
  std::vector<SeenUpdate> updates;
  for (std::size_t k = 0; k < on_first + on_second; ++k) {
    const double u = stream.gaussian(), v = stream.gaussian();
    std::vector<double> point = k < on_first ? std::vector{4.0 - 2.0 * u - 3.0 * v, u, v} : std::vector{1.0 + u, u, v};
    updates.push_back(ending_at(std::move(point), {1.0, 0.5, stream.gaussian()}));
  }
  return updates;
}

// What a server sees of one client: it asks from anywhere, round after round.
std::vector<SeenUpdate> updates_by(Client& client, std::uint64_t steps, std::uint32_t rounds) {
  std::vector<SeenUpdate> updates;
  for (std::uint32_t t = 0; t < rounds; ++t) {
    std::vector<double> x = test::gaussian_vector(client.block().cols(), 100 + t);
    const LocalReply reply = client.local_update({RoundIndex{t}, x, FixedSteps{steps}});
    updates.push_back({RoundIndex{t}, std::move(x), {reply.values.begin(), reply.values.end()}});
  }
  return updates;
}

// Records with an intercept and different lengths, which contradict each other.
LinearSystem contradictory_records(std::size_t rows, std::size_t cols) {
  Matrix matrix(rows, cols);
  std::vector<double> rhs;
  RngStream stream = stream_for(9, Purpose::GeneratedMatrix);
  for (std::size_t i = 0; i < rows; ++i) {
    matrix.row(i)[0] = 1.0;
    for (std::size_t j = 1; j < cols; ++j) matrix.row(i)[j] = (i % 3 == 0 ? 2.0 : 1.0) * stream.gaussian();
    rhs.push_back(stream.gaussian());
  }
  return {std::move(matrix), std::move(rhs)};
}

TEST(RecordAttack, ReadsARecordFromASingleStep) {
  // From 0, one step on <(1, 2, 2), x> = 3 is 3/9 of the row.
  const std::vector<SeenUpdate> updates{{RoundIndex{0}, {0.0, 0.0, 0.0}, {1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0}},
                                        {RoundIndex{1}, {3.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}};  // on it already

  const auto found = recover_from_single_steps(updates, {.ones = 0});

  ASSERT_EQ(found.size(), 1);
  EXPECT_NEAR(found[0].a[1], 2.0, 1e-15);
  EXPECT_NEAR(found[0].a[2], 2.0, 1e-15);
  EXPECT_NEAR(found[0].b, 3.0, 1e-14);
  EXPECT_EQ(found[0].support, 1);
}

TEST(RecordAttack, KnowsARecordUpToAFactorWithoutAColumnOfOnes) {
  const std::vector<SeenUpdate> updates{{RoundIndex{0}, {0.0, 0.0}, {-3.0, -4.0}}};

  const auto found = recover_from_single_steps(updates);

  ASSERT_EQ(found.size(), 1);  // of length one, the largest entry positive
  EXPECT_NEAR(found[0].a[0], 0.6, 1e-15);
  EXPECT_NEAR(found[0].a[1], 0.8, 1e-15);
  EXPECT_NEAR(found[0].b, -5.0, 1e-14);
  EXPECT_EQ(count_matches(found, {Matrix{{-30.0, -40.0}}, {250.0}}), 1);
  EXPECT_EQ(count_matches(found, {Matrix{{30.0, 40.0}}, {250.0}}), 0);
}

TEST(RecordAttack, CountsTheSameRecordOnce) {
  Client client(ClientId{0}, "a", RowBlock(two_records()), 5);

  const auto found = recover_from_single_steps(updates_by(client, 1, 40), {.ones = 0});

  ASSERT_EQ(found.size(), 2);
  EXPECT_EQ(found[0].support + found[1].support, 40);
  EXPECT_EQ(count_matches(found, two_records(), {.ones = 0}), 2);
}

TEST(RecordAttack, FindsHyperplanesAndTheirPointsOneAfterTheOther) {
  const auto found = recover_from_points(points_on_two_planes(30, 20), {.ones = 0});

  ASSERT_EQ(found.size(), 2);  // the second from what is left, which shares one condition
  EXPECT_EQ(count_matches(found, two_records(), {.ones = 0}, 1e-12), 2);
  EXPECT_EQ(found[0].support + found[1].support, 50);
}

TEST(RecordAttack, FindsNothingWherePointsAreOnNoHyperplane) {
  std::vector<SeenUpdate> updates;
  for (std::uint32_t k = 0; k < 60; ++k) updates.push_back(ending_at(test::gaussian_vector(3, k), {1.0, 1.0, 1.0}));

  EXPECT_TRUE(recover_from_points(updates, {.ones = 0}).empty());
}

TEST(RecordAttack, TakesWhatAllPointsShareForNoRecord) {
  std::vector<SeenUpdate> flat, none, alike(10, ending_at({1.0, 2.0, 3.0}, {1.0, 0.0, 0.0}));
  for (std::uint32_t k = 0; k < 60; ++k) {
    std::vector<double> point = test::gaussian_vector(3, k);
    point[2] = 0.0;  // as thresholding leaves it
    flat.push_back(ending_at(point, {1.0, 1.0, 0.0}));
  }

  EXPECT_TRUE(recover_from_points(flat).empty());
  EXPECT_TRUE(recover_from_points(none).empty());
  EXPECT_TRUE(recover_from_points(alike).empty());
}

TEST(RecordAttack, FindsRecordsWherePointsShareACondition) {
  // All points have p_3 = p_1, and half of them <(1, 2, 0, 0), p> = 4: in the plane of the cloud that is one line.
  std::vector<SeenUpdate> updates;
  for (std::uint32_t k = 0; k < 60; ++k) {
    const std::vector<double> z = test::gaussian_vector(3, k);
    const double p1 = k % 2 == 0 ? 4.0 - 2.0 * z[1] : z[0];
    updates.push_back(ending_at({p1, z[1], p1, z[2]}, {1.0, 1.0, 1.0, z[0]}));
  }

  const auto found = recover_from_points(updates);

  ASSERT_FALSE(found.empty());
  for (std::uint32_t k = 0; k < 60; k += 2) {
    const SeenUpdate& seen = updates[k];
    EXPECT_NEAR(dot(found[0].a, seen.x) + dot(found[0].a, seen.delta), found[0].b, 1e-10);
  }
}

TEST(RecordAttack, RebuildsTheRecordsOfAClientFromItsUpdates) {
  const LinearSystem records = contradictory_records(6, 4);
  Client client(ClientId{0}, "a", RowBlock(copy_of(records)), 5);

  const auto found = recover_from_points(updates_by(client, 12, 400), {.ones = 0});

  EXPECT_EQ(count_matches(found, records, {.ones = 0}), 6);
  EXPECT_EQ(found.size(), 6);
}

TEST(RecordAttack, KnowsTheRowsByTheDraws) {
  const LinearSystem records = contradictory_records(6, 4);
  for (const auto sampling : {RowSampling::SquaredNorm, RowSampling::Uniform, RowSampling::Shuffled}) {
    for (const std::uint64_t steps : {1U, 7U, 200U}) {
      Client client(ClientId{0}, "a", RowBlock(copy_of(records)), 5, {.sampling = sampling});
      const KnownDraws draws{.seed = 5, .rows = 6, .steps = steps, .sampling = sampling};
      const auto updates = updates_by(client, steps, 400);

      const auto found = recover_with_draws(updates, draws, {.ones = 0});

      EXPECT_EQ(count_matches(found, records, {.ones = 0}), 6) << static_cast<int>(sampling) << ' ' << steps;
      EXPECT_EQ(found.size(), 6);
    }
  }
}

TEST(RecordAttack, LearnsNothingFromDrawsThatGreedyStepsDoNotMake) {
  Client client(ClientId{0}, "a", RowBlock(two_records()), 5, {.sampling = RowSampling::Greedy});

  EXPECT_TRUE(
      recover_with_draws(updates_by(client, 5, 50), {.seed = 5, .rows = 2, .sampling = RowSampling::Greedy}).empty());
}

TEST(RecordAttack, TellsWhetherAClientHoldsARecord) {
  const LinearSystem records = contradictory_records(6, 4);
  Client client(ClientId{0}, "a", RowBlock(copy_of(records)), 5);
  const auto updates = updates_by(client, 12, 200);

  const auto rows = test::written_out(records.rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_TRUE(holds(rows[i], records.rhs[i], updates));
    EXPECT_FALSE(holds(rows[i], records.rhs[i] + 1e-3, updates));
  }
  EXPECT_FALSE(holds(test::gaussian_vector(4, 1), 0.5, updates));
  EXPECT_FALSE(holds(rows[0], records.rhs[0], {}));
}

TEST(RecordAttack, TakesAnEquationThatHoldsAtTheSolutionForNobodysRecord) {
  // At (1, 1, 1) everything holds: <(1, 1, 1), x> = 3 too, which is no row of the client.
  const std::vector<SeenUpdate> updates{ending_at({1.0, 1.0, 1.0}, {1e-12, 0.0, 0.0}),
                                        ending_at({2.0, 0.0, 0.5}, {1.0, 0.0, 0.0})};

  EXPECT_FALSE(holds(std::vector{1.0, 1.0, 1.0}, 3.0, updates));
  EXPECT_TRUE(holds(std::vector{1.0, 1.0, 0.0}, 2.0, updates));
}

// Nearly parallel rows, on which x converges slowly.
LinearSystem consistent_records(std::size_t rows, std::size_t cols) {
  LinearSystem system = contradictory_records(rows, cols);
  auto& matrix = std::get<Matrix>(system.rows);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 1; j < cols; ++j) matrix.row(i)[j] = 1.0 + 0.3 * matrix.row(i)[j];
  }
  system.rhs = multiply(system.rows, test::gaussian_vector(cols, 4));
  return system;
}

TEST(RecordAttack, RebuildsRecordsWhileTheIteratesConverge) {
  const LinearSystem records = consistent_records(8, 4);
  InProcessEngine inner(test::clients_of(copy_of(records), 2, 1), 1);
  RecordingEngine engine(inner);

  (void)FederatedRun({.rounds = 2000, .local_budget = FixedSteps{2}, .server_budget = FixedSteps{1}}).run(engine);

  const auto parts = split(copy_of(records), partition_contiguous(8, 2));
  for (std::uint32_t i = 0; i < 2; ++i) {
    const auto updates = updates_of(engine.transcript(), ClientId{i});
    const KnownDraws draws{.seed = client_seed(1, engine.roster()[i].name), .rows = 4, .steps = 2};
    const auto found = recover_from_points(updates, {.ones = 0});
    const auto found_by_draws = recover_with_draws(updates, draws, {.ones = 0});
    EXPECT_EQ(count_matches(found, parts[i], {.ones = 0}), 4);
    EXPECT_EQ(found.size(), 4);  // and nothing that only holds at the solution
    EXPECT_EQ(count_matches(found_by_draws, parts[i], {.ones = 0}), 4);
    EXPECT_EQ(found_by_draws.size(), 4);
  }
}

}  // namespace
}  // namespace fedrk
