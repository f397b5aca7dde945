// SPDX-License-Identifier: Apache-2.0
#include "linalg/row_space.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "linalg/dense.hpp"
#include "linalg/row_products.hpp"

namespace fedrk {

class RowSpaceProjection::Form {
 public:
  virtual ~Form() = default;
  /// way += A^+ (b - A x)
  virtual void add_way(std::span<const double> x, std::span<double> way) const = 0;
};

namespace {

// The basis of the rows of positive length; `scatter(row, factor, unit)` writes a row times a factor.
template <class Rows, class Scatter>
OrthonormalRows basis_of(const Rows& rows, std::span<const double> rhs, std::size_t width, Scatter scatter) {
  std::vector<std::size_t> used;
  std::vector<double> lengths, used_rhs;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const double square = squared_norm(rows.row(i));
    if (!(square > 0.0)) continue;
    used.push_back(i);
    lengths.push_back(std::sqrt(square));
    used_rhs.push_back(rhs[i]);
  }
  return orthonormal_rows(width, lengths, used_rhs, [&](std::size_t k, std::span<double> unit) {
    scatter(rows.row(used[k]), 1.0 / lengths[k], unit);
  });
}

constexpr auto scatter_dense = []<class Number>(std::span<const Number> row, double factor, std::span<double> unit) {
  for (std::size_t j = 0; j < unit.size(); ++j) unit[j] = factor * static_cast<double>(row[j]);
};

// `way` may be x itself.
void add_way_to(const OrthonormalRows& rows, std::span<const double> x, std::span<double> way) {
  const auto row_at = [&](std::size_t k) { return rows.basis.row(k); };
  std::vector<double> coefficients(rows.offsets.size());
  multiply_rows(row_at, x, coefficients);
  for (std::size_t k = 0; k < rows.offsets.size(); ++k) coefficients[k] = rows.offsets[k] - coefficients[k];
  add_rows(row_at, coefficients, way);
}

// The columns that hold a non-zero: a sparse client of few rows lives in a small part of the space.
template <class Number>
std::vector<std::uint32_t> touched_columns(const BasicSparseMatrix<Number>& rows) {
  std::vector<std::uint32_t> columns;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    columns.insert(columns.end(), rows.row(i).columns.begin(), rows.row(i).columns.end());
  }
  std::ranges::sort(columns);
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns;
}

}  // namespace

class RowSpaceProjection::DenseForm final : public Form {
 public:
  DenseForm(OrthonormalRows rows, std::vector<std::uint32_t> columns)
      : rows_(std::move(rows)), columns_(std::move(columns)) {}

  void add_way(std::span<const double> x, std::span<double> way) const override {
    if (columns_.empty()) return add_way_to(rows_, x, way);
    std::vector<double> part(columns_.size()), moved(columns_.size());
    for (std::size_t k = 0; k < part.size(); ++k) {
      part[k] = x[columns_[k]];
      moved[k] = way[columns_[k]];
    }
    add_way_to(rows_, part, moved);
    for (std::size_t k = 0; k < part.size(); ++k) way[columns_[k]] = moved[k];
  }

 private:
  OrthonormalRows rows_;
  std::vector<std::uint32_t> columns_;  // the part of x that the basis speaks of; empty for all of it
};

// Where a factorisation would be too large: A^+ (b - A x) by conjugate gradients on the normal equations (CGLS), which
// started from zero stay in the row space. Ends where A^T r is the rounding of its own computation, so that a point
// which is already the projection stays where it is.
template <class Number>
class RowSpaceProjection::SparseForm final : public Form {
 public:
  SparseForm(const BasicSparseMatrix<Number>& rows, std::span<const double> rhs)
      : rows_(rows), rhs_(rhs.begin(), rhs.end()) {
    for (std::size_t i = 0; i < rows_.rows(); ++i) frobenius_ += squared_norm(rows_.row(i));
    frobenius_ = std::sqrt(frobenius_);
  }

