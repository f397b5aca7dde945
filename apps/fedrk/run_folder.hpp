// SPDX-License-Identifier: Apache-2.0
#pragma once

// A run that is kept in a folder: plan.toml, run.db and run.lock from its first moment, its files at the end. Should
// its process end before that, another goes on where it was (checkpoint/journal_engine.hpp).

#include <filesystem>
#include <string>

#include "base/result.hpp"
#include "checkpoint/run_lock.hpp"
#include "checkpoint/run_store.hpp"
#include "plan/plan.hpp"

namespace fedrk::app {

struct RunFolder {
  std::filesystem::path folder;
  store::RunLock lock;
  store::RunStore store;
};

/// True where the folder holds a run that can be gone on with.
bool is_unfinished(const std::filesystem::path& folder);

/// "server", or of runs of one process the command that began it: "fit", "solve".
std::string kind_of(const store::RunIdentity& identity);

/// What stands in the way of a new run in this folder, if anything: one that is there already.
Result<void> check_folder(const std::filesystem::path& folder, bool overwrite);

/// A new run, over whatever the folder held. From here on SIGUSR1 stops the run. `identity` needs no id, plan or number
/// of rounds: those come from the plan.
Result<RunFolder> begin_run_folder(const std::filesystem::path& folder, const io::Plan& plan,
                                   store::RunIdentity identity);

/// One that was begun before and is not finished. SIGUSR1 as above.
Result<RunFolder> reopen_run_folder(const std::filesystem::path& folder);

}  // namespace fedrk::app
