// SPDX-License-Identifier: Apache-2.0
#include "analysis/spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>

#include "fedrk/contracts.hpp"
#include "linalg/kernels.hpp"

namespace fedrk {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

RowMajor dense_copy(const Rows& rows) {
  RowMajor copy =
      RowMajor::Zero(static_cast<Eigen::Index>(row_count(rows)), static_cast<Eigen::Index>(column_count(rows)));
  std::visit(
      [&](const auto& matrix) {
        for (std::size_t i = 0; i < matrix.rows(); ++i) {
          const auto row = copy.row(static_cast<Eigen::Index>(i));
          axpy(1.0, matrix.row(i),
               {copy.data() + row.size() * static_cast<Eigen::Index>(i), static_cast<std::size_t>(row.size())});
        }
      },
      rows);
  return copy;
}

// The largest `count` eigenvalues of a symmetric matrix (its lower triangle), falling.
std::vector<double> largest_eigenvalues(const Eigen::MatrixXd& symmetric, Eigen::Index count) {
  const Eigen::VectorXd rising =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(symmetric, Eigen::EigenvaluesOnly).eigenvalues();
  std::vector<double> falling;
  for (Eigen::Index k = 1; k <= count; ++k) falling.push_back(std::max(rising[rising.size() - k], 0.0));
  return falling;
}

// Singular values of a square R, falling. The eigenvalues of R^T R are their squares, good enough while the smallest is
// well above the rounding of the largest square. Else, at eight times the cost, those of [0 R; R^T 0], which are
// +-sigma. (Eigen's BDCSVD does the latter faster, but takes a minute to compile.)
std::vector<double> singular_values(const Eigen::MatrixXd& r) {
  const Eigen::Index n = r.cols();
  if (n == 0) return {};
  std::vector<double> values = largest_eigenvalues(r.transpose() * r, n);
  std::ranges::transform(values, values.begin(), [](double square) { return std::sqrt(square); });
  if (values.back() > 1e-4 * values.front()) return values;

  Eigen::MatrixXd both = Eigen::MatrixXd::Zero(2 * n, 2 * n);
  both.bottomLeftCorner(n, n) = r.transpose();
  return largest_eigenvalues(both, n);
}

Spectrum spectrum_of(const RowMajor& a) {
  // The triangle of a QR has the same singular values and only min(rows, cols) rows.
  Eigen::MatrixXd tall = a.rows() > a.cols() ? Eigen::MatrixXd(a) : Eigen::MatrixXd(a.transpose());
  const Eigen::HouseholderQR<Eigen::Ref<Eigen::MatrixXd>> qr(tall);
  const Eigen::MatrixXd r = qr.matrixQR().topRows(tall.cols()).triangularView<Eigen::Upper>();

  Spectrum result;
  result.singular_values = singular_values(r);
  const double largest = result.singular_values.empty() ? 0.0 : result.singular_values.front();
  const double threshold =
      largest * std::numeric_limits<double>::epsilon() * static_cast<double>(std::max(a.rows(), a.cols()));
  result.rank = static_cast<std::size_t>(
      std::ranges::count_if(result.singular_values, [=](double value) { return value > threshold; }));
  return result;
}

}  // namespace

double Spectrum::condition_number() const {
  return rank == 0 ? 1.0 : singular_values.front() / singular_values[rank - 1];
}

double Spectrum::kaczmarz_rate() const {
  double squares = 0.0;  // ||A||_F^2
  for (const double value : singular_values) squares += value * value;
  return rank == 0 ? 1.0 : 1.0 - std::pow(singular_values[rank - 1], 2) / squares;
}

Spectrum spectrum(const Rows& rows) { return spectrum_of(dense_copy(rows)); }

double kaczmarz_rate(const Rows& rows, RowSampling sampling) {
  if (sampling == RowSampling::Uniform) return kaczmarz_rate(rows, std::vector<double>(row_count(rows), 1.0));
  return spectrum(rows).kaczmarz_rate();  // below, row s of B is row s of A, over ||A||_F
}

double kaczmarz_rate(const Rows& rows, std::span<const double> weights) {
  FEDRK_EXPECTS(weights.size() == row_count(rows));
  // sum_s p(s) a_s a_s^T with unit rows a_s is B^T B / ||B||_F^2, where row s of B is sqrt(p(s)) a_s.
  RowMajor b = dense_copy(rows);
  for (Eigen::Index i = 0; i < b.rows(); ++i) {
    b.row(i).stableNormalize();
    b.row(i) *= std::sqrt(weights[static_cast<std::size_t>(i)]);
  }
  return spectrum_of(b).kaczmarz_rate();
}

}  // namespace fedrk
