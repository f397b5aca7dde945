// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a run must find when some answers never came: the same method over the same files in this process, with just
// those answers taken away. Whatever came late, twice or in a wrong order has then changed nothing.

#include <cstdint>
#include <string>
#include <vector>

#include "support/startup_kit.hpp"

namespace fedrk::test {

struct NamedAbsence {
  std::uint32_t round = 0;  // from 1
  std::string client, reason;
};

/// The columns "absent" and "reasons" of a history.csv.
std::vector<NamedAbsence> absences_in(const std::string& history);

/// The bytes of solution.csv.
std::string solution_without(const StartupKit& kit, const std::vector<NamedAbsence>& absences);

}  // namespace fedrk::test
