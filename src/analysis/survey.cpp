// SPDX-License-Identifier: Apache-2.0
#include "analysis/survey.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "fedrk/contracts.hpp"
#include "linalg/dense.hpp"
#include "linalg/kernels.hpp"
#include "linalg/row_space.hpp"

namespace fedrk {
namespace {

template <class Number>
std::size_t stored_entries(const BasicMatrix<Number>& matrix) {
  return matrix.rows() * matrix.cols();
}
template <class Number>
std::size_t stored_entries(const BasicSparseMatrix<Number>& matrix) {
  return matrix.nonzeros();
}

LinearSystem pooled(std::span<const Client> clients) {
  std::size_t rows = 0;
  for (const Client& client : clients) rows += client.block().rows();
  Matrix all(rows, clients.front().block().cols());
  std::vector<double> rhs;
  for (const Client& client : clients) {
    const LinearSystem& system = client.block().system();
    std::visit(
        [&](const auto& matrix) {
          for (std::size_t i = 0; i < matrix.rows(); ++i) axpy(1.0, matrix.row(i), all.row(rhs.size() + i));
        },
        system.rows);
    rhs.insert(rhs.end(), system.rhs.begin(), system.rhs.end());
  }
  return {std::move(all), std::move(rhs)};
}

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

ClientSurvey survey(const Client& client) {
  const RowBlock& block = client.block();
  ClientSurvey found{.rows = block.rows(), .zero_rows = block.zero_rows()};
  found.nonzeros = std::visit([](const auto& matrix) { return stored_entries(matrix); }, block.system().rows);
  double smallest = std::numeric_limits<double>::infinity(), largest = 0.0;
  for (const double square : block.squared_norms()) {
    found.weight += square;
    if (square > 0.0) smallest = std::min(smallest, square);
    largest = std::max(largest, square);
  }
  if (largest > 0.0) {
    found.smallest_norm = std::sqrt(smallest);
    found.largest_norm = std::sqrt(largest);
  }
  return found;
}

double spectrum_cost(std::span<const Client> clients) {
  double rows = 0.0;
  for (const Client& client : clients) rows += static_cast<double>(client.block().rows());
  const auto cols = static_cast<double>(clients.front().block().cols());
  return rows * cols * std::min(rows, cols);
}

SpectrumSurvey survey_spectrum(std::span<const Client> clients) {
  const LinearSystem system = pooled(clients);
  const Spectrum values = spectrum(system.rows);
  SpectrumSurvey found{.rank = values.rank, .condition_number = values.condition_number()};
  found.rate_by_norm = values.kaczmarz_rate();
  found.rate_uniform = kaczmarz_rate(system.rows, RowSampling::Uniform);

  std::vector<double> x(column_count(system.rows), 0.0);
  RowSpaceProjection(std::get<Matrix>(system.rows), system.rhs).project(x);
  const double rhs = squared_norm(system.rhs);
  found.least_squares_residual = std::sqrt(squared_residual(system, x) / (rhs > 0.0 ? rhs : 1.0));
  return found;
}

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
