// SPDX-License-Identifier: Apache-2.0
#include "transport/protocol/server_protocol.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "transport/protocol/sanitized.hpp"
#include "transport/protocol/wire.hpp"

namespace fedrk::network {
namespace {

// One name may have some connections that are not quite gone, but must not take the places of others.
constexpr std::ptrdiff_t kMaxOfOneName = 8;
}  // namespace

OutgoingMessage outgoing_of(const wire::ServerMessage& message) {
  return std::make_shared<const std::string>(bytes_of(message));
}

ServerProtocol::ServerProtocol(FederationOptions options, Outbox& outbox, operation::Log& log, Clock::time_point now)
    : options_(std::move(options)), outbox_(outbox), log_(log), plan_(wire::plan_message(options_.plan)), now_(now) {
  for (const std::string& name : options_.clients) {
    ClientSession& session = sessions_.emplace_back();
    session.name = name;
    session.lost_at = now_;
  }
  if (options_.run_limit.count() > 0) run_until_ = now_ + options_.run_limit;
  if (options_.max_connections == 0) options_.max_connections = 2 * sessions_.size() + 16;
}

// ---- Connections.

void ServerProtocol::on_open(ConnectionId id, Peer peer, Clock::time_point now) {
  now_ = now;
  Connection& connection =
      connections_.emplace(id, Connection{std::move(peer), std::nullopt, {options_.largest_message, 0}, now_})
          .first->second;
  connection.opened = connection.heartbeats_since = now_;
  if (connections_.size() > options_.max_connections) {
    return close(id, connection, Closing::Full, "the server has too many connections; try again later");
  }
  const auto same_name = [&](const auto& other) { return other.second.peer.identity == connection.peer.identity; };
  if (!connection.peer.identity.empty() && std::ranges::count_if(connections_, same_name) > kMaxOfOneName) {
    return close(id, connection, Closing::Full, "too many connections with this certificate; try again later");
  }
  const std::string veto =
      options_.veto && !connection.peer.certificate.empty() ? options_.veto(connection.peer.certificate) : "";
  if (!veto.empty()) close(id, connection, Closing::Denied, veto);
}

void ServerProtocol::close(ConnectionId id, Connection& connection, Closing why, std::string reason) {
  if (connection.closing) return;
  connection.closing = true;
  connection.closing_since = now_;
  if (why != Closing::Ended) {
    log_.warning("connection.refused", {{"address", connection.peer.address},
                                        {"certificate", sanitized(connection.peer.identity)},
                                        {"reason", sanitized(reason)}});
  }
  outbox_.close(id, why, std::move(reason));
}

void ServerProtocol::on_closed(ConnectionId id, Clock::time_point now) {
  now_ = now;
  const auto found = connections_.find(id);
  if (found == connections_.end()) return;
  if (const auto place = found->second.session) {
    ClientSession& session = sessions_[place->value];
    session.presence = Presence::Away;
    session.connection = 0;
    session.lost_at = now_;
    if (!last_word_) log_.warning("client.lost", {{"client", session.name}});
  }
  connections_.erase(found);
  changed_ = true;
}

void ServerProtocol::on_tick(Clock::time_point now) {
  now_ = now;
  for (auto& [id, connection] : connections_) {
    const auto silent = now - connection.last_heard;
    if (connection.closing) {  // who does not read must not keep its place
      const bool lingers = now - connection.closing_since > 4 * options_.heartbeat;
      if (lingers && !std::exchange(connection.cut, true)) outbox_.close(id, Closing::Silent, "it does not go");
    } else if (!connection.session && now - connection.opened > options_.hello_limit) {  // whatever else it said
      close(id, connection, Closing::Silent, "it never said hello");
    } else if (connection.session && silent > 4 * options_.heartbeat) {
      close(id, connection, Closing::Silent,
            fmt::format("nothing was heard of it for {:.1f} s", std::chrono::duration<double>(silent).count()));
    } else if (options_.veto && !connection.peer.certificate.empty()) {
      if (std::string veto = options_.veto(connection.peer.certificate); !veto.empty()) {
        shut_out(id, connection, std::move(veto));
      }
    }
  }
}

void ServerProtocol::shut_out(ConnectionId id, Connection& connection, std::string veto) {
  close(id, connection, Closing::Denied, std::move(veto));
  if (!connection.session) return;
  sessions_[connection.session->value].revoked = true;
  if (is_outstanding(*connection.session)) resolve(*connection.session, std::nullopt, kRevoked);
}

ServerProtocol::Connection* ServerProtocol::connection_of(ConnectionId id) {
  const auto found = connections_.find(id);
  return found == connections_.end() || found->second.closing ? nullptr : &found->second;
}

// ---- The end.

void ServerProtocol::end(const wire::End& message, Clock::time_point now) {
  now_ = now;
  last_word_ = outgoing_of(message);
  for (auto& [id, connection] : connections_) {
    if (connection.session && !connection.closing) {
      outbox_.send(id, last_word_);
      sessions_[connection.session->value].told_end = true;
    }
    close(id, connection, Closing::Ended, message.reason);
  }
}

std::vector<ClientStatus> ServerProtocol::status() const {
  std::vector<ClientStatus> all;
  for (const ClientSession& session : sessions_) {
    const std::string presence = session.quarantined                  ? "quarantined"
                                 : session.presence == Presence::Here ? "here"
                                 : session.presence == Presence::Away ? "away"
                                                                      : "joining";
    const auto found = connections_.find(session.connection);
    all.push_back(
        {session.name, presence, found == connections_.end() ? "" : found->second.peer.address, session.counts});
  }
  return all;
}

// Who lost its connection a moment ago is on its way back, and would wait for this server in vain.
bool ServerProtocol::is_empty(Clock::time_point since) const {
  const auto may_hear = [&](const ClientSession& session) {
    return !session.told_end && !session.quarantined && !session.revoked && session.lost_at > since;
  };
  return connections_.empty() && std::ranges::none_of(sessions_, may_hear);
}

}  // namespace fedrk::network
