// SPDX-License-Identifier: Apache-2.0
#include "fedrk/in_process_engine.hpp"

#include <utility>

#include "fedrk/error.hpp"
#include "round/accept_replies.hpp"

namespace fedrk {

InProcessEngine::InProcessEngine(std::vector<Client> clients, std::size_t threads)
    : clients_(std::move(clients), threads) {
  if (clients_.roster().empty()) throw InvalidArgument("a federation needs at least one client");
}

RoundReplies InProcessEngine::local_updates(const LocalTask& task, std::span<const ClientId> participants) {
  RoundReplies round{clients_.answers(task, participants)};
  if (task.reveal == Reveal::Sums) keep_only_the_sum(task, dimension(), participants, round);
  return round;
}

}  // namespace fedrk
