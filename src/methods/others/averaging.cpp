// SPDX-License-Identifier: Apache-2.0
#include "methods/others/averaging.hpp"

#include <utility>

#include "linalg/kernels.hpp"

namespace fedrk {

Averaging::Averaging(std::span<const ClientSummary> roster, LocalWork work) : work_(std::move(work)) {
  for (const ClientSummary& client : roster) weights_.push_back(static_cast<double>(client.rows));
}

Request Averaging::request(RoundIndex, std::span<const double> x) { return {work_, x}; }

void Averaging::update(RoundIndex, RoundReplies& round, std::span<double> x) {
  const std::span replies = round.replies;
  double total = 0.0;
  for (const LocalReply& reply : replies) total += weights_[reply.client.value];
  if (total == 0.0) return;
  for (const LocalReply& reply : replies) axpy(weights_[reply.client.value] / total, reply.values, x);
}

}  // namespace fedrk
