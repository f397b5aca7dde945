// SPDX-License-Identifier: Apache-2.0

// What clients say, and what the protocol makes of it.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "transport/protocol/sanitized.hpp"
#include "transport/protocol/server_protocol.hpp"
#include "transport/protocol/wire.hpp"

namespace fedrk::network {
namespace {

// More rows than any table has, but few enough to be added up.
constexpr std::uint64_t kMostRows = std::uint64_t{1} << 48;

// What is wrong with a table by its description alone; empty where nothing is.
std::string wrong_table(const wire::Ready& ready) {
  if (ready.rows > kMostRows) return fmt::format("it claims {} rows", ready.rows);
  if (!ready.names.empty() && ready.names.size() != ready.columns) {
    return fmt::format("it names {} columns, but has {}", ready.names.size(), ready.columns);
  }
  return "";
}

// The run that a message belongs to; none before the client knows it.
std::string_view run_of(const wire::ClientMessage& message) {
  return std::visit(
      [](const auto& body) -> std::string_view {
        if constexpr (requires { body.run; }) return body.run;
        return "";
      },
      message);
}

}  // namespace

void ServerProtocol::on_chunk(ConnectionId id, std::string_view chunk, Clock::time_point now) {
  now_ = now;
  Connection* const connection = connection_of(id);
  if (connection == nullptr) return;
  connection->last_heard = now;
  const auto spoken = connection->session ? wire::kProtocol : wire::protocol_of_hello(chunk).value_or(wire::kProtocol);
  if (spoken != wire::kProtocol) {
    return close(
        id, *connection, Closing::Unfit,
        fmt::format("the server speaks protocol {}, the client {}: use the same version of fedrk on both sides",
                    wire::kProtocol, spoken));
  }
  auto message = connection->incoming.add(chunk);
  if (!message) {
    if (connection->session) record_violation(*connection->session, message.error().message);
    return close(id, *connection, Closing::Broken, message.error().message);
  }
  if (*message) on_message(id, *connection, **std::move(message));
}

void ServerProtocol::on_message(ConnectionId id, Connection& connection, wire::ClientMessage message) {
  if (wire::holds<wire::Heartbeat>(message)) return;
  const auto* hello = std::get_if<wire::Hello>(&message);
  if ((hello != nullptr) != !connection.session) {
    return close(id, connection, Closing::Broken, "a client says hello first, and once");
  }
  if (hello != nullptr) return greet(id, connection, *hello);
  const ClientId client = *connection.session;
  if (--connection.allowance < 0) {
    constexpr auto kWords = "it says much more than it was asked";
    record_violation(client, kWords);
    return close(id, connection, Closing::Broken, kWords);
  }
  on_whole(connection, client, std::move(message));
}

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

void ServerProtocol::on_whole(Connection& connection, ClientId client, wire::ClientMessage message) {
  ClientSession& session = sessions_[client.value];
  if (auto* ready = std::get_if<wire::Ready>(&message)) {
    if (session.presence == Presence::Greeted) return on_ready(connection, client, std::move(*ready));
    return record_violation(client, "a message that was not asked for");
  }
  if (const auto* refusal = std::get_if<wire::Refusal>(&message)) return on_refusal(client, *refusal);
  if (run_of(message) != options_.run) {
    ++session.counts.stale;
    return log_.warning("answer.refused", {{"client", session.name}, {"reason", "it belongs to another run"}});
  }
  const auto* prepared = std::get_if<wire::Prepared>(&message);
  if (prepared != nullptr && session.presence == Presence::Preparing) return on_prepared_again(client, *prepared);
  on_answer(client, std::move(message));
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
  if (masking_group_ && session.ready && session.ready->mask_key.key != ready.mask_key.key) {
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
  session.prepared = same(prepared, expected_[client.value]);
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

void ServerProtocol::on_answer(ClientId client, wire::ClientMessage message) {
  ClientSession& session = sessions_[client.value];
  const auto* update = std::get_if<wire::Update>(&message);
  const bool fits = session.presence == Presence::Here && answers_question(message);
  if (fits && is_outstanding(client)) {
    ++session.counts.answers;
    session.prepared = session.prepared || wire::holds<wire::Prepared>(message);
    return resolve(client, std::move(message), "");
  }
  const bool again = fits && pending_->place[client.value] != npos;
  ++(again ? session.counts.duplicates : session.counts.stale);
  log_.warning("answer.refused",
               {{"client", session.name},
                {"round", update != nullptr ? update->round + 1 : 0U},
                {"reason", again ? "it answered already" : "it answers another question than the one at hand"}});
}

void ServerProtocol::on_refusal(ClientId client, const wire::Refusal& refusal) {
  ClientSession& session = sessions_[client.value];
  const std::string reason = sanitized(refusal.reason);
  log_.warning("client.refused", {{"client", session.name}, {"reason", reason}});
  const bool joining = session.presence != Presence::Here;
  if (is_outstanding(client)) {
    const bool task = pending_->question->kind == wire::kAnswerKind<wire::Update>;
    const bool at_hand =
        refusal.run == options_.run && refusal.number.has_value() == task &&
        (!task || (*refusal.number == pending_->question->number && refusal.attempt == pending_->question->attempt));
    if (at_hand) pending_->answers[pending_->place[client.value]].answered = refusal.answered;
    if (at_hand || joining) resolve(client, std::nullopt, "it refused: " + reason);
  }
  if (!joining) return;                                              // it stays for the next question
  if (Connection* connection = connection_of(session.connection)) {  // it cannot take part as it is, and says so itself
    close(session.connection, *connection, Closing::Unfit, reason);
  }
}

void ServerProtocol::record_violation(ClientId client, const std::string& fact) {
  ClientSession& session = sessions_[client.value];
  ++session.counts.wrong;
  log_.warning("answer.wrong",
               {{"client", session.name}, {"reason", sanitized(fact)}, {"times", session.counts.wrong}});
  if (session.quarantined || session.counts.wrong < options_.wrong_limit) return;
  session.quarantined = true;
  const std::string reason = fmt::format("was quarantined after {} wrong answers", session.counts.wrong);
  log_.error("client.put_aside", {{"client", session.name}, {"times", session.counts.wrong}});
  if (is_outstanding(client)) resolve(client, std::nullopt, reason);
  if (Connection* connection = connection_of(session.connection)) {
    close(session.connection, *connection, Closing::Denied, fmt::format("'{}' {}", session.name, reason));
  }
}

void ServerProtocol::report_wrong(ClientId client, const std::string& fact, Clock::time_point now) {
  now_ = now;
  record_violation(client, fact);
}

}  // namespace fedrk::network
