// SPDX-License-Identifier: Apache-2.0
#pragma once

// Brings what a run does into its run.db: answers and rounds, always of the same moment.
//
// Answers that came over a network cannot be had again, so each is stored before the run goes on. Those of clients in
// this process are only time: they are gathered and written now and then, so rarely that writing takes little of the
// run, and what was lost is computed again. Where rounds are so cheap that storing them would cost more than making
// them anew, the journal stops growing: of the rounds that follow only the last is recorded, and a run that is resumed
// goes on from there.

#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "fedrk/federated/federated_run.hpp"
#include "fedrk/store/run_store.hpp"

namespace fedrk::store {

enum class CommitPolicy { EachAnswer, Intervals };

class RunJournal {
 public:
  /// Throws StoreFailed where the store cannot be read.
  RunJournal(RunStore& store, CommitPolicy policy);

  RunStore& store() { return store_; }

  /// How many answers were there at the start.
  std::uint64_t found() const { return found_; }

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
  void count(const RoundRecord& record);
  void waiting(std::size_t bytes);
  void stop_growing();
  double cost_of_waiting() const;

  RunStore& store_;
  CommitPolicy policy_;
  std::uint64_t found_ = 0;
  Batch batch_;
  std::vector<std::string> rooms_;
  std::map<ClientId, Tally> tallies_;  // of all rounds
  std::set<ClientId> new_tallies_;
  bool keeps_answers_ = true;
  std::size_t waiting_bytes_ = 0, written_bytes_ = 0;
  double spent_ = 0.0;                // seconds, on writing
  double seconds_per_byte_ = 1.5e-9;  // at best
  Clock::time_point start_ = Clock::now(), last_ = start_;
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
