// SPDX-License-Identifier: Apache-2.0
#include "transport/protocol/client_session.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace fedrk::network {
namespace {

// A server waits for an answer before it asks for more, or has given up on it.
constexpr std::size_t kMaxWaiting = 16;

class Session {
 public:
  Session(ServerLink& link, ClientProtocol& participant, std::size_t max_length, std::size_t largest)
      : link_(link), protocol_(participant), incoming_(largest, max_length) {}

  SessionOutcome run() {
    std::thread reader;
    if (send(protocol_.hello())) {
      reader = std::thread([this] { read_all(); });
      std::thread heart([this] { beat(); });
      work();
      end_heartbeat();
      heart.join();
    }
    if (reader.joinable()) reader.join();
    outcome_.link = link_.finish();
    if (!broken_.empty()) outcome_.link = {LinkEnd::Kind::Lost, broken_};
    return std::move(outcome_);
  }

 private:
  // Heartbeats may pass between the chunks of a message.
  bool send(const wire::ClientMessage& message) {
    const std::string bytes = bytes_of(message);
    for (std::size_t from = 0; from < bytes.size(); from += wire::kChunk) {
      const std::lock_guard lock(write_mutex_);
      if (!link_.write(wire::chunk_at(bytes, from))) return false;
    }
    return true;
  }

  // ---- The reader.

  void read_all() {
    while (const auto chunk = link_.read()) {
      auto whole = incoming_.add(*chunk);
      if (!whole) {
        broken_ = whole.error().message;
      } else if (*whole && !take(std::move(**whole))) {
        broken_ = "the server says more than a client can listen to";
      }
      if (!broken_.empty()) link_.cancel();
    }
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

  // Short work is done at once, which saves waking another thread. Else a task that was not begun yet is worth nothing
  // once the next has come.
  bool take(wire::ServerMessage message) {
    {
      const std::lock_guard lock(mutex_);
      const bool task = wire::holds<wire::Task>(message);
      if (const auto* welcome = std::get_if<wire::Welcome>(&message)) {
        heartbeat_ = Milliseconds(std::clamp(welcome->heartbeat_ms, 10U, 60'000U));
        heart_changed_.notify_all();
      }
      const bool at_once = task && short_work_ && !working_ && waiting_.empty();
      if (!at_once) {
        if (task) std::erase_if(waiting_, wire::holds<wire::Task, wire::ServerMessage>);
        if (waiting_.size() >= kMaxWaiting) return false;
        waiting_.push_back(std::move(message));
        changed_.notify_all();
        return true;
      }
    }
    react(message);
    return true;
  }

  // ---- The heart.

  void beat() {
    std::unique_lock lock(mutex_);
    while (!heart_stopped_) {
      if (heartbeat_.count() == 0) {
        heart_changed_.wait(lock);  // until the server has said how often
        continue;
      }
      const auto next = std::chrono::steady_clock::now() + heartbeat_;
      if (heart_changed_.wait_until(lock, next, [&] { return heart_stopped_; })) return;
      if (std::exchange(spoke_, false)) continue;  // an answer is as good as a heartbeat
      lock.unlock();
      send(wire::Heartbeat{});
      lock.lock();
    }
  }

  void end_heartbeat() {
    const std::lock_guard lock(mutex_);
    heart_stopped_ = true;
    heart_changed_.notify_all();
  }

  // ---- The work.

  void work() {
    while (const auto message = next_message()) {
      outcome_.joined = outcome_.joined || wire::holds<wire::Welcome>(*message);
      react(*message);
    }
  }

  void react(const wire::ServerMessage& message) {
    const auto start = std::chrono::steady_clock::now();
    auto reaction = protocol_.on_message(message);
    if (reaction.end) outcome_.end = std::move(reaction.end);
    const bool answered = reaction.answer && send(*reaction.answer);  // where that fails, reading ends too
    const std::lock_guard lock(mutex_);
    spoke_ = spoke_ || answered;
    if (wire::holds<wire::Task>(message)) short_work_ = std::chrono::steady_clock::now() - start < kShort;
  }

  std::optional<wire::ServerMessage> next_message() {
    std::unique_lock lock(mutex_);
    working_ = false;
    changed_.wait(lock, [&] { return closed_ || !waiting_.empty(); });
    if (waiting_.empty()) return std::nullopt;
    // What was asked over a connection that is gone will be asked again; only the last word still counts.
    if (closed_) std::erase_if(waiting_, std::not_fn(wire::holds<wire::End, wire::ServerMessage>));
    if (waiting_.empty()) return std::nullopt;
    wire::ServerMessage message = std::move(waiting_.front());
    waiting_.pop_front();
    working_ = true;
    return message;
  }

  static constexpr auto kShort = std::chrono::milliseconds(2);

  ServerLink& link_;
  ClientProtocol& protocol_;
  wire::Reassembler<wire::ServerMessage> incoming_;  // the reader's
  std::string broken_;                               // the reader's, until it is joined
  SessionOutcome outcome_;
  std::mutex write_mutex_;

  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::deque<wire::ServerMessage> waiting_;
  std::condition_variable heart_changed_;
  bool closed_ = false, heart_stopped_ = false;
  bool spoke_ = false;       // since the heart last looked
  bool working_ = false;     // the worker is
  bool short_work_ = false;  // the last task was
  Milliseconds heartbeat_{0};
};

}  // namespace

SessionOutcome run_session(ServerLink& link, ClientProtocol& participant, std::size_t max_length, std::size_t largest) {
  return Session(link, participant, max_length, largest).run();
}

}  // namespace fedrk::network
