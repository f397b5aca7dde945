// SPDX-License-Identifier: Apache-2.0
#pragma once

// Brings what a run does into its run.db: answers and rounds, always of the same moment.
//
// Answers that came over a network cannot be had again, so each is stored before the run goes on. Those of clients in
// this process are only time: they are gathered and written now and then, so rarely that writing takes little of the
// run, and what was lost is computed again. Where rounds are so cheap that storing them would cost more than making
// them anew, the journal stops growing: of the rounds that follow only the last is recorded.
//
// Every few seconds comes a snapshot of the run (round/checkpoints.hpp). A run that is resumed goes on from the
// last one, with the answers since. The one before is kept until the next, with its answers, should the last be
// damaged; older answers go, so that the file does not grow but by the history of the rounds.

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "checkpoint/run_store.hpp"
#include "fedrk/run.hpp"
#include "round/checkpoints.hpp"

namespace fedrk::store {

/// Synced: each answer is on the disk before the next question, as clients count it as given.
enum class CommitPolicy { Synced, EachAnswer, Intervals };

class RunJournal {
 public:
  static constexpr double kSnapshotInterval = 5.0;  // seconds, once the run is as old as four of them

  /// With a snapshot interval of zero there is one after every round. Throws StoreFailed where the store cannot be
  /// read.
  RunJournal(RunStore& store, CommitPolicy policy, double snapshot_interval = kSnapshotInterval);

  RunStore& store() { return store_; }

  /// The first question that is not part of the snapshot found at the start, and the first without an answer.
  std::uint64_t first() const { return first_; }
  std::uint64_t found() const { return found_; }

  /// The snapshot that was found, if any, once.
  std::optional<Checkpoints::Saved> saved() { return std::exchange(saved_, std::nullopt); }
  bool snapshot_is_due() const;
  /// Of the moment before question `next`, with the rounds since the last one. Throws StoreFailed.
  void add_snapshot(std::uint64_t next, std::string state, std::span<const RoundRecord> rounds);

  // Each may write; throws StoreFailed where that does not work.
  void add_answer(StoredAnswer answer);
  void add_round(const RoundRecord& record);
  /// Writes what is still waiting.
  void flush();
  /// The same without the answers: the run is over for good, and nobody will ask for them.
  void flush_rounds();

  /// Memory of an answer that was written, for the next one.
  std::string room();

  /// False once the journal has stopped growing.
  bool keeps_answers() const { return keeps_answers_; }

 private:
  using Clock = std::chrono::steady_clock;
  void find_snapshot();
  bool use(const Snapshot& snapshot);
  void count(const RoundRecord& record);
  void waiting(std::size_t bytes);
  void stop_growing();
  double cost_of_waiting() const;

  RunStore& store_;
  CommitPolicy policy_;
  double snapshot_interval_;
  std::uint64_t first_ = 0, found_ = 0;
  std::uint64_t rounds_ = 0;  // in snapshots
  std::optional<Checkpoints::Saved> saved_;
  Batch batch_;
  std::vector<std::string> rooms_;
  std::map<ClientId, Tally> tallies_;  // of all rounds
  std::set<ClientId> new_tallies_;
  bool keeps_answers_ = true;
  std::size_t waiting_bytes_ = 0, written_bytes_ = 0;
  std::size_t written_since_ = 0, written_in_file_ = 0;  // since the last snapshot, and between it and the one before
  double spent_ = 0.0;                                   // seconds, on writing
  double seconds_per_byte_ = 1.5e-9;                     // at best
  Clock::time_point start_ = Clock::now(), last_ = start_, last_snapshot_ = start_;
  double snapshot_seconds_ = 0.0;  // that the last one took
};

/// Shows the journal every round.
class RoundRecorder final : public RoundObserver {
 public:
  explicit RoundRecorder(RunJournal& journal) : journal_(journal) {}
  void on_round(const RoundRecord& record, std::span<const double>) override { journal_.add_round(record); }

 private:
  RunJournal& journal_;
};

}  // namespace fedrk::store
