// SPDX-License-Identifier: Apache-2.0
#include "round/row_work.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "linalg/kernels.hpp"
#include "linalg/row_products.hpp"
#include "problem/frame_products.hpp"

namespace fedrk {
namespace {

// sum += (b_j - <a_j, x>) a_j over `count` rows j = row(0), row(1), ... Each is read once.
template <class RowNumber>
void add_gradient(const LinearSystem& system, std::uint64_t count, RowNumber row, std::span<const double> x,
                  std::span<double> sum) {
  std::visit(
      [&](const auto& matrix) {
        for (std::uint64_t k = 0; k < count; ++k) {
          const auto j = static_cast<std::size_t>(row(k));
          axpy(system.rhs[j] - dot(matrix.row(j), x), matrix.row(j), sum);
        }
      },
      system.rows);
}

void scale(double factor, std::span<double> values) {
  for (double& value : values) value *= factor;
}

}  // namespace

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
      add_gradient(
          block.system(), block.rows(), [](std::uint64_t place) { return place; }, x, slope);
    } else {
      add_gradient(
          block.system(), work.batch, [&](std::uint64_t) { return stream.below(block.rows()); }, x, slope);
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
  for (int k = 0; k < question::kPowerSteps; ++k) {
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
        for (std::size_t j = 0; j < matrix.rows(); ++j) {
          for_each_entry(matrix.row(j), [&](std::size_t k, double value) { squares[k] += value * value; });
        }
      },
      block.system().rows);
  return squares;
}

}  // namespace fedrk
