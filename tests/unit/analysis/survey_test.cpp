// SPDX-License-Identifier: Apache-2.0
#include "analysis/survey.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "support/direct_solver.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk {
namespace {

TEST(Survey, TellsTheShapeOfAClientsRows) {
  const Client client(ClientId{0}, "a", RowBlock({Matrix{{3.0, 4.0}, {0.0, 0.0}, {0.0, 1.0}}, {1.0, 0.0, 1.0}}), 1);

  const ClientSurvey found = survey(client);

  EXPECT_EQ(found.rows, 3);
  EXPECT_EQ(found.zero_rows, 1);
  EXPECT_EQ(found.nonzeros, 6);
  EXPECT_EQ(found.smallest_norm, 1.0);
  EXPECT_EQ(found.largest_norm, 5.0);
  EXPECT_EQ(found.weight, 26.0);
}

TEST(Survey, SeesWhetherTheEquationsContradictEachOther) {
  for (const double density : {1.0, 0.5}) {
    const auto consistent = generate({.rows = 30, .cols = 10, .density = density});
    const auto noisy = generate({.kind = ProblemKind::Inconsistent, .rows = 30, .cols = 10, .density = density});

    const auto fits = survey_spectrum(test::clients_of(copy_of(consistent.system), 3, 1));
    const auto contradicts = survey_spectrum(test::clients_of(copy_of(noisy.system), 3, 1));

    EXPECT_EQ(fits.rank, 10);
    EXPECT_LT(fits.least_squares_residual, 1e-13);
    const auto best = test::least_squares(noisy.system);
    EXPECT_NEAR(contradicts.least_squares_residual,
                std::sqrt(squared_residual(noisy.system, best) / squared_norm(noisy.system.rhs)), 1e-12);
  }
}

}  // namespace
}  // namespace fedrk
