// SPDX-License-Identifier: Apache-2.0
#include "fedrk/federated/engine.hpp"

#include <utility>

#include "fedrk/base/contracts.hpp"
#include "fedrk/linalg/kernels.hpp"

namespace fedrk {
namespace {

void add(const std::optional<double>& part, std::optional<double>& sum) {
  if (sum && part) *sum += *part;
}

}  // namespace

RosterTotals totals_of(std::span<const ClientSummary> roster) {
  RosterTotals totals;
  for (const ClientSummary& client : roster) {
    totals.rows += static_cast<double>(client.rows);
    totals.squared_rhs_norm += client.squared_rhs_norm;
    totals.squared_norm += client.squared_norm;
  }
  return totals;
}

std::size_t message_length(const LocalReply& reply) {
  return reply.values.size() + (reply.squared_residual ? 1 : 0) + (reply.gap ? 1 : 0);
}

void add_scalars(const LocalReply& part, LocalReply& sum) {
  add(part.squared_residual, sum.squared_residual);
  add(part.gap, sum.gap);
}

LocalReply sum_of(std::vector<LocalReply>&& parts) {
  FEDRK_EXPECTS(!parts.empty());
  LocalReply sum = std::move(parts.front());
  for (const LocalReply& part : std::span(parts).subspan(1)) {
    FEDRK_EXPECTS(message_length(part) == message_length(sum));
    axpy(1.0, part.values, sum.values);
    add_scalars(part, sum);
  }
  return sum;
}

}  // namespace fedrk
