// SPDX-License-Identifier: Apache-2.0
#pragma once

// The powers of a plan, "dose:3", as columns of a table: I(dose^2) and I(dose^3) after all others, named as in R.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "problem/frame.hpp"

namespace fedrk::io {

/// The powers 2 to `highest` of a column.
struct PowersOf {
  std::string column;
  unsigned highest = 2;
};

/// "COLUMN:K". A column's name may hold colons itself.
Result<PowersOf> parse_powers(std::string_view text);

/// How many columns these entries add. REQUIRES: each of them parses.
std::size_t power_count(std::span<const std::string> entries);

/// The terms of these entries over a table with these columns, where `first` further columns stand before them (1: an
/// intercept). Power k of them all is column first + columns.size() + k.
Result<std::vector<PowerTerm>> powers_of(std::span<const std::string> entries, std::span<const std::string> columns,
                                         std::size_t first = 0);

/// The same as columns: their names with those of the powers behind them.
Result<std::vector<std::string>> with_powers(std::span<const std::string> entries, std::vector<std::string> columns);

}  // namespace fedrk::io
