// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/table_records.hpp"

#include <algorithm>

namespace fedrk::store {
namespace {

// Of two sorted lists.
template <class Value>
bool meet(const std::vector<Value>& one, const std::vector<Value>& other) {
  auto a = one.begin(), b = other.begin();
  while (a != one.end() && b != other.end()) {
    if (*a == *b) return true;
    *a < *b ? static_cast<void>(++a) : static_cast<void>(++b);
  }
  return false;
}

}  // namespace

Result<bool> shares_records(const RecordSource& source, std::uint64_t salt, const TableRecords& earlier) {
  if (!std::ranges::includes(source.columns, earlier.columns)) return meet(source.columns, earlier.columns);
  const auto now = source.hashes(salt, earlier.columns);
  if (!now) return now.error();
  return meet(*now, earlier.records);
}

}  // namespace fedrk::store
