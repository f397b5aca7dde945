// SPDX-License-Identifier: Apache-2.0
#pragma once

// The 97 records of data/prostate.csv in their own units, the intercept first. For tests that define FEDRK_SOURCE.

#include <stdexcept>
#include <utility>

#include "data/csv.hpp"

namespace fedrk::test {

/// Places of the columns.
inline constexpr std::size_t kLcavol = 1, kAge = 3, kSvi = 5, kGleason = 7, kPgg45 = 8;

inline LinearSystem prostate_table() {
  auto data = io::read_csv(FEDRK_SOURCE "/data/prostate.csv",
                           {.target = "lpsa", .ignore = {}, .group_by = {}, .margins = {.front = 1, .back = 0}});
  if (!data) throw std::runtime_error(data.error().message);
  add_intercept(data->system);
  return std::move(data->system);
}

}  // namespace fedrk::test
