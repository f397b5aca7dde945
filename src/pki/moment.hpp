// SPDX-License-Identifier: Apache-2.0
#pragma once

// Points in time as certificates know them: whole seconds, in universal time.

#include <chrono>
#include <optional>
#include <string>

namespace fedrk::security {

using Moment = std::chrono::sys_seconds;

Moment now();

/// "2026-11-16 17:30 UTC"
std::string moment_text(Moment moment);

/// "2026-11-16T17:30:22Z", for programs.
std::string iso_text(Moment moment);
std::optional<Moment> parse_iso(const std::string& text);

/// Whole days from one moment to another, rounded down.
long days_between(Moment from, Moment until);

/// The time in which a certificate holds.
struct Validity {
  Moment from, until;
};

/// So many days from now, and five minutes before: clocks differ.
Validity valid_for_days(Moment now, int days);

}  // namespace fedrk::security
