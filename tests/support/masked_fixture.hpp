// SPDX-License-Identifier: Apache-2.0
#pragma once

// Clients of a masked run without a network, and a server that may ask them whatever it likes. What it asks and what it
// hears goes through the very participants that talk to a real server.

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "secure_sum/reply_part.hpp"
#include "support/local_federation.hpp"
#include "support/messages.hpp"
#include "transport/protocol/client_protocol.hpp"
#include "transport/protocol/wire.hpp"

namespace fedrk::test {

inline std::string fixture_name(std::size_t place) { return "site-" + std::to_string(place + 1); }

class MaskedFixture {
 public:
  using Entries = std::vector<std::pair<std::string, std::string>>;  // of a plan

  /// Clients with secrets of their own, new in each circle. `adjust` sees the options of each before it begins.
  explicit MaskedFixture(std::vector<Client> clients,
                         const std::function<void(network::ClientProtocolOptions&)>& adjust = {},
                         const Entries& plan = {}) {
    scaled_ = io::resolve(plan_of(plan)).columns != io::ColumnScaling::AsTheyAre;
    masking_group_.run = "run";
    masking_group_.members.resize(clients.size());
    participants_.resize(clients.size());
    for (std::size_t i = 0; i < clients.size(); ++i) {
      guards_.push_back(store::replay_guard_in_memory());
      owners_.push_back(std::make_unique<ReadyOwner>(std::move(clients[i])));
      options_.push_back({.name = fixture_name(i), .software = ""});
      options_.back().guard = guards_.back().get();
      if (adjust) adjust(options_.back());
      restart(i, plan);
    }
  }

  /// A new process of this client, with what it kept, is welcomed.
  void restart(std::size_t client, const Entries& plan = {}) {
    participants_[client] = std::make_unique<network::ClientProtocol>(options_[client], *owners_[client], *log_);
    const wire::ClientMessage answer = say(client, welcome(plan));
    const auto* ready = std::get_if<wire::Ready>(&answer);
    masking_group_.members[client] = {fixture_name(client), ready == nullptr ? wire::MaskKey() : ready->mask_key};
  }

  static wire::Welcome welcome(const Entries& plan = {}) {
    wire::Welcome message{.run = "run", .masked = true};
    for (const auto& [name, value] : plan) message.plan.push_back({name, {value}});
    return message;
  }

  wire::MaskingGroup& masking_group() { return masking_group_; }

  /// Tells everyone who is there, and what they are to work on.
  void distribute_keys() {
    for (std::uint32_t i = 0; i < participants_.size(); ++i) {
      masking_group_.place = i;
      say(i, masking_group_);
      say(i, prepare(i));
    }
  }

  /// How the rows are prepared, as the plan has it; the owners have theirs ready whatever it says.
  wire::Prepare prepare(std::uint32_t place, std::uint64_t columns = 1) const {
    return {.run = "run", .question = {columns, {}, scaled_ ? std::optional(Scaling()) : std::nullopt}, .place = place};
  }

  /// What the client says to a message; also written down.
  wire::ClientMessage say(std::size_t client, const wire::ServerMessage& message) {
    auto answer = participants_[client]->on_message(message).answer.value_or(wire::ClientMessage());
    heard_.emplace_back(client, answer);
    return answer;
  }

  wire::ClientMessage ask(std::size_t client, const wire::Task& task) { return say(client, task); }

  static wire::Task task(std::uint64_t number, const LocalTask& what, const std::vector<ClientId>& who,
                         std::uint32_t attempt = 0, masking::Grid grid = {}) {
    wire::TaskView message = wire::task_message("run", number, what, who);
    message.attempt = attempt;
    message.exponent = grid.exponent;
    return arrived(message);
  }

  /// The sum of what these say to a task; nothing where one refuses, or where masks are left.
  std::optional<LocalReply> sum(const wire::Task& task, const LocalTask& what, const std::vector<ClientId>& who) {
    const masking::Grid grid = *wire::grid_of(task);
    const masking::PartLayout layout = masking::layout_of(what, *reply_length(what.work, task.x.size()), grid);
    masking::Words total(layout.words(), 0);
    for (const ClientId client : who) {
      const wire::ClientMessage answer = ask(client.value, task);
      if (!wire::holds<wire::Update>(answer)) return std::nullopt;
      masking::add_part(layout, *std::get<wire::Update>(answer).masked, total);
    }
    masking::SumOfParts sum = masking::read_sum(layout, grid, total);
    if (sum.parties != who.size() || !sum.fits) return std::nullopt;
    return masking::reply_from(what, std::move(sum));
  }

  /// All that the server was told, by client.
  const std::vector<std::pair<std::size_t, wire::ClientMessage>>& heard() const { return heard_; }

 private:
  static io::Plan plan_of(const Entries& entries) {
    io::Plan plan;
    if (!wire::take_plan(welcome(entries).plan, plan)) throw std::runtime_error("such a plan there is not");
    return plan;
  }

  bool scaled_ = false;
  std::unique_ptr<NoLog> log_ = std::make_unique<NoLog>();
  std::vector<std::unique_ptr<store::ReplayGuard>> guards_;
  std::vector<std::unique_ptr<ReadyOwner>> owners_;
  std::vector<network::ClientProtocolOptions> options_;
  std::vector<std::unique_ptr<network::ClientProtocol>> participants_;
  wire::MaskingGroup masking_group_;
  std::vector<std::pair<std::size_t, wire::ClientMessage>> heard_;
};

inline std::vector<ClientId> places(std::initializer_list<std::uint32_t> values) {
  std::vector<ClientId> ids;
  for (const std::uint32_t value : values) ids.push_back(ClientId{value});
  return ids;
}

}  // namespace fedrk::test
