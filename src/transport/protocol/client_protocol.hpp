// SPDX-License-Identifier: Apache-2.0
#pragma once

// The client's side of the protocol without any socket: what it answers to each message of the server. It outlives
// connections: what was read and prepared for a run serves again when the client comes back to it.

#include <cstddef>
#include <optional>
#include <string>

#include "ops/log.hpp"
#include "secure_sum/masked_client.hpp"
#include "transport/protocol/data_owner.hpp"
#include "transport/protocol/messages.hpp"

namespace fedrk::network {

struct ClientProtocolOptions {
  std::string name;
  std::string software;
  bool known_draws = false;
  std::size_t max_vector = 1 << 27;                    // numbers; a server may not ask for more columns
  std::size_t largest_message = 4 << 20;               // bytes
  bool reveal_updates = false;                         // takes part where the server sees single updates
  bool expose_rows = false;                            // also where one update shows a row outright
  std::optional<security::Credentials> credentials{};  // as MaskedClientOptions
  store::ReplayGuard* book = nullptr;
  std::size_t min_sum = 3;
  PrivacyBudget budget{};
};

class ClientProtocol {
 public:
  ClientProtocol(ClientProtocolOptions options, DataOwner& owner, operation::Log& log);

  wire::Hello hello() const;

  struct Reaction {
    std::optional<wire::ClientMessage> answer{};
    std::optional<wire::End> end{};
  };
  Reaction on_message(const wire::ServerMessage& message);

  const io::Plan& plan() const { return plan_; }

 private:
  Reaction answer(const wire::Welcome& welcome);
  Reaction answer(const wire::MaskingGroup& masking_group);
  Reaction answer(const wire::SumColumns& message);
  Reaction answer(const wire::Prepare& prepare);
  Reaction answer(const wire::Task& task);
  Reaction answer(const wire::End& end) { return {std::nullopt, end}; }
  Reaction answer_masked(const wire::Task& task, wire::ReceivedTask received);
  bool has_other_steps(const LocalTask& task) const;
  std::string unwelcome(const wire::Welcome& welcome) const;
  std::string wrong_preparation(const wire::Prepare& prepare) const;
  Reaction refuse_for(const std::string& detail, std::string reason);
  Reaction refuse(std::string reason);
  Reaction refuse_task(std::string reason, const wire::Task& task, std::optional<std::uint32_t> answered = {});

  ClientProtocolOptions options_;
  DataOwner& owner_;
  operation::Log& log_;
  std::string run_, welcome_, preparation_;  // the last two as they came, to see whether they came again
  bool masked_run_ = false;
  bool unfit_ = false;  // its data did not fit a masked run: it takes part in nothing more
  MaskedClient masked_;
  io::Plan plan_;
  std::optional<wire::Ready> ready_;
  std::optional<wire::Prepared> prepared_;
  io::PreparedRows rows_;
  ClientId place_;
};

}  // namespace fedrk::network
