// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a client of masked sums keeps from one process to the next: for each run a secret of its own, from which keys,
// masks and draws of that run come, and which question it answered last, so that none is answered twice in different
// ways. The secret goes with the run: who finds it later could unmask what a server may have stored.

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

  /// A question that is to be answered, by its kind, its number and attempt, and the name of all that it says.
  struct Question {
    std::string kind;
    std::uint64_t number = 0;
    std::uint32_t attempt = 0;
    Key question{};
  };
  struct Recorded {
    Question asked;
    Key answer{};
  };
  struct Admission {
    bool granted = false;
    bool repeated = false;          // the last to the letter
    std::uint64_t last_number = 0;  // of the last that was granted
    std::uint32_t last_attempt = 0;
  };

  virtual ~ReplayGuard() = default;

  /// The same as long as the run is not forgotten; `fresh` where there is none yet.
  virtual Result<Key> secret(const std::string& run, const Key& fresh) = 0;

  /// What would become of a question: granted where it comes after the last of its kind, or is the last to the letter.
  virtual Result<Admission> look(const std::string& run, const Question& asked) = 0;

  /// Writes a question down, with the name of what is about to be sent; not granted where it would not be, or where it
  /// is repeated and something else was sent: two answers under one mask would tell their difference. To be called
  /// before anything leaves. A client that was killed has it on record. A machine that lost its power may have lost the
  /// last ones: the file is then behind its count and is not opened, unless the count lost them too.
  virtual Result<Admission> record(const std::string& run, const Question& asked, const Key& answer) = 0;

  /// Something of a run that must stay as it was first said. False: it was something else.
  Result<bool> pin(const std::string& run, const std::string& kind, const Key& value);

  virtual Result<void> forget(const std::string& run) = 0;
};

/// In the file masks.db of a client's folder, which only its owner may read.
Result<std::unique_ptr<ReplayGuard>> open_replay_guard(const std::filesystem::path& folder);

/// For as long as the process lives: for tests, and for clients that are to leave no trace.
std::unique_ptr<ReplayGuard> replay_guard_in_memory();

}  // namespace fedrk::store
