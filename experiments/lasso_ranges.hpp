// SPDX-License-Identifier: Apache-2.0
#pragma once

// For which lambda does the Lasso's solution have some property? Found on a fine grid, the borders by bisection.

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/lasso.hpp"

namespace fedrk::experiments {

struct LambdaRange {
  double low = 0.0, high = 0.0;
  bool open = false;  // it goes on below the end of the path, towards least squares
};

/// "0.1000 to 0.2000, 0.3000 to 0.4000"
std::string ranges_text(std::span<const LambdaRange> ranges);

using LassoProperty = std::function<bool(std::span<const double> x)>;

/// The ranges below the largest lambda of a path down to `ratio` times it, from large lambda to small. One that is
/// narrower than a step of the grid, 0.7 % of lambda, can be missed.
std::vector<LambdaRange> lambdas_where(const Lasso& lasso, std::size_t unknowns, const LassoProperty& property,
                                       double ratio = 1e-3);

/// The largest lambda at which entry j is not zero, if there is one.
std::optional<double> entry_point(const Lasso& lasso, std::size_t unknowns, std::size_t j, double ratio = 1e-3);

}  // namespace fedrk::experiments
