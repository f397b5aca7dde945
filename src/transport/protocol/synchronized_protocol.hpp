// SPDX-License-Identifier: Apache-2.0
#pragma once

// The server's side of the protocol for threads: a ServerProtocol under one lock, told the time by a clock. Any thread
// may report events; one, the run's, asks and waits. Nothing is decided here. A waiter is woken only where the machine
// says that something changed for it, since a round brings many more messages than it has ends.

#include <condition_variable>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "transport/protocol/run_clock.hpp"
#include "transport/protocol/server_protocol.hpp"

namespace fedrk::network {

class SynchronizedProtocol {
 public:
  using Answer = ServerProtocol::Answer;
  using Arrival = ServerProtocol::Arrival;
  using Question = ServerProtocol::Question;

  /// All of these outlive it.
  SynchronizedProtocol(FederationOptions options, Outbox& outbox, operation::Log& log,
                       RunClock& clock = machine_clock());

  Clock::time_point now() const { return clock_.now(); }

  // ---- The transport's side, as in ServerProtocol.

  void on_open(ConnectionId connection, Peer peer);
  void on_chunk(ConnectionId connection, std::string_view chunk);
  void on_closed(ConnectionId connection);
  void on_tick();

  // ---- The run's side. These throw RunAborted after `interrupt`, also while they wait.

  /// Waits until all listed clients have read their data, or, at the deadline for joining, as many as are enough. Those
  /// who are not there then are not part of the run.
  Result<std::vector<Arrival>> gather();

  /// Asks, waits, and brings the answers in the order of `clients`.
  std::vector<Answer> exchange(const Question& question, std::span<const ClientId> clients);
  /// The two halves of it. `question` must stay until the answers are there.
  void begin(const Question& question, std::span<const ClientId> clients);
  std::vector<Answer> wait();

  // ---- As in ServerProtocol.

  void distribute_keys(wire::MaskingGroup masking_group);
  void fix_preparation(std::vector<wire::Prepare> messages, std::vector<wire::Prepared> expected);
  void expect(const std::vector<Arrival>& arrivals);
  void report_wrong(ClientId client, const std::string& reason);
  void end(const wire::End& message);
  void interrupt(Termination why, std::string reason);
  std::vector<ClientStatus> status() const;
  std::size_t connections() const;

  /// After `end`: until all have heard it and hung up, but no longer than this, nor for those who are gone for longer.
  void wait_until_empty(Milliseconds max_length);

 private:
  template <class Step>
  void take_step(const Step& step);
  void wait_until_over(std::unique_lock<std::mutex>& lock);

  RunClock& clock_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  ServerProtocol protocol_;
};

}  // namespace fedrk::network
