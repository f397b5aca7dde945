// SPDX-License-Identifier: Apache-2.0
#pragma once

// How the program speaks: results on stdout, everything else on stderr.

#include <string_view>

#include "report/text.hpp"

namespace fedrk::app {

enum ExitCode : int {
  kDone = 0,
  kRunFailed = 1,
  kBadInput = 2,      // bad usage or bad input
  kStoppedEarly = 3,  // interrupted, or not converged
};

enum class OutputFormat { Text, Json };

/// From now on nothing is said, by this process: another one speaks for it.
void keep_quiet();

/// Text on stderr. That nobody can read it is no reason to end a run, so failures are passed over.
void say(std::string_view text);

/// The result, on stdout. False, with a word on stderr, where it could not be written.
bool print_result(std::string_view text);

/// "fedrk: message" on stderr; returns `exit_code`, so that a command can end with it.
int complain(std::string_view message, int exit_code);

using api::brief;
using api::bytes_text;
using api::table;
using api::wrapped;

}  // namespace fedrk::app
