// SPDX-License-Identifier: Apache-2.0

// How clients join, and come back.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "fedrk/contracts.hpp"
#include "transport/protocol/sanitized.hpp"
#include "transport/protocol/server_protocol.hpp"
#include "transport/protocol/wire.hpp"

namespace fedrk::network {
namespace {

// More rows than any table has, but few enough to be added up.
constexpr std::uint64_t kMaxRows = std::uint64_t{1} << 48;

// What is wrong with a table by its description alone; empty where nothing is.
std::string wrong_table(const wire::Ready& ready) {
  if (ready.rows > kMaxRows) return fmt::format("it claims {} rows", ready.rows);
  if (!ready.names.empty() && ready.names.size() != ready.columns) {
    return fmt::format("it names {} columns, but has {}", ready.names.size(), ready.columns);
  }
  if (!ready.membership.key.empty() && ready.membership.rows != ready.rows) {
    return "it tells the other clients of another number of rows";
  }
  return "";
}

}  // namespace

// Who it is by its certificate, whether it may join, and whether it is not here already.
void ServerProtocol::greet(ConnectionId id, Connection& connection, const wire::Hello& hello) {
  const auto refuse = [&](Closing why, std::string fact) { close(id, connection, why, std::move(fact)); };
  const std::string& identity = connection.peer.identity;
  if ((connection.peer.secured || !identity.empty()) && hello.name != identity) {
    return refuse(
        Closing::Denied,
        fmt::format("the certificate is that of '{}', but the client calls itself '{}'; take certificate, key and "
                    "settings from the same start-up folder",
                    sanitized(identity), sanitized(hello.name)));
  }
  const auto found = std::ranges::find(sessions_, hello.name, &ClientSession::name);
  if (found == sessions_.end()) {
    return refuse(Closing::Denied, fmt::format("'{}' is not on the server's list of clients{}", sanitized(hello.name),
                                               open_for_all_ ? "; ask the operator to add it"
                                                             : " of this run, which has begun; wait for the next"));
  }
  ClientSession& session = *found;
  if (session.quarantined)
    return refuse(Closing::Denied, fmt::format("'{}' was quarantined for wrong answers", session.name));
  if (last_word_) {  // it was away when the run ended
    outbox_.send(id, last_word_);
    session.told_end = true;
    return close(id, connection, Closing::Ended, "the run has ended");
  }
  if (session.presence != Presence::Away) {
    return refuse(Closing::Occupied, fmt::format("'{}' is connected already, from {}", session.name,
                                                 connections_.at(session.connection).peer.address));
  }
  if (options_.masked && hello.known_draws) {
    return refuse(Closing::Unfit,
                  "its draws derive from the plan's seed, which the server knows: not in a private run");
  }
  if (!open_for_all_ && session.ready && session.known_draws != hello.known_draws) {
    return refuse(Closing::Unfit, "its draws come from elsewhere than when the run began; set draws as they were");
  }
  connection.session = ClientId{static_cast<std::uint32_t>(found - sessions_.begin())};
  session.presence = Presence::Greeted;
  session.revoked = false;
  session.connection = id;
  session.known_draws = hello.known_draws;
  session.prepared = false;
  ++session.counts.joined;
  log_.info("client.joined", {{"client", session.name},
                              {"address", connection.peer.address},
                              {"software", sanitized(hello.software)},
                              {"known_draws", hello.known_draws}});
  outbox_.send(id, outgoing_of(wire::Welcome{.run = options_.run,
                                             .plan = plan_,
                                             .masked = options_.masked,
                                             .heartbeat_ms = static_cast<std::uint32_t>(options_.heartbeat.count())}));
}

void ServerProtocol::on_ready(Connection& connection, ClientId client, wire::Ready ready) {
  ClientSession& session = sessions_[client.value];
  if (std::string wrong = wrong_table(ready); !wrong.empty()) {
    return close(session.connection, connection, Closing::Unfit, std::move(wrong));
  }
  if (session.ready && !open_for_all_) {
    const bool size = session.ready->rows == ready.rows && session.ready->columns == ready.columns;
    if (!size || session.ready->names != ready.names) {
      return close(
          session.connection, connection, Closing::Unfit,
          fmt::format("its data are {} x {}, but were {} x {} when the run began{}", ready.rows, ready.columns,
                      session.ready->rows, session.ready->columns, size ? ", with other names of columns" : ""));
    }
  }
  // Others have its key already. One whose state is lost has another, and what it sends would cancel nothing.
  if (masking_group_ && session.ready && session.ready->membership.key != ready.membership.key) {
    return close(session.connection, connection, Closing::Unfit,
                 "its key for masks is not that with which the run began; put its state folder back");
  }
  log_.info("client.ready", {{"client", session.name}, {"rows", ready.rows}, {"columns", ready.columns}});
  session.ready = std::move(ready);
  if (masking_group_) send_masking_group(client);
  preparation_.empty() ? arrive(client) : prepare(client);
}

void ServerProtocol::send_masking_group(ClientId client) {
  if (connection_of(sessions_[client.value].connection) == nullptr) return;
  masking_group_->place = client.value;
  outbox_.send(sessions_[client.value].connection, outgoing_of(*masking_group_));
}

void ServerProtocol::prepare(ClientId client) {
  ClientSession& session = sessions_[client.value];
  Connection* const connection = connection_of(session.connection);
  if (connection == nullptr) return;
  session.presence = Presence::Preparing;
  ++connection->allowance;
  connection->incoming.allow(expected_[client.value].masked_norms.size());
  outbox_.send(session.connection, outgoing_of(preparation_[client.value]));
}

// One that comes back must have the rows that it had.
void ServerProtocol::on_prepared_again(ClientId client, const wire::Prepared& prepared) {
  ClientSession& session = sessions_[client.value];
  wire::Prepared expected = expected_[client.value];
  expected.allowance = prepared.allowance;  // which becomes smaller as the run goes
  session.prepared = same(prepared, expected);
  if (session.prepared) return arrive(client);
  if (Connection* connection = connection_of(session.connection)) {
    close(session.connection, *connection, Closing::Unfit,
          "its data are not those with which the run began; restore them, or start a new run");
  }
}

void ServerProtocol::arrive(ClientId client) {
  sessions_[client.value].presence = Presence::Here;
  if (is_outstanding(client)) ask(client);
  changed_ = true;
}

// ---- Gathering them.

std::size_t ServerProtocol::here() const {
  return static_cast<std::size_t>(std::ranges::count(sessions_, Presence::Here, &ClientSession::presence));
}

std::string ServerProtocol::names_of_missing() const {
  std::string names;
  for (const ClientSession& session : sessions_) {
    if (session.presence != Presence::Here) names += (names.empty() ? "" : ", ") + session.name;
  }
  return names;
}

void ServerProtocol::begin_without_missing() {
  for (auto& [id, connection] : connections_) {  // on their way, but too late
    if (connection.session && sessions_[connection.session->value].presence != Presence::Here) {
      close(id, connection, Closing::Unfit, "the run has begun without it");
      connection.session.reset();
    }
  }
  std::erase_if(sessions_, [](const ClientSession& session) { return session.presence != Presence::Here; });
  for (std::uint32_t i = 0; i < sessions_.size(); ++i) connections_.at(sessions_[i].connection).session = ClientId{i};
}

void ServerProtocol::begin_gathering(Clock::time_point now) {
  now_ = now;
  join_until_ = now_ + options_.join_limit;
}

Result<std::vector<ServerProtocol::Arrival>> ServerProtocol::take_arrivals(Clock::time_point now) {
  now_ = now;
  join_until_.reset();
  if (time_is_up()) throw_if_interrupted();
  const std::size_t min_clients = options_.min_clients == 0 ? sessions_.size() : options_.min_clients;
  if (here() < min_clients) {
    return Error{fmt::format("only {} of {} clients joined within {:g} s; missing: {}", here(), sessions_.size(),
                             std::chrono::duration<double>(options_.join_limit).count(), names_of_missing())};
  }
  if (here() < sessions_.size()) {
    log_.warning("federation.incomplete", {{"clients", here()}, {"missing", names_of_missing()}});
    if (preparation_.empty()) begin_without_missing();  // a run that goes on keeps their places
  }
  open_for_all_ = false;
  std::vector<Arrival> arrivals;
  for (const ClientSession& session : sessions_)
    arrivals.push_back({session.name, session.ready.value_or(wire::Ready()), session.known_draws});
  return arrivals;
}

void ServerProtocol::expect(const std::vector<Arrival>& arrivals) {
  FEDRK_EXPECTS(arrivals.size() == sessions_.size());
  open_for_all_ = false;
  for (std::size_t i = 0; i < sessions_.size(); ++i) {
    sessions_[i].ready = arrivals[i].ready;
    sessions_[i].known_draws = arrivals[i].known_draws;
  }
}

void ServerProtocol::distribute_keys(wire::MaskingGroup masking_group) {
  FEDRK_EXPECTS(masking_group.members.size() == sessions_.size());
  masking_group_ = std::move(masking_group);
  for (std::uint32_t i = 0; i < sessions_.size(); ++i) {
    if (sessions_[i].presence == Presence::Here) send_masking_group(ClientId{i});
  }
}

void ServerProtocol::fix_preparation(std::vector<wire::Prepare> messages, std::vector<wire::Prepared> expected) {
  FEDRK_EXPECTS(messages.size() == sessions_.size() && expected.size() == sessions_.size());
  preparation_ = std::move(messages);
  expected_ = std::move(expected);
  for (std::uint32_t i = 0; i < sessions_.size(); ++i) {
    if (sessions_[i].presence == Presence::Here && !sessions_[i].prepared) prepare(ClientId{i});
  }
}

}  // namespace fedrk::network
