// SPDX-License-Identifier: Apache-2.0
#include "fedrk/engine/in_process_engine.hpp"

#include <algorithm>
#include <string>
#include <thread>
#include <utility>

#include "fedrk/base/contracts.hpp"
#include "fedrk/base/error.hpp"
#include "fedrk/federated/accept_replies.hpp"

namespace fedrk {
namespace {

// More threads than clients have nothing to do.
std::size_t useful_threads(std::size_t asked, std::size_t clients) {
  if (asked == 0) asked = std::max(1U, std::thread::hardware_concurrency());
  return std::clamp<std::size_t>(asked, 1, std::max<std::size_t>(1, clients));
}

}  // namespace

InProcessEngine::InProcessEngine(std::vector<Client> clients, std::size_t threads)
    : clients_(std::move(clients)), pool_(useful_threads(threads, clients_.size())) {
  if (clients_.empty()) throw InvalidArgument("a federation needs at least one client");
  dimension_ = clients_.front().block().cols();
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    roster_.push_back(clients_[i].summary());
    mean_rows_ += roster_[i].rows;
    if (roster_[i].id.value != i) throw InvalidArgument("clients must be listed in the order of their ids, from 0");
    if (clients_[i].block().cols() != dimension_) {
      throw InvalidArgument(roster_[i].name + " has " + std::to_string(clients_[i].block().cols()) + " columns, " +
                            roster_[0].name + " has " + std::to_string(dimension_));
    }
  }
  mean_rows_ /= clients_.size();
}

RoundReplies InProcessEngine::local_updates(const LocalTask& task, std::span<const ClientId> participants) {
  RoundReplies round;
  round.replies.resize(participants.size());
  // Down in one round, up in the next: who was asked last may take part again, with its rows still in the caches.
  const auto ask = [&](std::size_t piece) {
    const std::size_t k = task.round.value % 2 == 0 ? piece : participants.size() - 1 - piece;
    round.replies[k] = clients_[participants[k].value].local_update(task);
  };
  if (worth_threads(task, participants.size())) {
    pool_.for_each(participants.size(), ask);
  } else {
    for (std::size_t k = 0; k < participants.size(); ++k) ask(k);
  }
  if (task.reveal == Reveal::Sums) keep_only_the_sum(task, dimension_, participants, round);
  return round;
}

// Waking a thread costs some ten microseconds, as much as about this many operations.
bool InProcessEngine::worth_threads(const LocalTask& task, std::size_t participants) const {
  constexpr double kWorthWaking = 2e5;
  const std::size_t entries = mean_rows_ * dimension_;
  const double residual = task.report_residual ? 2.0 * static_cast<double>(entries) : 0.0;
  const double each = flops(task.work, mean_rows_, dimension_, entries) + residual;
  return static_cast<double>(participants) * each > kWorthWaking;
}

}  // namespace fedrk
