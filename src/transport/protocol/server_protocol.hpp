// SPDX-License-Identifier: Apache-2.0
#pragma once

// Who is connected, what each was asked, and what came back: the server's side of the protocol as a machine of steps.
// It has no socket, thread, lock or clock: each step is told the time and returns at once, so a test can make up any
// order of events and any times. SynchronizedProtocol (synchronized_protocol.hpp) is the same for threads that wait.
//
// Two sides meet here. The transport reports what happens on connections (`on_...`); the run begins a gathering or a
// question, looks again at each deadline that `next_deadline` names, and takes what there is when it names none. Every
// wait ends so: by the answers, by a deadline, or because the run was told to end. Only the answer to the question at
// hand counts; whatever else arrives is refused and counted, so nothing that comes late, twice or out of order can
// change a result.

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "fedrk/client_id.hpp"
#include "ops/log.hpp"
#include "plan/server_options.hpp"
#include "round/run_aborted.hpp"
#include "transport/protocol/chunks.hpp"
#include "transport/protocol/messages.hpp"

namespace fedrk::network {

using ConnectionId = std::uint64_t;
using Clock = std::chrono::steady_clock;

/// The bytes of a message, made once for any number of clients.
using OutgoingMessage = std::shared_ptr<const std::string>;
OutgoingMessage outgoing_of(const wire::ServerMessage& message);

/// Why a connection is closed by the server; tells the client whether to come back.
enum class Closing {
  Denied,    // this name or certificate may not join: do not come back
  Unfit,     // program or data do not fit this run: do not come back
  Occupied,  // the name is connected already: later, perhaps
  Broken,    // a message made no sense: come back
  Silent,    // nothing was heard of it for too long: come back
  Full,      // too many connections: later
  Ended,     // the run is over, as the last message said
};

/// The transport, as the protocol sees it. Calls may come from any thread and return at once.
class Outbox {
 public:
  virtual ~Outbox() = default;
  virtual void send(ConnectionId connection, OutgoingMessage outgoing) = 0;
  /// After what was sent before.
  virtual void close(ConnectionId connection, Closing why, std::string reason) = 0;
};

/// The other end of a connection, as the transport knows it.
struct Peer {
  std::string identity;  // by its certificate; empty without TLS
  std::string certificate;
  std::string address;
  bool secured = false;  // by TLS
};

/// REQUIRES: no step is told an earlier time than the one before.
class ServerProtocol {
 public:
  ServerProtocol(FederationOptions options, Outbox& outbox, operation::Log& log, Clock::time_point now);

  // ---- The transport's side.

  void on_open(ConnectionId connection, Peer peer, Clock::time_point now);
  /// A message of the WebSocket (chunks.hpp).
  void on_chunk(ConnectionId connection, std::string_view chunk, Clock::time_point now);
  void on_closed(ConnectionId connection, Clock::time_point now);
  /// Now and then: closes connections that fell silent or never said hello, and those that may no longer be here.
  void on_tick(Clock::time_point now);

  // ---- The run's side. `begin` and what takes throw RunAborted after `interrupt`; the run's time being over is one.

  /// Until all listed clients have read their data, or, at the deadline for joining, as many as are enough. Those who
  /// are not there when the arrivals are taken are not part of the run.
  void begin_gathering(Clock::time_point now);
  struct Arrival {
    std::string name;
    wire::Ready ready;
    bool known_draws = false;
  };
  Result<std::vector<Arrival>> take_arrivals(Clock::time_point now);

  /// What everyone is asked at one time, and what kind of answer counts.
  struct Question {
    std::size_t kind;                                   // wire::kAnswerKind of it
    std::uint64_t number = 0;                           // of a task
    std::function<OutgoingMessage(ClientId)> outgoing;  // may be called again for a client that lost it
    std::size_t max_length = 0;                         // numbers in an answer
    std::chrono::milliseconds away_limit{0};  // from now on, for one who is gone; 0: as the options say, since it left
    io::SumColumns::Of of{};                  // which sums of columns
  };
  struct Answer {
    ClientId client;
    std::optional<wire::ClientMessage> message;
    std::string absence;      // why there is none
    bool may_return = false;  // it was late or gone: asked again, it may answer
  };
  /// `question` must stay until the answers are taken.
  void begin(const Question& question, std::span<const ClientId> clients, Clock::time_point now);
  /// In the order of the clients who were asked.
  std::vector<Answer> take_answers();

  /// Of the gathering or the question that was begun: whether all are here, or have answered or never will.
  bool complete() const;
  /// Gives up on who is late by now. Returns when to look again unless `take_changed` is true before; nothing where
  /// there is nothing to wait for any more, and what was begun is to be taken. REQUIRES: something was begun.
  std::optional<Clock::time_point> next_deadline(Clock::time_point now);
  /// Whether, since the last call, something has happened for which a waiter should look again. Most messages are not.
  bool take_changed() { return std::exchange(changed_, false); }

