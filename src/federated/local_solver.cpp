// SPDX-License-Identifier: Apache-2.0
#include "fedrk/federated/local_solver.hpp"

#include <utility>

#include "fedrk/federated/soft_threshold.hpp"
#include "fedrk/kaczmarz/gram_form.hpp"
#include "fedrk/kaczmarz/randomized_kaczmarz.hpp"
#include "fedrk/linalg/gram.hpp"

namespace fedrk {
namespace {

/// The equations <a_j, x> + lambda y_j = r_j, where y grows with every step: rows with private slack, as seen from x.
template <class MatrixType>
struct SlackRows {
  const MatrixType& matrix;
  std::span<const double> rhs;  // b - lambda w
  std::span<const double> squared_norms;
  double lambda;
  std::span<double> y;

  auto operator()(std::size_t j) const {
    return HyperplaneView<decltype(matrix.row(j))>{matrix.row(j), rhs[j] - lambda * y[j], squared_norms[j] + lambda};
  }
  void stepped(std::size_t j, double by) const { y[j] += by; }
};
template <class MatrixType>
SlackRows(const MatrixType&, std::span<const double>, std::span<const double>, double, std::span<double>)
    -> SlackRows<MatrixType>;  // which clang 16 and older do not find by themselves

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
  const Matrix* products = in_gram_form ? &gram(0.0) : nullptr;
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
  if (gap == nullptr) {  // as published: to a point, and how far it is
    AlignedVector moved = aligned_copy(x);
    projection_->project(moved);
    axpy(-1.0, x, moved);
    return moved;
  }
  AlignedVector way = projection_->displacement(x);
  *gap = squared_norm(way);  // the way to a projection is at right angles to the solutions
  return way;
}

// ---- With private slack.

LocalSolver::SlackSteps LocalSolver::slack_steps(const StepBudget& budget, double lambda, RngStream stream,
                                                 std::span<const double> x, std::span<const double> w) {
  const LinearSystem& system = block_.system();
  SlackSteps result{{}, std::vector<double>(block_.rows(), 0.0), multiply(system.rows, x)};
  for (std::size_t j = 0; j < result.r.size(); ++j) result.r[j] = system.rhs[j] - result.r[j] - lambda * w[j];
  if (const auto* fixed = std::get_if<FixedSteps>(&budget)) {
    steps_with_slack(*fixed, lambda, stream, x, result);
  } else {
    result.y = ridge_factor(lambda).solve(system.rows, result.r);
    result.displacement = combine(system.rows, result.y);
  }
  return result;
}

void LocalSolver::steps_with_slack(FixedSteps budget, double lambda, RngStream stream, std::span<const double> x,
                                   SlackSteps& result) {
  if (sampler_.empty()) {
    result.displacement.assign(x.size(), 0.0);
    return;
  }
  const LinearSystem& system = block_.system();
  if (form_for(budget) == LocalForm::Gram) {
    AlignedVector gaps = aligned_copy(result.r), y(block_.rows(), 0.0);
    GramSteps(sampler_, budget.count, block_.rows(), stream).run(gram(lambda), gaps, y);
    result.y.assign(y.begin(), y.end());
    result.displacement = combine(system.rows, result.y);
    return;
  }
  // As seen from x, where the equations lack r: the steps then begin at zero.
  std::visit(
      [&](const auto& matrix) {
        const SlackRows equations{matrix, result.r, block_.squared_norms(), lambda, result.y};
        const AlignedVector zero(x.size(), 0.0);
        result.displacement = kaczmarz_displacement(equations, sampler_, budget.count, stream, zero);
      },
      system.rows);
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

const Matrix& LocalSolver::gram(double lambda) {
  if (!gram_) {
    gram_ = std::visit([](const auto& matrix) { return gram_matrix_of(matrix); }, block_.system().rows);
    for (std::size_t j = 0; j < gram_->rows(); ++j) gram_diagonal_.push_back(gram_->row(j)[j]);
  }
  if (gram_lambda_ != lambda) {
    for (std::size_t j = 0; j < gram_->rows(); ++j) gram_->row(j)[j] = gram_diagonal_[j] + lambda;
    gram_lambda_ = lambda;
  }
  return *gram_;
}

const RidgeFactor& LocalSolver::ridge_factor(double lambda) {
  if (!ridge_factor_ || ridge_factor_->lambda() != lambda) ridge_factor_.emplace(block_.system().rows, lambda);
  return *ridge_factor_;
}

}  // namespace fedrk
