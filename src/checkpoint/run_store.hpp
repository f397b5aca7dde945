// SPDX-License-Identifier: Apache-2.0
#pragma once

// run.db: what a run has done so far, in a file that outlives its process. One process writes; others may read
// meanwhile. docs/formats.md describes the tables.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "fedrk/engine.hpp"
#include "fedrk/history.hpp"

namespace fedrk::store {

enum class RunKind { Solve, Server };

/// What a run is, from its first moment to its last.
struct RunIdentity {
  std::string id{};  // `new_run_id`
  RunKind kind = RunKind::Solve;
  std::string title{};
  std::string plan{};        // the text of plan.toml
  std::uint64_t rounds = 0;  // at most
  std::vector<ClientSummary> roster{};
};

/// 32 hexadecimal digits that no other run has.
std::string new_run_id();

/// Names the first thing in which two rosters differ, norms to the bit; empty where they are the same.
std::string difference(std::span<const ClientSummary> before, std::span<const ClientSummary> now);

/// One call of Engine::local_updates, with what came back.
struct StoredAnswer {
  std::uint64_t number = 0;  // of the call, from 0
  std::uint32_t round = 0;
  std::uint64_t task = 0;  // fingerprint of what was asked
  double seconds = 0.0;    // that the answer took
  std::string bytes{};
};

/// A client's part in all rounds so far.
struct Tally {
  std::uint64_t rounds = 0, absences = 0;
  std::optional<std::uint32_t> last_round{};  // that it answered in
  std::string last_absence{};                 // why it did not answer when it last did not
};

/// What is written in one transaction.
struct Batch {
  std::vector<StoredAnswer> answers{};
  std::vector<RoundRecord> rounds{};
  std::vector<std::pair<ClientId, Tally>> tallies{};
};

/// All that a run was between two rounds, and the rounds since the snapshot before.
struct Snapshot {
  std::uint64_t next = 0;    // number of the question that follows
  std::uint64_t rounds = 0;  // made up to there
  std::string state{};
  std::uint64_t first = 0;  // of the rounds in `records`
  std::string records{};
};

struct Event {
  double time = 0.0;  // seconds since 1970
  std::string level, event, text;
};

/// What `fedrk status` shows.
struct RunProgress {
  struct Client {
    std::string name;
    std::size_t rows = 0;
    Tally tally{};
  };
  RunIdentity identity;
  std::string state, stop_reason;
  double started = 0.0, changed = 0.0;             // seconds since 1970
  std::uint64_t answers = 0, answered_rounds = 0;  // a look at the residuals is an answer too
  std::optional<std::uint32_t> last_round{};
  std::vector<std::uint32_t> last_participants{}, last_absent{};  // clients, of the last round
  std::optional<double> residual{};                               // the last that was reported
  std::vector<Client> clients{};
  std::vector<Event> events{};  // the last ones, oldest first
};

/// A write that failed in the midst of a run. Nothing that was stored before is lost.
class StoreFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Every function may be called from any thread.
class RunStore {
 public:
  enum class Access { Write, Read };

  /// A new run in the state "pending". A file that is there already is an error.
  static Result<RunStore> create(const std::filesystem::path& path, const RunIdentity& identity);
  static Result<RunStore> open(const std::filesystem::path& path, Access access = Access::Write);

  RunStore(RunStore&&) noexcept;
  RunStore& operator=(RunStore&&) noexcept;
  ~RunStore();

  const RunIdentity& identity() const;

  /// Replaces title, plan, rounds and roster, where these are known only after the run was made. REQUIRES: nobody uses
  /// `identity()` meanwhile.
  Result<void> describe(const RunIdentity& identity);

  /// "pending", "running", "finished:completed", "finished:stopped", "finished:failed", with the reason of the last
  /// three as result.json has it.
  Result<void> set_state(const std::string& state, const std::string& stop_reason = "");
  Result<std::string> state() const;

  Result<void> put_document(const std::string& key, std::string_view bytes);
  Result<std::optional<std::string>> document(const std::string& key) const;
  Result<void> add_event(const std::string& level, const std::string& event, const std::string& text);

  /// The number of the question that follows all that is stored.
  Result<std::uint64_t> answers() const;
  Result<StoredAnswer> answer(std::uint64_t number) const;

  /// All of it or nothing. A round that is there already is replaced. `synced`: it stays also where the power goes.
  Result<void> commit(const Batch& batch, bool synced = false);

  /// Keeps this snapshot and the one before it, and the answers since that one; what is older goes, but for the history
  /// of rounds.
  Result<void> put_snapshot(const Snapshot& snapshot);
  /// The newest first, without records.
  Result<std::vector<Snapshot>> snapshots() const;
  /// The records of the rounds before `rounds`, oldest first.
  Result<std::vector<std::string>> history(std::uint64_t rounds) const;
  /// Forgets the snapshots and the history after this moment of the run.
  Result<void> go_back_to(std::uint64_t next, std::uint64_t rounds);
  /// Forgets the answers after the first gap from `first` on, and tells where that is.
  Result<std::uint64_t> keep_answers_in_a_row(std::uint64_t first);

  /// What was written stays written, also where the power goes.
  Result<void> sync();

  /// For what can be computed again: nobody waits for the disk, and nothing is written twice. The process may end at
  /// any time all the same; a machine that loses its power may take the file with it.
  Result<void> write_lazily();

  /// The run is over for good: its answers go, and the file becomes small.
  Result<void> finish(const std::string& state, const std::string& stop_reason);

  Result<RunProgress> progress(std::size_t events = 10) const;

 private:
  struct Impl;
  explicit RunStore(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace fedrk::store
