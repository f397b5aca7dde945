// SPDX-License-Identifier: Apache-2.0
#include "kaczmarz/local_solver.hpp"

#include <utility>

#include "kaczmarz/gram_steps.hpp"
#include "kaczmarz/randomized_kaczmarz.hpp"
#include "kaczmarz/soft_threshold.hpp"
#include "linalg/gram.hpp"
#include "linalg/row_products.hpp"

namespace fedrk {
namespace {

// A client's steps in coefficient space: the gaps r = b - A x of the rows that will be drawn, the steps on these
// (gram_steps.hpp), and the displacement Delta = A^T y. Beside the steps a pass costs two products with the rows it
// touches. `gram` holds the inner products of all rows of `equations`. Where `gap` is given it is set to <y, r>, that
// of the hyperplane on which every solution lies (randomized_kaczmarz.hpp).
template <class MatrixType>
AlignedVector gram_displacement(const EquationRows<MatrixType>& equations, const Matrix& gram,
                                const RowSampler& sampler, std::uint64_t steps, RngStream stream,
                                std::span<const double> x, double* gap) {
  AlignedVector displacement(x.size(), 0.0);
  if (sampler.empty()) return displacement;
  GramSteps gram_steps(sampler, steps, gram.rows(), stream);
  const auto touched = gram_steps.touched();
  const auto row_at = [&](std::size_t k) { return equations.matrix.row(touched[k]); };

  std::vector<double> of_touched(touched.size());
  AlignedVector gaps(gram.rows(), 0.0), coefficients(gram.rows(), 0.0);
  multiply_rows(row_at, x, of_touched);
  for (std::size_t k = 0; k < touched.size(); ++k) gaps[touched[k]] = equations.rhs[touched[k]] - of_touched[k];
  const AlignedVector at_first = gap != nullptr ? gaps : AlignedVector{};
  gram_steps.run(gram, gaps, coefficients);
  if (gap != nullptr) *gap = dot(coefficients, at_first);
  for (std::size_t k = 0; k < touched.size(); ++k) of_touched[k] = coefficients[touched[k]];
  add_rows(row_at, of_touched, displacement);
  return displacement;
}

// v += by a and, where v changed, x = soft(v, lambda).
template <class Number>
void move_dual(double by, std::span<const Number> row, double lambda, std::span<double> v, std::span<double> x) {
  axpy(by, row, v);
  soft_threshold(v, lambda, x);
}

template <class Number>
void move_dual(double by, const BasicSparseRow<Number>& row, double lambda, std::span<double> v, std::span<double> x) {
  axpy(by, row, v);
  for (const std::uint32_t j : row.columns) x[j] = soft(v[j], lambda);
}

}  // namespace

LocalSolver::LocalSolver(RowBlock block, StepOptions options)
    : block_(std::move(block)),
      options_(options),
      sampler_(RowSampler::make(options.sampling, block_.squared_norms())) {}

AlignedVector LocalSolver::displacement(const StepBudget& budget, RngStream stream, std::span<const double> x,
                                        double* gap) {
  if (const auto* fixed = std::get_if<FixedSteps>(&budget)) return steps(*fixed, stream, x, gap);
  return projection(x, gap);
}

LocalForm LocalSolver::form_for(FixedSteps steps) const {
  if (options_.needs_gram()) return LocalForm::Gram;
  if (options_.form != LocalForm::Auto) return options_.form;
  const LocalShape shape{block_.rows(), block_.entries_per_row(), is_sparse(block_.system().rows)};
  return choose_form(shape, steps.count, options_.gram_memory);
}

AlignedVector LocalSolver::steps(FixedSteps budget, RngStream stream, std::span<const double> x, double* gap) {
  if (gap != nullptr) *gap = 0.0;
  const bool in_gram_form = form_for(budget) == LocalForm::Gram;
  const Matrix* products = in_gram_form ? &gram() : nullptr;
  return std::visit(
      [&](const auto& matrix) {
        const EquationRows equations{matrix, block_.system().rhs, block_.squared_norms()};
        if (in_gram_form) return gram_displacement(equations, *products, sampler_, budget.count, stream, x, gap);
        if (gap == nullptr || budget.count == 1) {
          return kaczmarz_displacement(equations, sampler_, budget.count, stream, x, gap);
        }
        // As seen from x: what is summed up then has the accuracy of the way, not that of x.
        const std::vector<double> lacking = residuals_of_steps(budget, stream, x);
        const EquationRows from_x{matrix, lacking, block_.squared_norms()};
        return kaczmarz_displacement(from_x, sampler_, budget.count, stream, AlignedVector(x.size(), 0.0), gap);
      },
      block_.system().rows);
}

// b - A x, at least for the rows that the steps will use.
std::vector<double> LocalSolver::residuals_of_steps(FixedSteps budget, RngStream stream,
                                                    std::span<const double> x) const {
  const LinearSystem& system = block_.system();
  if (sampler_.empty()) return std::vector<double>(block_.rows(), 0.0);
  std::vector<double> result;
  if (budget.count >= block_.rows()) {
    result = multiply(system.rows, x);
    for (std::size_t j = 0; j < result.size(); ++j) result[j] = system.rhs[j] - result[j];
    return result;
  }
  result.assign(block_.rows(), 0.0);
  std::vector<std::uint32_t> drawn(static_cast<std::size_t>(budget.count));
  if (budget.count == 1) {
    drawn[0] = static_cast<std::uint32_t>(sampler_.draw(stream));
  } else {
    RowDraws(sampler_, stream).next(drawn);
  }
  std::visit(
      [&](const auto& matrix) {
        for (const std::uint32_t j : drawn) result[j] = system.rhs[j] - dot(matrix.row(j), x);
      },
      system.rows);
  return result;
}

AlignedVector LocalSolver::projection(std::span<const double> x, double* gap) {
  if (!projection_) {
    std::visit([&](const auto& matrix) { projection_.emplace(matrix, block_.system().rhs); }, block_.system().rows);
  }
  if (gap == nullptr) {  // as in the paper: to a point, and how far it is
    AlignedVector moved = aligned_copy(x);
    projection_->project(moved);
    axpy(-1.0, x, moved);
    return moved;
  }
  AlignedVector way = projection_->displacement(x);
  *gap = squared_norm(way);  // the way to a projection is at right angles to the solutions
  return way;
}

// ---- Sparse answers.

AlignedVector LocalSolver::sparse_displacement(FixedSteps steps, double lambda, RngStream stream,
                                               std::span<const double> v, double& gap) const {
  gap = 0.0;
  if (sampler_.empty() || steps.count == 0) return AlignedVector(v.size(), 0.0);
  AlignedVector moved = aligned_copy(v), x(v.size()), way(v.size(), 0.0);
  soft_threshold(v, lambda, x);
  const AlignedVector start = x;
  const LinearSystem& system = block_.system();
  // The way and its gap are summed up as seen from the start: taken as differences of what is large, they would be
  // noise where the steps are short, and a hyperplane of noise can lie anywhere.
  std::vector<std::optional<double>> lacking(block_.rows());  // b - A soft(v), of the rows that are used
  std::visit(
      [&](const auto& matrix) {
        DrawnRows drawn(sampler_, steps.count, stream);
        for (std::uint64_t k = 0; k < steps.count; ++k, drawn.advance()) {
          const std::size_t j = drawn[0];
          const auto row = matrix.row(j);
          const double by = (system.rhs[j] - dot(row, x)) / block_.squared_norms()[j];
          if (!lacking[j]) lacking[j] = system.rhs[j] - dot(row, start);
          gap += by * *lacking[j];  // <y, b - A soft(v)> in the end
          axpy(by, row, way);
          move_dual(by, row, lambda, moved, x);
        }
      },
      system.rows);
  return way;
}

// ---- What is made once.

const Matrix& LocalSolver::gram() {
  if (!gram_) gram_ = std::visit([](const auto& matrix) { return gram_matrix_of(matrix); }, block_.system().rows);
  return *gram_;
}

}  // namespace fedrk
