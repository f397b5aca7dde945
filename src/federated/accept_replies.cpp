// SPDX-License-Identifier: Apache-2.0
#include "fedrk/federated/accept_replies.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "fedrk/base/contracts.hpp"
#include "fedrk/linalg/kernels.hpp"

namespace fedrk {
namespace {

// What is wrong with a reply; empty where nothing is.
std::string fault(const LocalTask& task, std::size_t unknowns, const LocalReply& reply) {
  const auto& values = reply.values;
  const auto expected = reply_length(task.work, unknowns);
  if (expected && values.size() != *expected) {
    return "its update has " + std::to_string(values.size()) + " entries, not " + std::to_string(*expected);
  }
  if (!std::isfinite(squared_norm(values))) {  // so it is where an entry is not finite
    return all_finite(values) ? "its update is too long to be squared" : "its update holds a number that is not finite";
  }
  if (task.report_residual && !reply.squared_residual) return "it reported no residual";
  if (reply.squared_residual && !(*reply.squared_residual >= 0.0 && std::isfinite(*reply.squared_residual))) {
    return "its squared residual is negative or not finite";
  }
  return "";
}

ClientId client_of(const LocalReply& reply) { return reply.client; }

}  // namespace

void accept_replies(const LocalTask& task, std::size_t unknowns, std::span<const ClientId> participants,
                    RoundReplies& round) {
  FEDRK_EXPECTS(std::ranges::is_sorted(participants));
  auto& replies = round.replies;
  std::erase_if(replies, [&](const LocalReply& r) { return !std::ranges::binary_search(participants, client_of(r)); });
  std::ranges::stable_sort(replies, {}, client_of);
  const auto same_client = [](const LocalReply& a, const LocalReply& b) { return client_of(a) == client_of(b); };
  replies.erase(std::unique(replies.begin(), replies.end(), same_client), replies.end());
  std::erase_if(replies, [&](const LocalReply& reply) {
    std::string reason = fault(task, unknowns, reply);
    if (reason.empty()) return false;
    round.absences.push_back({client_of(reply), std::move(reason)});
    return true;
  });
}

}  // namespace fedrk
