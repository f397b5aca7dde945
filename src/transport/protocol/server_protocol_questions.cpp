// SPDX-License-Identifier: Apache-2.0

// What the run asks, and how long it waits.

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "fedrk/contracts.hpp"
#include "transport/protocol/server_protocol.hpp"

namespace fedrk::network {
namespace {

double seconds(Milliseconds time) { return std::chrono::duration<double>(time).count(); }

}  // namespace

bool Switchboard::is_outstanding(ClientId client) const {
  if (!pending_ || pending_->place[client.value] == npos) return false;
  const Answer& answer = pending_->answers[pending_->place[client.value]];
  return !answer.message && answer.absence.empty();
}

bool Switchboard::answers_question(const wire::ClientMessage& message) const {
  if (!pending_ || pending_->question->kind != message.index()) return false;
  const Question& question = *pending_->question;
  if (const auto* update = std::get_if<wire::Update>(&message)) {
    return update->number == question.number && update->attempt == question.attempt;
  }
  const auto* sums = std::get_if<wire::ColumnSums>(&message);
  return sums == nullptr || sums->squared == question.squared;
}

void Switchboard::ask(ClientId client) {
  Seat& seat = seats_[client.value];
  Connection* const connection = connection_of(seat.connection);
  if (connection == nullptr) return;
  connection->incoming.allow(pending_->question->longest);
  ++connection->allowance;
  outbox_.send(seat.connection, pending_->question->parcel(client));
}

void Switchboard::resolve(ClientId client, std::optional<wire::ClientMessage> message, std::string absence,
                          bool may_return) {
  Answer& answer = pending_->answers[pending_->place[client.value]];
  answer.message = std::move(message);
  answer.absence = std::move(absence);
  answer.may_return = may_return;
  if (--pending_->outstanding == 0) changed_.notify_all();
}

// Those who are gone for too long, and all when the time is over. Returns when to look again.
Clock::time_point Switchboard::give_up_on_late(Clock::time_point now) {
  const bool from_now = pending_->question->away_limit.count() > 0;
  const Milliseconds away_limit = from_now ? pending_->question->away_limit : options_.away_limit;
  Clock::time_point next = pending_->deadline;
  for (std::size_t k = 0; k < pending_->answers.size(); ++k) {
    const ClientId client = pending_->answers[k].client;
    if (!is_outstanding(client)) continue;
    Seat& seat = seats_[client.value];
    const bool away = seat.presence == Presence::Away;
    const auto since = from_now ? std::max(pending_->begun, seat.lost_at) : seat.lost_at;
    const auto until = away ? std::min(pending_->deadline, since + away_limit) : pending_->deadline;
    if (now < until) {
      next = std::min(next, until);
    } else if (away) {
      ++seat.counts.lost;
      resolve(client, std::nullopt, "its connection was lost and it did not come back in time", true);
    } else {
      ++seat.counts.late;
      resolve(client, std::nullopt, fmt::format("no answer within {:g} s", seconds(options_.reply_limit)), true);
    }
  }
  return next;
}

std::vector<Switchboard::Answer> Switchboard::exchange(const Question& question, std::span<const ClientId> clients) {
  begin(question, clients);
  return wait();
}

void Switchboard::begin(const Question& question, std::span<const ClientId> clients) {
  const std::lock_guard lock(mutex_);
  throw_if_interrupted();
  Pending& pending = pending_.emplace(Pending());
  pending.question = &question;
  pending.place.assign(seats_.size(), npos);
  pending.outstanding = clients.size();
  pending.begun = Clock::now();
  pending.deadline = pending.begun + options_.reply_limit;
  for (const ClientId client : clients) {
    pending.place[client.value] = pending.answers.size();
    pending.answers.push_back({client, std::nullopt, ""});
  }
  for (const ClientId client : clients) {
    const Seat& seat = seats_[client.value];
    if (seat.aside) {
      resolve(client, std::nullopt, "was put aside for wrong answers");
    } else if (seat.revoked) {
      resolve(client, std::nullopt, kRevoked);
    } else if (seat.presence == Presence::Here) {
      ask(client);
    }
  }
}

std::vector<Switchboard::Answer> Switchboard::wait() {
  std::unique_lock lock(mutex_);
  Pending& pending = *pending_;
  while (pending.outstanding > 0 && !time_is_up()) {
    auto next = give_up_on_late(Clock::now());
    if (run_until_) next = std::min(next, *run_until_);
    if (pending.outstanding > 0) changed_.wait_until(lock, next);
  }
  std::vector<Answer> answers = std::move(pending.answers);
  const bool complete = pending.outstanding == 0;
  pending_.reset();
  if (!complete) throw_if_interrupted();
  return answers;
}

std::string Switchboard::names_of_missing() const {
  std::string names;
  for (const Seat& seat : seats_) {
    if (seat.presence != Presence::Here) names += (names.empty() ? "" : ", ") + seat.name;
  }
  return names;
}

void Switchboard::begin_without_missing() {
  for (auto& [id, connection] : connections_) {  // on their way, but too late
    if (connection.seat && seats_[connection.seat->value].presence != Presence::Here) {
      close(id, connection, Closing::Unfit, "the run has begun without it");
      connection.seat.reset();
    }
  }
  std::erase_if(seats_, [](const Seat& seat) { return seat.presence != Presence::Here; });
  for (std::uint32_t i = 0; i < seats_.size(); ++i) connections_.at(seats_[i].connection).seat = ClientId{i};
}

Result<std::vector<Switchboard::Arrival>> Switchboard::gather() {
  std::unique_lock lock(mutex_);
  const auto deadline = Clock::now() + options_.join_limit;
  const auto here = [&] {
    return static_cast<std::size_t>(std::ranges::count(seats_, Presence::Here, &Seat::presence));
  };
  while (!time_is_up() && here() < seats_.size() && Clock::now() < deadline) {
    changed_.wait_until(lock, run_until_ ? std::min(deadline, *run_until_) : deadline);
  }
  throw_if_interrupted();
  const std::size_t enough = options_.enough == 0 ? seats_.size() : options_.enough;
  if (here() < enough) {
    return Error{fmt::format("only {} of {} clients joined within {:g} s; missing: {}", here(), seats_.size(),
                             seconds(options_.join_limit), names_of_missing())};
  }
  if (here() < seats_.size()) {
    log_.warning("federation.incomplete", {{"clients", here()}, {"missing", names_of_missing()}});
    if (preparation_.empty()) begin_without_missing();  // a run that goes on keeps their places
  }
  open_for_all_ = false;
  std::vector<Arrival> arrivals;
  for (const Seat& seat : seats_) arrivals.push_back({seat.name, seat.ready.value_or(wire::Ready()), seat.known_draws});
  return arrivals;
}

void Switchboard::expect(const std::vector<Arrival>& arrivals) {
  const std::lock_guard lock(mutex_);
  FEDRK_EXPECTS(arrivals.size() == seats_.size());
  open_for_all_ = false;
  for (std::size_t i = 0; i < seats_.size(); ++i) {
    seats_[i].ready = arrivals[i].ready;
    seats_[i].known_draws = arrivals[i].known_draws;
  }
}

void Switchboard::introduce(wire::Company company) {
  const std::lock_guard lock(mutex_);
  FEDRK_EXPECTS(company.members.size() == seats_.size());
  company_ = std::move(company);
  for (std::uint32_t i = 0; i < seats_.size(); ++i) {
    if (seats_[i].presence == Presence::Here) send_company(ClientId{i});
  }
}

void Switchboard::fix_preparation(std::vector<wire::Prepare> messages, std::vector<wire::Prepared> expected) {
  const std::lock_guard lock(mutex_);
  FEDRK_EXPECTS(messages.size() == seats_.size() && expected.size() == seats_.size());
  preparation_ = std::move(messages);
  expected_ = std::move(expected);
  for (std::uint32_t i = 0; i < seats_.size(); ++i) {
    if (seats_[i].presence == Presence::Here && !seats_[i].prepared) prepare(ClientId{i});
  }
}

void Switchboard::interrupt(Termination why, std::string words) {
  const std::lock_guard lock(mutex_);
  if (!interrupted_) interrupted_.emplace(why, std::move(words));
  changed_.notify_all();
}

// True where the run is to end, by the clock or because it was told to.
bool Switchboard::time_is_up() {
  if (!interrupted_ && run_until_ && Clock::now() >= *run_until_) {
    interrupted_.emplace(Termination::Deadline, fmt::format("{:g} s were given", seconds(options_.run_limit)));
  }
  return interrupted_.has_value();
}

void Switchboard::throw_if_interrupted() const {
  if (interrupted_) throw RunEnded(*interrupted_);
}

}  // namespace fedrk::network
