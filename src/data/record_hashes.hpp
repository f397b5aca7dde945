// SPDX-License-Identifier: Apache-2.0
#pragma once

// A number for each record of a table, by which records that were there before are known again: a hash of the names and
// values of its columns, in any order, and of a salt. The numbers are sorted, as the order of records does not matter.

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "fedrk/system.hpp"

namespace fedrk::io {

/// Of a CSV table, in these of its columns, which are sorted; a field that is a number counts by its value.
Result<std::vector<std::uint64_t>> csv_record_hashes(const std::filesystem::path& path, std::uint64_t salt,
                                                     std::span<const std::string> columns);

/// Of rows without names: x1, x2, ..., and b for the right-hand side.
std::vector<std::string> record_columns(std::size_t columns);
/// Entries that are zero count as if they were not there, as in a sparse row. REQUIRES: sorted columns.
std::vector<std::uint64_t> record_hashes(const LinearSystem& system, std::uint64_t salt,
                                         std::span<const std::string> columns);

}  // namespace fedrk::io
