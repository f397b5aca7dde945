// SPDX-License-Identifier: Apache-2.0
#include "problem/standardize.hpp"

#include <cmath>
#include <string>
#include <utility>

#include "fedrk/contracts.hpp"
#include "fedrk/error.hpp"
#include "linalg/row_products.hpp"

namespace fedrk {
namespace {

// Adds term(column, value) over the rows. The terms of entries that a sparse row does not store must be zero.
template <class Term>
ColumnSums sum_over_rows(const LinearSystem& system, Term term) {
  ColumnSums part{row_count(system.rows), std::vector<double>(column_count(system.rows), 0.0)};
  std::visit(
      [&](const auto& matrix) {
        for (std::size_t i = 0; i < matrix.rows(); ++i) {
          for_each_entry(matrix.row(i), [&](std::size_t j, double value) { part.sums[j] += term(j, value); });
        }
      },
      system.rows);
  return part;
}

// value / scale, and zero for a column without spread.
double over(double value, double scale) { return scale > 0.0 ? value / scale : 0.0; }

template <class Number>
void scale_rows(const Scaling& scaling, BasicMatrix<Number>& matrix) {
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    const std::span<Number> row = matrix.row(i);
    for (std::size_t j = 0; j < row.size(); ++j) {
      row[j] = static_cast<Number>(over(row[j] - scaling.centre[j], scaling.scale[j]));
    }
  }
}

template <class Number>
void scale_rows(const Scaling& scaling, BasicSparseMatrix<Number>& matrix) {
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    const std::span<Number> values = matrix.values(i);
    const auto columns = matrix.row(i).columns;
    for (std::size_t k = 0; k < values.size(); ++k) {
      values[k] = static_cast<Number>(over(values[k], scaling.scale[columns[k]]));
    }
  }
}

// A column counts as constant when what is left after centring is rounding.
constexpr double kConstant = 1e-12;

}  // namespace

ColumnSums column_sums(const LinearSystem& system) {
  return sum_over_rows(system, [](std::size_t, double value) { return value; });
}

ColumnSums column_square_sums(const LinearSystem& system, std::span<const double> centre) {
  return sum_over_rows(system, [&](std::size_t j, double value) { return (value - centre[j]) * (value - centre[j]); });
}

std::vector<double> column_means(std::span<const ColumnSums> parts) {
  FEDRK_EXPECTS(!parts.empty());
  std::vector<double> means(parts.front().sums.size(), 0.0);
  std::size_t rows = 0;
  for (const ColumnSums& part : parts) {
    rows += part.rows;
    for (std::size_t j = 0; j < means.size(); ++j) means[j] += part.sums[j];
  }
  for (double& mean : means) mean /= static_cast<double>(rows);
  return means;
}

void apply(const Scaling& scaling, LinearSystem& system) {
  std::visit([&](auto& matrix) { scale_rows(scaling, matrix); }, system.rows);
}

std::vector<double> centre_from(std::span<const double> means, Centring centring, std::size_t fixed) {
  std::vector<double> centre(means.begin(), means.end());
  for (std::size_t j = 0; j < centre.size(); ++j) {
    if (centring == Centring::None || j < fixed) centre[j] = 0.0;
  }
  return centre;
}

Scaling scaling_from(std::vector<double> centre, std::span<const double> means, std::vector<double> mean_squares,
                     std::size_t fixed) {
  Scaling scaling{std::move(centre), std::move(mean_squares)};
  for (std::size_t j = 0; j < scaling.scale.size(); ++j) {
    if (!std::isfinite(means[j]) || !std::isfinite(scaling.scale[j])) {
      throw InvalidArgument("column " + std::to_string(j + 1 - fixed) + " is too large to be standardised");
    }
    scaling.scale[j] = std::sqrt(scaling.scale[j]);
    if (scaling.scale[j] <= kConstant * std::abs(means[j])) scaling.scale[j] = 0.0;
    if (j < fixed) scaling.scale[j] = 1.0;
  }
  return scaling;
}

Scaling standardize(std::span<LinearSystem> clients, Centring centring, std::size_t fixed) {
  for (const LinearSystem& client : clients) {
    if (is_sparse(client.rows)) centring = Centring::None;
  }
  std::vector<ColumnSums> parts;
  const auto gather = [&](auto&& ask) {
    parts.clear();
    for (const LinearSystem& client : clients) parts.push_back(ask(client));
    return column_means(parts);
  };
  const std::vector<double> means = gather(column_sums);
  std::vector<double> centre = centre_from(means, centring, fixed);
  auto squares = gather([&](const LinearSystem& client) { return column_square_sums(client, centre); });
  Scaling scaling = scaling_from(std::move(centre), means, std::move(squares), fixed);
  for (LinearSystem& client : clients) apply(scaling, client);
  return scaling;
}

std::vector<double> in_data_units(const Scaling& scaling, std::span<const double> x, std::size_t fixed) {
  std::vector<double> coefficients(scaling.scale.size());
  double constant = 0.0;
  for (std::size_t j = 0; j < coefficients.size(); ++j) {
    coefficients[j] = over(x[j], scaling.scale[j]);
    constant += coefficients[j] * scaling.centre[j];
  }
  if (fixed > 0) coefficients[0] -= constant;
  return coefficients;
}

}  // namespace fedrk
