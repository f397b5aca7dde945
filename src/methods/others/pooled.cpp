// SPDX-License-Identifier: Apache-2.0
#include "methods/others/pooled.hpp"

#include <utility>
#include <vector>

#include "kaczmarz/randomized_kaczmarz.hpp"
#include "linalg/row_space.hpp"
#include "round/row_work.hpp"

namespace fedrk {
namespace {

std::vector<double> squared_norms(const auto& matrix) {
  std::vector<double> squares;
  for (std::size_t j = 0; j < matrix.rows(); ++j) squares.push_back(squared_norm(matrix.row(j)));
  return squares;
}

/// Column j of A as row j.
template <class Number>
BasicMatrix<Number> transposed(const BasicMatrix<Number>& matrix) {
  BasicMatrix<Number> columns(matrix.cols(), matrix.rows());
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    for (std::size_t j = 0; j < matrix.cols(); ++j) columns.row(j)[i] = matrix.row(i)[j];
  }
  return columns;
}

template <class Number>
BasicSparseMatrix<Number> transposed(const BasicSparseMatrix<Number>& matrix) {
  std::vector<Triplet> entries;
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    const auto row = matrix.row(i);
    for (std::size_t k = 0; k < row.columns.size(); ++k) {
      entries.push_back({row.columns[k], static_cast<std::uint32_t>(i), row.values[k]});
    }
  }
  return BasicSparseMatrix<Number>(matrix.cols(), matrix.rows(), std::move(entries));
}

/// ||target - A x||, and the target's own length as a scale.
bool close_enough(const auto& matrix, std::span<const double> target, std::span<const double> x, double tolerance) {
  double squares = 0.0;
  for (std::size_t j = 0; j < matrix.rows(); ++j) {
    const double gap = target[j] - dot(matrix.row(j), x);
    squares += gap * gap;
  }
  return squares <= tolerance * tolerance * squared_norm(target);
}

bool asked_to_stop(const PooledSteps& options) { return options.stop != nullptr && options.stop->requested(); }

template <class MatrixType>
void extended_kaczmarz_on(const PooledSteps& options, const MatrixType& matrix, std::span<const double> rhs,
                          std::span<double> x) {
  const MatrixType columns = transposed(matrix);
  const std::vector<double> row_squares = squared_norms(matrix), column_squares = squared_norms(columns);
  const RowSampler rows = RowSampler::weighted(row_squares), cols = RowSampler::weighted(column_squares);
  if (rows.empty()) return;
  RngStream stream = stream_for(options.seed, Purpose::PooledSteps);
  std::vector<double> z(rhs.begin(), rhs.end()), reachable(rhs.size());
  for (std::uint64_t pass = 0; pass < options.max_passes && !asked_to_stop(options); ++pass) {
    for (std::size_t k = 0; k < matrix.rows(); ++k) {
      const std::size_t column = cols.draw(stream);
      axpy(-dot(columns.row(column), z) / column_squares[column], columns.row(column), z);
      const std::size_t j = rows.draw(stream);
      project(HyperplaneView<decltype(matrix.row(j))>{matrix.row(j), rhs[j] - z[j], row_squares[j]}, x);
    }
    for (std::size_t j = 0; j < rhs.size(); ++j) reachable[j] = rhs[j] - z[j];
    // A^T z vanishes when z has become the part of b that no A x reaches.
    const double square = squared_norm(reachable);
    double slope = 0.0, scale = 0.0;  // ||A^T z||^2 against sum_j ||c_j||^2 ||b - z||^2
    for (std::size_t j = 0; j < columns.rows(); ++j) {
      const double product = dot(columns.row(j), z);
      slope += product * product;
      scale += column_squares[j] * square;
    }
    const bool converged = slope <= options.tolerance * options.tolerance * scale;
    if (converged && close_enough(matrix, reachable, x, options.tolerance)) return;
  }
}

}  // namespace

Request Pooled::request(RoundIndex, std::span<const double>) { return {AllRows{}, {}}; }

void Pooled::update(RoundIndex, RoundReplies& round, std::span<double> x) {
  const std::span replies = round.replies;
  if (replies.size() < clients_) return;
  const auto system = unpack_rows(replies, x.size());
  if (!system) return;  // as good as absent
  solver_(*system, x);
  finished_ = true;
}

void direct_solution(const LinearSystem& system, std::span<double> x) {
  std::visit([&](const auto& matrix) { RowSpaceProjection(matrix, system.rhs).project(x); }, system.rows);
}

void pooled_kaczmarz(const PooledSteps& options, const LinearSystem& system, std::span<double> x) {
  std::visit(
      [&](const auto& matrix) {
        const std::vector<double> squares = squared_norms(matrix);
        const RowSampler sampler = RowSampler::weighted(squares);
        for (std::uint32_t pass = 0; pass < options.max_passes && !asked_to_stop(options); ++pass) {
          randomized_kaczmarz(
              EquationRows{matrix, std::span<const double>(system.rhs), std::span<const double>(squares)}, sampler,
              matrix.rows(), stream_for(options.seed, Purpose::PooledSteps, RoundIndex{pass}), x);
          if (close_enough(matrix, system.rhs, x, options.tolerance)) return;
        }
      },
      system.rows);
}

void extended_kaczmarz(const PooledSteps& options, const LinearSystem& system, std::span<double> x) {
  std::visit([&](const auto& matrix) { extended_kaczmarz_on(options, matrix, system.rhs, x); }, system.rows);
}

}  // namespace fedrk
