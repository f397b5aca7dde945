// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a plan gives away of single rows where the server sees every client's update.

#include <string>

#include "fedrk/engine.hpp"
#include "fedrk/run.hpp"
#include "methods/method_options.hpp"

namespace fedrk {

/// In one sentence, for whoever agrees to it.
constexpr const char* kUpdatesRevealed =
    "the server sees every client's single updates, and after each the last row used lies open to it: whoever keeps "
    "them can rebuild records (docs/privacy.md)";

/// One Kaczmarz step, whose displacement is a multiple of a row.
bool is_one_step(const LocalWork& work);

/// How a plan shows rows outright, beyond what any such plan does; empty where it does not. With one step of a client
/// its update is a row, and a masked sum one of few rows. Where updates are single, with one participant, or one step
/// of the server, everyone who gets the next x sees one client's update.
std::string exposed_rows(const Goal& goal, const RunOptions& run, bool masked);

/// Whether a run of this plan has any use for such a task where the server sees sums only. Clients answer no other:
/// what is asked for beside the plan is not asked for the answer's sake.
bool serves(const LocalTask& task, const MethodOptions& options, const RunOptions& run);

}  // namespace fedrk
