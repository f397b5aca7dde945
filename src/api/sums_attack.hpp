// SPDX-License-Identifier: Apache-2.0
#pragma once

// What sums over clients give away by themselves, and what is left of that where clients keep the rules that their
// owners have by default: how many directions of the span of the rows were shown, and the records that the search of
// analysis/span_attack.hpp finds in it.

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "analysis/record_attack.hpp"
#include "plan/federation.hpp"
#include "secure_sum/disclosure_rules.hpp"

namespace fedrk::api {

/// Of the sums over one set of clients.
struct ShownDirections {
  std::vector<std::string> clients;
  std::size_t rows = 0;      // of these clients
  std::size_t possible = 0;  // directions: no more than rows, and no more than unknowns
  std::size_t shown = 0;
  std::size_t allowed = 0;  // of the shown, within the rules

  bool tall() const { return rows > possible; }
};

struct SumsFindings {
  std::string not_tried{};              // why; empty: it was
  std::size_t runs = 1;                 // of the plan, whose sums these are
  std::size_t sums = 0;                 // of rows, without noise
  std::vector<ShownDirections> groups;  // one for each set of clients
  std::size_t shown = 0, allowed = 0;   // directions of all sums together
  network::DisclosureRules rules{};
  std::string not_searched{};          // why no records were searched; empty: they were
  std::size_t columns = 0;             // of whole numbers, which were searched
  unsigned levels = 0;                 // these numbers are 0, 1, ... levels - 1
  std::vector<std::size_t> recovered;  // records of each client; empty: not searched
  /// Records of each client that lie in the span of a group, by who has them already; empty: no span leaves enough of
  /// the space to tell.
  std::vector<std::size_t> confirmed;
  std::size_t recovered_within_rules = 0, confirmed_within_rules = 0;
};

/// What the server has beside the sums: how columns were prepared and which hold few whole numbers. Records are read to
/// learn the latter, and to count what was found.
struct AttackedTable {
  std::span<const ClientSummary> roster;
  std::span<const LinearSystem> records;  // as the clients step in them
  const io::Problem& problem;
};

SumsFindings attack_sums(const Transcript& transcript, const AttackedTable& table,
                         const std::function<void(const std::string& message)>& tell = {});

/// Whether sums over one set of clients, of fewer rows than unknowns, have not shown all directions of these rows.
bool may_show_more(const Transcript& transcript, std::span<const ClientSummary> roster, std::size_t unknowns);

/// The sums that clients with these rules answer, asked in the order of the transcript. Whatever is refused is left
/// out, and what comes after is asked all the same: a run ends there.
Transcript within_rules(const Transcript& transcript, std::span<const ClientSummary> roster, std::size_t unknowns,
                        const network::DisclosureRules& rules);

}  // namespace fedrk::api
