// SPDX-License-Identifier: Apache-2.0
#pragma once

// Small systems whose answers can be had by hand or from a direct solver (direct_solver.hpp), and federations made of
// them.

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fedrk/generate.hpp"
#include "fedrk/in_process_engine.hpp"
#include "linalg/kernels.hpp"
#include "linalg/random/rng_stream.hpp"
#include "problem/partition.hpp"

namespace fedrk::test {

inline double relative_distance(std::span<const double> x, std::span<const double> truth) {
  return distance(x, truth) / std::sqrt(squared_norm(truth));
}

/// The rows written out, zeros and all.
inline std::vector<std::vector<double>> written_out(const Rows& rows) {
  std::vector<std::vector<double>> result(row_count(rows), std::vector<double>(column_count(rows), 0.0));
  std::visit(
      [&](const auto& matrix) {
        for (std::size_t i = 0; i < matrix.rows(); ++i) axpy(1.0, matrix.row(i), result[i]);
      },
      rows);
  return result;
}

/// Clients named client-1, client-2, ... with even shares of the rows in order.
inline std::vector<Client> clients_of(LinearSystem system, std::size_t count, std::uint64_t seed,
                                      StepOptions steps = {}, RowUse use = RowUse::Steps) {
  const Partition partition = partition_contiguous(row_count(system.rows), count);
  auto parts = split(std::move(system), partition);
  std::vector<Client> clients;
  for (std::uint32_t i = 0; i < parts.size(); ++i) {
    clients.emplace_back(ClientId{i}, partition.names[i], RowBlock(std::move(parts[i]), use),
                         client_seed(seed, partition.names[i]), steps);
  }
  return clients;
}

inline std::vector<double> gaussian_vector(std::size_t size, std::uint64_t seed) {
  RngStream stream = stream_for(seed, Purpose::GeneratedSolution, RoundIndex{77});
  std::vector<double> values(size);
  for (double& value : values) value = stream.gaussian();
  return values;
}

}  // namespace fedrk::test
