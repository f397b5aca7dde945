// SPDX-License-Identifier: Apache-2.0
#pragma once

// A switchboard without sockets: what it sends is written down, and what clients say is put into it by hand.

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

#include "network/switchboard.hpp"
#include "network/wire.hpp"
#include "support/local_federation.hpp"

namespace fedrk::test {

class RecordingOutbox final : public network::Outbox {
 public:
  struct Sent {
    network::ConnectionId connection;
    v1::ServerMessage message;  // the first piece
  };
  struct Closed {
    network::Closing why;
    std::string words;
  };

  void send(network::ConnectionId connection, network::Parcel parcel) override {
    const std::lock_guard lock(mutex_);
    sent_.push_back({connection, parcel->front()});
    changed_.notify_all();
  }
  void close(network::ConnectionId connection, network::Closing why, std::string words) override {
    const std::lock_guard lock(mutex_);
    closed_[connection].push_back({why, std::move(words)});
    changed_.notify_all();
  }

  std::vector<v1::ServerMessage> sent_to(network::ConnectionId connection) const {
    const std::lock_guard lock(mutex_);
    std::vector<v1::ServerMessage> messages;
    for (const Sent& sent : sent_) {
      if (sent.connection == connection) messages.push_back(sent.message);
    }
    return messages;
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

inline v1::ClientMessage hello(const std::string& name, std::uint32_t protocol = wire::kProtocol) {
  v1::ClientMessage message;
  message.mutable_hello()->set_protocol(protocol);
  message.mutable_hello()->set_name(name);
  return message;
}

inline v1::ClientMessage ready(std::uint64_t rows, std::uint64_t columns, const std::vector<std::string>& names = {}) {
  v1::ClientMessage message;
  message.mutable_ready()->set_rows(rows);
  message.mutable_ready()->set_columns(columns);
  for (const std::string& name : names) message.mutable_ready()->add_names(name);
  return message;
}

inline v1::ClientMessage prepared(std::uint64_t rows, std::uint64_t unknowns, double squared_norm = 1.0) {
  v1::ClientMessage message;
  message.mutable_prepared()->set_run("test");
  message.mutable_prepared()->set_rows(rows);
  message.mutable_prepared()->set_unknowns(unknowns);
  message.mutable_prepared()->set_squared_norm(squared_norm);
  message.mutable_prepared()->set_squared_rhs_norm(1.0);
  return message;
}

inline v1::ClientMessage update(std::uint64_t number, std::vector<double> values = {},
                                const std::string& run = "test") {
  v1::ClientMessage message;
  message.mutable_update()->set_run(run);
  message.mutable_update()->set_number(number);
  wire::set_vector(*message.mutable_update()->mutable_values(), values);
  return message;
}

inline v1::ClientMessage refusal(const std::string& reason, std::optional<std::uint64_t> number = {}) {
  v1::ClientMessage message;
  message.mutable_refusal()->set_run("test");
  message.mutable_refusal()->set_reason(reason);
  if (number) message.mutable_refusal()->set_number(*number);
  return message;
}

// ---- The desk.

inline network::FederationOptions desk_options(std::vector<std::string> clients) {
  network::FederationOptions options;
  options.run = "test";
  options.clients = std::move(clients);
  options.join_limit = options.reply_limit = network::Milliseconds(2'000);
  options.away_limit = network::Milliseconds(1'000);
  return options;
}

class Desk {
 public:
  using Question = network::Switchboard::Question;

  explicit Desk(network::FederationOptions options) : board(std::move(options), outbox, log_) {}

  network::ConnectionId open(network::Peer peer = {}) {
    board.on_open(++last_, std::move(peer));
    return last_;
  }
  /// Until the client has read its data.
  network::ConnectionId join(const std::string& name, std::uint64_t rows = 3, std::uint64_t columns = 2) {
    const auto connection = open();
    board.on_message(connection, hello(name));
    board.on_message(connection, ready(rows, columns));
    return connection;
  }
  void say(network::ConnectionId connection, v1::ClientMessage message) {
    board.on_message(connection, std::move(message));
  }
  network::SeatStatus seat(std::size_t place) const { return board.status().at(place); }

  /// A task of this number; `begin` looks at it until the answers are there.
  Question task(std::uint64_t number, std::size_t longest = 2) const {
    return {.kind = v1::ClientMessage::kUpdate,
            .number = number,
            .parcel =
                [number](ClientId) {
                  v1::ServerMessage message;
                  message.mutable_task()->set_number(number);
                  return network::parcel_of(std::move(message));
                },
            .longest = longest};
  }

  RecordingOutbox outbox;

 private:
  NoLog log_;
  network::ConnectionId last_ = 0;

 public:
  network::Switchboard board;
};

/// Clients on a thread of their own: each message of the server is shown to `play`, and what that returns is said.
class PlayedClients {
 public:
  using Play = std::function<std::optional<v1::ClientMessage>(network::ConnectionId, const v1::ServerMessage&)>;
  PlayedClients(Desk& desk, Play play)
      : desk_(desk), thread_([this, play = std::move(play)] {
          while (const auto sent = desk_.outbox.next()) {
            if (auto answer = play(sent->connection, sent->message)) desk_.say(sent->connection, *std::move(answer));
          }
        }) {}
  ~PlayedClients() {
    desk_.outbox.stop();
    thread_.join();
  }
  PlayedClients(const PlayedClients&) = delete;
  PlayedClients& operator=(const PlayedClients&) = delete;

 private:
  Desk& desk_;
  std::thread thread_;
};

}  // namespace fedrk::test
