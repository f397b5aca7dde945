// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a client of masked sums keeps from one process to the next: for each run a secret of its own, from which keys,
// masks and draws of that run come, and what it said to what. A question that comes again is answered again, to the
// byte; where the answer would differ it stays at home, as two answers under one mask would tell their difference. The
// secret goes with the run: who finds it later could unmask what a server may have stored.

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "base/result.hpp"

namespace fedrk::store {

class ReplayGuard {
 public:
  using Key = std::array<std::uint8_t, 32>;

  virtual ~ReplayGuard() = default;

  /// The same as long as the run is not forgotten; `fresh` where there is none yet.
  virtual Result<Key> secret(const std::string& run, const Key& fresh) = 0;

  enum class Seen { Never, Same, Other };
  /// Whether this was said before, in a run or (with no run) ever, and to the same.
  virtual Result<Seen> look(const std::string& run, const Key& question) = 0;
  /// Writes down what is about to be said, unless something else was said before. To be called before anything leaves.
  /// A client that was killed has it on record. A machine that lost its power may have lost the last ones: the file is
  /// then behind its count and is not opened, unless the count lost them too.
  virtual Result<Seen> record(const std::string& run, const Key& question, const Key& answer) = 0;

  virtual Result<void> forget(const std::string& run) = 0;
};

/// In the file masks.db of a client's folder, which only its owner may read.
Result<std::unique_ptr<ReplayGuard>> open_replay_guard(const std::filesystem::path& folder);

/// For as long as the process lives: for tests, and for clients that are to leave no trace.
std::unique_ptr<ReplayGuard> replay_guard_in_memory();

}  // namespace fedrk::store
