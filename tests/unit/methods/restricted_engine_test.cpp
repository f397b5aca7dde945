// SPDX-License-Identifier: Apache-2.0
#include "methods/refit.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "fedrk/run.hpp"
#include "support/direct_solver.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk {
namespace {

const std::vector<std::uint32_t> kColumns{1, 4, 5, 11};
const std::vector<ClientId> kAll{ClientId{0}, ClientId{1}, ClientId{2}};

// Clients that hold nothing but these columns take the same steps: the same numbers, the same draws by row norms.
TEST(RestrictedEngine, AnswersAsClientsThatHoldNothingElse) {
  for (const double density : {1.0, 0.4}) {
    for (const Reveal reveal : {Reveal::Updates, Reveal::Sums}) {
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        const auto problem = generate({.rows = 30, .cols = 12, .density = density, .seed = seed});
        InProcessEngine inner(test::clients_of(copy_of(problem.system), 3, seed), 1);
        InProcessEngine part(test::clients_of(restrict_to(problem.system, kColumns), 3, seed, {}, RowUse::Sums), 1);
        RestrictedEngine engine(inner, kColumns);
        ASSERT_EQ(engine.dimension(), 4);
        const auto x = test::gaussian_vector(4, seed);

        for (const LocalWork& work :
             std::vector<LocalWork>{Gradient{}, NormalProduct{}, CrossProducts{}, CrossProducts{true}, ColumnNorms{}}) {
          LocalTask task{RoundIndex{2}, x, work};
          task.reveal = reveal;
          const auto one = engine.local_updates(task, kAll), two = part.local_updates(task, kAll);

          ASSERT_EQ(one.replies.size(), two.replies.size());
          EXPECT_EQ(one.answered, two.answered);
          for (std::size_t k = 0; k < one.replies.size(); ++k) {
            EXPECT_EQ(one.replies[k].values, two.replies[k].values) << "work " << work.index();
            EXPECT_EQ(one.replies[k].gap, two.replies[k].gap);
          }
        }
      }
    }
  }
}

// The residual is that of the whole system with zeros elsewhere, also of rows that have no entry in these columns.
TEST(RestrictedEngine, MeasuresTheResidualOfTheWholeSystem) {
  for (const double density : {1.0, 0.15}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const auto problem = generate({.rows = 30, .cols = 12, .density = density, .seed = seed});
      InProcessEngine inner(test::clients_of(copy_of(problem.system), 3, seed), 1);
      RestrictedEngine engine(inner, kColumns);
      const auto x = test::gaussian_vector(4, seed);
      std::vector<double> whole(12, 0.0);
      for (std::size_t k = 0; k < 4; ++k) whole[kColumns[k]] = x[k];

      const auto round = engine.local_updates({RoundIndex{0}, x, FixedSteps{0}, true}, kAll);

      double sum = 0.0;
      for (const LocalReply& reply : round.replies) sum += *reply.squared_residual;
      EXPECT_NEAR(sum, squared_residual(problem.system, whole), 1e-12 * sum) << "density " << density;
    }
  }
}

TEST(RestrictedEngine, KeepsTheRosterAndTakesItsShareOfTheNorms) {
  const auto problem = generate({.rows = 30, .cols = 12, .seed = 1});
  InProcessEngine inner(test::clients_of(copy_of(problem.system), 3, 1), 1);
  RestrictedEngine engine(inner, kColumns);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(engine.roster()[i].name, inner.roster()[i].name);
    EXPECT_EQ(engine.roster()[i].rows, 10);
    EXPECT_EQ(engine.roster()[i].squared_rhs_norm, inner.roster()[i].squared_rhs_norm);
    EXPECT_DOUBLE_EQ(engine.roster()[i].squared_norm, inner.roster()[i].squared_norm / 3.0);
  }
}

// A client keeps one part ready; asked for another, and for all again, it must not mix them up.
TEST(RestrictedEngine, LeavesTheClientsAsTheyWere) {
  const auto problem = generate({.rows = 30, .cols = 12, .seed = 4});
  InProcessEngine inner(test::clients_of(copy_of(problem.system), 3, 4), 1);
  RestrictedEngine one(inner, kColumns), two(inner, {0, 2, 3, 7});
  const auto x = test::gaussian_vector(4, 4), all = test::gaussian_vector(12, 4);
  const auto ask = [&](Engine& engine, std::span<const double> at) {
    return engine.local_updates({RoundIndex{0}, at, FixedSteps{20}}, kAll).replies[1].values;
  };
  const auto whole = ask(inner, all), first = ask(one, x), second = ask(two, x);

  EXPECT_NE(first, second);
  EXPECT_EQ(ask(one, x), first);
  EXPECT_EQ(ask(inner, all), whole);
  EXPECT_EQ(ask(two, x), second);
}

}  // namespace
}  // namespace fedrk
