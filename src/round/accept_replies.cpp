// SPDX-License-Identifier: Apache-2.0
#include "round/accept_replies.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "fedrk/contracts.hpp"
#include "linalg/kernels.hpp"

namespace fedrk {
namespace {

bool is_square(double value) { return value >= 0.0 && std::isfinite(value); }

// By place and not by swapping: replies are large, and mostly in order.
void put_in_client_order(std::vector<LocalReply>& replies) {
  if (std::ranges::is_sorted(replies, {}, &LocalReply::client)) return;
  std::vector<std::size_t> order(replies.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t k) { return replies[k].client; });
  std::vector<LocalReply> sorted;
  sorted.reserve(replies.size());
  for (const std::size_t k : order) sorted.push_back(std::move(replies[k]));
  replies = std::move(sorted);
}

// Under sums there is one reply or none, and nobody to be singled out.
void accept_sum(const LocalTask& task, std::size_t unknowns, std::span<const ClientId> participants,
                RoundReplies& round) {
  std::erase_if(round.answered, [&](ClientId id) { return !std::ranges::binary_search(participants, id); });
  std::ranges::sort(round.answered);
  round.answered.erase(std::unique(round.answered.begin(), round.answered.end()), round.answered.end());
  if (round.replies.size() > 1) round.replies.resize(1);
  if (round.answered.empty()) round.replies.clear();
  if (round.replies.empty()) return round.answered.clear();
  const std::string reason = fault_of(task, unknowns, round.replies.front());
  if (reason.empty()) return;
  for (const ClientId id : round.answered) round.absences.push_back({id, "the sum that it is part of: " + reason});
  round.replies.clear();
  round.answered.clear();
}

ClientId client_of(const LocalReply& reply) { return reply.client; }

}  // namespace

std::string fault_of(const LocalTask& task, std::size_t unknowns, const LocalReply& reply) {
  const auto& values = reply.values;
  const auto expected = reply_length(task.work, unknowns);
  if (expected && values.size() != *expected) {
    return "its update has " + std::to_string(values.size()) + " entries, not " + std::to_string(*expected);
  }
  if (!std::isfinite(squared_norm(values))) {  // so it is where an entry is not finite
    return all_finite(values) ? "its update is too long to be squared" : "its update holds a number that is not finite";
  }
  if (task.report_residual && !reply.squared_residual) return "it reported no residual";
  if (reply.squared_residual && !is_square(*reply.squared_residual)) {
    return "its squared residual is negative or not finite";
  }
  if (sends_gap(task.work) && (!reply.gap || !std::isfinite(*reply.gap))) {
    return "it sent no gap, or one that is not finite";
  }
  return "";
}

void accept_replies(const LocalTask& task, std::size_t unknowns, std::span<const ClientId> participants,
                    RoundReplies& round) {
  FEDRK_EXPECTS(std::ranges::is_sorted(participants));
  if (task.reveal == Reveal::Sums) return accept_sum(task, unknowns, participants, round);
  auto& replies = round.replies;
  std::erase_if(replies, [&](const LocalReply& r) { return !std::ranges::binary_search(participants, client_of(r)); });
  put_in_client_order(replies);
  const auto same_client = [](const LocalReply& a, const LocalReply& b) { return client_of(a) == client_of(b); };
  replies.erase(std::unique(replies.begin(), replies.end(), same_client), replies.end());
  std::erase_if(replies, [&](const LocalReply& reply) {
    std::string reason = fault_of(task, unknowns, reply);
    if (reason.empty()) return false;
    round.absences.push_back({client_of(reply), std::move(reason)});
    return true;
  });
  round.answered.clear();
  for (const LocalReply& reply : replies) round.answered.push_back(client_of(reply));
}

void accept_parts(const LocalTask& task, std::size_t dimension, std::span<const ClientId> participants,
                  RoundReplies& round) {
  LocalTask one_by_one = task;
  one_by_one.reveal = Reveal::Updates;
  const std::size_t unknowns = task.columns.empty() ? dimension : task.columns.size();
  const std::size_t missing = round.absences.size();  // without an answer, for reasons that all may know
  accept_replies(one_by_one, unknowns, participants, round);
  for (Absence& absence : std::span(round.absences).subspan(missing)) {
    absence.reason = "its part could not be added";  // who masks it sees no more
  }
}

void keep_only_the_sum(const LocalTask& task, std::size_t dimension, std::span<const ClientId> participants,
                       RoundReplies& round) {
  accept_parts(task, dimension, participants, round);
  if (round.replies.empty()) return;
  LocalReply sum = sum_of(task.work, std::move(round.replies));
  round.replies.assign(1, std::move(sum));
}

}  // namespace fedrk
