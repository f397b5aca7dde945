// SPDX-License-Identifier: Apache-2.0
#include "experiments/prostate_lasso.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace fedrk::experiments {
namespace {

Lasso pooled_lasso(const Prostate& data) { return Lasso(data.system, {.fixed = 1}); }

}  // namespace

LassoView view_lasso(const Prostate& data) {
  const std::size_t unknowns = data.unknowns.size();
  const Lasso lasso = pooled_lasso(data);
  LassoView view{.path = lasso_path(lasso, unknowns), .entered = {0.0}, .exactly = {}};
  for (std::size_t j = 1; j < unknowns; ++j) view.entered.push_back(entry_point(lasso, unknowns, j).value_or(0.0));
  view.exactly = lambdas_where(lasso, unknowns, [&](std::span<const double> x) {
    for (std::size_t j = 1; j < x.size(); ++j) {
      if ((x[j] != 0.0) != in_paper(data.unknowns[j])) return false;
    }
    return true;
  });
  return view;
}

std::vector<LambdaRange> lambdas_where_largest(const Prostate& data, std::span<const std::string> features) {
  return lambdas_where(pooled_lasso(data), data.unknowns.size(), [&](std::span<const double> x) {
    double least_in = HUGE_VAL, most_out = 0.0;
    for (std::size_t j = 1; j < x.size(); ++j) {
      const bool in = std::ranges::find(features, data.unknowns[j]) != features.end();
      if (in) least_in = std::min(least_in, std::abs(x[j]));
      if (!in) most_out = std::max(most_out, std::abs(x[j]));
    }
    return least_in > most_out;
  });
}

}  // namespace fedrk::experiments
