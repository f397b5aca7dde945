// SPDX-License-Identifier: Apache-2.0
#include "plan/check_memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include <fmt/format.h>

namespace fedrk::io {

Result<void> check_memory(const Plan& plan, std::size_t unknowns, std::size_t clients) {
  const std::size_t asked = plan.run.participants == 0 ? clients : std::min(clients, plan.run.participants);
  if (unknowns > std::numeric_limits<std::uint32_t>::max())
    return Error{fmt::format("{} unknowns: at most 2^32 - 1", unknowns)};
  const double needed = static_cast<double>(unknowns) * static_cast<double>(asked + 4) * sizeof(double);
  const double there = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (needed <= there) return {};
  return Error{fmt::format("{} unknowns: the vectors of a round need {:.0f} GB, this machine has {:.0f} GB", unknowns,
                           needed / 1e9, there / 1e9)};
}

}  // namespace fedrk::io
