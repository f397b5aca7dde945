// SPDX-License-Identifier: Apache-2.0
#include "mpi/rank_round.hpp"

#include <algorithm>

#include "fedrk/base/contracts.hpp"
#include "fedrk/federated/accept_replies.hpp"
#include "mpi/collection.hpp"
#include "mpi/sum_relay.hpp"

namespace fedrk::mpi {
namespace {

// Whether a sum is passed along the ranks, or its parts go to rank 0 directly, which adds them up in the same order. In
// numbers sent one after the other, where a message costs as much as kMessage of them: all parts from elsewhere,
// against one vector and as many beginnings of one as there are ranks.
bool worth_passing_on(const Layout& layout, std::span<const ClientId> participants, std::size_t involved,
                      std::size_t length) {
  constexpr std::size_t kMessage = 1000, kFirst = 8192;
  if (layout.route != SumRoute::Quickest) return layout.route == SumRoute::Relay;
  const std::size_t elsewhere = participants.size() - layout.at(0, participants).size();
  return elsewhere * length > involved * (kMessage + std::min(length, kFirst)) + length;
}

// Absences are known by now; the others are in the sum.
std::vector<ClientId> others_than(std::span<const Absence> absences, std::span<const ClientId> participants) {
  std::vector<ClientId> answered;
  std::size_t k = 0;  // both ascend
  for (const ClientId client : participants) {
    if (k < absences.size() && absences[k].client == client) {
      ++k;
    } else {
      answered.push_back(client);
    }
  }
  return answered;
}

}  // namespace

std::size_t Layout::rank_of(ClientId client) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(first, client.value) - first.begin()) - 1;
}

std::span<const ClientId> Layout::at(std::size_t rank, std::span<const ClientId> participants) const {
  const auto id = [](ClientId client) { return static_cast<std::size_t>(client.value); };
  const auto begin = std::ranges::lower_bound(participants, first[rank], {}, id);
  const auto end = std::ranges::lower_bound(participants, first[rank + 1], {}, id);
  return {begin, end};
}

std::vector<std::size_t> Layout::with(std::span<const ClientId> participants) const {
  std::vector<std::size_t> ranks;
  for (std::size_t k = 0; k < participants.size();) {
    const std::size_t rank = rank_of(participants[k]);
    ranks.push_back(rank);
    k += at(rank, participants.subspan(k)).size();
  }
  return ranks;
}

RoundReplies rank_round(const Ranks& ranks, const Layout& layout, ClientGroup& clients, const LocalTask& task,
                        std::span<const ClientId> participants) {
  FEDRK_EXPECTS(std::ranges::is_sorted(participants));
  const auto own = layout.at(ranks.rank(), participants);
  const std::vector<std::size_t> involved = layout.with(participants);
  const auto length = reply_length(task.work, task.columns.empty() ? layout.dimension : task.columns.size());
  const bool summed = task.reveal == Reveal::Sums;
  const bool pass_on = summed && length && worth_passing_on(layout, participants, involved.size(), *length);
  RoundReplies round;
  Failure failure = failure_of([&] {
    round.replies = clients.answers(task, own);
    if (summed) accept_parts(task, layout.dimension, own, round);
  });
  if (pass_on) {
    relay_sum(ranks, task.work, involved, *length, failure, round);
  } else if (ranks.rank() != 0) {
    if (!own.empty()) send_answers(ranks, failure, round);
  } else if (summed) {
    collect_sum(ranks, task.work, involved, failure, round);
  } else {
    receive_answers(ranks, involved, failure, round);
  }
  if (ranks.rank() != 0) return {};
  if (failure) failure.raise();
  if (summed) round.answered = others_than(round.absences, participants);
  return round;
}

}  // namespace fedrk::mpi
