// SPDX-License-Identifier: Apache-2.0
#include "round/pooled_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "fedrk/error.hpp"
#include "linalg/kernels.hpp"

namespace fedrk {
namespace {

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

bool is_dense(std::span<const double> message) { return !message.empty() && message.front() == kDense; }

// Takes one row off the front of a sparse message. False where there is none that makes sense.
bool take_sparse_row(std::span<const double>& rest, std::size_t unknowns, std::vector<std::uint32_t>& columns,
                     std::span<const double>& values, double& rhs) {
  if (rest.empty()) return false;
  const double asked = rest.front();
  if (!(asked >= 0.0 && asked <= static_cast<double>(unknowns)) || asked != std::floor(asked)) return false;
  const auto count = static_cast<std::size_t>(asked);
  if (rest.size() < 2 * count + 2) return false;
  columns.clear();
  for (const double column : rest.subspan(1, count)) {
    if (!(column >= 0.0 && column < static_cast<double>(unknowns)) || column != std::floor(column)) return false;
    const auto index = static_cast<std::uint32_t>(column);
    if (!columns.empty() && columns.back() >= index) return false;
    columns.push_back(index);
  }
  values = rest.subspan(1 + count, count);
  rhs = rest[2 * count + 1];
  rest = rest.subspan(2 * count + 2);
  return true;
}

Result<LinearSystem> nonsense(const LocalReply& reply) {
  return Error{"the rows that client " + std::to_string(reply.client.value + 1) + " sent make no sense"};
}

Result<LinearSystem> sparse_system(std::span<const LocalReply> replies, std::size_t unknowns) {
  SparseMatrix matrix(unknowns);
  std::vector<double> rhs;
  std::vector<std::uint32_t> columns;
  for (const LocalReply& reply : replies) {
    std::span<const double> rest = std::span(reply.values).subspan(1), values;
    while (!rest.empty()) {
      if (!take_sparse_row(rest, unknowns, columns, values, rhs.emplace_back())) return nonsense(reply);
      matrix.append_row(columns, values);
    }
  }
  return LinearSystem{std::move(matrix), std::move(rhs)};
}

Result<std::size_t> rows_in(const LocalReply& reply, std::size_t unknowns) {
  const auto message = std::span(reply.values).subspan(1);
  if (is_dense(reply.values)) {
    if (message.size() % (unknowns + 1) != 0) return nonsense(reply).error();
    return message.size() / (unknowns + 1);
  }
  std::size_t rows = 0;
  std::vector<std::uint32_t> columns;
  std::span<const double> rest = message, values;
  double rhs = 0.0;
  for (; !rest.empty(); ++rows) {
    if (!take_sparse_row(rest, unknowns, columns, values, rhs)) return nonsense(reply).error();
  }
  return rows;
}

Result<LinearSystem> dense_system(std::span<const LocalReply> replies, std::size_t unknowns) {
  std::size_t rows = 0;
  for (const LocalReply& reply : replies) {
    const auto count = rows_in(reply, unknowns);
    if (!count) return count.error();
    rows += *count;
  }
  Matrix matrix(rows, unknowns);
  std::vector<double> rhs;
  std::vector<std::uint32_t> columns;
  for (const LocalReply& reply : replies) {
    std::span<const double> rest = std::span(reply.values).subspan(1), values;
    while (!rest.empty()) {
      const std::span<double> row = matrix.row(rhs.size());
      if (is_dense(reply.values)) {
        std::ranges::copy(rest.first(unknowns), row.begin());
        rhs.push_back(rest[unknowns]);
        rest = rest.subspan(unknowns + 1);
      } else {
        take_sparse_row(rest, unknowns, columns, values, rhs.emplace_back());
        axpy(1.0, SparseRow{columns, values}, row);
      }
    }
  }
  return LinearSystem{std::move(matrix), std::move(rhs)};
}

}  // namespace

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
  for (const LocalReply& reply : replies) {
    if (reply.values.empty() || (reply.values.front() != kDense && reply.values.front() != kSparse)) {
      return nonsense(reply);
    }
    any_dense = any_dense || is_dense(reply.values);
  }
  return any_dense ? dense_system(replies, unknowns) : sparse_system(replies, unknowns);
}

}  // namespace fedrk
