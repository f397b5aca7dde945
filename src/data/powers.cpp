// SPDX-License-Identifier: Apache-2.0
#include "data/powers.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/number.hpp"
#include "base/shown.hpp"

namespace fedrk::io {
namespace {

constexpr unsigned kHighest = 32;

}  // namespace

Result<PowersOf> parse_powers(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon != std::string_view::npos && colon > 0) {
    const auto highest = parse_whole(text.substr(colon + 1));
    if (highest && *highest >= 2 && *highest <= kHighest) {
      return PowersOf{std::string(text.substr(0, colon)), static_cast<unsigned>(*highest)};
    }
  }
  return Error{fmt::format("expected COLUMN:K with a power K from 2 to {}, found {}", kHighest, shown(text))};
}

std::size_t power_count(std::span<const std::string> entries) {
  std::size_t count = 0;
  for (const std::string& entry : entries) count += parse_powers(entry)->highest - 1;
  return count;
}

Result<std::vector<PowerTerm>> powers_of(std::span<const std::string> entries, std::span<const std::string> columns,
                                         std::size_t first) {
  std::vector<PowerTerm> terms;
  std::vector<std::string> taken;
  for (const std::string& entry : entries) {
    const auto wanted = parse_powers(entry);
    if (!wanted) return Error{"powers: " + wanted.error().message};
    const auto found = std::ranges::find(columns, wanted->column);
    if (found == columns.end()) {
      return Error{fmt::format("powers: no column {} among the features", shown(wanted->column))};
    }
    if (std::ranges::find(taken, wanted->column) != taken.end()) {
      return Error{fmt::format("powers: column {} is given twice", shown(wanted->column))};
    }
    taken.push_back(wanted->column);
    const std::size_t source = first + static_cast<std::size_t>(found - columns.begin());
    for (unsigned k = 2; k <= wanted->highest; ++k) terms.push_back({first + columns.size() + terms.size(), source, k});
  }
  return terms;
}

Result<std::vector<std::string>> with_powers(std::span<const std::string> entries, std::vector<std::string> columns) {
  const auto terms = powers_of(entries, columns);
  if (!terms) return terms.error();
  for (const PowerTerm& term : *terms) {
    std::string name = fmt::format("I({}^{})", columns[term.source], term.exponent);
    if (std::ranges::find(columns, name) != columns.end()) {
      return Error{fmt::format("powers: the data have a column {} already", shown(name))};
    }
    columns.push_back(std::move(name));
  }
  return columns;
}

}  // namespace fedrk::io
