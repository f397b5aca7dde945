// SPDX-License-Identifier: Apache-2.0
#pragma once

// How the columns of a fit are seen: column j of the rows counts as
//
//     (a_j - centre_j) / scale_j,
//
// while the rows themselves stay as they are in the file. Every scale is a power of two, so that scaling is exact.

#include <cstddef>
#include <vector>

namespace fedrk {

/// A column that is a power of another: computed to twice the precision where cross-products are.
struct PowerTerm {
  std::size_t column = 0, source = 0;
  unsigned exponent = 1;
};

struct Frame {
  std::vector<double> centre;         // one for each column of the rows, the intercept's is 0
  std::vector<double> inverse_scale;  // powers of two
  std::vector<PowerTerm> powers{};
};

}  // namespace fedrk
