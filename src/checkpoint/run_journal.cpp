// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/run_journal.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "base/byte_stream.hpp"
#include "base/hash.hpp"

namespace fedrk::store {
namespace {

constexpr double kInterval = 0.1;                             // seconds from one write to the next, at least
constexpr double kShare = 0.05;                               // of the time, for writing, at most
constexpr std::size_t kEnoughToTell = std::size_t{1} << 20;   // bytes, to know how quickly they come
constexpr std::size_t kRow = 1000;                            // bytes that take as long to write as a row itself
constexpr std::size_t kMaxWaiting = std::size_t{64} << 20;    // likewise, in memory
constexpr std::size_t kMaxWritten = std::size_t{4096} << 20;  // likewise, in the file

double seconds_between(std::chrono::steady_clock::time_point from, std::chrono::steady_clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

void or_throw(const Result<void>& done) {
  if (!done) throw StoreFailed(done.error().message);
}
template <class Value>
Value or_throw(Result<Value> value) {
  if (!value) throw StoreFailed(value.error().message);
  return *std::move(value);
}

// Of the numbers beside the bytes in their row too.
std::uint64_t checksum(std::string_view bytes, std::uint64_t next, std::uint64_t rounds) {
  Hash hash;
  hash.add(bytes);
  hash.add(next);
  hash.add(rounds);
  return hash.value();
}

// With a checksum at its end.
std::string sealed(std::string bytes, std::uint64_t next, std::uint64_t rounds) {
  const std::uint64_t sum = checksum(bytes, next, rounds);
  return bytes.append(reinterpret_cast<const char*>(&sum), sizeof sum);  // NOLINT: its bytes
}
std::optional<std::string_view> unsealed(std::string_view bytes, std::uint64_t next, std::uint64_t rounds) {
  std::uint64_t sum = 0;
  if (bytes.size() < sizeof sum) return std::nullopt;
  std::memcpy(&sum, bytes.data() + bytes.size() - sizeof sum, sizeof sum);
  bytes.remove_suffix(sizeof sum);
  return checksum(bytes, next, rounds) == sum ? std::optional(bytes) : std::nullopt;
}

}  // namespace

RunJournal::RunJournal(RunStore& store, CommitPolicy policy, double snapshot_interval)
    : store_(store), policy_(policy), snapshot_interval_(snapshot_interval) {
  if (policy_ == CommitPolicy::Intervals) or_throw(store_.write_lazily());
  find_snapshot();
  found_ = or_throw(policy_ == CommitPolicy::Intervals ? store_.keep_answers_in_a_row(first_) : store_.answers());
}

// The newest that is whole. Where the only one is not, all answers before it are still there, or can be computed again.
void RunJournal::find_snapshot() {
  const std::vector<Snapshot> snapshots = or_throw(store_.snapshots());
  const auto good = std::ranges::find_if(snapshots, [&](const Snapshot& snapshot) { return use(snapshot); });
  const auto damaged = static_cast<std::size_t>(good - snapshots.begin());
  if (damaged > 0) {
    or_throw(store_.add_event("warning", "snapshot_damaged",
                              std::to_string(damaged) + " snapshots are not as they were written and are not used"));
  }
  if (damaged > 1) {
    throw StoreFailed("run.db is damaged: no snapshot of the run is as it was written");
  }
  or_throw(store_.go_back_to(first_, rounds_));
}

bool RunJournal::use(const Snapshot& snapshot) {
  const auto state = unsealed(snapshot.state, snapshot.next, snapshot.rounds);
  if (!state) return false;
  RunHistory history;
  for (const std::string& bytes : or_throw(store_.history(snapshot.rounds))) {
    const auto records = unsealed(bytes, 0, history.size());  // they begin where those before them end
    if (!records) return false;
    ByteReader in(*records);
    RunHistory part;
    in.get(part);
    if (!in.complete()) return false;
    std::ranges::move(part, std::back_inserter(history));
  }
  if (history.size() != snapshot.rounds) return false;
  first_ = snapshot.next;
  rounds_ = snapshot.rounds;
  for (const RoundRecord& record : history) count(record);
  saved_ = Checkpoints::Saved{std::string(*state), std::move(history)};
  return true;
}

// Seldom enough to take little of the time, and at first more often: a run that is killed after seconds has only these.
bool RunJournal::snapshot_is_due() const {
  if (snapshot_interval_ == 0.0) return true;
  const auto now = Clock::now();
  const double interval = std::min(snapshot_interval_, std::max(0.1, seconds_between(start_, now) / 4.0));
  return seconds_between(last_snapshot_, now) >= std::max(interval, snapshot_seconds_ / kShare);
}

void RunJournal::add_snapshot(std::uint64_t next, std::string state, std::span<const RoundRecord> rounds) {
  const auto start = Clock::now();
  flush();
  or_throw(store_.put_snapshot({.next = next,
                                .rounds = rounds_ + rounds.size(),
                                .state = sealed(std::move(state), next, rounds_ + rounds.size()),
                                .first = rounds_,
                                .records = sealed(bytes_of(rounds), 0, rounds_)}));
  rounds_ += rounds.size();
  written_in_file_ = std::exchange(written_since_, 0);
  last_snapshot_ = Clock::now();
  snapshot_seconds_ = seconds_between(start, last_snapshot_);
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
  if (policy_ != CommitPolicy::Intervals) return flush();
  const auto now = Clock::now();
  const double allowed = kShare * seconds_between(start_, now);
  if (keeps_answers_ && waiting_bytes_ >= kEnoughToTell) {
    // By what they are alone, and not by how slow the disk happened to be so far.
    const bool hopeless = static_cast<double>(written_bytes_ + waiting_bytes_) * seconds_per_byte_ > allowed;
    const bool too_slow = waiting_bytes_ >= kMaxWaiting && spent_ + cost_of_waiting() > allowed;
    if (hopeless || too_slow || written_in_file_ + written_since_ >= kMaxWritten) {
      return stop_growing();
    }
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
                            "rounds are made more quickly than stored: a resumed run goes on from its last snapshot"));
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
  or_throw(store_.commit(batch_, policy_ == CommitPolicy::Synced && !batch_.answers.empty()));
  for (StoredAnswer& answer : batch_.answers) rooms_.push_back(std::move(answer.bytes));
  batch_ = {};
  new_tallies_.clear();
  last_ = Clock::now();
  const double seconds = seconds_between(start, last_);
  spent_ += seconds;
  const std::size_t bytes = std::exchange(waiting_bytes_, 0);
  written_bytes_ += bytes;
  written_since_ += bytes;
  if (bytes >= kEnoughToTell) seconds_per_byte_ = std::min(seconds_per_byte_, seconds / static_cast<double>(bytes));
}

}  // namespace fedrk::store