  void add_way(std::span<const double> x, std::span<double> way) const override {
    constexpr double kRounding = 4.0 * std::numeric_limits<double>::epsilon();
    const std::size_t most = 4 * std::min(rows_.rows(), rows_.cols()) + 100;
    std::vector<double> residual(rhs_), product(rhs_.size()), gradient(x.size()), direction(x.size(), 0.0);
    for (std::size_t i = 0; i < residual.size(); ++i) residual[i] -= dot(rows_.row(i), x);
    double previous = 0.0, smallest = std::numeric_limits<double>::infinity();
    std::size_t since_smallest = 0;
    for (std::size_t step = 0; step < most; ++step) {
      std::ranges::fill(gradient, 0.0);
      for (std::size_t i = 0; i < residual.size(); ++i) axpy(residual[i], rows_.row(i), gradient);
      const double square = squared_norm(gradient);
      // ||A^T r|| cannot be told from zero below the rounding of its terms.
      if (std::sqrt(square) <= kRounding * frobenius_ * std::sqrt(squared_norm(residual))) return;
      since_smallest = square < smallest ? 0 : since_smallest + 1;
      smallest = std::min(smallest, square);
      if (since_smallest > kNoProgress) return;

      const double keep = step == 0 ? 0.0 : square / previous;
      previous = square;
      for (std::size_t j = 0; j < direction.size(); ++j) direction[j] = gradient[j] + keep * direction[j];
      for (std::size_t i = 0; i < product.size(); ++i) product[i] = dot(rows_.row(i), direction);
      const double length = squared_norm(product);
      if (length == 0.0) return;
      axpy(square / length, direction, way);
      axpy(-square / length, product, residual);
    }
  }

 private:
  static constexpr std::size_t kNoProgress = 50;  // steps without a smaller gradient: only rounding is left
  BasicSparseMatrix<Number> rows_;
  std::vector<double> rhs_;
  double frobenius_ = 0.0;
};

template <class Number>
RowSpaceProjection::RowSpaceProjection(const BasicMatrix<Number>& rows, std::span<const double> rhs)
    : form_(
          std::make_unique<DenseForm>(basis_of(rows, rhs, rows.cols(), scatter_dense), std::vector<std::uint32_t>{})) {}

template <class Number>
RowSpaceProjection::RowSpaceProjection(const BasicSparseMatrix<Number>& rows, std::span<const double> rhs) {
  // A factorisation costs about 2 m k min(m, k) operations, k the touched columns; up to here that is a few seconds.
  constexpr double kFactorisationLimit = 4e9;
  auto columns = touched_columns(rows);
  const auto m = static_cast<double>(rows.rows()), k = static_cast<double>(columns.size());
  if (m * k * std::min(m, k) > kFactorisationLimit) {
    form_ = std::make_unique<SparseForm<Number>>(rows, rhs);
    return;
  }
  const auto scatter_sparse = [&](const BasicSparseRow<Number>& row, double factor, std::span<double> unit) {
    for (std::size_t e = 0; e < row.values.size(); ++e) {
      const auto place = std::ranges::lower_bound(columns, row.columns[e]) - columns.begin();
      unit[static_cast<std::size_t>(place)] += factor * static_cast<double>(row.values[e]);
    }
  };
  auto basis = basis_of(rows, rhs, columns.size(), scatter_sparse);
  form_ = std::make_unique<DenseForm>(std::move(basis), std::move(columns));
}

template RowSpaceProjection::RowSpaceProjection(const Matrix&, std::span<const double>);
template RowSpaceProjection::RowSpaceProjection(const Matrix32&, std::span<const double>);
template RowSpaceProjection::RowSpaceProjection(const SparseMatrix&, std::span<const double>);
template RowSpaceProjection::RowSpaceProjection(const SparseMatrix32&, std::span<const double>);

RowSpaceProjection::RowSpaceProjection(RowSpaceProjection&&) noexcept = default;
RowSpaceProjection& RowSpaceProjection::operator=(RowSpaceProjection&&) noexcept = default;
RowSpaceProjection::~RowSpaceProjection() = default;

void RowSpaceProjection::project(std::span<double> x) const { form_->add_way(x, x); }

AlignedVector RowSpaceProjection::displacement(std::span<const double> x) const {
  AlignedVector way(x.size(), 0.0);
  form_->add_way(x, way);
  return way;
}

}  // namespace fedrk
