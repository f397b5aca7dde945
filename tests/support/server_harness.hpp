// SPDX-License-Identifier: Apache-2.0
#pragma once

// A protocol without sockets: what it sends is written down, and what clients say is put into it by hand.

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/local_federation.hpp"
#include "support/messages.hpp"
#include "transport/protocol/synchronized_protocol.hpp"

namespace fedrk::test {

inline const std::vector<ClientId> kFirst{ClientId{0}}, kBoth{ClientId{0}, ClientId{1}};

class RecordingOutbox final : public network::Outbox {
 public:
  struct Sent {
    network::ConnectionId connection;
    wire::ServerMessage message;
    network::OutgoingMessage outgoing;
  };
  struct Closed {
    network::Closing why;
    std::string message;
  };

  void send(network::ConnectionId connection, network::OutgoingMessage outgoing) override {
    const std::lock_guard lock(mutex_);
    sent_.push_back({connection, message_from<wire::ServerMessage>(*outgoing), outgoing});
    changed_.notify_all();
  }
  void close(network::ConnectionId connection, network::Closing why, std::string reason) override {
    const std::lock_guard lock(mutex_);
    closed_[connection].push_back({why, std::move(reason)});
    changed_.notify_all();
  }

  std::vector<wire::ServerMessage> sent_to(network::ConnectionId connection) const {
    const std::lock_guard lock(mutex_);
    std::vector<wire::ServerMessage> messages;
    for (const Sent& sent : sent_) {
      if (sent.connection == connection) messages.push_back(sent.message);
    }
    return messages;
  }
  /// Those of this kind, by whoever got them.
  template <class Body>
  std::vector<network::OutgoingMessage> outgoing() const {
    const std::lock_guard lock(mutex_);
    std::vector<network::OutgoingMessage> all;
    for (const Sent& sent : sent_) {
      if (wire::holds<Body>(sent.message)) all.push_back(sent.outgoing);
    }
    return all;
  }
  std::vector<Closed> closed(network::ConnectionId connection) const {
    const std::lock_guard lock(mutex_);
    const auto found = closed_.find(connection);
    return found == closed_.end() ? std::vector<Closed>() : found->second;
  }
  /// The next that was sent, from the beginning; nothing once `stop` was called.
  std::optional<Sent> next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stopped_ || taken_ < sent_.size(); });
    if (stopped_) return std::nullopt;
    return sent_[taken_++];
  }
  void stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Sent> sent_;
  std::size_t taken_ = 0;
  bool stopped_ = false;
  std::map<network::ConnectionId, std::vector<Closed>> closed_;
};

// ---- What clients say.

inline wire::Hello hello(const std::string& name, std::uint32_t protocol = wire::kProtocol) {
  return {.protocol = protocol, .name = name};
}

inline wire::Ready ready(std::uint64_t rows, std::uint64_t columns, const std::vector<std::string>& names = {}) {
  return {.rows = rows, .columns = columns, .names = names};
}

inline wire::Prepared prepared(std::uint64_t rows, std::uint64_t unknowns, double squared_norm = 1.0) {
  return {.run = "test", .rows = rows, .unknowns = unknowns, .squared_rhs_norm = 1.0, .squared_norm = squared_norm};
}

inline wire::Update update(std::uint64_t number, const std::vector<double>& values = {},
                           const std::string& run = "test") {
  return {.run = run, .number = number, .values = aligned_copy(values)};
}

inline wire::Refusal refusal(const std::string& reason, std::optional<std::uint64_t> number = {}) {
  return {.run = "test", .reason = reason, .number = number};
}

// ---- The harness.

inline network::FederationOptions harness_options(std::vector<std::string> clients) {
  network::FederationOptions options;
  options.run = "test";
  options.clients = std::move(clients);
  options.join_limit = options.reply_limit = network::Milliseconds(2'000);
  options.away_limit = network::Milliseconds(1'000);
  return options;
}

class ServerHarness {
 public:
  using Question = network::ServerProtocol::Question;

  explicit ServerHarness(network::FederationOptions options) : protocol(std::move(options), outbox, log_) {}

  network::ConnectionId open(network::Peer peer = {}) {
    protocol.on_open(++last_, std::move(peer));
    return last_;
  }
  /// Until the client has read its data.
  network::ConnectionId join(const std::string& name, std::uint64_t rows = 3, std::uint64_t columns = 2) {
    const auto connection = open();
    say(connection, hello(name));
    say(connection, ready(rows, columns));
    return connection;
  }
  void say(network::ConnectionId connection, const wire::ClientMessage& message) {
    protocol.on_chunk(connection, chunk_of(message));
  }
  network::ClientStatus session(std::size_t place) const { return protocol.status().at(place); }

  /// A task of this number; `begin` looks at it until the answers are there.
  Question task(std::uint64_t number, std::size_t max_length = 2) const {
    return {.kind = wire::kAnswerKind<wire::Update>,
            .number = number,
            .outgoing = [number](ClientId) { return network::outgoing_of(wire::Task{.number = number}); },
            .max_length = max_length};
  }

  RecordingOutbox outbox;

 private:
  NoLog log_;
  network::ConnectionId last_ = 0;

 public:
  network::SynchronizedProtocol protocol;
};

/// Clients on a thread of their own: each message of the server is shown to `play`, and what that returns is said.
class PlayedClients {
 public:
  using Play = std::function<std::optional<wire::ClientMessage>(network::ConnectionId, const wire::ServerMessage&)>;
  PlayedClients(ServerHarness& harness, Play play)
      : harness_(harness), thread_([this, play = std::move(play)] {
          while (const auto sent = harness_.outbox.next()) {
            if (auto answer = play(sent->connection, sent->message)) harness_.say(sent->connection, *answer);
          }
        }) {}
  ~PlayedClients() {
    harness_.outbox.stop();
    thread_.join();
  }
  PlayedClients(const PlayedClients&) = delete;
  PlayedClients& operator=(const PlayedClients&) = delete;

 private:
  ServerHarness& harness_;
  std::thread thread_;
};

}  // namespace fedrk::test
