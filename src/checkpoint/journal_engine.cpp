// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/journal_engine.hpp"

#include <chrono>
#include <string>

#include "base/hash.hpp"
#include "checkpoint/answer_codec.hpp"
#include "round/question_bytes.hpp"
#include "round/task_cost.hpp"

namespace fedrk::store {
namespace {

// Of all that is asked: the work, the participants, every bit of x and of what goes to one of them alone. Two questions
// with the same one are the same.
std::uint64_t fingerprint(const LocalTask& task, std::span<const ClientId> participants) {
  Hash hash;
  describe_question(task, participants, hash);
  describe(task.x, hash);
  if (!task.own.empty()) {
    for (const ClientId client : participants) describe(task.own[client.value], hash);
  }
  return hash.value();
}

}  // namespace

RoundReplies JournalEngine::local_updates(const LocalTask& task, std::span<const ClientId> participants) {
  if (closes(task)) return inner_.local_updates(task, participants);
  const std::uint64_t asked = fingerprint(task, participants);
  if (next_ < journal_.found()) {
    RoundReplies known = repeat(asked);
    inner_.repeated(task, known);
    return known;
  }
  const auto start = std::chrono::steady_clock::now();
  RoundReplies round = inner_.local_updates(task, participants);
  if (journal_.keeps_answers()) {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    journal_.add_answer({next_, task.round.value, asked, seconds, encoded(round, journal_.room())});
  }
  ++next_;
  return round;
}

bool JournalEngine::closes(const LocalTask& task) {
  closed_ = closed_ || (is_look(task.work) && stop_ != nullptr && stop_->requested());
  return closed_;
}

RoundReplies JournalEngine::repeat(std::uint64_t task) {
  const auto stored = journal_.store().answer(next_);
  if (!stored) throw StoreFailed(stored.error().message);
  const std::string where =
      "answer " + std::to_string(next_) + " of the run, in round " + std::to_string(stored->round + 1);
  if (stored->task != task) {
    throw ReplayDiffers(where + ", is one to another question: plan, data or program changed since it was stored");
  }
  auto round = decoded(stored->bytes);
  if (!round) throw StoreFailed("run.db is damaged: " + where + ", is not as it was written");
  round->earlier_seconds = stored->seconds;
  ++next_;
  return *std::move(round);
}

}  // namespace fedrk::store
