// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace fedrk {

/// What a fit tells of its model beside the coefficients.
struct FitSummary {
  std::size_t rows = 0;
  std::optional<std::size_t> rank{};         // nothing where only products with the columns are known
  std::optional<double> df_residual{};       // rows - rank{}; nothing for a penalised fit
  std::optional<double> sigma{};             // residual standard error
  std::optional<double> r_squared{};         // about the mean where there is an intercept, else about zero
  std::optional<double> criterion{};         // max_j |<a_j, r>| / (||a_j|| ||r||)
  std::vector<double> coefficients{};        // in the units of the data, where they are known better than from x
  std::vector<std::size_t> not_estimable{};  // unknowns that are combinations of those before them
  std::vector<std::vector<std::size_t>> combined_of{};  // for each of them, of which
  static constexpr auto fields(auto& self) {
    return std::tie(self.rows, self.rank, self.df_residual, self.sigma, self.r_squared, self.criterion,
                    self.coefficients, self.not_estimable, self.combined_of);
  }
};

}  // namespace fedrk
