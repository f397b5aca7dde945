// SPDX-License-Identifier: Apache-2.0
#pragma once

// T_s, hard thresholding: keep the s entries of largest magnitude, set the others to zero. Ties keep the lower index,
// so that every engine agrees.

#include <cstddef>
#include <span>
#include <vector>

namespace fedrk {

class Threshold {
 public:
  /// `sparsity` 0 keeps everything.
  explicit Threshold(std::size_t sparsity) : sparsity_(sparsity) {}

  void apply(std::span<double> x);

 private:
  std::size_t sparsity_;
  std::vector<std::size_t> order_;  // scratch
};

}  // namespace fedrk
