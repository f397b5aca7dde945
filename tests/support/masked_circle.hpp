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

#include "fedrk/masking/reply_part.hpp"
#include "network/participant.hpp"
#include "network/vectors.hpp"
#include "network/wire.hpp"
#include "support/local_federation.hpp"

namespace fedrk::test {

inline std::string circle_name(std::size_t place) { return "site-" + std::to_string(place + 1); }

class MaskedCircle {
 public:
  using Entries = std::vector<std::pair<std::string, std::string>>;  // of a plan

  /// Clients with secrets of their own, new in each circle. `adjust` sees the options of each before it begins.
  explicit MaskedCircle(std::vector<Client> clients,
                        const std::function<void(network::ParticipantOptions&)>& adjust = {},
                        const Entries& plan = {}) {
    scaled_ = io::resolve(plan_of(plan)).columns != io::ColumnScaling::AsTheyAre;
    v1::Company company;
    company.set_run("run");
    for (std::size_t i = 0; i < clients.size(); ++i) {
      books_.push_back(store::mask_book_in_memory());
      owners_.push_back(std::make_unique<ReadyOwner>(std::move(clients[i])));
      network::ParticipantOptions options{.name = circle_name(i), .software = ""};
      options.book = books_.back().get();
      if (adjust) adjust(options);
      participants_.push_back(std::make_unique<network::Participant>(std::move(options), *owners_.back(), *log_));
      auto& member = *company.add_members();
      member.set_name(circle_name(i));
      *member.mutable_key() = say(i, welcome(plan)).ready().mask_key();
    }
    company_ = std::move(company);
  }

  static v1::ServerMessage welcome(const Entries& plan = {}) {
    v1::ServerMessage message;
    message.mutable_welcome()->set_protocol(wire::kProtocol);
    message.mutable_welcome()->set_run("run");
    message.mutable_welcome()->set_masked(true);
    for (const auto& [name, value] : plan) {
      auto& entry = *message.mutable_welcome()->add_plan();
      entry.set_name(name);
      entry.add_values(value);
    }
    return message;
  }

  v1::Company& company() { return company_; }

  /// Tells everyone who is there, and what they are to work on.
  void introduce() {
    for (std::uint32_t i = 0; i < participants_.size(); ++i) {
      v1::ServerMessage message;
      *message.mutable_company() = company_;
      message.mutable_company()->set_place(i);
      say(i, message);
      say(i, prepare(i));
    }
  }

  /// How the rows are prepared, as the plan has it; the owners have theirs ready whatever it says.
  v1::ServerMessage prepare(std::uint32_t place, std::uint64_t columns = 1) const {
    v1::ServerMessage message;
    message.mutable_prepare()->set_run("run");
    message.mutable_prepare()->set_columns(columns);
    message.mutable_prepare()->set_place(place);
    message.mutable_prepare()->set_standardized(scaled_);
    return message;
  }

  /// What the client says to a message; also written down.
  v1::ClientMessage say(std::size_t client, const v1::ServerMessage& message) {
    auto answer = participants_[client]->on_message(message).answer.value_or(v1::ClientMessage());
    heard_.emplace_back(client, answer);
    return answer;
  }

  v1::ClientMessage ask(std::size_t client, const v1::Task& task) {
    v1::ServerMessage message;
    *message.mutable_task() = task;
    return say(client, message);
  }

  static v1::Task task(std::uint64_t number, const LocalTask& what, const std::vector<ClientId>& who,
                       std::uint32_t attempt = 0, masking::Grid grid = {}) {
    v1::Task message = wire::task_message("run", number, what, who);
    wire::set_attempt(message, {attempt, grid});
    return message;
  }

  /// The sum of what these say to a task; nothing where one refuses, or where masks are left.
  std::optional<LocalReply> sum(const v1::Task& task, const LocalTask& what, const std::vector<ClientId>& who) {
    const auto values = static_cast<std::size_t>(task.x().values_size());
    const masking::Grid grid = wire::attempt_of(task)->grid;
    const masking::PartLayout layout = masking::layout_of(what, *reply_length(what.work, values), grid);
    masking::Words total(layout.words(), 0);
    for (const ClientId client : who) {
      const v1::ClientMessage answer = ask(client.value, task);
      if (!answer.has_update()) return std::nullopt;
      masking::add_part(layout, wire::words_of(answer.update().values()), total);
    }
    masking::SumOfParts sum = masking::read_sum(layout, grid, total);
    if (sum.parties != who.size() || !sum.fits) return std::nullopt;
    return masking::reply_from(what, std::move(sum));
  }

  /// All that the server was told, by client.
  const std::vector<std::pair<std::size_t, v1::ClientMessage>>& heard() const { return heard_; }

 private:
  static io::Plan plan_of(const Entries& entries) {
    const v1::ServerMessage message = welcome(entries);
    std::vector<const v1::PlanEntry*> pointers;
    for (const v1::PlanEntry& entry : message.welcome().plan()) pointers.push_back(&entry);
    io::Plan plan;
    if (!wire::take_plan(pointers, plan)) throw std::runtime_error("such a plan there is not");
    return plan;
  }

  bool scaled_ = false;
  std::unique_ptr<NoLog> log_ = std::make_unique<NoLog>();
  std::vector<std::unique_ptr<store::MaskBook>> books_;
  std::vector<std::unique_ptr<ReadyOwner>> owners_;
  std::vector<std::unique_ptr<network::Participant>> participants_;
  v1::Company company_;
  std::vector<std::pair<std::size_t, v1::ClientMessage>> heard_;
};

inline std::vector<ClientId> places(std::initializer_list<std::uint32_t> values) {
  std::vector<ClientId> ids;
  for (const std::uint32_t value : values) ids.push_back(ClientId{value});
  return ids;
}

}  // namespace fedrk::test
