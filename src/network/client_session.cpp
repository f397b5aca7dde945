// SPDX-License-Identifier: Apache-2.0
#include "network/client_session.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "network/vectors.hpp"

namespace fedrk::network {
namespace {

// A server waits for an answer before it asks for more, or has given up on it.
constexpr std::size_t kMostWaiting = 16;

class Session {
 public:
  Session(ServerLink& link, Participant& participant, std::size_t longest)
      : link_(link), participant_(participant), assembly_(longest) {}

  SessionOutcome run() {
    std::thread reader;
    if (send(participant_.hello())) {
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
  // A message goes out whole, but heartbeats may pass between its pieces.
  bool send(v1::ClientMessage message) {
    for (const v1::ClientMessage& piece : wire::in_pieces(std::move(message))) {
      const std::lock_guard lock(write_mutex_);
      if (!link_.write(piece)) return false;
    }
    return true;
  }

  // ---- The reader.

  void read_all() {
    v1::ServerMessage message;
    while (link_.read(message)) {
      auto whole = assembly_.add(std::move(message));
      message.Clear();
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
  bool take(v1::ServerMessage message) {
    {
      const std::lock_guard lock(mutex_);
      if (message.has_welcome()) {
        heartbeat_ = Milliseconds(std::clamp(message.welcome().heartbeat_ms(), 10U, 60'000U));
        heart_changed_.notify_all();
      }
      const bool at_once = message.has_task() && short_work_ && !working_ && waiting_.empty();
      if (!at_once) {
        if (message.has_task()) {
          std::erase_if(waiting_, [](const v1::ServerMessage& waiting) { return waiting.has_task(); });
        }
        if (waiting_.size() >= kMostWaiting) return false;
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
    v1::ClientMessage beat;
    beat.mutable_heartbeat();
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
      send(beat);
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
      outcome_.joined = outcome_.joined || message->has_welcome();
      react(*message);
    }
  }

  void react(const v1::ServerMessage& message) {
    const auto start = std::chrono::steady_clock::now();
    auto reaction = participant_.on_message(message);
    if (reaction.end) outcome_.end = std::move(reaction.end);
    const bool answered = reaction.answer && send(*std::move(reaction.answer));  // where that fails, reading ends too
    const std::lock_guard lock(mutex_);
    spoke_ = spoke_ || answered;
    if (message.has_task()) short_work_ = std::chrono::steady_clock::now() - start < kShort;
  }

  std::optional<v1::ServerMessage> next_message() {
    std::unique_lock lock(mutex_);
    working_ = false;
    changed_.wait(lock, [&] { return closed_ || !waiting_.empty(); });
    if (waiting_.empty()) return std::nullopt;
    // What was asked over a connection that is gone will be asked again; only the last word still counts.
    if (closed_) std::erase_if(waiting_, [](const v1::ServerMessage& message) { return !message.has_end(); });
    if (waiting_.empty()) return std::nullopt;
    v1::ServerMessage message = std::move(waiting_.front());
    waiting_.pop_front();
    working_ = true;
    return message;
  }

  static constexpr auto kShort = std::chrono::milliseconds(2);

  ServerLink& link_;
  Participant& participant_;
  wire::Assembly<v1::ServerMessage> assembly_;  // the reader's
  std::string broken_;                          // the reader's, until it is joined
  SessionOutcome outcome_;
  std::mutex write_mutex_;

  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::deque<v1::ServerMessage> waiting_;
  std::condition_variable heart_changed_;
  bool closed_ = false, heart_stopped_ = false;
  bool spoke_ = false;       // since the heart last looked
  bool working_ = false;     // the worker is
  bool short_work_ = false;  // the last task was
  Milliseconds heartbeat_{0};
};

}  // namespace

SessionOutcome run_session(ServerLink& link, Participant& participant, std::size_t longest) {
  return Session(link, participant, longest).run();
}

}  // namespace fedrk::network
