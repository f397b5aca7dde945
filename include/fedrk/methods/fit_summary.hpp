// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a fit tells beside its coefficients. With the residual r = b - A x over all rows,
//
//     sigma     = ||r|| / sqrt(rows - rank),
//     R-squared = 1 - ||r||^2 / ||b - mean(b)||^2, without an intercept 1 - ||r||^2 / ||b||^2,
//     criterion = max_j |<a_j, r>| / (||a_j|| ||r||):
//
// how far the worst column is from being orthogonal to the residual, whatever the units of the columns. What is not
// known, or has no meaning under a penalty, is not there.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace fedrk {

struct FitSummary {
  std::size_t rows = 0;
  std::optional<std::size_t> rank{};
  std::optional<double> df_residual{};  // rows - rank
  std::optional<double> sigma{};        // residual standard error
  std::optional<double> r_squared{};
  std::optional<double> criterion{};
  std::vector<std::string> not_estimable{};  // columns that are combinations of others: they have no coefficient
};

}  // namespace fedrk
