// SPDX-License-Identifier: Apache-2.0

// What the run asks, and until when that may be answered.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "fedrk/contracts.hpp"
#include "transport/protocol/server_protocol.hpp"

namespace fedrk::network {
namespace {

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
    return update->number == question.number && update->attempt == question.attempt;
  }
  const auto* sums = std::get_if<wire::ColumnSums>(&message);
  return sums == nullptr || sums->squared == question.squared;
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
                             seconds(options_.join_limit), names_of_missing())};
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
