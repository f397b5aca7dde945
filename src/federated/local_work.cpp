// SPDX-License-Identifier: Apache-2.0
#include "fedrk/federated/local_work.hpp"

#include <algorithm>
#include <cmath>

#include "fedrk/linalg/kernels.hpp"
#include "fedrk/problem/cross_products.hpp"
#include "fedrk/problem/frame_products.hpp"

namespace fedrk {
namespace {

using question::about;
using question::kPowerSteps;

// A client that is asked for more would be busy for days.
constexpr std::uint64_t kMostSteps = std::uint64_t{1} << 40;
constexpr const char* kTooMany = "it asks for too many steps";

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

// sum += A^T (b - A x). Each row is read once.
void add_gradient(const Rows& rows, std::span<const double> rhs, std::span<const double> x, std::span<double> sum) {
  std::visit(
      [&](const auto& matrix) {
        for (std::size_t j = 0; j < matrix.rows(); ++j) {
          const auto row = matrix.row(j);
          axpy(rhs[j] - dot(row, x), row, sum);
        }
      },
      rows);
}

void scale(double factor, std::span<double> values) {
  for (double& value : values) value *= factor;
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

template <class Number>
double squared_entry(std::span<const Number> row, std::size_t column) {
  return static_cast<double>(row[column]) * static_cast<double>(row[column]);
}

template <class Number>
double squared_entry(const BasicSparseRow<Number>& row, std::size_t column) {
  const auto found = std::ranges::lower_bound(row.columns, column);
  if (found == row.columns.end() || *found != column) return 0.0;
  const auto value = static_cast<double>(row.values[static_cast<std::size_t>(found - row.columns.begin())]);
  return value * value;
}

}  // namespace

LocalWork work_of(const StepBudget& budget) {
  return std::visit([](const auto& steps) -> LocalWork { return steps; }, budget);
}

namespace question {

std::size_t length(const FixedSteps& steps, std::size_t unknowns) { return steps.count == 0 ? 0 : unknowns; }

std::size_t length(const CrossProducts& products, std::size_t unknowns) {
  return cross_product_count(unknowns) * (products.pairs ? 2 : 1);
}

double flops(const FixedSteps& steps, const WorkSize& size) {
  return size.rows > 0.0 ? 4.0 * static_cast<double>(steps.count) * size.nonzeros / size.rows : 0.0;
}
double flops(const UntilProjected&, const WorkSize& size) { return 4.0 * std::min(size.rows, size.cols) * size.cols; }
double flops(const ValidSteps& steps, const WorkSize& size) {
  return std::visit([&](const auto& budget) { return flops(budget, size); }, steps.budget);
}
double flops(const SparseSteps& steps, const WorkSize& size) {
  return flops(steps.budget, size) + 2.0 * static_cast<double>(steps.budget.count) * size.cols;
}
double flops(const GradientSteps& steps, const WorkSize& size) {
  const bool all = steps.batch == 0 || size.rows == 0.0;
  const double entries = all ? size.nonzeros : size.nonzeros * static_cast<double>(steps.batch) / size.rows;
  return static_cast<double>(steps.count) * (4.0 * entries + 2.0 * size.cols);
}
double flops(const CrossProducts&, const WorkSize& size) {
  return size.rows > 0.0 ? size.nonzeros * (size.nonzeros / size.rows + 1.0) + 2.0 * size.nonzeros : 0.0;
}
// Two inner products and one step a row.
double flops(const ClippedPass& pass, const WorkSize& size) {
  const double used = pass.steps == 0 ? size.rows : std::min(size.rows, static_cast<double>(pass.steps));
  return size.rows > 0.0 ? 6.0 * used * size.nonzeros / size.rows : 0.0;
}

const char* wrong(const FixedSteps& steps, std::size_t) { return steps.count > kMostSteps ? kTooMany : ""; }
const char* wrong(const ValidSteps& steps, std::size_t unknowns) {
  const auto* fixed = std::get_if<FixedSteps>(&steps.budget);
  return fixed ? wrong(*fixed, unknowns) : "";
}
const char* wrong(const SparseSteps& steps, std::size_t) {
  if (steps.budget.count > kMostSteps) return kTooMany;
  return std::isfinite(steps.lambda) && steps.lambda >= 0.0 ? "" : "its threshold makes no sense";
}
const char* wrong(const GradientSteps& steps, std::size_t) {
  if (steps.count > kMostSteps) return kTooMany;
  if (!std::isfinite(steps.step) || !std::isfinite(steps.proximal)) return "its step size is not finite";
  return steps.batch > kMostSteps / std::max<std::uint64_t>(1, steps.count) ? kTooMany : "";
}

// Within these bounds clips, noise and the numbers of the grid stay ordinary numbers, also added up. A share below a
// thousand grid steps would not hide what rounding does.
const char* wrong(const ClippedPass& pass, std::size_t) {
  constexpr double kSmallest = 0x1.0p-200, kLargest = 0x1.0p200;
  const auto ordinary = [](double value) { return value >= kSmallest && value <= kLargest; };
  if (pass.steps > kMostSteps) return kTooMany;
  if (!ordinary(pass.clip)) return "its steps are clipped at no sensible length";
  if (!ordinary(pass.noise)) return "its noise has no sensible size";
  constexpr std::int32_t kMostExponent = 400;
  const bool grid = pass.exponent >= -kMostExponent && pass.exponent <= kMostExponent;
  const int bits = grid ? std::ilogb(pass.noise) - pass.exponent : 0;
  return bits < 10 || bits > 40 ? "its grid does not suit its noise" : "";
}

}  // namespace question

std::string_view name_of(const LocalWork& work) {
  return std::visit([](const auto& kind) { return about(kind).name; }, work);
}

bool has_trait(const LocalWork& work, WorkTrait trait) {
  return std::visit([&](const auto& kind) { return (about(kind).traits & trait) != 0; }, work);
}

Use use_of(const LocalWork& work) {
  return std::visit([](const auto& kind) { return about(kind).use; }, work);
}

std::string_view wrong_work(const LocalWork& work, std::size_t unknowns) {
  return std::visit([&](const auto& kind) -> std::string_view { return about(kind).wrong(kind, unknowns); }, work);
}

bool needs_x(const LocalWork& work) { return has_trait(work, kAtX); }
bool sends_gap(const LocalWork& work) { return has_trait(work, kGap); }

bool sends_pairs(const LocalWork& work) {
  const auto* products = std::get_if<CrossProducts>(&work);
  return products != nullptr && products->pairs;
}

std::optional<std::size_t> reply_length(const LocalWork& work, std::size_t unknowns) {
  return std::visit(
      [&](const auto& kind) -> std::optional<std::size_t> {
        const auto length = about(kind).length;
        return length == nullptr ? std::nullopt : std::optional(length(kind, unknowns));
      },
      work);
}

double flops(const LocalWork& work, std::size_t rows, std::size_t cols, std::size_t nonzeros) {
  const WorkSize size{static_cast<double>(rows), static_cast<double>(cols), static_cast<double>(nonzeros)};
  return std::visit([&](const auto& kind) { return about(kind).flops(kind, size); }, work);
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

double curvature(const RowBlock& block) {
  // The power method, from a start without zeros. It approaches from below; the last percent is the caller's margin.
  AlignedVector direction(block.cols());
  for (std::size_t j = 0; j < direction.size(); ++j) direction[j] = 1.0 + 0.5 * std::sin(static_cast<double>(j + 1));
  double eigenvalue = 0.0;
  for (int k = 0; k < kPowerSteps; ++k) {
    const double norm = std::sqrt(squared_norm(direction));
    if (norm == 0.0) return 0.0;
    scale(1.0 / norm, direction);
    const AlignedVector next = normal_product(block.system(), nullptr, direction);
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

double column_squares(const RowBlock& block, std::size_t column) {
  double sum = 0.0;
  std::visit(
      [&](const auto& matrix) {
        for (std::size_t j = 0; j < matrix.rows(); ++j) sum += squared_entry(matrix.row(j), column);
      },
      block.system().rows);
  return sum;
}

}  // namespace fedrk
