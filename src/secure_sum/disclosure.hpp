// SPDX-License-Identifier: Apache-2.0
#pragma once

// The rules that bound what masked sums show of a client's table, over all runs, whatever a server says. A sum hides
// whose part is whose; what the sum itself determines is known. So what is bounded is how much of the span of the rows
// has been shown, and to which other sum a sum can be compared:
//
//   kept company     Sums are over the groups of the run or over everyone. All sets of clients that sums were over, of
//                    this run and earlier ones about the same columns, divide the clients into cells: those that were
//                    always in the same sums. Whatever is computed from the sums is made of whole cells, so no cell is
//                    smaller than a sum may be. For this all must know the same sums: the clients of a run are those of
//                    every earlier one about any of its columns.
//   directions       Of m rows in a sum, no more than max_share m directions of their span are shown: the columns of
//                    Gram sums, and one for each further vector (a displacement, a gradient, a product). Of what is
//                    linear in second moments never more than there are columns: where these are within the limit, they
//                    count as shown by the first such answer, and whatever follows costs nothing. So a tall table
//                    can be fitted for ever. The same products cost nothing again in the same sum alone.
//   changed tables   Where fewer than min_rows records were added, removed or changed since an earlier run, two sums
//                    would differ by them.
//   scalars          A number of its own (a residual) comes with each vector at most.
//
// Nothing here looks at a value. The ledger (checkpoint/disclosure_ledger.hpp) outlives the process.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "checkpoint/disclosure_ledger.hpp"
#include "fedrk/engine.hpp"
#include "secure_sum/disclosure_rules.hpp"
#include "transport/protocol/client_site.hpp"

namespace fedrk::network {

/// The rows behind a sum, without those of the largest other client: one that lies about its rows gains nothing.
struct SumRows {
  std::vector<std::string> clients{};  // sorted
  std::uint64_t rows = 0;
  /// More vectors than there are columns tell nothing more: true of whatever is linear in the second moments. Local
  /// steps are not: each counts. Where a client's rows are fewer than columns, a sum of projections tells which
  /// directions they span, and `rows` are those of such clients alone.
  bool linear = true;
};

/// What an answer shows.
struct DisclosureCost {
  std::vector<std::string> gram_columns{};
  std::uint64_t vectors = 0, scalars = 0;
};

class Disclosure {
 public:
  explicit Disclosure(store::DisclosureLedger& ledger) : ledger_(ledger) {}

  /// A run begins, which is about these columns, the right-hand side with them. What the records are compared with is
  /// all that was shown of this table. Empty: it may; else which rule stands against it.
  Result<std::string> begin(const DisclosureRules& rules, const DataOwner& owner, std::vector<std::string> columns);
  /// Whether its records are what they were then.
  Result<bool> is_of(const DataOwner& owner) const;
  /// Names the records of the table: the same where nothing has changed.
  const masking::Digest& table() const { return table_; }

  /// What is wrong with the company; empty where nothing is.
  std::string wrong_company(const RunGroup& group) const;
  /// Before the first answer: from now on the run counts.
  Result<void> enter(const RunGroup& group);

  /// How much more a sum over these rows may show.
  Allowance allowance(const SumRows& sum) const;
  /// Counts what an answer in such a sum shows; empty: it may be given, else which rule stands against it.
  Result<std::string> spend(const DisclosureCost& cost, const SumRows& sum);
  /// What was counted ahead and not used is given back.
  Result<void> end();

 private:
  struct Table {
    std::uint64_t id;
    store::Disclosed what;
  };
  Result<std::string> compare(const DataOwner& owner, const store::Disclosed& what, bool& same_table) const;
  std::string other_clients(const std::vector<std::string>& now) const;
  bool overlaps(const std::vector<std::string>& columns) const;
  void take_over(store::Disclosed what);
  std::vector<std::string> products_of(const std::vector<std::string>& clients) const;
  bool is_tall(const SumRows& sum, const std::vector<std::string>& gram) const;
  Result<void> reserve(store::DisclosedCounts wanted, std::uint64_t left);

  store::DisclosureLedger& ledger_;
  DisclosureRules rules_;
  std::uint64_t salt_ = 0;
  std::vector<std::string> columns_;                        // of this run, sorted
  std::vector<std::string> file_columns_, record_columns_;  // of the table, and those that the run is about
  std::vector<std::uint64_t> records_;
  masking::Digest table_{};
  std::optional<Table> shown_;         // of this table before
  store::DisclosedCounts reserved_{};  // counted in the ledger already, and not used yet
  store::DisclosedCounts used_{};      // of this table in all
  std::vector<std::string> gram_;      // sorted
};

}  // namespace fedrk::network
