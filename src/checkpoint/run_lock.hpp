// SPDX-License-Identifier: Apache-2.0
#pragma once

// run.lock: one process at a time works on a run. The lock ends with its process, whatever becomes of that; the file
// stays, and holds the process's number as text while the lock is held.

#include <sys/types.h>

#include <filesystem>
#include <optional>

#include "base/result.hpp"

namespace fedrk::store {

class RunLock {
 public:
  /// "runs/x is in use by process 4711" where somebody else has it.
  static Result<RunLock> take(const std::filesystem::path& folder);

  /// Who has it, if anybody; 0 where that cannot be told.
  static std::optional<pid_t> holder(const std::filesystem::path& folder);

  RunLock(RunLock&& other) noexcept;
  RunLock& operator=(RunLock&& other) noexcept;
  ~RunLock();

 private:
  explicit RunLock(int descriptor) : descriptor_(descriptor) {}
  void release();
  int descriptor_ = -1;
};

}  // namespace fedrk::store
