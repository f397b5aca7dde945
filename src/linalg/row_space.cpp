// SPDX-License-Identifier: Apache-2.0
#include "linalg/row_space.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include <Eigen/QR>

#include "linalg/row_products.hpp"

namespace fedrk {

class RowSpaceProjection::Form {
 public:
  virtual ~Form() = default;
  /// way += A^+ (b - A x)
  virtual void add_way(std::span<const double> x, std::span<double> way) const = 0;
};

namespace {

// The rows of positive length, each scaled to length one, as the columns of a matrix for Eigen.
struct UnitRows {
  Eigen::MatrixXd columns;
  Eigen::VectorXd length;
  Eigen::VectorXd rhs;  // of the unscaled rows
};

template <class Rows, class Scatter>
UnitRows unit_rows(const Rows& rows, std::span<const double> rhs, std::size_t width, Scatter scatter) {
  std::vector<std::size_t> used;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    if (squared_norm(rows.row(i)) > 0.0) used.push_back(i);
  }
  const auto count = static_cast<Eigen::Index>(used.size());
  UnitRows unit{Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(width), count), Eigen::VectorXd(count),
                Eigen::VectorXd(count)};
  for (Eigen::Index k = 0; k < count; ++k) {
    const std::size_t i = used[static_cast<std::size_t>(k)];
    unit.length[k] = std::sqrt(squared_norm(rows.row(i)));
    unit.rhs[k] = rhs[i];
    scatter(rows.row(i), 1.0 / unit.length[k], unit.columns.col(k));
  }
  return unit;
}

// An orthonormal basis of the row space, as the rows of `basis`, with the offsets d.
struct OrthonormalRows {
  Matrix basis;
  std::vector<double> offsets;
};

// The least-squares solution of (S R^T) d = b, S the diagonal of the rows' lengths, R of full row rank. Where the
// equations agree the lengths do not matter, and with unit rows nothing is lost to them; where they contradict each
// other the longer row has the say.
Eigen::VectorXd offsets_of(const Eigen::MatrixXd& r, const Eigen::VectorXd& length, const Eigen::VectorXd& rhs) {
  constexpr double kAgree = 1e-10;
  const Eigen::VectorXd unit_rhs = rhs.cwiseQuotient(length);
  if (r.rows() == r.cols()) return r.transpose().template triangularView<Eigen::Lower>().solve(unit_rhs);

  const auto solve = [](const Eigen::MatrixXd& a, const Eigen::VectorXd& b) -> Eigen::VectorXd {
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(a);
    qr.setThreshold(0.0);  // of full column rank: nothing may be left out
    return qr.solve(b);
  };
  const Eigen::VectorXd agreed = solve(r.transpose(), unit_rhs);
  if ((r.transpose() * agreed - unit_rhs).norm() <= kAgree * unit_rhs.norm()) return agreed;

  // The longest rows first, or Householder steps lose the digits of the short ones.
  std::vector<Eigen::Index> order(static_cast<std::size_t>(length.size()));
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](Eigen::Index i) { return length[i]; });
  Eigen::MatrixXd weighted(r.cols(), r.rows());
  Eigen::VectorXd sorted_rhs(rhs.size());
  for (Eigen::Index k = 0; k < rhs.size(); ++k) {
    const Eigen::Index i = order[static_cast<std::size_t>(k)];
    weighted.row(k) = length[i] * r.col(i).transpose();
    sorted_rhs[k] = rhs[i];
  }
  return solve(weighted, sorted_rhs);
}

OrthonormalRows orthonormalize(UnitRows unit) {
  using Eigen::Index;
  const Index width = unit.columns.rows(), count = unit.columns.cols();
  if (count == 0) return {};
  // Rows^T P = Q R, the columns taken in the order of their distance from those before.
  Eigen::ColPivHouseholderQR<Eigen::Ref<Eigen::MatrixXd>> qr(unit.columns);
  qr.setThreshold(std::numeric_limits<double>::epsilon() * static_cast<double>(std::max(width, count)));
  const Index rank = qr.rank();

  // A Q^T = S P R^T with S the lengths.
  const Eigen::MatrixXd r = qr.matrixR().topRows(rank).template triangularView<Eigen::Upper>();
  const Eigen::VectorXd d =
      offsets_of(r, qr.colsPermutation().transpose() * unit.length, qr.colsPermutation().transpose() * unit.rhs);

  OrthonormalRows rows{Matrix(static_cast<std::size_t>(rank), static_cast<std::size_t>(width)),
                       std::vector<double>(d.begin(), d.end())};
  // Column k of Q is Q applied to the k-th unit vector, written to row k: the basis is stored as it is read.
  Eigen::Map<Eigen::MatrixXd, 0, Eigen::OuterStride<>> q(rows.basis.row(0).data(), width, rank,
                                                         Eigen::OuterStride<>(static_cast<Index>(rows.basis.stride())));
  q.setIdentity();
  q.applyOnTheLeft(qr.householderQ());
  return rows;
}

constexpr auto scatter_dense = []<class Number>(std::span<const Number> row, double factor, auto column) {
  using Entries = Eigen::Matrix<Number, Eigen::Dynamic, 1>;
  column = factor * Eigen::Map<const Entries>(row.data(), column.size()).template cast<double>();
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
    : form_(std::make_unique<DenseForm>(orthonormalize(unit_rows(rows, rhs, rows.cols(), scatter_dense)),
                                        std::vector<std::uint32_t>{})) {}

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
  const auto scatter_sparse = [&](const BasicSparseRow<Number>& row, double factor, auto column) {
    for (std::size_t e = 0; e < row.values.size(); ++e) {
      const auto place = std::ranges::lower_bound(columns, row.columns[e]) - columns.begin();
      column[place] += factor * row.values[e];
    }
  };
  auto basis = orthonormalize(unit_rows(rows, rhs, columns.size(), scatter_sparse));
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
