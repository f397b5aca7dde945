// SPDX-License-Identifier: Apache-2.0
#pragma once

// A client's connection to a server that exists only in a test.

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "network/server_link.hpp"
#include "network/wire.hpp"
#include "support/local_federation.hpp"

namespace fedrk::test {

class ScriptedLink final : public network::ServerLink {
 public:
  /// What the client says is shown to `server`, which answers with `say` and `end`.
  using Server = std::function<void(ScriptedLink&, const v1::ClientMessage&)>;
  explicit ScriptedLink(Server server) : server_(std::move(server)) {}

  void say(v1::ServerMessage message) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(message));
    changed_.notify_all();
  }
  void end(network::LinkEnd end) {
    const std::lock_guard lock(mutex_);
    if (!ended_) end_ = std::move(end);
    ended_ = true;
    changed_.notify_all();
  }

  bool ended() {
    const std::lock_guard lock(mutex_);
    return ended_;
  }

  bool write(const v1::ClientMessage& message) override {
    {
      const std::lock_guard lock(mutex_);
      if (ended_) return false;
    }
    server_(*this, message);
    return true;
  }
  bool read(v1::ServerMessage& message) override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ended_ || !waiting_.empty(); });
    if (waiting_.empty()) return false;
    message = std::move(waiting_.front());
    waiting_.pop_front();
    return true;
  }
  void cancel() override {
    const std::lock_guard lock(mutex_);
    waiting_.clear();
    ended_ = true;
    changed_.notify_all();
  }
  network::LinkEnd finish() override {
    const std::lock_guard lock(mutex_);
    return end_;
  }

 private:
  Server server_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<v1::ServerMessage> waiting_;
  bool ended_ = false;
  network::LinkEnd end_{network::LinkEnd::Kind::Lost, "it broke"};
};

/// An owner whose work is to wait until it is told to go on.
class PatientOwner final : public network::DataOwner {
 public:
  Result<network::TableShape> read(const std::string&, const io::Plan&) override {
    if (on_read) on_read();
    return network::TableShape{1, 1, {}, false, false};
  }
  Result<ColumnSums> column_sums(std::size_t) override { return Error{"not in this test"}; }
  Result<ColumnSums> column_square_sums(std::span<const double>) override { return Error{"not in this test"}; }
  Result<network::PreparedRows> prepare(const network::Preparation&) override { return Error{"not in this test"}; }
  Result<LocalReply> answer(const LocalTask&) override { return Error{"not in this test"}; }

  std::function<void()> on_read;
};

inline v1::ServerMessage welcome(std::uint32_t heartbeat_ms = 10) {
  v1::ServerMessage message;
  message.mutable_welcome()->set_protocol(wire::kProtocol);
  message.mutable_welcome()->set_run("test");
  message.mutable_welcome()->set_heartbeat_ms(heartbeat_ms);
  return message;
}

inline v1::ServerMessage last_word(const std::string& status, bool final = true) {
  v1::ServerMessage message;
  message.mutable_end()->set_status(status);
  message.mutable_end()->set_final(final);
  return message;
}

}  // namespace fedrk::test
