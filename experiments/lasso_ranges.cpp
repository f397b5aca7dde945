// SPDX-License-Identifier: Apache-2.0
#include "experiments/lasso_ranges.hpp"

#include <cmath>

#include <fmt/format.h>

#include "experiments/support.hpp"

namespace fedrk::experiments {
namespace {

// Where the property changes between two lambdas, to a few digits more than anybody reads.
double border(const Lasso& lasso, std::size_t unknowns, const LassoProperty& property, double high, double low) {
  std::vector<double> x(unknowns, 0.0);
  lasso.solve(high, x);
  const bool above = property(x);
  while (high - low > 1e-9 * high) {
    const double middle = 0.5 * (high + low);
    lasso.solve(middle, x);
    (property(x) == above ? high : low) = middle;
  }
  return 0.5 * (high + low);
}

}  // namespace

std::string ranges_text(std::span<const LambdaRange> ranges) {
  std::vector<std::string> texts;
  for (const LambdaRange& range : ranges) texts.push_back(fmt::format("{:.4f} to {:.4f}", range.low, range.high));
  return listed(texts);
}

std::vector<LambdaRange> lambdas_where(const Lasso& lasso, std::size_t unknowns, const LassoProperty& property,
                                       double ratio) {
  const auto steps = static_cast<std::size_t>(std::ceil(-std::log(ratio) / 0.007));
  const LassoPath path = lasso_path(lasso, unknowns, steps + 1, ratio);
  std::vector<LambdaRange> ranges;
  bool before = property(path.solutions.front());
  if (before) ranges.push_back({path.lambdas.back(), path.lambdas.front(), true});
  for (std::size_t k = 1; k < path.lambdas.size(); ++k) {
    const bool now = property(path.solutions[k]);
    if (now == before) continue;
    const double at = border(lasso, unknowns, property, path.lambdas[k - 1], path.lambdas[k]);
    if (now) {
      ranges.push_back({path.lambdas.back(), at, true});
    } else {
      ranges.back().low = at;
      ranges.back().open = false;
    }
    before = now;
  }
  return ranges;
}

std::optional<double> entry_point(const Lasso& lasso, std::size_t unknowns, std::size_t j, double ratio) {
  const auto ranges = lambdas_where(
      lasso, unknowns, [j](std::span<const double> x) { return x[j] != 0.0; }, ratio);
  if (ranges.empty()) return std::nullopt;
  return ranges.front().high;
}

}  // namespace fedrk::experiments
