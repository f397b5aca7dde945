// SPDX-License-Identifier: Apache-2.0
#pragma once

// Columns centred and scaled without touching the rows: the entry a of column j counts as
//
//     (a - centre_j) inverse_scale_j.
//
// A client keeps its rows as they were read; every sum that a fit asks for takes the frame of the moment. Scales are
// powers of two, so scaling is exact; differences are rounded once, or kept exactly where sums are.

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
