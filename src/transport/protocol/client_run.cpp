// SPDX-License-Identifier: Apache-2.0
#include "transport/protocol/client_run.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "transport/protocol/client_protocol.hpp"
#include "transport/protocol/client_session.hpp"
#include "transport/protocol/sanitized.hpp"
#include "transport/protocol/server_link.hpp"

namespace fedrk::network {
namespace {

using Clock = std::chrono::steady_clock;

ClientOutcome ended(const wire::End& end) {
  return {ClientOutcome::Kind::Ended, sanitized(end.reason, 500), sanitized(end.status), end.names, end.coefficients};
}

// Certificates that cannot be read show when the connection is made; keys for masks are then not signed, and others
// refuse them.
ClientProtocolOptions participant_options(const ClientRunOptions& options) {
  ClientProtocolOptions own{.name = options.name,
                            .software = options.software,
                            .largest_message = options.largest_message,
                            .consent = options.consent,
                            .guard = options.guard,
                            .ledger = options.ledger};
  if (options.tls) {
    auto credentials = security::read_credentials({options.tls->certificate, options.tls->key, options.tls->ca});
    own.credentials = credentials ? *std::move(credentials) : security::Credentials{};
  }
  return own;
}

}  // namespace

struct ClientRun::State {
  State(ClientRunOptions wanted, DataOwner& owner, operation::Log& where)
      : options(std::move(wanted)), log(where), participant(participant_options(options), owner, where) {}

  std::optional<ClientOutcome> attempt();
  std::optional<ClientOutcome> judge(const SessionOutcome& session);
  std::optional<ClientOutcome> give_up_on(const LinkEnd& link);
  void say_once(std::string reason);
  bool pause();

  ClientRunOptions options;
  operation::Log& log;
  ClientProtocol participant;
  Clock::time_point last_contact = Clock::now();
  Milliseconds retry{100};
  std::string said;
  int unexplained = 0;  // attempts in a row that failed without a reason to be found

  std::mutex mutex;  // of what follows
  std::condition_variable changed;
  bool stopped = false;
  ServerLink* link = nullptr;
};

ClientRun::ClientRun(ClientRunOptions options, DataOwner& owner, operation::Log& log)
    : state_(std::make_unique<State>(std::move(options), owner, log)) {}
ClientRun::~ClientRun() = default;

ClientOutcome ClientRun::run() {
  state_->last_contact = Clock::now();
  do {
    if (auto outcome = state_->attempt()) return *std::move(outcome);
  } while (state_->pause());
  return {ClientOutcome::Kind::Stopped, "stopped before the run ended", "", {}, {}};
}

void ClientRun::stop() {
  const std::lock_guard lock(state_->mutex);
  state_->stopped = true;
  if (state_->link != nullptr) state_->link->cancel();
  state_->changed.notify_all();
}

// One connection, from hello to its end. Nothing: try again.
std::optional<ClientOutcome> ClientRun::State::attempt() {
  const auto limit = std::clamp(options.wait_limit, Milliseconds(200), Milliseconds(5'000));
  auto made = options.connector ? options.connector()
                                : connect({.server = options.server,
                                           .tls = options.tls,
                                           .connect_limit = limit,
                                           .largest_message = options.largest_message});
  if (!made) return ClientOutcome{ClientOutcome::Kind::Refused, made.error().message, "", {}, {}};
  {
    const std::lock_guard lock(mutex);
    if (stopped) return std::nullopt;
    link = made->get();
  }
  const SessionOutcome session = run_session(**made, participant, options.consent.max_vector, options.largest_message);
  {
    const std::lock_guard lock(mutex);
    link = nullptr;
    if (stopped && !session.end) return std::nullopt;
  }
  return judge(session);
}

std::optional<ClientOutcome> ClientRun::State::judge(const SessionOutcome& session) {
  if (session.joined) {
    last_contact = Clock::now();
    retry = Milliseconds(100);
    said.clear();
  }
  if (session.end && session.end->final) return ended(*session.end);
  if (session.end) {
    say_once("the server goes away, and may come back: " + sanitized(session.end->reason, 500));
    return std::nullopt;
  }
  if (session.link.kind == LinkEnd::Kind::Denied) {
    return ClientOutcome{ClientOutcome::Kind::Refused, session.link.message, "", {}, {}};
  }
  return give_up_on(session.link);
}

std::optional<ClientOutcome> ClientRun::State::give_up_on(const LinkEnd& lost) {
  std::string reason = lost.message;
  if (lost.kind == LinkEnd::Kind::Unreachable && options.diagnose) {
    const Diagnosis diagnosis = options.diagnose();
    unexplained = diagnosis.message.empty() ? unexplained + 1 : 0;
    if (!diagnosis.message.empty()) reason = diagnosis.message;
    if (diagnosis.hopeless) return ClientOutcome{ClientOutcome::Kind::Refused, reason, "", {}, {}};
  }
  if (Clock::now() - last_contact >= options.wait_limit) {
    const double waited = std::chrono::duration<double>(options.wait_limit).count();
    return ClientOutcome{ClientOutcome::Kind::GaveUp,
                         fmt::format("gave up after {:g} s without {}: {}", waited, options.server, reason),
                         "",
                         {},
                         {}};
  }
  // Where nothing is found to be wrong, the server most likely came up just now.
  if (unexplained == 0 || unexplained > 2) say_once(reason);
  return std::nullopt;
}

// The same reason need not be said at each attempt.
void ClientRun::State::say_once(std::string reason) {
  if (reason == said) return;
  log.warning("connection.waiting", {{"server", options.server}, {"reason", reason}});
  said = std::move(reason);
}

bool ClientRun::State::pause() {
  std::unique_lock lock(mutex);
  changed.wait_for(lock, retry, [&] { return stopped; });
  retry = std::min(2 * retry, options.max_retry);
  return !stopped;
}

}  // namespace fedrk::network