  /// From now on everyone who is here, or comes, is told who takes part in masked sums. The place is set for each.
  void distribute_keys(wire::MaskingGroup masking_group);

  /// From now on every client that joins is prepared by this message, and must then be as it was. So is one who came
  /// back since it was prepared. REQUIRES: one of each for every client.
  void fix_preparation(std::vector<wire::Prepare> messages, std::vector<wire::Prepared> expected);
  /// The clients as they were when the run began, for a server that is started again. REQUIRES: one for each.
  void expect(const std::vector<Arrival>& arrivals);

  /// An answer that was well-formed but wrong: counted, and at last its client is quarantined.
  void report_wrong(ClientId client, const std::string& reason, Clock::time_point now);

  void end(const wire::End& message, Clock::time_point now);
  void interrupt(Termination why, std::string reason);

  std::vector<ClientStatus> status() const;
  std::size_t connections() const { return connections_.size(); }
  /// After `end`: whether all have heard it and hung up, besides those who are gone since before this.
  bool is_empty(Clock::time_point since) const;

 private:
  struct Connection {
    Peer peer;
    std::optional<ClientId> session;
    wire::Reassembler<wire::ClientMessage> incoming;
    Clock::time_point last_heard;
    bool closing = false, cut = false;
    Clock::time_point closing_since{};
    int allowance = kAllowance;  // of messages: one for each question, and some
    Clock::time_point opened{}, heartbeats_since{};
    int heartbeats = 0;
  };
  static constexpr int kAllowance = 16;
  enum class Presence { Away, Greeted, Preparing, Here };
  struct ClientSession {
    std::string name;
    Presence presence = Presence::Away;
    ConnectionId connection = 0;
    Clock::time_point lost_at;
    bool quarantined = false, known_draws = false, told_end = false;
    bool prepared = false;  // on this connection
    bool revoked = false;   // nobody waits for it; with another certificate it may come back
    std::optional<wire::Ready> ready;
    ClientCounters counts;
  };
  struct Pending {
    const Question* question = nullptr;
    std::vector<Answer> answers;
    std::vector<std::size_t> place;  // in `answers`, by session; npos: not asked
    std::size_t outstanding = 0;
    Clock::time_point begun, deadline;
  };
  static constexpr auto npos = static_cast<std::size_t>(-1);
  static constexpr const char* kRevoked = "its certificate was revoked";

  void close(ConnectionId id, Connection& connection, Closing why, std::string reason);
  void greet(ConnectionId id, Connection& connection, const wire::Hello& hello);
  void on_message(ConnectionId id, Connection& connection, wire::ClientMessage message);
  void on_heartbeat(ConnectionId id, Connection& connection);
  void on_whole(Connection& connection, ClientId client, wire::ClientMessage message);
  void on_ready(Connection& connection, ClientId client, wire::Ready ready);
  void on_prepared_again(ClientId client, const wire::Prepared& prepared);
  void on_answer(ClientId client, wire::ClientMessage message);
  void on_refusal(ClientId client, const wire::Refusal& refusal);
  void arrive(ClientId client);
  void ask(ClientId client);
  void prepare(ClientId client);
  void send_masking_group(ClientId client);
  void resolve(ClientId client, std::optional<wire::ClientMessage> message, std::string absence,
               bool may_return = false);
  void shut_out(ConnectionId id, Connection& connection, std::string veto);
  void record_violation(ClientId client, const std::string& reason);
  void throw_if_interrupted() const;
  bool time_is_up();
  std::size_t here() const;
  bool is_outstanding(ClientId client) const;
  bool answers_question(const wire::ClientMessage& message) const;
  Clock::time_point give_up_on_late();
  Connection* connection_of(ConnectionId id);
  std::string names_of_missing() const;
  void begin_without_missing();

  FederationOptions options_;
  Outbox& outbox_;
  operation::Log& log_;
  std::vector<wire::PlanEntry> plan_;
  Clock::time_point now_;  // of the step at hand
  bool changed_ = false;
  std::map<ConnectionId, Connection> connections_;
  std::vector<ClientSession> sessions_;
  bool open_for_all_ = true;  // until the roster is known
  std::optional<wire::MaskingGroup> masking_group_;
  std::vector<wire::Prepare> preparation_;
  std::vector<wire::Prepared> expected_;
  std::optional<Clock::time_point> join_until_;  // while clients are gathered
  std::optional<Pending> pending_;
  std::optional<RunAborted> interrupted_;
  OutgoingMessage last_word_;  // once the run has ended
  std::optional<Clock::time_point> run_until_;
};

}  // namespace fedrk::network
