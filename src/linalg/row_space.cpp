// SPDX-License-Identifier: Apache-2.0
#include "fedrk/linalg/row_space.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <Eigen/IterativeLinearSolvers>
#include <Eigen/QR>
#include <Eigen/SparseCore>

namespace fedrk {

class RowSpaceProjection::Form {
 public:
  virtual ~Form() = default;
  virtual void project(std::span<double> x) const = 0;
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

OrthonormalRows orthonormalize(UnitRows unit) {
  using Eigen::Index;
  const Index width = unit.columns.rows(), count = unit.columns.cols();
  if (count == 0) return {};
  // Rows^T P = Q R, the columns taken in the order of their distance from those before.
  Eigen::ColPivHouseholderQR<Eigen::Ref<Eigen::MatrixXd>> qr(unit.columns);
  qr.setThreshold(std::numeric_limits<double>::epsilon() * static_cast<double>(std::max(width, count)));
  const Index rank = qr.rank();

  // A Q^T = S P R^T with S the lengths: triangular where all rows are independent, else a least-squares problem.
  const Eigen::MatrixXd r = qr.matrixR().topRows(rank).template triangularView<Eigen::Upper>();
  const Eigen::VectorXd length = qr.colsPermutation().transpose() * unit.length;
  const Eigen::VectorXd rhs = qr.colsPermutation().transpose() * unit.rhs;
  Eigen::VectorXd d;
  if (rank == count) {
    d = r.transpose().template triangularView<Eigen::Lower>().solve(rhs.cwiseQuotient(length));
  } else {
    d = (length.asDiagonal() * r.transpose()).eval().colPivHouseholderQr().solve(rhs);
  }

  OrthonormalRows rows{Matrix(static_cast<std::size_t>(rank), static_cast<std::size_t>(width)),
                       std::vector<double>(d.begin(), d.end())};
  // Column k of Q is Q applied to the k-th unit vector, written to row k: the basis is stored as it is read.
  Eigen::Map<Eigen::MatrixXd> q(rows.basis.row(0).data(), width, rank);
  q.setIdentity();
  q.applyOnTheLeft(qr.householderQ());
  return rows;
}

constexpr auto scatter_dense = [](std::span<const double> row, double factor, auto column) {
  column = factor * Eigen::Map<const Eigen::VectorXd>(row.data(), column.size());
};

void project_onto(const OrthonormalRows& rows, std::span<double> coefficients, std::span<double> x) {
  for (std::size_t k = 0; k < rows.offsets.size(); ++k) coefficients[k] = rows.offsets[k] - dot(rows.basis.row(k), x);
  for (std::size_t k = 0; k < rows.offsets.size(); ++k) axpy(coefficients[k], rows.basis.row(k), x);
}

// The columns that hold a non-zero: a sparse client of few rows lives in a small part of the space.
std::vector<std::uint32_t> touched_columns(const SparseMatrix& rows) {
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

  void project(std::span<double> x) const override {
    std::vector<double> coefficients(rows_.offsets.size());
    if (columns_.empty()) return project_onto(rows_, coefficients, x);
    std::vector<double> part(columns_.size());
    for (std::size_t k = 0; k < part.size(); ++k) part[k] = x[columns_[k]];
    project_onto(rows_, coefficients, part);
    for (std::size_t k = 0; k < part.size(); ++k) x[columns_[k]] = part[k];
  }

 private:
  OrthonormalRows rows_;
  std::vector<std::uint32_t> columns_;  // the part of x that the basis speaks of; empty for all of it
};

// Where a factorisation would be too large: A^+ (b - A x) by conjugate gradients on the normal equations (CGLS), which
// started from zero stay in the row space. Exact to rounding unless the rows are badly conditioned.
class RowSpaceProjection::SparseForm final : public Form {
 public:
  SparseForm(const SparseMatrix& rows, std::span<const double> rhs)
      : matrix_(static_cast<Eigen::Index>(rows.rows()), static_cast<Eigen::Index>(rows.cols())),
        rhs_(Eigen::Map<const Eigen::VectorXd>(rhs.data(), static_cast<Eigen::Index>(rhs.size()))) {
    matrix_.reserve(static_cast<Eigen::Index>(rows.nonzeros()));
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      const SparseRow row = rows.row(i);
      matrix_.startVec(static_cast<Eigen::Index>(i));
      for (std::size_t k = 0; k < row.values.size(); ++k) {
        matrix_.insertBack(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(row.columns[k])) = row.values[k];
      }
    }
    matrix_.finalize();
    solver_.setTolerance(1e-15);
    solver_.setMaxIterations(4 * std::min(matrix_.rows(), matrix_.cols()) + 100);
    solver_.compute(matrix_);
  }

  void project(std::span<double> x) const override {
    Eigen::Map<Eigen::VectorXd> point(x.data(), static_cast<Eigen::Index>(x.size()));
    const Eigen::VectorXd residual = rhs_ - matrix_ * point;
    point += solver_.solve(residual);
  }

 private:
  using EigenRows = Eigen::SparseMatrix<double, Eigen::RowMajor, std::int64_t>;
  EigenRows matrix_;
  Eigen::VectorXd rhs_;
  Eigen::LeastSquaresConjugateGradient<EigenRows, Eigen::IdentityPreconditioner> solver_;
};

RowSpaceProjection::RowSpaceProjection(const Matrix& rows, std::span<const double> rhs)
    : form_(std::make_unique<DenseForm>(orthonormalize(unit_rows(rows, rhs, rows.cols(), scatter_dense)),
                                        std::vector<std::uint32_t>{})) {}

RowSpaceProjection::RowSpaceProjection(const SparseMatrix& rows, std::span<const double> rhs) {
  // A factorisation costs about 2 m k min(m, k) operations, k the touched columns; up to here that is a few seconds.
  constexpr double kFactorisationLimit = 4e9;
  auto columns = touched_columns(rows);
  const auto m = static_cast<double>(rows.rows()), k = static_cast<double>(columns.size());
  if (m * k * std::min(m, k) > kFactorisationLimit) {
    form_ = std::make_unique<SparseForm>(rows, rhs);
    return;
  }
  const auto scatter_sparse = [&](const SparseRow& row, double factor, auto column) {
    for (std::size_t e = 0; e < row.values.size(); ++e) {
      const auto place = std::ranges::lower_bound(columns, row.columns[e]) - columns.begin();
      column[place] += factor * row.values[e];
    }
  };
  auto basis = orthonormalize(unit_rows(rows, rhs, columns.size(), scatter_sparse));
  form_ = std::make_unique<DenseForm>(std::move(basis), std::move(columns));
}

RowSpaceProjection::RowSpaceProjection(RowSpaceProjection&&) noexcept = default;
RowSpaceProjection& RowSpaceProjection::operator=(RowSpaceProjection&&) noexcept = default;
RowSpaceProjection::~RowSpaceProjection() = default;

void RowSpaceProjection::project(std::span<double> x) const { form_->project(x); }

}  // namespace fedrk
