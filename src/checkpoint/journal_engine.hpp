// SPDX-License-Identifier: Apache-2.0
#pragma once

// The journal of answers: how a run survives the end of its process.
//
// Everything that a loop and a method know comes from the answers they were given, and both are deterministic. So the
// answers of all calls so far, given once more in their order, bring a new process to where the old one was, to the
// bit, and no method has to know. Each call has a number, from 0. Where the store holds the answer of that number,
// nobody is asked; else the inner engine is, and what it brings is stored before it is handed on.
//
// A run whose method lists its state leaves snapshots besides, so that only the answers since the last one are needed.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "checkpoint/run_journal.hpp"
#include "fedrk/engine.hpp"
#include "fedrk/error.hpp"
#include "fedrk/stop_signal.hpp"
#include "round/checkpoints.hpp"

namespace fedrk::store {

/// The run does not ask what it asked before: its plan, its data or the program are not what they were.
class ReplayDiffers : public InvalidArgument {
 public:
  using InvalidArgument::InvalidArgument;
};

class JournalEngine final : public Engine, private Checkpoints {
 public:
  /// With `stop`: the look at everyone's residual that ends a run which was asked to stop is no part of the journal,
  /// nor is what is asked after it, as the run would not ask it there if it had not been stopped.
  JournalEngine(Engine& inner, RunJournal& journal, const StopSignal* stop = nullptr)
      : inner_(inner), journal_(journal), stop_(stop), next_(journal.first()) {}

  std::span<const ClientSummary> roster() const override { return inner_.roster(); }
  std::size_t dimension() const override { return inner_.dimension(); }
  Allowance allowance() const override { return inner_.allowance(); }
  bool wants_certificate() const override { return inner_.wants_certificate(); }

  /// Throws ReplayDiffers where the stored answer is one to another task, StoreFailed where the store cannot be read or
  /// written.
  RoundReplies local_updates(const LocalTask& task, std::span<const ClientId> participants) override;

  /// For the first run on this engine; what follows it, a refit say, is repeated from its answers.
  Checkpoints* checkpoints() override { return std::exchange(begun_, true) ? nullptr : this; }
  void state(StateStream& stream) override { inner_.state(stream); }

  /// Of the next call. Below RunJournal::found its answer is there already.
  std::uint64_t next() const { return next_; }

 private:
  std::optional<Saved> saved() override { return journal_.saved(); }
  bool due() override { return next_ >= journal_.found() && journal_.snapshot_is_due(); }
  void save(std::string state, std::span<const RoundRecord> rounds) override {
    journal_.add_snapshot(next_, std::move(state), rounds);
  }
  bool closes(const LocalTask& task);
  RoundReplies repeat(std::uint64_t task);

  Engine& inner_;
  RunJournal& journal_;
  const StopSignal* stop_;
  std::uint64_t next_;
  bool begun_ = false, closed_ = false;
};

}  // namespace fedrk::store
