// SPDX-License-Identifier: Apache-2.0
#include "analysis/survey.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/spectrum.hpp"
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

}  // namespace fedrk
