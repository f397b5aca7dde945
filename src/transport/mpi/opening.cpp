// SPDX-License-Identifier: Apache-2.0
#include "transport/mpi/opening.hpp"

#include <utility>

#include "base/byte_stream.hpp"

namespace fedrk::mpi {
namespace {

void add(std::size_t rank, const std::string& introduction, Opening& opening) {
  ByteReader in(introduction);
  const std::size_t dimension = in.get<std::uint64_t>();
  const std::size_t first = opening.roster.size();
  opening.layout.first.push_back(first);
  for (std::size_t left = in.length(1); left > 0; --left) {
    in.get(opening.roster.emplace_back());
    if (opening.roster.back().id.value + std::size_t{1} != opening.roster.size()) {
      opening.problem = "rank " + std::to_string(rank) + " has client " +
                        std::to_string(opening.roster.back().id.value) + " where " +
                        std::to_string(opening.roster.size() - 1) + " should follow";
    }
  }
  if (opening.roster.size() == first) return;
  if (first == 0) opening.layout.dimension = dimension;
  if (dimension != opening.layout.dimension) {
    opening.problem = opening.roster.back().name + " has " + std::to_string(dimension) + " columns, " +
                      opening.roster.front().name + " has " + std::to_string(opening.layout.dimension);
  }
}

}  // namespace

Opening open(const Ranks& ranks, const ClientGroup& clients) {
  Opening opening;
  const auto introductions = ranks.gather(bytes_of(clients.dimension(), clients.roster()));
  for (std::size_t rank = 0; rank < introductions.size() && opening.problem.empty(); ++rank) {
    add(rank, introductions[rank], opening);
  }
  opening.layout.first.push_back(opening.roster.size());
  if (opening.problem.empty() && opening.roster.empty()) opening.problem = "a federation needs at least one client";

  std::string told = bytes_of(opening.problem, opening.layout);
  ranks.broadcast(told);
  if (ranks.rank() == 0) return opening;
  ByteReader in(told);
  in.get(opening.problem);
  in.get(opening.layout);
  return opening;
}

}  // namespace fedrk::mpi
