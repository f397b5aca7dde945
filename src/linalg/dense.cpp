// SPDX-License-Identifier: Apache-2.0
#include "linalg/dense.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>

namespace fedrk {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

VectorXd copy_of(std::span<const double> values) {
  return Eigen::Map<const VectorXd>(values.data(), static_cast<Index>(values.size()));
}

// The least-squares solution of (S R^T) d = b, S the diagonal of the rows' lengths, R of full row rank. Where the
// equations agree the lengths do not matter, and with unit rows nothing is lost to them; where they contradict each
// other the longer row has the say.
VectorXd offsets_of(const MatrixXd& r, const VectorXd& length, const VectorXd& rhs) {
  constexpr double kAgree = 1e-10;
  const VectorXd unit_rhs = rhs.cwiseQuotient(length);
  if (r.rows() == r.cols()) return r.transpose().template triangularView<Eigen::Lower>().solve(unit_rhs);

  const auto solve = [](const MatrixXd& a, const VectorXd& b) -> VectorXd {
    Eigen::ColPivHouseholderQR<MatrixXd> qr(a);
    qr.setThreshold(0.0);  // of full column rank: nothing may be left out
    return qr.solve(b);
  };
  const VectorXd agreed = solve(r.transpose(), unit_rhs);
  if ((r.transpose() * agreed - unit_rhs).norm() <= kAgree * unit_rhs.norm()) return agreed;

  // The longest rows first, or Householder steps lose the digits of the short ones.
  std::vector<Index> order(static_cast<std::size_t>(length.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](Index i) { return length[i]; });
  MatrixXd weighted(r.cols(), r.rows());
  VectorXd sorted_rhs(rhs.size());
  for (Index k = 0; k < rhs.size(); ++k) {
    const Index i = order[static_cast<std::size_t>(k)];
    weighted.row(k) = length[i] * r.col(i).transpose();
    sorted_rhs[k] = rhs[i];
  }
  return solve(weighted, sorted_rhs);
}

MatrixXd copy_of(const Matrix& matrix) {
  MatrixXd copy(static_cast<Index>(matrix.rows()), static_cast<Index>(matrix.cols()));
  for (std::size_t i = 0; i < matrix.rows(); ++i) copy.row(static_cast<Index>(i)) = copy_of(matrix.row(i)).transpose();
  return copy;
}

Matrix rows_of(const MatrixXd& matrix) {
  Matrix rows(static_cast<std::size_t>(matrix.rows()), static_cast<std::size_t>(matrix.cols()));
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const VectorXd row = matrix.row(static_cast<Index>(i)).transpose();
    std::ranges::copy(row, rows.row(i).begin());
  }
  return rows;
}

// The largest `count` eigenvalues of a symmetric matrix (its lower triangle), falling.
std::vector<double> largest_eigenvalues(const MatrixXd& symmetric, Index count) {
  const VectorXd rising = Eigen::SelfAdjointEigenSolver<MatrixXd>(symmetric, Eigen::EigenvaluesOnly).eigenvalues();
  std::vector<double> falling;
  for (Index k = 1; k <= count; ++k) falling.push_back(std::max(rising[rising.size() - k], 0.0));
  return falling;
}

}  // namespace

OrthonormalRows orthonormal_rows(std::size_t width, std::span<const double> lengths, std::span<const double> rhs,
                                 const std::function<void(std::size_t k, std::span<double> row)>& write,
                                 double tolerance) {
  if (lengths.empty()) return {};
  MatrixXd columns = MatrixXd::Zero(static_cast<Index>(width), static_cast<Index>(lengths.size()));
  for (std::size_t k = 0; k < lengths.size(); ++k) write(k, {columns.col(static_cast<Index>(k)).data(), width});
  // Rows^T P = Q R, the columns taken in the order of their distance from those before.
  Eigen::ColPivHouseholderQR<Eigen::Ref<MatrixXd>> qr(columns);
  const double rounding = std::numeric_limits<double>::epsilon() * static_cast<double>(std::max(width, lengths.size()));
  qr.setThreshold(std::max(rounding, tolerance));
  const Index rank = qr.rank();

  // A Q^T = S P R^T with S the lengths.
  const MatrixXd r = qr.matrixR().topRows(rank).template triangularView<Eigen::Upper>();
  const VectorXd d = offsets_of(r, qr.colsPermutation().transpose() * copy_of(lengths),
                                qr.colsPermutation().transpose() * copy_of(rhs));

  OrthonormalRows rows{Matrix(static_cast<std::size_t>(rank), width), std::vector<double>(d.begin(), d.end())};
  // Column k of Q is Q applied to the k-th unit vector, written to row k: the basis is stored as it is read.
  Eigen::Map<MatrixXd, 0, Eigen::OuterStride<>> q(rows.basis.row(0).data(), static_cast<Index>(width), rank,
                                                  Eigen::OuterStride<>(static_cast<Index>(rows.basis.stride())));
  q.setIdentity();
  q.applyOnTheLeft(qr.householderQ());
  return rows;
}

