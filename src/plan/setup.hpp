// SPDX-License-Identifier: Apache-2.0
#pragma once

// The set-up of a run: what every client is asked before the first round, whatever carries the questions there.
//
//     sums of the columns -> sums of squares around the centres that these make -> prepared rows -> rounds
//
// The order is written down once, in `set_up`. Centres and scales are numbers that nobody sends: whoever knows the sums
// over all rows makes them himself, by `scaling_of`. Engines differ in how a question reaches everyone (SetupEngine);
// at the far end of each waits the same TableSite.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/result.hpp"
#include "fedrk/engine.hpp"
#include "plan/plan.hpp"
#include "problem/standardize.hpp"

namespace fedrk::io {

/// What is known of the columns over the rows of all clients, the intercept's with them.
struct ColumnTotals {
  std::uint64_t rows = 0;
  bool sparse = false;            // somebody's rows are
  std::vector<double> sums{};     // none where columns are not centred
  std::vector<double> squares{};  // of the distances from the centres that follow; none where columns stay as they are
  static constexpr auto fields(auto& self) { return std::tie(self.rows, self.sparse, self.sums, self.squares); }
};

/// One of the sums over all rows.
struct SumColumns {
  enum class Of : std::uint8_t { Entries, Squares, Nothing };  // nothing: the rows are counted, where that is wanted
  friend constexpr std::array<Of, 3> enumerators(Of) { return {Of::Entries, Of::Squares, Of::Nothing}; }

  std::uint64_t columns = 0;         // of all clients, before the intercept
  std::vector<std::string> names{};  // the order of the columns; none: each client has them in the order of the others
  Of of = Of::Entries;
  ColumnTotals known{};  // squares are taken around the centres that these make
  static constexpr auto fields(auto& self) { return std::tie(self.columns, self.names, self.of, self.known); }
};

/// The rows, made ready for rounds: intercept, scales, noise columns as the plan says.
struct PrepareRows {
  std::uint64_t columns = 0;         // as in SumColumns
  std::vector<std::string> names{};  // as in SumColumns
  ColumnTotals totals{};
  static constexpr auto fields(auto& self) { return std::tie(self.columns, self.names, self.totals); }
};

struct PreparedRows {
  ClientSummary summary;
  std::size_t unknowns = 0;  // the intercept and noise columns with them
  static constexpr auto fields(auto& self) { return std::tie(self.summary, self.unknowns); }
};

/// All tables together, after their columns were matched.
struct MatchedTables {
  std::size_t columns = 0, rows = 0;
  bool sparse = false;               // somebody's
  std::vector<std::string> order{};  // of the columns, where not all clients have the same
};

/// The centres that sums of the values make, as long as there are unknowns; zeros where columns are not centred.
std::vector<double> centre_of(const Plan& plan, const ColumnTotals& totals, std::size_t unknowns);
/// Centres and scales from the totals; nothing where the plan leaves columns as they are. Throws InvalidArgument where
/// a column is too large to be squared, or the totals are not those that the plan needs.
std::optional<Scaling> scaling_of(const Plan& plan, const ColumnTotals& totals, std::size_t unknowns);

/// What the last sum of a set-up is of: squares, or nothing where the columns stay as they are. `totals` has the rows.
SumColumns::Of last_sum_of(const Plan& plan, const ColumnTotals& totals, std::size_t unknowns);

/// Asks everyone the same and wants all answers: without one of them there is no beginning.
class SetupEngine {
 public:
  virtual ~SetupEngine() = default;
  /// Over the rows of all clients, added up in client order.
  virtual Result<std::vector<double>> sum_columns(const SumColumns& question) = 0;
  /// In client order.
  virtual Result<std::vector<PreparedRows>> prepare(const PrepareRows& question) = 0;
  /// Whether clients want to see the counts of their columns (a sum of nothing) before the first round.
  virtual bool counts_columns() const { return false; }
};

struct SetUp {
  PrepareRows preparation;
  std::optional<Scaling> scaling;
  std::vector<PreparedRows> clients;
};

/// An error where one of the clients cannot do what it is asked, or a column is too large to be squared.
Result<SetUp> set_up(const Plan& plan, const MatchedTables& tables, SetupEngine& engine);

}  // namespace fedrk::io
