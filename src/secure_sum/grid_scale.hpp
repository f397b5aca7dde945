// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which grid the values of the next sum get. Its unit follows the last sum of the same kind of work: as the steps of a
// run become shorter the grid becomes finer, where a fixed one would stall. Parts may be larger than their sum, so some
// bits are left above. Where numbers do not fit all the same, or where the steps have become so much shorter that too
// few bits are left below, they are asked for once more as wide integers, and so are the first of their kind. Cross-
// products are wide always: there is no earlier sum to follow, and their entries are of very different sizes.

#include <cstddef>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "fedrk/engine.hpp"
#include "secure_sum/part.hpp"

namespace fedrk::masking {

class GridScale {
 public:
  Grid next(const LocalTask& task, std::size_t parties) const;

  /// What came back; also where it is only repeated, so that a run that goes on has the grids it would have had.
  void learn(const LocalTask& task, std::span<const double> sum);
  /// Whether the grid of a sum over so many was too coarse for it: the last one had been a hundred times larger, as
  /// where a method that went astray gives way to another.
  static bool too_coarse(const LocalTask& task, const Grid& grid, std::size_t parties, std::span<const double> sum);
  /// It did not fit, or was too coarse.
  void forget(const LocalTask& task) { sizes_.erase(kind_of(task)); }

  static constexpr auto fields(auto& self) { return std::tie(self.sizes_); }

 private:
  using Kind = std::pair<std::size_t, std::size_t>;  // of work, and how many unknowns it is about
  static Kind kind_of(const LocalTask& task) { return {task.work.index(), task.columns.size()}; }

  std::map<Kind, int> sizes_;  // the largest entry of the last sum is below 2^size
};

}  // namespace fedrk::masking
