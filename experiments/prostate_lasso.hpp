// SPDX-License-Identifier: Apache-2.0
#pragma once

// The Lasso on the pooled prostate rows, and where it agrees with the features that the paper reports.

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "experiments/lasso_ranges.hpp"
#include "experiments/prostate.hpp"

namespace fedrk::experiments {

inline const std::array<std::string, 4> kPaperFeatures{"lcavol", "lweight", "lbph", "svi"};

inline bool in_paper(const std::string& name) {
  return std::find(kPaperFeatures.begin(), kPaperFeatures.end(), name) != kPaperFeatures.end();
}

struct LassoView {
  LassoPath path;
  std::vector<double> entered;       // lambda at which each unknown enters; 0 for never
  std::vector<LambdaRange> exactly;  // it selects the paper's four features and no other
};

LassoView view_lasso(const Prostate& data);

/// Where these features and no others have the largest coefficients, the intercept left out.
std::vector<LambdaRange> lambdas_where_largest(const Prostate& data, std::span<const std::string> features);

}  // namespace fedrk::experiments
