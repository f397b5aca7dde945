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

#include "support/bare_owner.hpp"
#include "support/local_federation.hpp"
#include "support/messages.hpp"
#include "transport/protocol/server_link.hpp"

namespace fedrk::test {

class ScriptedLink final : public network::ServerLink {
 public:
  /// What the client says is shown to `server`, which answers with `say` and `end`.
  using Server = std::function<void(ScriptedLink&, const wire::ClientMessage&)>;
  explicit ScriptedLink(Server server) : server_(std::move(server)) {}

  void say(const wire::ServerMessage& message) { say_chunk(chunk_of(message)); }
  void say_chunk(std::string chunk) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(chunk));
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

  bool write(const wire::Chunk& chunk) override {
    {
      const std::lock_guard lock(mutex_);
      if (ended_) return false;
    }
    server_(*this, message_from<wire::ClientMessage>(chunk.bytes));
    return true;
  }
  std::optional<std::string_view> read() override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ended_ || !waiting_.empty(); });
    if (waiting_.empty()) return std::nullopt;
    read_ = std::move(waiting_.front());
    waiting_.pop_front();
    return read_;
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
  std::deque<std::string> waiting_;
  std::string read_;
  bool ended_ = false;
  network::LinkEnd end_{network::LinkEnd::Kind::Lost, "it broke"};
};

/// An owner whose work is to wait until it is told to go on.
class PatientOwner final : public BareOwner {
 public:
  Result<network::TableShape> read(const std::string&, const io::Plan&) override {
    if (on_read) on_read();
    return network::TableShape{1, 1, {}, false, false};
  }
  Result<ColumnSums> sum_columns(const io::SumColumns&) override { return Error{"not in this test"}; }
  Result<io::PreparedRows> prepare(const io::PrepareRows&, ClientId) override { return Error{"not in this test"}; }
  Result<LocalReply> answer(const LocalTask&) override { return Error{"not in this test"}; }

  std::function<void()> on_read;
};

inline wire::Welcome welcome(std::uint32_t heartbeat_ms = 10) { return {.run = "test", .heartbeat_ms = heartbeat_ms}; }

inline wire::End last_word(const std::string& status, bool final = true) { return {.status = status, .final = final}; }

}  // namespace fedrk::test
