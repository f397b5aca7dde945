// SPDX-License-Identifier: Apache-2.0
#pragma once

// The factorisation C = L L^T of a symmetric matrix with non-negative eigenvalues, column after column in the given
// order. A column that is a combination of those before it is left out, so that of several columns that say the same
// the first ones stay, as statisticians expect it. In doubles, or in double-double where normal equations would lose
// too many digits.

#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "linalg/double_double.hpp"
#include "linalg/kernels.hpp"

namespace fedrk {
namespace detail {

inline double inner_product(std::span<const double> a, std::span<const double> b) { return dot(a, b); }
inline DoubleDouble inner_product(std::span<const DoubleDouble> a, std::span<const DoubleDouble> b) {
  DoubleDouble sum;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace detail

template <class Number>
class Cholesky {
 public:
  Cholesky() = default;  // to be filled by its fields
  /// `entry(i, j)` is C_ij for i >= j. `dependent(j, pivot, weights)` decides whether what is left of column j, of
  /// squared length `pivot` after the columns before it, is rounding; `weights()` gives its combination of these.
  template <class Entry, class Dependent>
  Cholesky(std::size_t size, const Entry& entry, const Dependent& dependent) : size_(size), rows_(size * size) {
    for (std::size_t j = 0; j < size; ++j) {
      for (std::size_t k = 0; k < j; ++k) {
        if (!kept(k)) continue;
        at(j, k) = (entry(j, k) - detail::inner_product(row(j).first(k), row(k).first(k))) / at(k, k);
      }
      const Number pivot = entry(j, j) - detail::inner_product(row(j).first(j), row(j).first(j));
      if (!(pivot > Number(0.0)) || dependent(j, pivot, [&] { return combination(j); })) {
        dependents_.push_back(j);
      } else {
        using std::sqrt;
        at(j, j) = sqrt(pivot);
      }
    }
  }

  std::size_t rank() const { return size_ - dependents_.size(); }
  /// The columns that were left out, ascending.
  std::span<const std::size_t> dependents() const { return dependents_; }
  bool kept(std::size_t j) const { return rows_[j * size_ + j] > Number(0.0); }

  static constexpr auto fields(auto& self) { return std::tie(self.size_, self.rows_, self.dependents_); }

  /// C^-1 b on the columns that stayed, zero elsewhere.
  std::vector<Number> solve(std::vector<Number> b) const {
    forward(size_, b);
    backward(size_, b);
    return b;
  }

  /// The weights of the columns before it that make column j, where it was left out.
  std::vector<Number> combination(std::size_t j) const {
    std::vector<Number> weights(row(j).begin(), row(j).begin() + static_cast<std::ptrdiff_t>(j));
    backward(j, weights);
    return weights;
  }

 private:
  std::span<const Number> row(std::size_t j) const { return std::span(rows_).subspan(j * size_, size_); }
  Number& at(std::size_t j, std::size_t k) { return rows_[j * size_ + k]; }

  void forward(std::size_t count, std::vector<Number>& b) const {
    for (std::size_t j = 0; j < count; ++j) {
      b[j] = kept(j) ? (b[j] - detail::inner_product(row(j).first(j), std::span<const Number>(b).first(j))) / row(j)[j]
                     : Number(0.0);
    }
  }
  void backward(std::size_t count, std::vector<Number>& b) const {
    for (std::size_t j = count; j-- > 0;) {
      if (!kept(j)) {
        b[j] = Number(0.0);
        continue;
      }
      b[j] = b[j] / row(j)[j];
      for (std::size_t k = 0; k < j; ++k) b[k] = b[k] - row(j)[k] * b[j];
    }
  }

  std::size_t size_ = 0;
  std::vector<Number> rows_;  // of L, one after the other
  std::vector<std::size_t> dependents_;
};

}  // namespace fedrk
