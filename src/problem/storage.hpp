// SPDX-License-Identifier: Apache-2.0
#pragma once

// How a client keeps its rows. As floats they take half the memory, and a step reads half as much; the system solved is
// then the one with the rounded entries, each within 6e-8 of itself (an entry below 1e-38 beside large ones loses more,
// or vanishes). x, b and all sums stay double.
//
// An entry beyond 3.4e38 has no float. A row of nothing but tiny entries (below 2^-100, about 8e-31), which as floats
// would lose their digits or vanish, is replaced by the same equation scaled by a power of two, as in row_block.hpp.
// Where rows are used in sums alone they are not: there a row's length is its weight.

#include <cstddef>

#include "fedrk/row_block.hpp"
#include "fedrk/system.hpp"

namespace fedrk {

enum class Storage { Float64, Float32 };

/// What rounding did beyond rounding.
struct Rounding {
  std::size_t scaled_rows = 0;
  std::size_t vanished_entries = 0;  // became zero
};

/// Rounds the rows to floats, and frees the doubles. Throws InvalidArgument, and leaves no rows, where an entry is
/// beyond the range of floats.
Rounding store_as_floats(LinearSystem& system, RowUse use = RowUse::Steps);

}  // namespace fedrk
