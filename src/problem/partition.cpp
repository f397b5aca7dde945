// SPDX-License-Identifier: Apache-2.0
#include "problem/partition.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "fedrk/contracts.hpp"
#include "fedrk/error.hpp"
#include "linalg/random/subset.hpp"

namespace fedrk {
namespace {

// As many clients into each block as it may weigh, yet leaving one for every rank that follows.
std::vector<std::size_t> filled_up_to(std::size_t limit, std::span<const std::size_t> weights, std::size_t ranks) {
  std::vector<std::size_t> first{0};
  std::size_t next = 0;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const std::size_t after = std::min(ranks - rank - 1, weights.size() - next);
    const std::size_t end = std::max(weights.size() - after, next);
    std::size_t weight = 0;
    for (bool empty = true; next < end && (empty || weights[next] <= limit - std::min(limit, weight)); ++next) {
      weight += weights[next];
      empty = false;
    }
    first.push_back(next);
  }
  return first;
}

}  // namespace

Partition partition_contiguous(std::size_t rows, std::size_t clients) {
  if (clients == 0) throw InvalidArgument("there must be at least one client");
  if (clients > rows) {
    throw InvalidArgument(std::to_string(rows) + " rows cannot be split over " + std::to_string(clients) + " clients");
  }
  Partition partition;
  for (std::size_t i = 0; i < clients; ++i) {
    partition.counts.push_back(rows / clients + (i < rows % clients ? 1 : 0));
    partition.names.push_back("client-" + std::to_string(i + 1));
  }
  return partition;
}

Partition partition_shuffled(std::size_t rows, std::size_t clients, std::uint64_t seed) {
  Partition partition = partition_contiguous(rows, clients);
  RngStream stream = stream_for(seed, Purpose::PartitionShuffle);
  partition.order = draw_permutation(rows, stream);
  return partition;
}

Partition partition_by_label(std::span<const std::string> labels) {
  Partition partition;
  std::unordered_map<std::string, std::size_t> client_of;
  std::vector<std::vector<std::size_t>> rows_of;
  for (std::size_t row = 0; row < labels.size(); ++row) {
    const auto [place, is_new] = client_of.try_emplace(labels[row], rows_of.size());
    if (is_new) {
      rows_of.emplace_back();
      partition.names.push_back(labels[row]);
    }
    rows_of[place->second].push_back(row);
  }
  for (const auto& rows : rows_of) {
    partition.order.insert(partition.order.end(), rows.begin(), rows.end());
    partition.counts.push_back(rows.size());
  }
  return partition;
}

std::vector<LinearSystem> split(LinearSystem system, const Partition& partition) {
  if (!partition.order.empty()) {
    std::visit([&](auto& matrix) { matrix.permute_rows(partition.order); }, system.rows);
    std::vector<double> rhs;
    rhs.reserve(system.rhs.size());
    for (const std::size_t row : partition.order) rhs.push_back(system.rhs[row]);
    system.rhs = std::move(rhs);
  }
  std::vector<LinearSystem> clients(partition.counts.size());
  std::visit(
      [&](auto& matrix) {
        auto pieces = std::move(matrix).split_rows(partition.counts);
        for (std::size_t i = 0; i < pieces.size(); ++i) clients[i].rows = std::move(pieces[i]);
      },
      system.rows);
  auto next = system.rhs.begin();
  for (std::size_t i = 0; i < clients.size(); ++i) {
    const auto end = next + static_cast<std::ptrdiff_t>(partition.counts[i]);
    clients[i].rhs.assign(next, end);
    next = end;
  }
  return clients;
}

std::vector<std::size_t> balanced_blocks(std::span<const std::size_t> weights, std::size_t ranks) {
  FEDRK_EXPECTS(ranks > 0);
  std::size_t high = std::accumulate(weights.begin(), weights.end(), std::size_t{0});
  std::size_t low = weights.empty() ? 0 : *std::ranges::max_element(weights);
  low = std::max(low, high / ranks);
  while (low < high) {  // the smallest limit under which all clients find room
    const std::size_t middle = low + (high - low) / 2;
    if (filled_up_to(middle, weights, ranks).back() == weights.size()) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return filled_up_to(low, weights, ranks);
}

}  // namespace fedrk
