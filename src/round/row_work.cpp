// SPDX-License-Identifier: Apache-2.0
#include "round/row_work.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "fedrk/error.hpp"
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

constexpr double kDense = 0.0, kSparse = 1.0;

template <class Number>
void append(std::span<const Number> row, AlignedVector& message) {
  message.insert(message.end(), row.begin(), row.end());
}

template <class Number>
void append(const BasicSparseRow<Number>& row, AlignedVector& message) {
  message.push_back(static_cast<double>(row.columns.size()));
  message.insert(message.end(), row.columns.begin(), row.columns.end());
  message.insert(message.end(), row.values.begin(), row.values.end());
}

bool is_dense(const LocalReply& reply) { return reply.values.front() == kDense; }

struct SentRow {
  std::vector<std::uint32_t> columns;  // of a sparse one
  std::span<const double> values;
  double rhs = 0.0;
};

bool take_dense_row(std::span<const double>& rest, std::size_t unknowns, SentRow& row) {
  if (rest.size() < unknowns + 1) return false;
  row.values = rest.first(unknowns);
  row.rhs = rest[unknowns];
  rest = rest.subspan(unknowns + 1);
  return true;
}

bool take_sparse_row(std::span<const double>& rest, std::size_t unknowns, SentRow& row) {
  const double asked = rest.front();
  if (!(asked >= 0.0 && asked <= static_cast<double>(unknowns)) || asked != std::floor(asked)) return false;
  const auto count = static_cast<std::size_t>(asked);
  if (rest.size() < 2 * count + 2) return false;
  row.columns.clear();
  for (const double column : rest.subspan(1, count)) {
    if (!(column >= 0.0 && column < static_cast<double>(unknowns)) || column != std::floor(column)) return false;
    const auto index = static_cast<std::uint32_t>(column);
    if (!row.columns.empty() && row.columns.back() >= index) return false;
    row.columns.push_back(index);
  }
  row.values = rest.subspan(1 + count, count);
  row.rhs = rest[2 * count + 1];
  rest = rest.subspan(2 * count + 2);
  return true;
}

// Calls visit(row) for one row after another. False where there is one that makes no sense.
template <class Visit>
bool for_rows(const LocalReply& reply, std::size_t unknowns, const Visit& visit) {
  const auto take_row = is_dense(reply) ? take_dense_row : take_sparse_row;
  SentRow row;
  for (std::span<const double> rest = std::span(reply.values).subspan(1); !rest.empty(); visit(row)) {
    if (!take_row(rest, unknowns, row)) return false;
  }
  return true;
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

AlignedVector pack_rows(const LinearSystem& system) {
  AlignedVector message{is_sparse(system.rows) ? kSparse : kDense};
  std::visit(
      [&](const auto& matrix) {
        if (!is_sparse(system.rows)) message.reserve(1 + matrix.rows() * (matrix.cols() + 1));
        for (std::size_t j = 0; j < matrix.rows(); ++j) {
          append(matrix.row(j), message);
          message.push_back(system.rhs[j]);
        }
      },
      system.rows);
  return message;
}

Result<LinearSystem> unpack_rows(std::span<const LocalReply> replies, std::size_t unknowns) {
  bool any_dense = false;
  std::size_t rows = 0;
  for (const LocalReply& reply : replies) {
    const auto& message = reply.values;
    const bool has_form = !message.empty() && (message.front() == kDense || message.front() == kSparse);
    if (!has_form || !for_rows(reply, unknowns, [&](const SentRow&) { ++rows; })) {
      return Error{"the rows that client " + std::to_string(reply.client.value + 1) + " sent make no sense"};
    }
    any_dense = any_dense || is_dense(reply);
  }
  SparseMatrix sparse(unknowns);
  Matrix dense(any_dense ? rows : 0, unknowns);
  std::vector<double> rhs;
  for (const LocalReply& reply : replies) {
    for_rows(reply, unknowns, [&](const SentRow& row) {
      if (!any_dense) {
        sparse.append_row(row.columns, row.values);
      } else if (is_dense(reply)) {
        std::ranges::copy(row.values, dense.row(rhs.size()).begin());
      } else {
        axpy(1.0, SparseRow{row.columns, row.values}, dense.row(rhs.size()));
      }
      rhs.push_back(row.rhs);
    });
  }
  if (any_dense) return LinearSystem{std::move(dense), std::move(rhs)};
  return LinearSystem{std::move(sparse), std::move(rhs)};
}

}  // namespace fedrk
