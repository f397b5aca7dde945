// SPDX-License-Identifier: Apache-2.0
#include "transport/mpi/rank_round.hpp"

#include <algorithm>
#include <utility>

#include "fedrk/contracts.hpp"
#include "round/accept_replies.hpp"
#include "transport/mpi/collection.hpp"

namespace fedrk::mpi {
namespace {

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
  const bool summed = task.reveal == Reveal::Sums;
  Answers answers;
  answers.failure = failure_of([&] {
    answers.round.replies = clients.answers(task, own);
    if (summed) accept_parts(task, layout.dimension, own, answers.round);
  });
  if (answers.failure) answers.round = {};
  if (summed) {
    collect_sum(ranks, task.work, involved, answers);
  } else {
    collect_updates(ranks, involved, answers);
  }
  if (ranks.rank() != 0) return {};
  if (answers.failure) answers.failure.raise();
  if (summed) answers.round.answered = others_than(answers.round.absences, participants);
  return std::move(answers.round);
}

}  // namespace fedrk::mpi
