// SPDX-License-Identifier: Apache-2.0
#include "fedrk/site.hpp"

#include <tuple>

#include <gtest/gtest.h>

#include "fedrk/error.hpp"
#include "problem/storage.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk {
namespace {

Client client_with(LinearSystem system, std::uint64_t seed = 1) {
  return {ClientId{2}, "site", RowBlock(std::move(system)), seed};
}

TEST(Client, GoesNowhereWithoutSteps) {
  Client client = client_with(generate({.rows = 20, .cols = 10}).system);
  const std::vector<double> x(10, 0.5);
  for (const LocalWork& work : {LocalWork(SparseSteps{FixedSteps{0}, 0.1}), LocalWork(CutSteps{FixedSteps{0}})}) {
    const auto reply = client.local_update({RoundIndex{7}, x, work});
    EXPECT_EQ(reply.values, AlignedVector(10, 0.0));
    EXPECT_EQ(reply.gap, 0.0);
  }
}

TEST(Client, AnswersTheSameTaskTheSameWay) {
  const auto problem = generate({.rows = 20, .cols = 10});
  Client client = client_with(copy_of(problem.system));
  const std::vector<double> x(10, 0.5);
  const LocalTask task{RoundIndex{7}, x, FixedSteps{30}, true};

  const auto first = client.local_update(task), again = client.local_update(task);
  const auto next_round = client.local_update({RoundIndex{8}, x, FixedSteps{30}, true});

  EXPECT_EQ(first.values, again.values);
  EXPECT_NE(first.values, next_round.values);
  EXPECT_EQ(first.client, ClientId{2});
  EXPECT_DOUBLE_EQ(*first.squared_residual, squared_residual(problem.system, x));
}

// Under draws of one answer's own: all hold every solution, whatever was drawn, and a projection draws nothing.
TEST(Client, AnswersWithAHyperplaneOfAllSolutionsUnderOtherDraws) {
  const auto problem = generate({.rows = 5, .cols = 10});
  Client client = client_with(copy_of(problem.system));
  const std::vector<double> x(10, 0.5);
  AlignedVector to_solution = aligned_copy(problem.solution);
  axpy(-1.0, x, to_solution);
  for (const StepBudget& budget : {StepBudget{ExactProjection{}}, StepBudget{FixedSteps{7}}}) {
    LocalTask task{RoundIndex{7}, x, CutSteps{budget}};
    const LocalReply plain = client.local_update(task);
    for (const std::uint64_t draws : {3U, 4U, 5U}) {
      task.fresh_draws = draws;
      const LocalReply reply = client.local_update(task), again = client.local_update(task);

      EXPECT_EQ(reply.values, again.values);
      EXPECT_NEAR(dot(reply.values, to_solution), *reply.gap, 1e-13 * std::abs(*reply.gap)) << "holds the solution";
      EXPECT_GT(*reply.gap, 0.0);
      EXPECT_EQ(reply.values == plain.values, budget == StepBudget{ExactProjection{}});
    }
  }
}

TEST(Client, EndsItsStepsOnTheHyperplaneOfARow) {
  const auto problem = generate({.rows = 5, .cols = 10});
  Client client = client_with(copy_of(problem.system));
  std::vector<double> x(10, 0.0);

  const auto reply = client.local_update({RoundIndex{0}, x, FixedSteps{1}, false});

  const auto& matrix = std::get<Matrix>(problem.system.rows);
  int on = 0;
  for (std::size_t i = 0; i < 5; ++i) {
    on += std::abs(dot(matrix.row(i), reply.values) - problem.system.rhs[i]) < 1e-12 ? 1 : 0;
  }
  EXPECT_EQ(on, 1);
  EXPECT_FALSE(reply.squared_residual);
}

// In exact arithmetic the two forms agree. 3000 steps each add a rounding of about 1e-16 of the displacement.
TEST(Client, TakesTheSameStepsInBothForms) {
  for (const double density : {1.0, 0.4}) {
    for (const std::uint64_t steps : {1U, 5U, 30U, 3000U}) {
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const auto problem = generate({.rows = 25, .cols = 40, .density = density, .seed = seed});
        const auto client = [&](LocalForm form) {
          return Client(ClientId{0}, "site", RowBlock(copy_of(problem.system)), 7, {.form = form});
        };
        const auto x = test::gaussian_vector(40, seed);
        const LocalTask task{RoundIndex{1}, x, FixedSteps{steps}, true};

        const auto direct = client(LocalForm::Direct).local_update(task);
        const auto gram = client(LocalForm::Gram).local_update(task);

        EXPECT_LT(test::relative_distance(gram.values, direct.values), 1e-12) << steps << " steps, seed " << seed;
        EXPECT_EQ(gram.squared_residual, direct.squared_residual);
      }
    }
  }
}

