// SPDX-License-Identifier: Apache-2.0
#include "fedrk/store/run_journal.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace fedrk::store {
namespace {

constexpr double kInterval = 0.1;                              // seconds from one write to the next, at least
constexpr double kShare = 0.05;                                // of the time, for writing, at most
constexpr std::size_t kEnoughToTell = std::size_t{1} << 20;    // bytes, to know how quickly they come
constexpr std::size_t kRow = 1000;                             // bytes that take as long to write as a row itself
constexpr std::size_t kMostWaiting = std::size_t{64} << 20;    // likewise, in memory
constexpr std::size_t kMostWritten = std::size_t{4096} << 20;  // likewise, in the file

double seconds_between(std::chrono::steady_clock::time_point from, std::chrono::steady_clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

void or_throw(const Result<void>& done) {
  if (!done) throw StoreFailed(done.error().message);
}

}  // namespace

RunJournal::RunJournal(RunStore& store, CommitPolicy policy) : store_(store), policy_(policy) {
  const auto found = store_.answers();
  if (!found) throw StoreFailed(found.error().message);
  found_ = *found;
  if (policy_ == CommitPolicy::Intervals) or_throw(store_.write_lazily());
}

void RunJournal::add_answer(StoredAnswer answer) {
  if (!keeps_answers_) return;
  const std::size_t bytes = answer.bytes.size() + kRow;
  batch_.answers.push_back(std::move(answer));
  waiting(bytes);
}

void RunJournal::add_round(const RoundRecord& record) {
  count(record);
  if (!keeps_answers_) batch_.rounds.clear();
  batch_.rounds.push_back(record);
  waiting(kRow * (1 + record.participants.size() + record.absences.size()));
}

void RunJournal::count(const RoundRecord& record) {
  for (const ClientId client : record.participants) {
    Tally& tally = tallies_[client];
    ++tally.rounds;
    tally.last_round = record.round.value;
    new_tallies_.insert(client);
  }
  for (const Absence& absence : record.absences) {
    Tally& tally = tallies_[absence.client];
    ++tally.absences;
    tally.last_absence = absence.reason;
    new_tallies_.insert(absence.client);
  }
}

void RunJournal::waiting(std::size_t bytes) {
  waiting_bytes_ = (keeps_answers_ ? waiting_bytes_ : 0) + bytes;
  if (policy_ == CommitPolicy::EachAnswer) return flush();
  const auto now = Clock::now();
  const double allowed = kShare * seconds_between(start_, now);
  if (keeps_answers_ && waiting_bytes_ >= kEnoughToTell) {
    // By what they are alone, and not by how slow the disk happened to be so far.
    const bool hopeless = static_cast<double>(written_bytes_ + waiting_bytes_) * seconds_per_byte_ > allowed;
    const bool too_slow = waiting_bytes_ >= kMostWaiting && spent_ + cost_of_waiting() > allowed;
    if (hopeless || too_slow || written_bytes_ >= kMostWritten) return stop_growing();
  }
  if (seconds_between(last_, now) >= kInterval && spent_ + cost_of_waiting() <= allowed) flush();
}

// From here on the last round stands for those before it, so that others can see how far the run is.
void RunJournal::stop_growing() {
  keeps_answers_ = false;
  rooms_.clear();
  if (!batch_.rounds.empty()) batch_.rounds.erase(batch_.rounds.begin(), batch_.rounds.end() - 1);
  waiting_bytes_ = 0;
  flush_rounds();
  or_throw(store_.add_event("info", "journal_ends",
                            "rounds are made more quickly than stored: a resumed run makes those from here on anew"));
}

double RunJournal::cost_of_waiting() const { return static_cast<double>(waiting_bytes_) * seconds_per_byte_; }

std::string RunJournal::room() {
  if (rooms_.empty()) return {};
  std::string room = std::move(rooms_.back());
  rooms_.pop_back();
  return room;
}

void RunJournal::flush_rounds() {
  batch_.answers.clear();
  flush();
}

void RunJournal::flush() {
  if (batch_.answers.empty() && batch_.rounds.empty()) return;
  const auto start = Clock::now();
  for (const ClientId client : new_tallies_) batch_.tallies.emplace_back(client, tallies_[client]);
  waiting_bytes_ += kRow * batch_.tallies.size();
  or_throw(store_.commit(batch_));
  for (StoredAnswer& answer : batch_.answers) rooms_.push_back(std::move(answer.bytes));
  batch_ = {};
  new_tallies_.clear();
  last_ = Clock::now();
  const double seconds = seconds_between(start, last_);
  spent_ += seconds;
  const std::size_t bytes = std::exchange(waiting_bytes_, 0);
  written_bytes_ += bytes;
  if (bytes >= kEnoughToTell) seconds_per_byte_ = std::min(seconds_per_byte_, seconds / static_cast<double>(bytes));
}

}  // namespace fedrk::store
