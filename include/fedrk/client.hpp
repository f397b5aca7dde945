// SPDX-License-Identifier: Apache-2.0
#pragma once

// The owner of a table takes part in a fit over a network, from within a program; `fedrk client` is the same as a
// service. Link fedrk::federation.

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "fedrk/fit.hpp"
#include "fedrk/tls_files.hpp"

namespace fedrk {

struct JoinSettings {
  std::optional<network::TlsFiles> tls{};  // none: in the clear
  bool masked = true;                      // false: the server may see this client's sums by themselves
  std::chrono::seconds wait_limit{600};    // for a server that cannot be reached
  /// Where it keeps its secrets and what sums have shown of the table (docs/privacy.md). Empty: nothing is kept, and no
  /// later call knows of this one.
  std::filesystem::path state{};
  std::size_t min_rows = 10;  // of the table, and records that change between two runs
  double max_share = 0.2;     // directions that masked sums may show, for each row in a sum
};

/// Takes part under this name with the rows of a CSV file until the fit is over, and returns the coefficients that the
/// server found, with 0 for a column that is a combination of others. The server is "host:port". Throws InvalidData
/// where the client may not take part, the server is not reached, or the fit failed.
std::vector<Coefficient> join(const std::string& server, const std::string& name, const std::filesystem::path& data,
                              const JoinSettings& settings = {});

}  // namespace fedrk
