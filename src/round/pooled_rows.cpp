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
