// SPDX-License-Identifier: Apache-2.0
#include "mpi/opening.hpp"

#include <utility>

#include "base/byte_stream.hpp"

namespace fedrk::mpi {
namespace {

std::string introduction_of(const ClientGroup& clients) {
  ByteWriter out;
  out.put(std::uint64_t{clients.dimension()});
  out.put(std::uint64_t{clients.roster().size()});
  for (const ClientSummary& client : clients.roster()) {
    out.put(client.id.value);
    out.put(std::string_view(client.name));
    out.put(std::uint64_t{client.rows});
    out.put(client.squared_rhs_norm);
    out.put(client.squared_norm);
  }
  return std::move(out.bytes());
}

ClientSummary get_summary(ByteReader& in) {
  ClientSummary client{.id = ClientId{in.get<std::uint32_t>()}, .name = {}};
  in.get(client.name);
  client.rows = in.get<std::uint64_t>();
  client.squared_rhs_norm = in.get<double>();
  client.squared_norm = in.get<double>();
  return client;
}

void add(std::size_t rank, const std::string& introduction, Opening& opening) {
  ByteReader in(introduction);
  const std::size_t dimension = in.get<std::uint64_t>();
  const std::size_t first = opening.roster.size();
  opening.layout.first.push_back(first);
  for (std::size_t left = in.length(1); left > 0; --left) {
    opening.roster.push_back(get_summary(in));
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

Opening open(const Ranks& ranks, const ClientGroup& clients, SumRoute route) {
  Opening opening;
  opening.layout.route = route;
  const auto introductions = ranks.gather(introduction_of(clients));
  for (std::size_t rank = 0; rank < introductions.size() && opening.problem.empty(); ++rank) {
    add(rank, introductions[rank], opening);
  }
  opening.layout.first.push_back(opening.roster.size());
  if (opening.problem.empty() && opening.roster.empty()) opening.problem = "a federation needs at least one client";

  ByteWriter out;
  out.put(std::string_view(opening.problem));
  out.put(std::uint64_t{opening.layout.dimension});
  out.put(static_cast<std::uint8_t>(route));
  for (const std::size_t first : opening.layout.first) out.put(std::uint64_t{first});
  std::string told = std::move(out.bytes());
  ranks.broadcast(told);
  if (ranks.rank() == 0) return opening;
  ByteReader in(told);
  in.get(opening.problem);
  opening.layout.dimension = in.get<std::uint64_t>();
  opening.layout.route = static_cast<SumRoute>(in.get<std::uint8_t>());
  opening.layout.first.assign(ranks.count() + 1, 0);
  for (std::size_t& first : opening.layout.first) first = in.get<std::uint64_t>();
  return opening;
}

}  // namespace fedrk::mpi
