// SPDX-License-Identifier: Apache-2.0
#include "round/threshold.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace fedrk {

void Threshold::apply(std::span<double> x) {
  if (sparsity_ == 0 || sparsity_ >= x.size()) return;
  order_.resize(x.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  const auto comes_first = [x](std::size_t i, std::size_t j) {
    const double a = std::abs(x[i]), b = std::abs(x[j]);
    return a != b ? a > b : i < j;
  };
  const auto dropped = order_.begin() + static_cast<std::ptrdiff_t>(sparsity_);
  std::nth_element(order_.begin(), dropped, order_.end(), comes_first);
  std::for_each(dropped, order_.end(), [x](std::size_t i) { x[i] = 0.0; });
}

}  // namespace fedrk
