// SPDX-License-Identifier: Apache-2.0
#include "problem/frame_products.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "linalg/kernels.hpp"
#include "linalg/simd/kernel_table.hpp"
#include "problem/frame.hpp"

namespace fedrk {
namespace {

// Sums are added up over so many rows at a time: errors grow with a stretch and the number of stretches, not with both.
constexpr std::size_t kStretch = 512;

class ScalarSum {
 public:
  void add(double term) {
    part_ += term;
    if (++count_ % kStretch == 0) total_ += std::exchange(part_, 0.0);
  }
  double total() const { return total_ + part_; }

 private:
  double part_ = 0.0, total_ = 0.0;
  std::size_t count_ = 0;
};

class VectorSum {
 public:
  explicit VectorSum(std::size_t size, std::size_t stretch = kStretch)
      : part_(size, 0.0), total_(size, 0.0), stretch_(stretch) {}

  /// To be added to.
  std::span<double> part() { return part_; }
  void count(std::size_t terms) {
    count_ += terms;
    if (count_ >= stretch_) finish();
  }
  AlignedVector total() && {
    finish();
    return std::move(total_);
  }

 private:
  void finish() {
    axpy(1.0, part_, total_);
    std::ranges::fill(part_, 0.0);
    count_ = 0;
  }

  AlignedVector part_, total_;
  std::size_t stretch_, count_ = 0;
};

// Short rows are added up out of the first cache. Longer ones come out of the second one, and then as many as it holds:
// memory takes its time to get going after each pause. Of very long ones it holds a single one.
std::size_t rows_together(std::size_t bytes) {
  constexpr std::size_t kFirstCache = std::size_t{1} << 14, kSecondCache = std::size_t{1} << 19;
  if (bytes * detail::kFewerRows <= kFirstCache) return detail::kFewerRows;
  if (bytes * detail::kRowsAtOnce <= kSecondCache) return detail::kRowsAtOnce;
  return bytes * detail::kFewerRows <= 2 * kSecondCache ? detail::kFewerRows : 1;
}

// sum_i w_i (a_i - centre), where w_i = weigh(i, <a_i - centre, q>); a null centre is zero. Rows come from memory one
// after the other, and some at once are added up while a cache still holds them.
template <class Number, class Weigh>
AlignedVector pass_over(const BasicMatrix<Number>& matrix, const double* centre, std::span<const double> q,
                        const Weigh& weigh) {
  const std::size_t m = matrix.rows(), n = matrix.cols(), bytes = n * sizeof(Number);
  const std::size_t together = rows_together(bytes);
  const auto& kernels = detail::row_kernels<Number>();
  VectorSum sum(n);
  std::array<const Number*, detail::kRowsAtOnce> rows;
  std::array<double, detail::kRowsAtOnce> weights;
  for (std::size_t first = 0; first < m; first += together) {
    const std::size_t count = std::min(together, m - first);
    for (std::size_t k = 0; k < count; ++k) rows[k] = matrix.row(first + k).data();
    kernels.centred_dots(rows.data(), count, centre, q.data(), n, weights.data());
    for (std::size_t k = 0; k < count; ++k) weights[k] = weigh(first + k, weights[k]);
    const bool calls = first + 2 * together <= m;
    kernels.add_centred_rows(weights.data(), rows.data(), count, centre, sum.part().data(), n,
                             calls ? matrix.row(first + together).data() : nullptr);
    sum.count(count);
  }
  return std::move(sum).total();
}

// REQUIRES: no centre. It would fill the rows. Stretches are so long that adding up their sums costs little beside
// them.
template <class Number, class Weigh>
AlignedVector pass_over(const BasicSparseMatrix<Number>& matrix, const double*, std::span<const double> q,
                        const Weigh& weigh) {
  const std::size_t m = matrix.rows(), n = matrix.cols(), per_row = matrix.nonzeros() / std::max<std::size_t>(m, 1);
  VectorSum sum(n, std::max(kStretch, 16 * n / (per_row + 1)));
  for (std::size_t i = 0; i < m; ++i) {
    const auto row = matrix.row(i);
    axpy(weigh(i, dot(row, q)), row, sum.part());
    sum.count(1);
  }
  return std::move(sum).total();
}

// Columns so far from zero that centring at the end would cost digits.
bool is_far_from_zero(const Frame& frame) {
  constexpr double kFar = 16.0;
  for (std::size_t j = 0; j < frame.centre.size(); ++j) {
    if (std::abs(frame.centre[j] * frame.inverse_scale[j]) > kFar) return true;
  }
  return false;
}

// F^T w, where w_i = weigh(i, <f_i, p>).
template <class Weigh>
AlignedVector framed_pass(const LinearSystem& system, const Frame& frame, std::span<const double> p,
                          const Weigh& weigh) {
  const std::size_t n = frame.centre.size();
  expect_columns("a vector", p.size(), n);
  AlignedVector q(n);
  for (std::size_t j = 0; j < n; ++j) q[j] = p[j] * frame.inverse_scale[j];
  const bool entry_by_entry = !is_sparse(system.rows) && is_far_from_zero(frame);
  const double* const centre = entry_by_entry ? frame.centre.data() : nullptr;
  const double shift = entry_by_entry ? 0.0 : dot(frame.centre, q);
  ScalarSum weights;
  const auto shifted = [&](std::size_t i, double product) {
    const double weight = weigh(i, product - shift);
    weights.add(weight);
    return weight;
  };
  AlignedVector result = std::visit([&](const auto& rows) { return pass_over(rows, centre, q, shifted); }, system.rows);
  if (!entry_by_entry) axpy(-weights.total(), frame.centre, result);
  for (std::size_t j = 0; j < n; ++j) result[j] *= frame.inverse_scale[j];
  return result;
}

}  // namespace

AlignedVector normal_product(const LinearSystem& system, const Frame* frame, std::span<const double> p) {
  return framed_pass(system, frame_for(frame, column_count(system.rows)), p,
                     [](std::size_t, double product) { return product; });
}

AlignedVector gradient(const LinearSystem& system, const Frame* frame, std::span<const double> x,
                       double* squared_residual) {
  ScalarSum squares;
  AlignedVector result =
      framed_pass(system, frame_for(frame, column_count(system.rows)), x, [&](std::size_t i, double product) {
        const double residual = system.rhs[i] - product;
        squares.add(residual * residual);
        return residual;
      });
  if (squared_residual != nullptr) *squared_residual = squares.total();
  return result;
}

}  // namespace fedrk
