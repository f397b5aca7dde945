// SPDX-License-Identifier: Apache-2.0
#pragma once

// What sums over changing sets of clients give away of single clients (analysis/moment_attack.hpp), and what is left of
// that where clients keep company by the rules that their owners have by default. A plan keeps its groups, so this is
// what an analyst could do who sends several plans, or a server that draws groups as it likes.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/record_attack.hpp"
#include "plan/federation.hpp"
#include "secure_sum/disclosure_rules.hpp"

namespace fedrk::api {

struct MomentsFindings {
  bool by_residuals = false;  // of groups drawn afresh; else by cross-products of runs that each leave out one client
  std::string not_tried{};    // why; empty: it was
  std::size_t runs = 0, sums = 0;
  std::size_t clients = 0;               // whose second moments were computed, to a thousandth
  std::optional<std::size_t> records{};  // of these that were rebuilt, where cross-products tell lengths of columns
  std::size_t sums_within_rules = 0;     // that were answered
  std::size_t clients_within_rules = 0;
};

/// Plays it with these clients. A fit is asked for cross-products, equations for residuals.
/// `records[i]` are those of client i, as it steps in them.
MomentsFindings attack_moments(Engine& clients, const io::Plan& plan, const io::Problem& problem,
                               std::span<const LinearSystem> records);

/// The sums that clients with these rules answer, as far as company and `min_rows` go, asked in the order of the
/// transcript. The sets of clients that sums were over divide the clients into cells, those that were in the same sums
/// always; no cell is smaller than `min_sum`.
Transcript in_kept_company(const Transcript& transcript, std::span<const ClientSummary> roster,
                           const network::DisclosureRules& rules);

}  // namespace fedrk::api
