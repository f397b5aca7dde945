// SPDX-License-Identifier: Apache-2.0
#include "analysis/spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "fedrk/contracts.hpp"
#include "linalg/dense.hpp"
#include "linalg/kernels.hpp"

namespace fedrk {
namespace {

// Row after row.
std::vector<double> dense_copy(const Rows& rows) {
  const std::size_t cols = column_count(rows);
  std::vector<double> copy(row_count(rows) * cols, 0.0);
  std::visit(
      [&](const auto& matrix) {
        for (std::size_t i = 0; i < matrix.rows(); ++i) {
          axpy(1.0, matrix.row(i), std::span(copy).subspan(i * cols, cols));
        }
      },
      rows);
  return copy;
}

Spectrum spectrum_of(std::span<const double> entries, std::size_t rows, std::size_t cols) {
  Spectrum result;
  result.singular_values = singular_values(entries, rows, cols);
  const double largest = result.singular_values.empty() ? 0.0 : result.singular_values.front();
  const double threshold = largest * std::numeric_limits<double>::epsilon() * static_cast<double>(std::max(rows, cols));
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

Spectrum spectrum(const Rows& rows) { return spectrum_of(dense_copy(rows), row_count(rows), column_count(rows)); }

double kaczmarz_rate(const Rows& rows, RowSampling sampling) {
  if (sampling == RowSampling::Uniform) return kaczmarz_rate(rows, std::vector<double>(row_count(rows), 1.0));
  return spectrum(rows).kaczmarz_rate();  // below, row s of B is row s of A, over ||A||_F
}

double kaczmarz_rate(const Rows& rows, std::span<const double> weights) {
  FEDRK_EXPECTS(weights.size() == row_count(rows));
  // sum_s p(s) a_s a_s^T with unit rows a_s is B^T B / ||B||_F^2, where row s of B is sqrt(p(s)) a_s.
  std::vector<double> b = dense_copy(rows);
  const std::size_t cols = column_count(rows);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const std::span<double> row = std::span(b).subspan(i * cols, cols);
    normalize(row);
    for (double& entry : row) entry *= std::sqrt(weights[i]);
  }
  return spectrum_of(b, weights.size(), cols).kaczmarz_rate();
}

}  // namespace fedrk