TEST(Client, ChoosesItsFormByShapeStepsAndMemory) {
  const auto problem = generate({.rows = 16, .cols = 300, .seed = 2});
  const auto answer = [&](StepOptions options, std::uint64_t steps) {
    Client client(ClientId{0}, "site", RowBlock(copy_of(problem.system)), 7, options);
    return client.local_update({RoundIndex{0}, std::vector<double>(300, 0.0), FixedSteps{steps}}).values;
  };

  // Rounding gives the form away.
  EXPECT_EQ(answer({}, 1000), answer({.form = LocalForm::Gram}, 1000));
  EXPECT_EQ(answer({}, 2), answer({.form = LocalForm::Direct}, 2));
  EXPECT_EQ(answer({.gram_memory = 100}, 1000), answer({.form = LocalForm::Direct}, 1000));
  EXPECT_NE(answer({.form = LocalForm::Gram}, 1000), answer({.form = LocalForm::Direct}, 1000));
}

TEST(Client, IsRefusedAGramFormBeyondItsMemory) {
  const auto problem = generate({.rows = 16, .cols = 30, .seed = 2});
  const auto make = [&](std::size_t memory) {
    return Client(ClientId{0}, "site", RowBlock(copy_of(problem.system)), 7,
                  {.form = LocalForm::Gram, .gram_memory = memory});
  };
  EXPECT_THROW(make(8 * 16 * 16 - 1), InvalidArgument);
  EXPECT_NO_THROW(make(8 * 16 * 16));
}

TEST(Client, WithoutRowsStaysPutInBothForms) {
  for (const LocalForm form : {LocalForm::Direct, LocalForm::Gram}) {
    Client client(ClientId{0}, "site", RowBlock({Matrix(0, 3), {}}), 7, {.form = form});
    const std::vector<double> x{1.0, 2.0, 3.0};
    EXPECT_EQ(client.local_update({RoundIndex{0}, x, FixedSteps{5}}).values, AlignedVector(3, 0.0));
  }
}

TEST(Client, WithManyStepsApproachesTheExactProjection) {
  for (const double density : {1.0, 0.4}) {
    const auto problem = generate({.rows = 8, .cols = 20, .density = density, .seed = 5});
    Client client = client_with(copy_of(problem.system));
    const auto x = test::gaussian_vector(20, 6);

    const auto steps = client.local_update({RoundIndex{0}, x, FixedSteps{20000}, false});
    const auto exact = client.local_update({RoundIndex{0}, x, ExactProjection{}, false});

    EXPECT_LT(distance(steps.values, exact.values), 1e-9);
  }
}

TEST(Client, TakesTheSameStepsOnSparseAndDenseRows) {
  const auto problem = generate({.rows = 20, .cols = 15, .density = 0.3, .seed = 8});
  Matrix dense(20, 15);
  for (std::size_t i = 0; i < 20; ++i) axpy(1.0, std::get<SparseMatrix>(problem.system.rows).row(i), dense.row(i));
  Client of_sparse = client_with(copy_of(problem.system));
  Client of_dense = client_with({std::move(dense), problem.system.rhs});
  const std::vector<double> x(15, 0.0);

  const auto one = of_sparse.local_update({RoundIndex{1}, x, FixedSteps{100}, true});
  const auto two = of_dense.local_update({RoundIndex{1}, x, FixedSteps{100}, true});

  // The sums run in another order, hence rounding.
  EXPECT_LT(distance(one.values, two.values), 1e-12);
  EXPECT_NEAR(*one.squared_residual, *two.squared_residual, 1e-11);
}

