// SPDX-License-Identifier: Apache-2.0
#include "fedrk/federated/local_work.hpp"

#include <algorithm>
#include <cmath>

#include "fedrk/linalg/kernels.hpp"

namespace fedrk {
namespace {

constexpr int kPowerSteps = 50;

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

// sum += (b_j - <a_j, x>) a_j over `count` rows, each drawn uniformly.
void add_batch_gradient(const LinearSystem& system, std::uint64_t count, RngStream& stream, std::span<const double> x,
                        std::span<double> sum) {
  std::visit(
      [&](const auto& matrix) {
        for (std::uint64_t k = 0; k < count; ++k) {
          const auto j = static_cast<std::size_t>(stream.below(matrix.rows()));
          axpy(system.rhs[j] - dot(matrix.row(j), x), matrix.row(j), sum);
        }
      },
      system.rows);
}

// sum += A^T (b - A x), where `rhs` is b, or zero where it is empty. Each row is read once.
void add_gradient(const Rows& rows, std::span<const double> rhs, std::span<const double> x, std::span<double> sum) {
  std::visit(
      [&](const auto& matrix) {
        for (std::size_t j = 0; j < matrix.rows(); ++j) {
          const auto row = matrix.row(j);
          axpy((rhs.empty() ? 0.0 : rhs[j]) - dot(row, x), row, sum);
        }
      },
      rows);
}

void scale(double factor, std::span<double> values) {
  for (double& value : values) value *= factor;
}

// Row i of the packed upper triangle holds columns i to n - 1.
template <class Number>
void add_outer_product(std::span<const Number> row, std::size_t, std::span<double> packed) {
  std::size_t start = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const auto rest = row.subspan(i);
    axpy(row[i], rest, packed.subspan(start, rest.size()));
    start += rest.size();
  }
}

template <class Number>
void add_outer_product(const BasicSparseRow<Number>& row, std::size_t cols, std::span<double> packed) {
  for (std::size_t k = 0; k < row.columns.size(); ++k) {
    const std::size_t i = row.columns[k];
    const std::size_t start = i * cols - i * (i + 1) / 2;  // where column j stands at start + j
    const double value = row.values[k];
    for (std::size_t l = k; l < row.columns.size(); ++l) packed[start + row.columns[l]] += value * row.values[l];
  }
}

template <class Number>
void add_squares(std::span<const Number> row, std::span<double> sums) {
  for (std::size_t k = 0; k < row.size(); ++k) sums[k] += static_cast<double>(row[k]) * static_cast<double>(row[k]);
}

template <class Number>
void add_squares(const BasicSparseRow<Number>& row, std::span<double> sums) {
  for (std::size_t k = 0; k < row.columns.size(); ++k) {
    sums[row.columns[k]] += static_cast<double>(row.values[k]) * static_cast<double>(row.values[k]);
  }
}

double batch_entries(const GradientSteps& steps, double rows, double nonzeros) {
  if (steps.batch == 0 || rows == 0.0) return nonzeros;
  return nonzeros * static_cast<double>(steps.batch) / rows;
}

}  // namespace

LocalWork work_of(const StepBudget& budget) {
  return std::visit([](const auto& steps) -> LocalWork { return steps; }, budget);
}

bool needs_x(const LocalWork& work) {
  return !(std::holds_alternative<GramSum>(work) || std::holds_alternative<Curvature>(work) ||
           std::holds_alternative<ColumnNorms>(work) || std::holds_alternative<AllRows>(work));
}

bool sends_gap(const LocalWork& work) {
  return std::holds_alternative<ValidSteps>(work) || std::holds_alternative<SparseSteps>(work);
}

std::optional<std::size_t> reply_length(const LocalWork& work, std::size_t unknowns) {
  if (const auto* steps = std::get_if<FixedSteps>(&work); steps != nullptr && steps->count == 0) return 0;
  if (std::holds_alternative<GramSum>(work)) return unknowns * (unknowns + 3) / 2;
  if (std::holds_alternative<Curvature>(work)) return 1;
  if (std::holds_alternative<AllRows>(work)) return std::nullopt;
  return unknowns;
}

