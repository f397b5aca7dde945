// SPDX-License-Identifier: Apache-2.0
#include "fedrk/engine.hpp"

#include <utility>

#include "fedrk/contracts.hpp"
#include "linalg/double_double.hpp"
#include "linalg/kernels.hpp"

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

void add_values(const LocalWork& work, std::span<const double> part, std::span<double> sum) {
  if (!sends_pairs(work)) return axpy(1.0, part, sum);
  FEDRK_EXPECTS(part.size() % 2 == 0);
  for (std::size_t k = 0; k < sum.size(); k += 2) {
    const DoubleDouble total = DoubleDouble{sum[k], sum[k + 1]} + DoubleDouble{part[k], part[k + 1]};
    sum[k] = total.high;
    sum[k + 1] = total.low;
  }
}

void add_reply(const LocalWork& work, const LocalReply& part, LocalReply& sum) {
  FEDRK_EXPECTS(message_length(part) == message_length(sum));
  add_values(work, part.values, sum.values);
  add_scalars(part, sum);
}

LocalReply sum_of(const LocalWork& work, std::vector<LocalReply>&& parts) {
  FEDRK_EXPECTS(!parts.empty());
  LocalReply sum = std::move(parts.front());
  for (const LocalReply& part : std::span(parts).subspan(1)) add_reply(work, part, sum);
  return sum;
}

}  // namespace fedrk
