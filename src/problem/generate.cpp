// SPDX-License-Identifier: Apache-2.0
#include "fedrk/generate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "fedrk/error.hpp"
#include "linalg/kernels.hpp"
#include "linalg/random/rng_stream.hpp"
#include "linalg/random/subset.hpp"
#include "problem/partition.hpp"

namespace fedrk {
namespace {

std::vector<std::size_t> shares(const GeneratorOptions& options) {
  if (options.kind != ProblemKind::Heterogeneous) return partition_contiguous(options.rows, options.clients).counts;
  std::vector<std::size_t> counts;
  for (std::size_t i = 0; i < options.clients; ++i) counts.push_back(options.rows << i);
  return counts;
}

std::vector<double> solution(const GeneratorOptions& options) {
  std::vector<double> x(options.cols, 0.0);
  RngStream values = stream_for(options.seed, Purpose::GeneratedSolution);
  if (options.kind != ProblemKind::Sparse) {
    for (double& entry : x) entry = values.gaussian();
    return x;
  }
  RngStream places = stream_for(options.seed, Purpose::GeneratedSupport);
  for (const std::size_t j : draw_subset(options.cols, options.nonzeros, places)) x[j] = values.gaussian();
  return x;
}

Matrix dense_rows(const GeneratorOptions& options, std::size_t rows, RngStream& stream) {
  Matrix matrix(rows, options.cols);
  for (std::size_t i = 0; i < rows; ++i) {
    for (double& value : matrix.row(i)) value = stream.gaussian();
  }
  return matrix;
}

SparseMatrix sparse_rows(const GeneratorOptions& options, std::size_t rows, RngStream& stream) {
  const auto per_row = std::max<std::size_t>(
      1, static_cast<std::size_t>(std::lround(options.density * static_cast<double>(options.cols))));
  SparseMatrix matrix(options.cols);
  matrix.reserve(rows, rows * per_row);
  std::vector<std::uint32_t> columns(per_row);
  std::vector<double> values(per_row);
  for (std::size_t i = 0; i < rows; ++i) {
    std::ranges::transform(draw_subset(options.cols, per_row, stream), columns.begin(),
                           [](std::size_t j) { return static_cast<std::uint32_t>(j); });
    for (double& value : values) value = stream.gaussian();
    matrix.append_row(columns, values);
  }
  return matrix;
}

// Multiplies the entries of client i = 1, 2, ... by i.
template <class MatrixType>
void scale_by_client(std::span<const std::size_t> rows_of_client, MatrixType& matrix) {
  std::size_t row = 0;
  for (std::size_t client = 0; client < rows_of_client.size(); ++client) {
    for (const std::size_t end = row + rows_of_client[client]; row < end; ++row) {
      for (auto& value : matrix.values(row)) value *= static_cast<std::remove_cvref_t<decltype(value)>>(client + 1);
    }
  }
}

}  // namespace

void GeneratorOptions::validate() const {
  if (rows == 0 || cols == 0) throw InvalidArgument("a problem needs at least one row and one column");
  if (cols > std::numeric_limits<std::uint32_t>::max()) throw InvalidArgument("more columns than 2^32 - 1");
  if (clients == 0) throw InvalidArgument("there must be at least one client");
  if (kind != ProblemKind::Heterogeneous && clients > rows) {
    throw InvalidArgument(std::to_string(rows) + " rows cannot be split over " + std::to_string(clients) + " clients");
  }
  if (kind == ProblemKind::Heterogeneous && (clients > 40 || rows > (std::size_t{1} << 20))) {
    throw InvalidArgument("heterogeneous clients double in size: at most 40 clients, the first of at most 2^20 rows");
  }
  if (kind == ProblemKind::Sparse && nonzeros > cols) {
    throw InvalidArgument("the solution cannot have " + std::to_string(nonzeros) + " non-zero entries of " +
                          std::to_string(cols));
  }
  const double all_rows = kind == ProblemKind::Heterogeneous
                              ? static_cast<double>(rows) * (std::exp2(static_cast<double>(clients)) - 1.0)
                              : static_cast<double>(rows);
  if (all_rows * static_cast<double>(cols) * std::max(density, 0.0) > 1e13) {
    throw InvalidArgument("a problem of this size fits into no memory");
  }
  if (!(noise >= 0.0) || !std::isfinite(noise)) throw InvalidArgument("noise must be zero or positive");
  if (!(density > 0.0 && density <= 1.0)) throw InvalidArgument("density must be above 0 and at most 1");
}

GeneratedProblem generate(const GeneratorOptions& options) {
  options.validate();
  GeneratedProblem problem;
  problem.rows_of_client = shares(options);
  std::size_t rows = 0;
  for (const std::size_t count : problem.rows_of_client) rows += count;

  RngStream entries = stream_for(options.seed, Purpose::GeneratedMatrix);
  if (options.density < 1.0) {
    problem.system.rows = sparse_rows(options, rows, entries);
  } else {
    problem.system.rows = dense_rows(options, rows, entries);
  }
  if (options.kind == ProblemKind::Heterogeneous) {
    std::visit([&](auto& matrix) { scale_by_client(problem.rows_of_client, matrix); }, problem.system.rows);
  }

  RngStream noise = stream_for(options.seed, Purpose::GeneratedNoise);
  problem.system.rhs.resize(rows);
  if (options.kind == ProblemKind::Inconsistent) {
    for (double& value : problem.system.rhs) value = noise.gaussian();
    return problem;
  }
  problem.solution = solution(options);
  std::visit(
      [&](const auto& matrix) {
        for (std::size_t i = 0; i < rows; ++i) problem.system.rhs[i] = dot(matrix.row(i), problem.solution);
      },
      problem.system.rows);
  if (options.noise > 0.0) {
    for (double& value : problem.system.rhs) value += options.noise * noise.gaussian();
  }
  return problem;
}

}  // namespace fedrk
