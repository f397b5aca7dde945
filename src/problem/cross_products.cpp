// SPDX-License-Identifier: Apache-2.0
#include "problem/cross_products.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "fedrk/contracts.hpp"
#include "linalg/simd/kernel_table.hpp"
#include "problem/frame.hpp"
#include "problem/panels.hpp"
#include "problem/sparse_cross_products.hpp"

namespace fedrk {
namespace {

// Rows in a block. The error of pairs grows with the rows that a tile sums, so it is as short as costs no time.
constexpr std::size_t kBlock = 128;

// From one stored entry in so many on, sparse rows cost less written out.
constexpr std::size_t kDenseShare = 8;

// Rows as dense ones, one at a time.
template <class Number>
class DenseRows {
 public:
  using Entry = Number;
  explicit DenseRows(const BasicMatrix<Number>& matrix) : matrix_(matrix) {}
  const Number* row(std::size_t i) { return matrix_.row(i).data(); }

 private:
  const BasicMatrix<Number>& matrix_;
};

template <class Number>
class SpreadRows {
 public:
  using Entry = Number;
  explicit SpreadRows(const BasicSparseMatrix<Number>& matrix) : matrix_(matrix), row_(matrix.cols(), Number{0}) {}
  const Number* row(std::size_t i) {
    for (const std::uint32_t column : last_.columns) row_[column] = Number{0};
    last_ = matrix_.row(i);
    for (std::size_t k = 0; k < last_.columns.size(); ++k) row_[last_.columns[k]] = last_.values[k];
    return row_.data();
  }

 private:
  const BasicSparseMatrix<Number>& matrix_;
  std::vector<Number> row_;
  BasicSparseRow<Number> last_;
};

template <class Number>
bool is_thin(const BasicSparseMatrix<Number>& matrix) {
  return matrix.nonzeros() * kDenseShare < matrix.rows() * matrix.cols();
}

template <class Number>
DenseRows<Number> written_out(const BasicMatrix<Number>& matrix) {
  return DenseRows<Number>(matrix);
}
template <class Number>
SpreadRows<Number> written_out(const BasicSparseMatrix<Number>& matrix) {
  return SpreadRows<Number>(matrix);
}

// Calls block(first row, rows) for one block after another.
template <class Block>
void for_blocks(std::size_t rows, std::size_t depth, const Block& block) {
  for (std::size_t first = 0; first < rows; first += depth) block(first, std::min(depth, rows - first));
}

template <class RowsType>
AlignedVector products_of(RowsType rows, std::span<const double> rhs, const Frame& frame) {
  const std::size_t n = frame.centre.size();
  const auto& row_kernels = detail::row_kernels<typename RowsType::Entry>();
  Panels panels(n + 1, kBlock, Panels::Entries::Doubles);
  PanelTriangle sums(panels.count());
  for_blocks(rhs.size(), kBlock, [&](std::size_t first, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) {
      row_kernels.pack_row(rows.row(first + k), frame.centre.data(), frame.inverse_scale.data(), n, panels.row(k),
                           panels.stride());
      panels.at(k, n) = rhs[first + k];
    }
    for (std::size_t p = 0; p < panels.count(); ++p) {
      detail::kernels().add_outer_products(panels.panel(p), panels.panel(p), panels.count() - p, panels.stride(), count,
                                           sums.rows_of(p));
    }
  });
  AlignedVector result(cross_product_count(n));
  sums.copy_to(result.data(), n + 1);
  return result;
}

// The columns of a block that are powers of others.
class Powers {
 public:
  explicit Powers(const Frame& frame) : frame_(frame), sources_(frame.powers.size() * kBlock) {}

  template <class Number>
  void read(std::size_t k, const Number* row) {
    for (std::size_t t = 0; t < frame_.powers.size(); ++t) {
      sources_[t * kBlock + k] = static_cast<double>(row[frame_.powers[t].source]);
    }
  }

  void put(std::size_t count, Panels& panels) {
    for (std::size_t t = 0; t < frame_.powers.size(); ++t) {
      const PowerTerm& term = frame_.powers[t];
      detail::kernels().power_pairs(&sources_[t * kBlock], count, term.exponent, frame_.centre[term.column],
                                    frame_.inverse_scale[term.column], highs_.data(), lows_.data());
      for (std::size_t k = 0; k < count; ++k) {
        panels.at(k, term.column) = highs_[k];
        panels.low_at(k, term.column) = lows_[k];
      }
    }
  }

 private:
  const Frame& frame_;
  AlignedVector sources_, highs_ = AlignedVector(kBlock), lows_ = AlignedVector(kBlock);
};

template <class RowsType>
AlignedVector pairs_of(RowsType rows, std::span<const double> rhs, const Frame& frame) {
  const std::size_t n = frame.centre.size(), length = cross_product_count(n);
  const auto& row_kernels = detail::row_kernels<typename RowsType::Entry>();
  Panels panels(n + 1, kBlock, Panels::Entries::Pairs);
  PanelTriangle highs(panels.count()), lows(panels.count());
  Powers powers(frame);
  for_blocks(rhs.size(), kBlock, [&](std::size_t first, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) {
      const auto* const row = rows.row(first + k);
      row_kernels.pack_pair_row(row, frame.centre.data(), frame.inverse_scale.data(), n, panels.row(k),
                                panels.stride());
      powers.read(k, row);
      const double b = rhs[first + k];
      panels.at(k, n) = std::abs(b) < detail::kMinFactor ? 0.0 : b;
    }
    powers.put(count, panels);
    for (std::size_t p = 0; p < panels.count(); ++p) {
      detail::kernels().add_outer_pairs(panels.panel(p), panels.panel(p), panels.count() - p, panels.stride(), count,
                                        highs.rows_of(p), lows.rows_of(p));
    }
  });
  AlignedVector result(2 * length);
  highs.copy_to(result.data(), n + 1);
  lows.copy_to(result.data() + length, n + 1);
  return result;
}

}  // namespace

AlignedVector cross_products(const LinearSystem& system, const Frame* frame) {
  FEDRK_EXPECTS(system.rhs.size() == row_count(system.rows));
  const Frame used = frame_for(frame, column_count(system.rows));
  return std::visit(
      [&](const auto& matrix) {
        if constexpr (requires { is_thin(matrix); }) {
          if (is_thin(matrix)) {
            // Rounded from pairs: with centres the plain difference would cancel.
            auto pairs = sparse_cross_product_pairs(matrix, system.rhs, {used.centre, used.inverse_scale});
            pairs.resize(pairs.size() / 2);
            return pairs;
          }
        }
        return products_of(written_out(matrix), system.rhs, used);
      },
      system.rows);
}

AlignedVector cross_product_pairs(const LinearSystem& system, const Frame* frame) {
  FEDRK_EXPECTS(system.rhs.size() == row_count(system.rows));
  const Frame used = frame_for(frame, column_count(system.rows));
  return std::visit(
      [&](const auto& matrix) {
        if constexpr (requires { is_thin(matrix); }) {
          if (is_thin(matrix)) return sparse_cross_product_pairs(matrix, system.rhs, used);
        }
        return pairs_of(written_out(matrix), system.rhs, used);
      },
      system.rows);
}

}  // namespace fedrk