// The triangle R of a QR has the same singular values and only min(rows, cols) rows. The eigenvalues of R^T R are their
// squares, good enough while the smallest is well above the rounding of the largest square. Else, at eight times the
// cost, those of [0 R; R^T 0], which are +-sigma. (Eigen's BDCSVD does the latter faster, but takes a minute to
// compile.)
std::vector<double> singular_values(std::span<const double> entries, std::size_t rows, std::size_t cols) {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Map<const RowMajor> a(entries.data(), static_cast<Index>(rows), static_cast<Index>(cols));
  MatrixXd tall = a.rows() > a.cols() ? MatrixXd(a) : MatrixXd(a.transpose());
  const Eigen::HouseholderQR<Eigen::Ref<MatrixXd>> qr(tall);
  const MatrixXd r = qr.matrixQR().topRows(tall.cols()).triangularView<Eigen::Upper>();
  const Index n = r.cols();
  if (n == 0) return {};
  std::vector<double> values = largest_eigenvalues(r.transpose() * r, n);
  std::ranges::transform(values, values.begin(), [](double square) { return std::sqrt(square); });
  if (values.back() > 1e-4 * values.front()) return values;

  MatrixXd both = MatrixXd::Zero(2 * n, 2 * n);
  both.bottomLeftCorner(n, n) = r.transpose();
  return largest_eigenvalues(both, n);
}

FlooredSolution solve_floored(std::span<const double> entries, std::span<const double> b, double floor) {
  const auto n = static_cast<Index>(b.size());
  const Eigen::SelfAdjointEigenSolver<MatrixXd> parts(Eigen::Map<const MatrixXd>(entries.data(), n, n));
  VectorXd along = parts.eigenvectors().transpose() * copy_of(b);
  FlooredSolution found;
  for (Index k = 0; k < n; ++k) {
    const double value = parts.eigenvalues()[k];
    if (value < floor) ++found.raised;
    along[k] /= std::max(value, floor);
  }
  const VectorXd x = parts.eigenvectors() * along;
  found.x.assign(x.begin(), x.end());
  return found;
}

LeastNormSolution solve_least_norm(const Matrix& equations, const Matrix& values) {
  constexpr double kRank = 1e-12, kFixed = 1e-6;
  Eigen::CompleteOrthogonalDecomposition<MatrixXd> decomposition;
  decomposition.setThreshold(kRank);
  decomposition.compute(copy_of(equations));
  const Index rank = decomposition.rank(), unknowns = decomposition.cols();
  LeastNormSolution found{rows_of(decomposition.solve(copy_of(values))),
                          std::vector<bool>(equations.cols(), rank == unknowns)};
  if (rank == unknowns) return found;
  // Unknown k is determined where the k-th unit vector is in the row space.
  const MatrixXd z = decomposition.matrixZ();
  for (Index k = 0; k < unknowns; ++k) {
    const double outside = z.block(rank, k, unknowns - rank, 1).squaredNorm();
    found.determined[static_cast<std::size_t>(decomposition.colsPermutation().indices()(k))] = outside < kFixed;
  }
  return found;
}

SymmetricParts symmetric_parts(const Matrix& symmetric) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(copy_of(symmetric));
  const VectorXd& values = solver.eigenvalues();
  return {{values.begin(), values.end()}, rows_of(solver.eigenvectors().transpose())};
}

void normalize(std::span<double> row) {
  Eigen::Map<VectorXd>(row.data(), static_cast<Index>(row.size())).stableNormalize();
}

}  // namespace fedrk
