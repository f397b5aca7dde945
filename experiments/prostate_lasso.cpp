// SPDX-License-Identifier: Apache-2.0
#include "experiments/prostate_lasso.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace fedrk::experiments {

LassoView view_lasso(const Prostate& data) {
  const std::size_t unknowns = data.unknowns.size();
  const Lasso lasso(data.system, {.fixed = 1});
  LassoView view{.path = lasso_path(lasso, unknowns), .entered = {0.0}, .exactly = {}, .largest = {}};
  for (std::size_t j = 1; j < unknowns; ++j) view.entered.push_back(entry_point(lasso, unknowns, j).value_or(0.0));
  view.exactly = lambdas_where(lasso, unknowns, [&](std::span<const double> x) {
    for (std::size_t j = 1; j < x.size(); ++j) {
      if ((x[j] != 0.0) != in_paper(data.unknowns[j])) return false;
    }
    return true;
  });
  view.largest = lambdas_where(lasso, unknowns, [&](std::span<const double> x) {
    double least_in = HUGE_VAL, most_out = 0.0;
    for (std::size_t j = 1; j < x.size(); ++j) {
      double& bound = in_paper(data.unknowns[j]) ? least_in : most_out;
      bound = in_paper(data.unknowns[j]) ? std::min(bound, std::abs(x[j])) : std::max(bound, std::abs(x[j]));
    }
    return least_in > most_out;
  });
  return view;
}

}  // namespace fedrk::experiments
