// SPDX-License-Identifier: Apache-2.0
#include "network/switchboard.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include <fmt/format.h>

#include "fedrk/base/contracts.hpp"
#include "network/wire.hpp"
#include "network/words.hpp"

namespace fedrk::network {
namespace {

using Body = v1::ClientMessage;

constexpr const char* kRevoked = "its certificate was revoked";

// One name may have some connections that are not quite gone, but must not take the places of others.
constexpr std::ptrdiff_t kMostOfOneName = 8;
// More rows than any table has, but few enough to be added up.
constexpr std::uint64_t kMostRows = std::uint64_t{1} << 48;

// What is wrong with a table by its description alone; empty where nothing is.
std::string wrong_table(const v1::Ready& ready) {
  const auto names = static_cast<std::uint64_t>(ready.names_size());
  if (ready.rows() > kMostRows) return fmt::format("it claims {} rows", ready.rows());
  if (names != 0 && names != ready.columns()) {
    return fmt::format("it names {} columns, but has {}", names, ready.columns());
  }
  return "";
}

double seconds(Milliseconds time) { return std::chrono::duration<double>(time).count(); }

// The run that an answer belongs to, and the number of its task.
const std::string& run_of(const v1::ClientMessage& message) {
  static const std::string none;
  switch (message.body_case()) {
    case Body::kColumnSums:
      return message.column_sums().run();
    case Body::kPrepared:
      return message.prepared().run();
    case Body::kUpdate:
      return message.update().run();
    case Body::kRefusal:
      return message.refusal().run();
    default:
      return none;
  }
}

bool same_bits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

bool same(const v1::Prepared& a, const v1::Prepared& b) {
  return a.rows() == b.rows() && a.unknowns() == b.unknowns() && same_bits(a.squared_norm(), b.squared_norm()) &&
         same_bits(a.squared_rhs_norm(), b.squared_rhs_norm());
}

}  // namespace

Parcel parcel_of(v1::ServerMessage message) {
  return std::make_shared<const std::vector<v1::ServerMessage>>(wire::in_pieces(std::move(message)));
}

Switchboard::Switchboard(FederationOptions options, Outbox& outbox, operation::Log& log)
    : options_(std::move(options)), outbox_(outbox), log_(log), plan_(wire::plan_message(options_.plan)) {
  for (const std::string& name : options_.clients) {
    Seat& seat = seats_.emplace_back();
    seat.name = name;
    seat.lost_at = Clock::now();
  }
  if (options_.run_limit.count() > 0) run_until_ = Clock::now() + options_.run_limit;
  if (options_.most_connections == 0) options_.most_connections = 2 * seats_.size() + 16;
}

// ---- Connections.

void Switchboard::on_open(ConnectionId id, Peer peer) {
  const std::lock_guard lock(mutex_);
  Connection& connection =
      connections_
          .emplace(id, Connection{std::move(peer), std::nullopt, wire::Assembly<v1::ClientMessage>(0), Clock::now()})
          .first->second;
  if (connections_.size() > options_.most_connections) {
    return close(id, connection, Closing::Full, "the server has too many connections; try again later");
  }
  const auto same_name = [&](const auto& other) { return other.second.peer.identity == connection.peer.identity; };
  if (!connection.peer.identity.empty() && std::ranges::count_if(connections_, same_name) > kMostOfOneName) {
    return close(id, connection, Closing::Full, "too many connections with this certificate; try again later");
  }
  const std::string veto =
      options_.veto && !connection.peer.certificate.empty() ? options_.veto(connection.peer.certificate) : "";
  if (!veto.empty()) close(id, connection, Closing::Denied, veto);
}

void Switchboard::close(ConnectionId id, Connection& connection, Closing why, std::string words) {
  if (connection.closing) return;
  connection.closing = true;
  connection.closing_since = Clock::now();
  if (why != Closing::Ended) {
    log_.warning("connection.refused", {{"address", connection.peer.address},
                                        {"certificate", tamed(connection.peer.identity)},
                                        {"reason", tamed(words)}});
  }
  outbox_.close(id, why, std::move(words));
}

void Switchboard::on_closed(ConnectionId id) {
  const std::lock_guard lock(mutex_);
  const auto found = connections_.find(id);
  if (found == connections_.end()) return;
  if (const auto place = found->second.seat) {
    Seat& seat = seats_[place->value];
    seat.presence = Presence::Away;
    seat.connection = 0;
    seat.lost_at = Clock::now();
    if (!last_word_) log_.warning("client.lost", {{"client", seat.name}});
  }
  connections_.erase(found);
  changed_.notify_all();
}

void Switchboard::on_tick() {
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  for (auto& [id, connection] : connections_) {
    const auto silent = now - connection.last_heard;
    if (connection.closing) {  // who does not read must not keep its place
      const bool lingers = now - connection.closing_since > 4 * options_.heartbeat;
      if (lingers && !std::exchange(connection.cut, true)) outbox_.close(id, Closing::Silent, "it does not go");
    } else if (!connection.seat && silent > options_.hello_limit) {
      close(id, connection, Closing::Silent, "it never said hello");
    } else if (connection.seat && silent > 4 * options_.heartbeat) {
      close(id, connection, Closing::Silent,
            fmt::format("nothing was heard of it for {:.1f} s", std::chrono::duration<double>(silent).count()));
    } else if (options_.veto && !connection.peer.certificate.empty()) {
      if (std::string veto = options_.veto(connection.peer.certificate); !veto.empty()) {
        shut_out(id, connection, std::move(veto));
      }
    }
  }
}

void Switchboard::shut_out(ConnectionId id, Connection& connection, std::string veto) {
  close(id, connection, Closing::Denied, std::move(veto));
  if (!connection.seat) return;
  seats_[connection.seat->value].revoked = true;
  if (is_outstanding(*connection.seat)) resolve(*connection.seat, std::nullopt, kRevoked);
}

Switchboard::Connection* Switchboard::connection_of(ConnectionId id) {
  const auto found = connections_.find(id);
  return found == connections_.end() || found->second.closing ? nullptr : &found->second;
}

// ---- Messages.

void Switchboard::on_message(ConnectionId id, v1::ClientMessage message) {
  const std::lock_guard lock(mutex_);
  Connection* const connection = connection_of(id);
  if (connection == nullptr) return;
  connection->last_heard = Clock::now();
  if (message.has_heartbeat()) return;
  if (message.has_hello() != !connection->seat) {
    return close(id, *connection, Closing::Broken, "a client says hello first, and once");
  }
  if (message.has_hello()) return greet(id, *connection, message.hello());
  const ClientId client = *connection->seat;
  auto whole = connection->assembly.add(std::move(message));
  if (!whole) {
    offend(client, whole.error().message);
    return close(id, *connection, Closing::Broken, whole.error().message);
  }
  if (!*whole) return;
  if (--connection->allowance < 0) {
    constexpr auto kWords = "it says much more than it was asked";
    offend(client, kWords);
    return close(id, *connection, Closing::Broken, kWords);
  }
  on_whole(*connection, client, std::move(**whole));
}

// Who it is by its certificate, whether it may join, and whether it is not here already.
void Switchboard::greet(ConnectionId id, Connection& connection, const v1::Hello& hello) {
  const auto refuse = [&](Closing why, std::string words) { close(id, connection, why, std::move(words)); };
  if (hello.protocol() != wire::kProtocol) {
    return refuse(Closing::Unfit, fmt::format("the server speaks protocol {}, the client {}: use the same version of "
                                              "fedrk on both sides",
                                              wire::kProtocol, hello.protocol()));
  }
  const std::string& identity = connection.peer.identity;
  if ((connection.peer.secured || !identity.empty()) && hello.name() != identity) {
    return refuse(
        Closing::Denied,
        fmt::format("the certificate is that of '{}', but the client calls itself '{}'; take certificate, key and "
                    "settings from the same start-up folder",
                    tamed(identity), tamed(hello.name())));
  }
  const auto found = std::ranges::find(seats_, hello.name(), &Seat::name);
  if (found == seats_.end()) {
    return refuse(Closing::Denied, fmt::format("'{}' is not on the server's list of clients{}", tamed(hello.name()),
                                               open_for_all_ ? "; ask the operator to add it"
                                                             : " of this run, which has begun; wait for the next"));
  }
  Seat& seat = *found;
  if (seat.aside) return refuse(Closing::Denied, fmt::format("'{}' was put aside for wrong answers", seat.name));
  if (last_word_) {  // it was away when the run ended
    outbox_.send(id, last_word_);
    seat.told_end = true;
    return close(id, connection, Closing::Ended, "the run has ended");
  }
  if (seat.presence != Presence::Away) {
    return refuse(Closing::Occupied, fmt::format("'{}' is connected already, from {}", seat.name,
                                                 connections_.at(seat.connection).peer.address));
  }
  connection.seat = ClientId{static_cast<std::uint32_t>(found - seats_.begin())};
  seat.presence = Presence::Greeted;
  seat.revoked = false;
  seat.connection = id;
  seat.known_draws = hello.known_draws();
  seat.prepared = false;
  ++seat.counts.joined;
  log_.info("client.joined", {{"client", seat.name},
                              {"address", connection.peer.address},
                              {"software", tamed(hello.software())},
                              {"known_draws", hello.known_draws()}});
  v1::ServerMessage message;
  auto& welcome = *message.mutable_welcome();
  welcome.set_protocol(wire::kProtocol);
  welcome.set_run(options_.run);
  for (const v1::PlanEntry& entry : plan_) *welcome.add_plan() = entry;
  welcome.set_heartbeat_ms(static_cast<std::uint32_t>(options_.heartbeat.count()));
  outbox_.send(id, parcel_of(std::move(message)));
  changed_.notify_all();
}

void Switchboard::on_whole(Connection& connection, ClientId client, v1::ClientMessage message) {
  Seat& seat = seats_[client.value];
  if (message.has_ready() && seat.presence == Presence::Greeted) return on_ready(connection, client, message.ready());
  if (message.has_refusal()) return on_refusal(client, message.refusal());
  if (message.body_case() == Body::BODY_NOT_SET || message.has_ready() || message.has_piece()) {
    return offend(client, "a message that was not asked for");
  }
  if (run_of(message) != options_.run) {
    ++seat.counts.stale;
    return log_.warning("answer.refused", {{"client", seat.name}, {"reason", "it belongs to another run"}});
  }
  if (message.has_prepared() && seat.presence == Presence::Preparing) {
    return on_prepared_again(client, message.prepared());
  }
  on_answer(client, std::move(message));
}

void Switchboard::on_ready(Connection& connection, ClientId client, const v1::Ready& ready) {
  Seat& seat = seats_[client.value];
  if (std::string wrong = wrong_table(ready); !wrong.empty()) {
    return close(seat.connection, connection, Closing::Unfit, std::move(wrong));
  }
  if (seat.ready && !open_for_all_) {
    const bool size = seat.ready->rows() == ready.rows() && seat.ready->columns() == ready.columns();
    if (!size || !std::ranges::equal(seat.ready->names(), ready.names())) {
      return close(
          seat.connection, connection, Closing::Unfit,
          fmt::format("its data are {} x {}, but were {} x {} when the run began{}", ready.rows(), ready.columns(),
                      seat.ready->rows(), seat.ready->columns(), size ? ", with other names of columns" : ""));
    }
  }
  seat.ready = ready;
  seat.ready->DiscardUnknownFields();
  log_.info("client.ready", {{"client", seat.name}, {"rows", ready.rows()}, {"columns", ready.columns()}});
  preparation_.empty() ? arrive(client) : prepare(client);
}

void Switchboard::prepare(ClientId client) {
  Seat& seat = seats_[client.value];
  Connection* const connection = connection_of(seat.connection);
  if (connection == nullptr) return;
  seat.presence = Presence::Preparing;
  ++connection->allowance;
  v1::ServerMessage message;
  *message.mutable_prepare() = preparation_[client.value];
  outbox_.send(seat.connection, parcel_of(std::move(message)));
}

// One that comes back must have the rows that it had.
void Switchboard::on_prepared_again(ClientId client, const v1::Prepared& prepared) {
  Seat& seat = seats_[client.value];
  seat.prepared = same(prepared, expected_[client.value]);
  if (seat.prepared) return arrive(client);
  if (Connection* connection = connection_of(seat.connection)) {
    close(seat.connection, *connection, Closing::Unfit,
          "its data are not those with which the run began; restore them, or start a new run");
  }
}

void Switchboard::arrive(ClientId client) {
  seats_[client.value].presence = Presence::Here;
  if (is_outstanding(client)) ask(client);
  changed_.notify_all();
}

void Switchboard::on_answer(ClientId client, v1::ClientMessage message) {
  Seat& seat = seats_[client.value];
  const bool update = message.has_update();
  const bool fits = seat.presence == Presence::Here && answers_question(message);
  if (fits && is_outstanding(client)) {
    ++seat.counts.answers;
    seat.prepared = seat.prepared || message.has_prepared();
    return resolve(client, std::move(message), "");
  }
  const bool again = fits && pending_->place[client.value] != npos;
  ++(again ? seat.counts.duplicates : seat.counts.stale);
  log_.warning("answer.refused",
               {{"client", seat.name},
                {"round", update ? message.update().round() + 1 : 0U},
                {"reason", again ? "it answered already" : "it answers another question than the one at hand"}});
}

void Switchboard::on_refusal(ClientId client, const v1::Refusal& refusal) {
  Seat& seat = seats_[client.value];
  const std::string reason = tamed(refusal.reason());
  log_.warning("client.refused", {{"client", seat.name}, {"reason", reason}});
  const bool joining = seat.presence != Presence::Here;
  if (is_outstanding(client)) {
    const bool task = pending_->question->kind == Body::kUpdate;
    const bool at_hand = refusal.run() == options_.run && refusal.has_number() == task &&
                         (!task || refusal.number() == pending_->question->number);
    if (at_hand || joining) resolve(client, std::nullopt, "it refused: " + reason);
  }
  if (!joining) return;                                           // it stays for the next question
  if (Connection* connection = connection_of(seat.connection)) {  // it cannot take part as it is, and says so itself
    close(seat.connection, *connection, Closing::Unfit, reason);
  }
}

void Switchboard::offend(ClientId client, const std::string& words) {
  Seat& seat = seats_[client.value];
  ++seat.counts.wrong;
  log_.warning("answer.wrong", {{"client", seat.name}, {"reason", tamed(words)}, {"times", seat.counts.wrong}});
  if (seat.aside || seat.counts.wrong < options_.wrong_limit) return;
  seat.aside = true;
  const std::string reason = fmt::format("was put aside after {} wrong answers", seat.counts.wrong);
  log_.error("client.put_aside", {{"client", seat.name}, {"times", seat.counts.wrong}});
  if (is_outstanding(client)) resolve(client, std::nullopt, reason);
  if (Connection* connection = connection_of(seat.connection)) {
    close(seat.connection, *connection, Closing::Denied, fmt::format("'{}' {}", seat.name, reason));
  }
}

void Switchboard::report_wrong(ClientId client, const std::string& words) {
  const std::lock_guard lock(mutex_);
  offend(client, words);
}

// ---- Questions.

bool Switchboard::is_outstanding(ClientId client) const {
  if (!pending_ || pending_->place[client.value] == npos) return false;
  const Answer& answer = pending_->answers[pending_->place[client.value]];
  return !answer.message && answer.absence.empty();
}

bool Switchboard::answers_question(const v1::ClientMessage& message) const {
  if (!pending_ || pending_->question->kind != message.body_case()) return false;
  if (message.has_update()) return message.update().number() == pending_->question->number;
  return !message.has_column_sums() || message.column_sums().squared() == pending_->question->squared;
}

void Switchboard::ask(ClientId client) {
  Seat& seat = seats_[client.value];
  Connection* const connection = connection_of(seat.connection);
  if (connection == nullptr) return;
  connection->assembly.allow(pending_->question->longest);
  ++connection->allowance;
  outbox_.send(seat.connection, pending_->question->parcel(client));
}

void Switchboard::resolve(ClientId client, std::optional<v1::ClientMessage> message, std::string absence,
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
  if (here() < seats_.size() && !preparation_.empty()) {
    log_.warning("federation.incomplete", {{"clients", here()}, {"missing", names_of_missing()}});
  } else if (here() < seats_.size()) {
    log_.warning("federation.incomplete", {{"clients", here()}, {"missing", names_of_missing()}});
    for (auto& [id, connection] : connections_) {  // on their way, but too late
      if (connection.seat && seats_[connection.seat->value].presence != Presence::Here) {
        close(id, connection, Closing::Unfit, "the run has begun without it");
        connection.seat.reset();
      }
    }
    std::erase_if(seats_, [](const Seat& seat) { return seat.presence != Presence::Here; });
    for (std::uint32_t i = 0; i < seats_.size(); ++i) connections_.at(seats_[i].connection).seat = ClientId{i};
  }
  open_for_all_ = false;
  std::vector<Arrival> arrivals;
  for (const Seat& seat : seats_) arrivals.push_back({seat.name, seat.ready.value_or(v1::Ready()), seat.known_draws});
  return arrivals;
}

void Switchboard::fix_preparation(std::vector<v1::Prepare> messages, std::vector<v1::Prepared> expected) {
  const std::lock_guard lock(mutex_);
  FEDRK_EXPECTS(messages.size() == seats_.size() && expected.size() == seats_.size());
  preparation_ = std::move(messages);
  expected_ = std::move(expected);
  for (std::uint32_t i = 0; i < seats_.size(); ++i) {
    if (seats_[i].presence == Presence::Here && !seats_[i].prepared) prepare(ClientId{i});
  }
}

// ---- The end.

void Switchboard::end(const v1::End& message) {
  const std::lock_guard lock(mutex_);
  v1::ServerMessage whole;
  *whole.mutable_end() = message;
  last_word_ = parcel_of(std::move(whole));
  for (auto& [id, connection] : connections_) {
    if (connection.seat && !connection.closing) {
      outbox_.send(id, last_word_);
      seats_[connection.seat->value].told_end = true;
    }
    close(id, connection, Closing::Ended, message.reason());
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

std::vector<SeatStatus> Switchboard::status() const {
  const std::lock_guard lock(mutex_);
  std::vector<SeatStatus> all;
  for (const Seat& seat : seats_) {
    const std::string presence = seat.aside                        ? "put aside"
                                 : seat.presence == Presence::Here ? "here"
                                 : seat.presence == Presence::Away ? "away"
                                                                   : "joining";
    const auto found = connections_.find(seat.connection);
    all.push_back({seat.name, presence, found == connections_.end() ? "" : found->second.peer.address, seat.counts});
  }
  return all;
}

// Who lost its connection a moment ago is on its way back, and would wait for this server in vain.
void Switchboard::wait_until_empty(Milliseconds longest) {
  std::unique_lock lock(mutex_);
  const auto since = Clock::now() - longest;
  changed_.wait_for(lock, longest, [&] {
    const auto may_hear = [&](const Seat& seat) {
      return !seat.told_end && !seat.aside && !seat.revoked && seat.lost_at > since;
    };
    return connections_.empty() && std::ranges::none_of(seats_, may_hear);
  });
}

std::size_t Switchboard::connections() const {
  const std::lock_guard lock(mutex_);
  return connections_.size();
}

}  // namespace fedrk::network
