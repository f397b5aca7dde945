// SPDX-License-Identifier: Apache-2.0
#pragma once

// A client's rows made ready for stepping: the system, the squared norm of every row, and what was noticed on the way.
//
// A row whose squared norm would leave the range of doubles (entries like 1e200 or 1e-200) is replaced by the same
// equation scaled by a power of two; both sides are scaled, so its solutions stay. Such a row then counts with length
// about one in row drawing and in the residual. Memory that the caller owns (`Matrix::view`) is not written: a block
// that holds such a row steps on a copy.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "fedrk/system.hpp"

namespace fedrk {

/// Makes 0 = 0 of rows for which a RowBlock could not be made, or only with another scale, and tells how many. For
/// differential privacy: whether a table can be used at all would tell something of its rows.
std::size_t silence_unusable_rows(LinearSystem& system);

/// What the rows are for: steps, which may scale a row with its right-hand side and need one that says something; or
/// sums of a fit, in which every row counts as it is.
enum class RowUse { Steps, Sums };

class RowBlock {
 public:
  /// Throws InvalidArgument where rows and right-hand side differ in length, a number is not finite, the right-hand
  /// side is too large to be squared, or, for steps, a zero row has a non-zero right-hand side.
  explicit RowBlock(LinearSystem system, RowUse use = RowUse::Steps);

  RowUse use() const { return use_; }

  const LinearSystem& system() const { return system_; }
  std::size_t rows() const { return system_.rhs.size(); }
  std::size_t cols() const { return column_count(system_.rows); }
  /// The mean number of stored entries: cols() for dense rows.
  double entries_per_row() const { return entries_per_row_; }
  std::span<const double> squared_norms() const { return squared_norms_; }
  double squared_rhs_norm() const { return squared_rhs_norm_; }

  std::size_t zero_rows() const { return zero_rows_; }
  std::size_t rescaled_rows() const { return rescaled_rows_; }
  /// A row that holds more than half of the block's squared norm: drawing by squared norm hardly sees the others.
  std::optional<std::size_t> dominant_row() const { return dominant_row_; }

 private:
  void check_rhs();

  LinearSystem system_;
  RowUse use_;
  std::vector<double> squared_norms_;
  double squared_rhs_norm_ = 0.0;
  double entries_per_row_ = 0.0;
  std::size_t zero_rows_ = 0;
  std::size_t rescaled_rows_ = 0;
  std::optional<std::size_t> dominant_row_;
};

}  // namespace fedrk
