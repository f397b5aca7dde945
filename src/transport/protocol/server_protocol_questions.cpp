// SPDX-License-Identifier: Apache-2.0

// What the run asks, what clients answer, and until when.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "fedrk/contracts.hpp"
#include "transport/protocol/sanitized.hpp"
#include "transport/protocol/server_protocol.hpp"
#include "transport/protocol/wire.hpp"

namespace fedrk::network {
namespace {

// The run that a message belongs to; none before the client knows it.
std::string_view run_of(const wire::ClientMessage& message) {
  return std::visit(
      [](const auto& body) -> std::string_view {
        if constexpr (requires { body.run; }) return body.run;
        return "";
      },
      message);
}

double seconds(Milliseconds time) { return std::chrono::duration<double>(time).count(); }

}  // namespace

bool ServerProtocol::is_outstanding(ClientId client) const {
  if (!pending_ || pending_->place[client.value] == npos) return false;
  const Answer& answer = pending_->answers[pending_->place[client.value]];
  return !answer.message && answer.absence.empty();
}

bool ServerProtocol::answers_question(const wire::ClientMessage& message) const {
  if (!pending_ || pending_->question->kind != message.index()) return false;
  const Question& question = *pending_->question;
  if (const auto* update = std::get_if<wire::Update>(&message)) {
    return update->number == question.number;
  }
  const auto* sums = std::get_if<wire::ColumnSums>(&message);
  return sums == nullptr || sums->of == question.of;
}

void ServerProtocol::ask(ClientId client) {
  ClientSession& session = sessions_[client.value];
  Connection* const connection = connection_of(session.connection);
  if (connection == nullptr) return;
  connection->incoming.allow(pending_->question->max_length);
  ++connection->allowance;
  outbox_.send(session.connection, pending_->question->outgoing(client));
}

void ServerProtocol::resolve(ClientId client, std::optional<wire::ClientMessage> message, std::string absence,
                             bool may_return) {
  Answer& answer = pending_->answers[pending_->place[client.value]];
  answer.message = std::move(message);
  answer.absence = std::move(absence);
  answer.may_return = may_return;
  if (--pending_->outstanding == 0) changed_ = true;
}

// ---- Messages.

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
  if (wire::holds<wire::Heartbeat>(message)) return on_heartbeat(id, connection);
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

// One in each interval, or many at once where a line was held up; thousands are a burden to the others.
void ServerProtocol::on_heartbeat(ConnectionId id, Connection& connection) {
  constexpr int kMaxHeartbeats = 1000;
  if (now_ - connection.heartbeats_since > 4 * options_.heartbeat) {
    connection.heartbeats_since = now_;
    connection.heartbeats = 0;
  }
  if (++connection.heartbeats <= kMaxHeartbeats) return;
  constexpr auto kWords = "it sends heartbeats without end";
  if (connection.session) record_violation(*connection.session, kWords);
  close(id, connection, Closing::Broken, kWords);
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
    const bool at_hand = refusal.run == options_.run && refusal.number.has_value() == task &&
                         (!task || *refusal.number == pending_->question->number);
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
  log_.error("client.quarantined", {{"client", session.name}, {"times", session.counts.wrong}});
  if (is_outstanding(client)) resolve(client, std::nullopt, reason);
  if (Connection* connection = connection_of(session.connection)) {
    close(session.connection, *connection, Closing::Denied, fmt::format("'{}' {}", session.name, reason));
  }
}

void ServerProtocol::report_wrong(ClientId client, const std::string& fact, Clock::time_point now) {
  now_ = now;
  record_violation(client, fact);
}

// ---- Waits.

// Those who are gone for too long, and all when the time is over. Returns when to look again.
Clock::time_point ServerProtocol::give_up_on_late() {
  const bool from_now = pending_->question->away_limit.count() > 0;
  const Milliseconds away_limit = from_now ? pending_->question->away_limit : options_.away_limit;
  Clock::time_point next = pending_->deadline;
  for (std::size_t k = 0; k < pending_->answers.size(); ++k) {
    const ClientId client = pending_->answers[k].client;
    if (!is_outstanding(client)) continue;
    ClientSession& session = sessions_[client.value];
    const bool away = session.presence == Presence::Away;
    const auto since = from_now ? std::max(pending_->begun, session.lost_at) : session.lost_at;
    const auto until = away ? std::min(pending_->deadline, since + away_limit) : pending_->deadline;
    if (now_ < until) {
      next = std::min(next, until);
    } else if (away) {
      ++session.counts.lost;
      resolve(client, std::nullopt, "its connection was lost and it did not come back in time", true);
    } else {
      ++session.counts.late;
      resolve(client, std::nullopt, fmt::format("no answer within {:g} s", seconds(options_.reply_limit)), true);
    }
  }
  return next;
}

bool ServerProtocol::complete() const { return pending_ ? pending_->outstanding == 0 : here() == sessions_.size(); }

std::optional<Clock::time_point> ServerProtocol::next_deadline(Clock::time_point now) {
  FEDRK_EXPECTS(pending_ || join_until_);
  now_ = now;
  if (complete() || time_is_up()) return std::nullopt;
  const auto next = pending_ ? give_up_on_late() : *join_until_;
  if (complete() || now_ >= next) return std::nullopt;
  return run_until_ ? std::min(next, *run_until_) : next;
}

void ServerProtocol::begin(const Question& question, std::span<const ClientId> clients, Clock::time_point now) {
  now_ = now;
  throw_if_interrupted();
  Pending& pending = pending_.emplace(Pending());
  pending.question = &question;
  pending.place.assign(sessions_.size(), npos);
  pending.outstanding = clients.size();
  pending.begun = now_;
  pending.deadline = pending.begun + options_.reply_limit;
  for (const ClientId client : clients) {
    pending.place[client.value] = pending.answers.size();
    pending.answers.push_back({client, std::nullopt, ""});
  }
  for (const ClientId client : clients) {
    const ClientSession& session = sessions_[client.value];
    if (session.quarantined) {
      resolve(client, std::nullopt, "was quarantined for wrong answers");
    } else if (session.revoked) {
      resolve(client, std::nullopt, kRevoked);
    } else if (session.presence == Presence::Here) {
      ask(client);
    }
  }
}

std::vector<ServerProtocol::Answer> ServerProtocol::take_answers() {
  FEDRK_EXPECTS(pending_ && (complete() || interrupted_));
  std::vector<Answer> answers = std::move(pending_->answers);
  const bool all = complete();
  pending_.reset();
  if (!all) throw_if_interrupted();
  return answers;
}

void ServerProtocol::interrupt(Termination why, std::string reason) {
  if (!interrupted_) interrupted_.emplace(why, std::move(reason));
  changed_ = true;
}

// True where the run is to end, by the clock or because it was told to.
bool ServerProtocol::time_is_up() {
  if (!interrupted_ && run_until_ && now_ >= *run_until_) {
    interrupted_.emplace(Termination::Deadline, fmt::format("{:g} s were given", seconds(options_.run_limit)));
  }
  return interrupted_.has_value();
}

void ServerProtocol::throw_if_interrupted() const {
  if (interrupted_) throw RunAborted(*interrupted_);
}

}  // namespace fedrk::network