double flops(const LocalWork& work, std::size_t rows, std::size_t cols, std::size_t nonzeros) {
  const auto m = static_cast<double>(rows), n = static_cast<double>(cols), all = static_cast<double>(nonzeros);
  const auto steps_on_rows = [&](const FixedSteps& steps) {
    return m > 0.0 ? 4.0 * static_cast<double>(steps.count) * all / m : 0.0;
  };
  const auto projection = [&](const UntilProjected&) { return 4.0 * std::min(m, n) * n; };
  return std::visit(
      Overloaded{steps_on_rows, projection,
                 [&](const ValidSteps& steps) {
                   return std::visit(Overloaded{steps_on_rows, projection}, steps.budget);
                 },
                 [&](const SparseSteps& steps) {
                   return steps_on_rows(steps.budget) + 2.0 * static_cast<double>(steps.budget.count) * n;
                 },
                 [&](const GradientSteps& steps) {
                   return static_cast<double>(steps.count) * (4.0 * batch_entries(steps, m, all) + 2.0 * n);
                 },
                 [&](const Gradient&) { return 4.0 * all; }, [&](const NormalProduct&) { return 4.0 * all; },
                 [&](const GramSum&) { return m > 0.0 ? all * (all / m + 1.0) + 2.0 * all : 0.0; },
                 [&](const Curvature&) { return 4.0 * all * kPowerSteps; },
                 [&](const ColumnNorms&) { return 2.0 * all; }, [](const AllRows&) { return 0.0; },
                 [&](const ClippedPass& pass) {  // two inner products and one step a row
                   const double used = pass.steps == 0 ? m : std::min(m, static_cast<double>(pass.steps));
                   return m > 0.0 ? 6.0 * used * all / m : 0.0;
                 }},
      work);
}

void gradient_steps(const GradientSteps& work, const RowBlock& block, std::span<const double> own, RngStream stream,
                    std::span<double> x) {
  const std::vector<double> start(x.begin(), x.end());
  AlignedVector slope(x.size());
  // A client without rows has no slope of its own, but still follows what it was sent.
  const auto rows = static_cast<double>(block.rows());
  const double seen = work.batch == 0 || rows == 0.0 ? std::max(1.0, rows) : static_cast<double>(work.batch);
  const double weight = work.loss == GradientSteps::Loss::Mean ? 1.0 / seen : std::max(1.0, rows) / seen;
  for (std::uint64_t k = 0; k < work.count; ++k) {
    std::ranges::fill(slope, 0.0);
    if (work.batch == 0 || rows == 0.0) {
      add_gradient(block.system().rows, block.system().rhs, x, slope);
    } else {
      add_batch_gradient(block.system(), work.batch, stream, x, slope);
    }
    scale(weight, slope);
    if (work.proximal > 0.0) {
      axpy(work.proximal, start, slope);
      axpy(-work.proximal, x, slope);
    }
    if (!own.empty()) axpy(-1.0, own, slope);
    axpy(work.step, slope, x);
  }
}

AlignedVector gradient(const RowBlock& block, std::span<const double> x) {
  AlignedVector sum(x.size(), 0.0);
  add_gradient(block.system().rows, block.system().rhs, x, sum);
  return sum;
}

AlignedVector normal_product(const RowBlock& block, std::span<const double> x) {
  AlignedVector sum(x.size(), 0.0);
  add_gradient(block.system().rows, {}, x, sum);
  scale(-1.0, sum);
  return sum;
}

AlignedVector gram_sum(const RowBlock& block) {
  const std::size_t n = block.cols(), triangle = n * (n + 1) / 2;
  AlignedVector result(triangle + n, 0.0);
  const auto packed = std::span(result).first(triangle), products = std::span(result).last(n);
  std::visit(
      [&](const auto& matrix) {
        for (std::size_t j = 0; j < matrix.rows(); ++j) {
          const auto row = matrix.row(j);
          add_outer_product(row, n, packed);
          axpy(block.system().rhs[j], row, products);
        }
      },
      block.system().rows);
  return result;
}

double curvature(const RowBlock& block) {
  // The power method, from a start without zeros. It approaches from below; the last percent is the caller's margin.
  AlignedVector direction(block.cols());
  for (std::size_t j = 0; j < direction.size(); ++j) direction[j] = 1.0 + 0.5 * std::sin(static_cast<double>(j + 1));
  double eigenvalue = 0.0;
  for (int k = 0; k < kPowerSteps; ++k) {
    const double norm = std::sqrt(squared_norm(direction));
    if (norm == 0.0) return 0.0;
    scale(1.0 / norm, direction);
    const AlignedVector next = normal_product(block, direction);
    eigenvalue = dot(next, direction);
    direction = next;
  }
  return eigenvalue;
}

AlignedVector column_norms(const RowBlock& block) {
  AlignedVector squares(block.cols(), 0.0);
  std::visit(
      [&](const auto& matrix) {
        for (std::size_t j = 0; j < matrix.rows(); ++j) add_squares(matrix.row(j), squares);
      },
      block.system().rows);
  return squares;
}

}  // namespace fedrk
