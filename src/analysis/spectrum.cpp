// SPDX-License-Identifier: Apache-2.0
#include "fedrk/analysis/spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/QR>
#include <Eigen/SVD>

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

Spectrum spectrum_of(const RowMajor& a) {
  // The triangle of a QR has the same singular values and only min(rows, cols) rows.
  Eigen::MatrixXd small = a.rows() > a.cols() ? Eigen::MatrixXd(a) : Eigen::MatrixXd(a.transpose());
  const Eigen::Index side = small.cols();
  const Eigen::MatrixXd r =
      Eigen::HouseholderQR<Eigen::Ref<Eigen::MatrixXd>>(small).matrixQR().topRows(side).triangularView<Eigen::Upper>();
  const Eigen::VectorXd values = Eigen::BDCSVD<Eigen::MatrixXd>(r).singularValues();

  Spectrum result;
  result.singular_values.assign(values.begin(), values.end());
  const double threshold = values.size() == 0 ? 0.0
                                              : values[0] * std::numeric_limits<double>::epsilon() *
                                                    static_cast<double>(std::max(a.rows(), a.cols()));
  result.rank = static_cast<std::size_t>(
      std::ranges::count_if(result.singular_values, [=](double value) { return value > threshold; }));
  return result;
}

}  // namespace

double Spectrum::condition_number() const {
  return rank == 0 ? 1.0 : singular_values.front() / singular_values[rank - 1];
}

Spectrum spectrum(const Rows& rows) { return spectrum_of(dense_copy(rows)); }

double kaczmarz_rate(const Rows& rows, RowSampling sampling) {
  // sum_s p(s) a_s a_s^T with unit rows a_s is A^T A / ||A||_F^2 for p by squared norm, and the same with unit rows in
  // A for uniform p.
  RowMajor a = dense_copy(rows);
  double weight = 0.0;
  for (Eigen::Index i = 0; i < a.rows(); ++i) {
    const double norm = a.row(i).stableNorm();
    if (norm > 0.0 && sampling == RowSampling::Uniform) a.row(i) /= norm;
    weight += sampling == RowSampling::Uniform ? (norm > 0.0 ? 1.0 : 0.0) : norm * norm;
  }
  const Spectrum values = spectrum_of(a);
  if (values.rank == 0) return 1.0;
  return 1.0 - std::pow(values.singular_values[values.rank - 1], 2) / weight;
}

}  // namespace fedrk
