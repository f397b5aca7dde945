// SPDX-License-Identifier: Apache-2.0
#pragma once

// A table as a ledger knows it again: by its records, each a number that depends on its values in some columns and on a
// secret salt. Two tables have records in common where the same numbers come of the same columns.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "base/result.hpp"

namespace fedrk::store {

struct TableRecords {
  std::vector<std::string> columns{};    // sorted
  std::vector<std::uint64_t> records{};  // sorted
  static constexpr auto fields(auto& self) { return std::tie(self.columns, self.records); }
};

/// Where the records can be looked at: all columns, and the sorted numbers of the records in some of them.
struct RecordSource {
  std::vector<std::string> columns{};  // sorted
  std::function<Result<std::vector<std::uint64_t>>(std::uint64_t salt, std::span<const std::string> columns)> hashes{};
};

/// Whether `source` holds a record of an earlier table. Where it lacks columns of that time records cannot be compared:
/// one column in common is enough then, as that is the safe side.
Result<bool> shares_records(const RecordSource& source, std::uint64_t salt, const TableRecords& earlier);

}  // namespace fedrk::store