// x, b and all sums are doubles, so how the rows are kept cannot show.
TEST(Client, WithRowsOfFloatsMovesAsOneWithTheSameNumbersInDoubles) {
  for (const auto& [rows, cols, density] :
       {std::tuple{40U, 25U, 1.0}, {12U, 137U, 1.0}, {40U, 25U, 0.3}, {12U, 137U, 0.05}}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const auto problem = generate({.rows = rows, .cols = cols, .density = density, .seed = seed});
      LinearSystem floats = copy_of(problem.system), doubles = copy_of(problem.system);
      ASSERT_EQ(store_as_floats(floats).scaled_rows, 0U);
      std::visit(
          [](auto& matrix) {
            for (std::size_t i = 0; i < matrix.rows(); ++i) {
              for (auto& value : matrix.values(i)) value = static_cast<float>(value);
            }
          },
          doubles.rows);
      Client of_floats = client_with(std::move(floats), seed), of_doubles = client_with(std::move(doubles), seed);
      const auto x = test::gaussian_vector(cols, seed + 10);

      const std::vector<LocalWork> works{FixedSteps{1},
                                         FixedSteps{200},
                                         ExactProjection{},
                                         Gradient{},
                                         GradientSteps{.count = 3, .step = 0.01},
                                         NormalProduct{},
                                         CrossProducts{},
                                         GradientSteps{.count = 3, .step = 0.01, .batch = 4},
                                         Curvature{},
                                         AllRows{},
                                         ClippedPass{.clip = 0.1, .noise = 1.0, .exponent = -20}};
      for (const LocalWork& work : works) {
        const auto one = of_floats.local_update({RoundIndex{1}, x, work, true});
        const auto two = of_doubles.local_update({RoundIndex{1}, x, work, true});

        EXPECT_EQ(one.values, two.values) << rows << "x" << cols << ", work " << work.index();
        EXPECT_EQ(*one.squared_residual, *two.squared_residual);
      }
    }
  }
}

TEST(Client, AskedForNoStepsOnlyMeasures) {
  Client client = client_with({Matrix{{1.0}}, {3.0}});
  const std::vector<double> x{1.0};

  const auto reply = client.local_update({RoundIndex{0}, x, FixedSteps{0}, true});

  EXPECT_TRUE(reply.values.empty());
  EXPECT_EQ(reply.squared_residual, 4.0);
}

TEST(Client, LeavesNoiseColumnsOutOfTheResidual) {
  Client client = client_with({Matrix{{1.0, 10.0}}, {3.0}});
  const std::vector<double> x{1.0, 0.2};

  const auto reply = client.local_update({RoundIndex{0}, x, FixedSteps{0}, true, 1});

  EXPECT_EQ(reply.squared_residual, 4.0);  // (3 - 1)^2, not (3 - 1 - 2)^2
}

TEST(Client, StaysOutOfTroubleWithRowsOfExtremeLength) {
  Client client = client_with({Matrix{{1e200, 1e200}, {1e-200, -1e-200}}, {2e200, 0.0}});
  const std::vector<double> x{0.0, 0.0};

  const auto steps = client.local_update({RoundIndex{0}, x, FixedSteps{200}, true});
  const auto exact = client.local_update({RoundIndex{0}, x, ExactProjection{}, true});

  for (const auto& reply : {steps, exact}) {
    EXPECT_NEAR(reply.values[0], 1.0, 1e-12);
    EXPECT_NEAR(reply.values[1], 1.0, 1e-12);
  }
}

}  // namespace
}  // namespace fedrk
