// SPDX-License-Identifier: Apache-2.0
#include "fedrk/store/run_journal.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "fedrk/base/error.hpp"

namespace fedrk::store {
namespace {

constexpr double kInterval = 0.1;                              // seconds from one write to the next, at least
constexpr double kShare = 0.04;                                // of the time, for writing
constexpr double kMostShare = 0.15;                            // where memory fills up
constexpr std::size_t kMostWaiting = std::size_t{64} << 20;    // bytes
constexpr std::size_t kMostWritten = std::size_t{4096} << 20;  // likewise

double seconds_between(std::chrono::steady_clock::time_point from, std::chrono::steady_clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

}  // namespace

RunJournal::RunJournal(RunStore& store, CommitPolicy policy, SlackOf slack_of)
    : store_(store), policy_(policy), slack_of_(std::move(slack_of)) {
  const auto found = store_.answers();
  if (!found) throw StoreFailed(found.error().message);
  found_ = *found;
}

Result<void> restore_slack(const RunStore& store, InProcessEngine& engine) {
  const auto all = store.slack();
  if (!all) return all.error();
  try {
    for (const ClientSlack& slack : *all) {
      if (slack.client.value >= engine.roster().size()) return Error{"run.db is damaged: slack of an unknown client"};
      engine.restore_slack(slack.client, slack.state);
    }
  } catch (const InvalidArgument& error) {
    return Error{std::string("run.db is damaged: ") + error.what()};
  }
  return {};
}

void RunJournal::add_answer(StoredAnswer answer, std::span<const ClientId> with_new_slack) {
  if (!keeps_answers_) return;
  const std::size_t bytes = answer.bytes.size() + 64;
  batch_.answers.push_back(std::move(answer));
  if (slack_of_) new_slack_.insert(with_new_slack.begin(), with_new_slack.end());
  waiting(bytes);
}

void RunJournal::add_round(const RoundRecord& record) {
  batch_.rounds.push_back(record);
  waiting(256 + 64 * (record.participants.size() + record.absences.size()));
}

void RunJournal::waiting(std::size_t bytes) {
  waiting_bytes_ += bytes;
  if (policy_ == CommitPolicy::EachAnswer) return flush();
  const auto now = Clock::now();
  const double since_last = seconds_between(last_, now);
  if (waiting_bytes_ >= kMostWaiting) {
    const bool too_dear = spent_ + cost_of_waiting() > kMostShare * seconds_between(start_, now);
    return too_dear || written_bytes_ >= kMostWritten ? stop_growing() : flush();
  }
  if (since_last >= kInterval && cost_of_waiting() <= kShare * since_last) flush();
}

// The rounds themselves are small: they go on being recorded.
void RunJournal::stop_growing() {
  keeps_answers_ = false;
  flush_rounds();
  const auto said = store_.add_event(
      "info", "journal_full", "rounds are made more quickly than stored: a resumed run makes those from here on anew");
  if (!said) throw StoreFailed(said.error().message);
}

double RunJournal::cost_of_waiting() const {
  return static_cast<double>(waiting_bytes_ + (new_slack_.empty() ? 0 : slack_bytes_)) * seconds_per_byte_;
}

void RunJournal::flush_rounds() {
  batch_.answers.clear();
  new_slack_.clear();
  flush();
}

void RunJournal::flush() {
  if (batch_.answers.empty() && batch_.rounds.empty()) return;
  const auto start = Clock::now();
  slack_bytes_ = 0;
  for (const ClientId client : new_slack_) {
    batch_.slack.push_back({client, slack_of_(client)});
    slack_bytes_ += batch_.slack.back().state.size() * sizeof(double);
  }
  waiting_bytes_ += slack_bytes_;
  if (const auto done = store_.commit(batch_); !done) throw StoreFailed(done.error().message);
  batch_ = {};
  new_slack_.clear();
  last_ = Clock::now();
  spent_ += seconds_between(start, last_);
  written_bytes_ += std::exchange(waiting_bytes_, 0);
  seconds_per_byte_ = spent_ / static_cast<double>(written_bytes_);
}

}  // namespace fedrk::store
