// SPDX-License-Identifier: Apache-2.0
#include "fedrk/in_process_engine.hpp"

#include <algorithm>
#include <string>
#include <thread>
#include <utility>

#include "fedrk/client_group.hpp"
#include "fedrk/contracts.hpp"
#include "fedrk/error.hpp"
#include "round/accept_replies.hpp"
#include "round/thread_pool.hpp"

namespace fedrk {
namespace {

// More threads than clients have nothing to do.
std::size_t useful_threads(std::size_t asked, std::size_t clients) {
  if (asked == 0) asked = std::max(1U, std::thread::hardware_concurrency());
  return std::clamp<std::size_t>(asked, 1, std::max<std::size_t>(1, clients));
}

}  // namespace

ClientGroup::ClientGroup(std::vector<Client> clients, std::size_t threads, ClientId first)
    : clients_(std::move(clients)),
      first_(first),
      pool_(std::make_unique<ThreadPool>(useful_threads(threads, clients_.size()))) {
  if (clients_.empty()) return;
  dimension_ = clients_.front().block().cols();
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    roster_.push_back(clients_[i].summary());
    mean_rows_ += roster_[i].rows;
    if (roster_[i].id.value != first_.value + i) {
      throw InvalidArgument("clients must be listed in the order of their ids, from " + std::to_string(first_.value));
    }
    if (clients_[i].block().cols() != dimension_) {
      throw InvalidArgument(roster_[i].name + " has " + std::to_string(clients_[i].block().cols()) + " columns, " +
                            roster_[0].name + " has " + std::to_string(dimension_));
    }
  }
  mean_rows_ /= clients_.size();
}

ClientGroup::ClientGroup(ClientGroup&&) noexcept = default;
ClientGroup& ClientGroup::operator=(ClientGroup&&) noexcept = default;
ClientGroup::~ClientGroup() = default;

std::vector<LocalReply> ClientGroup::answers(const LocalTask& task, std::span<const ClientId> participants) {
  std::vector<LocalReply> replies(participants.size());
  // Down in one round, up in the next: who was asked last may take part again, with its rows still in the caches.
  const auto ask = [&](std::size_t piece) {
    const std::size_t k = task.round.value % 2 == 0 ? piece : participants.size() - 1 - piece;
    replies[k] = clients_[place_of(participants[k])].local_update(task);
  };
  if (worth_threads(task, participants.size())) {
    pool_->for_each(participants.size(), ask);
  } else {
    for (std::size_t k = 0; k < participants.size(); ++k) ask(k);
  }
  return replies;
}

std::size_t ClientGroup::place_of(ClientId client) const {
  FEDRK_EXPECTS(client.value >= first_.value && client.value - first_.value < clients_.size());
  return client.value - first_.value;
}

// Waking a thread costs some ten microseconds, as much as about this many operations.
bool ClientGroup::worth_threads(const LocalTask& task, std::size_t participants) const {
  constexpr double kWorthWaking = 2e5;
  const std::size_t entries = mean_rows_ * dimension_;
  const double residual = task.report_residual ? 2.0 * static_cast<double>(entries) : 0.0;
  const double each = flops(task.work, mean_rows_, dimension_, entries) + residual;
  return static_cast<double>(participants) * each > kWorthWaking;
}

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
