// SPDX-License-Identifier: Apache-2.0
#pragma once

// The client's side of the protocol without any socket: what it answers to each message of the server. It checks that a
// message belongs here and now, and leaves what to answer to the sites behind it (client_site.hpp). It outlives
// connections: what was read and prepared for a run serves again when the client comes back to it.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "ops/log.hpp"
#include "pki/own_credentials.hpp"
#include "secure_sum/masking_site.hpp"
#include "transport/protocol/consent_site.hpp"
#include "transport/protocol/data_owner.hpp"
#include "transport/protocol/messages.hpp"
#include "transport/protocol/rows_site.hpp"

namespace fedrk::network {

struct ClientProtocolOptions {
  std::string name;
  std::string software;
  std::size_t largest_message = 4 << 20;  // bytes
  ConsentOptions consent{};
  std::optional<security::Credentials> credentials{};  // as MaskingOptions
  store::ReplayGuard* guard = nullptr;                 // none: in memory
  store::DisclosureLedger* ledger = nullptr;           // as the guard
};

class ClientProtocol {
 public:
  ClientProtocol(ClientProtocolOptions options, DataOwner& owner, operation::Log& log);
  ClientProtocol(const ClientProtocol&) = delete;  // its sites know each other
  ClientProtocol& operator=(const ClientProtocol&) = delete;

  wire::Hello hello() const;

  struct Reaction {
    std::optional<wire::ClientMessage> answer{};
    std::optional<wire::End> end{};
  };
  Reaction on_message(const wire::ServerMessage& message);

 private:
  Reaction answer(const wire::Welcome& welcome);
  Reaction answer(const wire::MaskingGroup& masking_group);
  Reaction answer(const wire::SumColumns& message);
  Reaction answer(const wire::Prepare& prepare);
  Reaction answer(const wire::Task& task);
  Reaction answer(const wire::End& end);
  template <class Body>
  Reaction pass_on(Answered<Body> answered, const wire::Task* task = nullptr);
  Reaction refuse(const Refused& refused, const wire::Task* task = nullptr);

  ClientProtocolOptions options_;
  operation::Log& log_;
  std::unique_ptr<store::ReplayGuard> own_guard_;        // where none was given
  std::unique_ptr<store::DisclosureLedger> own_ledger_;  // the same
  RowsSite rows_;
  ConsentSite consent_;
  MaskingSite site_;
  RunTerms terms_;
  std::string preparation_;  // as it came, to see whether it came again
  ClientId place_;
  std::optional<wire::Ready> ready_;
  std::optional<wire::Prepared> prepared_;
};

}  // namespace fedrk::network
