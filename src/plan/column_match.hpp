// SPDX-License-Identifier: Apache-2.0
#pragma once

// The columns of several tables, matched by name: the first file's order counts, whatever the order in the others.

#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "base/result.hpp"
#include "plan/peers.hpp"
#include "plan/plan.hpp"

namespace fedrk::io {

struct FileHeader {
  std::string path;
  std::vector<std::string> names;  // empty where the format has none
  static constexpr auto fields(auto& self) { return std::tie(self.path, self.names); }
};

/// The headers of all files of the plan, in their order, at every peer; each reads those of its own share.
Result<std::vector<FileHeader>> exchange_headers(const Plan& plan, Peers& peers, std::size_t first, std::size_t count);

/// The features of every file, in the order of the first one; empty where the files have no names. A column that a file
/// lacks, or has in addition, is an error, and the message tells all of them. An ignored column need not be everywhere.
Result<std::vector<std::string>> match_columns(const Plan& plan, std::span<const FileHeader> headers);

}  // namespace fedrk::io
