// SPDX-License-Identifier: Apache-2.0
#pragma once

// How cross-products see a block of rows: panels of eight columns each, b last, filled up with columns of zeros; and
// the triangle of sums, in which the rows of a panel follow each other. See linalg/simd/panels.hpp for the kernels.

#include <algorithm>
#include <cstddef>

#include "fedrk/aligned_vector.hpp"
#include "linalg/simd/kernel_table.hpp"

namespace fedrk {

class Panels {
 public:
  enum class Entries { Doubles, Pairs };

  Panels(std::size_t columns, std::size_t depth, Entries entries)
      : pitch_(entries == Entries::Pairs ? 2 * detail::kPanel : detail::kPanel),
        count_((columns + detail::kPanel - 1) / detail::kPanel),
        stride_(depth * pitch_ + kLine),
        numbers_(count_ * stride_, 0.0) {}

  std::size_t count() const { return count_; }
  std::size_t stride() const { return stride_; }
  const double* panel(std::size_t p) const { return numbers_.data() + p * stride_; }
  double* row(std::size_t k) { return numbers_.data() + k * pitch_; }
  double& at(std::size_t k, std::size_t column) {
    return row(k)[column / detail::kPanel * stride_ + column % detail::kPanel];
  }
  /// REQUIRES: pairs.
  double& low_at(std::size_t k, std::size_t column) { return (&at(k, column))[detail::kPanel]; }

 private:
  // Between two panels, or the entries of one row would all compete for the same few places of the first cache.
  static constexpr std::size_t kLine = 8;

  std::size_t pitch_, count_, stride_;  // from a row to the next in a panel; panels; from a panel to the next
  AlignedVector numbers_;
};

/// The panels on the diagonal and right of it.
class PanelTriangle {
 public:
  explicit PanelTriangle(std::size_t panels) : panels_(panels), numbers_(start(panels), 0.0) {}

  /// The rows of panel p, each from panel p to the last.
  double* rows_of(std::size_t p) { return numbers_.data() + start(p); }

  /// The upper triangle of the first `columns` columns, row after row.
  void copy_to(double* triangle, std::size_t columns) const {
    for (std::size_t i = 0; i < columns; ++i) {
      const std::size_t p = i / detail::kPanel, first = p * detail::kPanel, width = panels_ * detail::kPanel - first;
      const double* const row = numbers_.data() + start(p) + (i - first) * width;
      triangle = std::copy(row + (i - first), row + (columns - first), triangle);
    }
  }

 private:
  std::size_t start(std::size_t p) const {
    constexpr std::size_t kSquare = detail::kPanel * detail::kPanel;
    return kSquare * (p * (2 * panels_ - p + 1) / 2);
  }

  std::size_t panels_;
  AlignedVector numbers_;
};

}  // namespace fedrk
