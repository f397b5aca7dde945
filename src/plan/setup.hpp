// SPDX-License-Identifier: Apache-2.0
#pragma once

// The set-up of a run: what every client is asked before the first round, whatever carries the questions there.
//
//     SumColumns at no centre -> means -> SumColumns at the centres -> scales -> PrepareRows -> rounds
//
// The order, and what is made of the answers, is written down once, in `set_up`. Engines differ in how a question
// reaches everyone (SetupEngine); at the far end of each waits the same TableSite.

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

/// The sums of all columns, the intercept's with them; or, with a centre, of the squared distances from it.
struct SumColumns {
  std::uint64_t columns = 0;         // of all clients, before the intercept
  std::vector<std::string> names{};  // the order of the columns; none: each client has them in the order of the others
  std::optional<std::vector<double>> centre{};
  static constexpr auto fields(auto& self) { return std::tie(self.columns, self.names, self.centre); }
};

/// The rows, made ready for rounds: intercept, scales, noise columns as the plan says.
struct PrepareRows {
  std::uint64_t columns = 0;         // as in SumColumns
  std::vector<std::string> names{};  // as in SumColumns
  std::optional<Scaling> scaling{};  // none: the columns stay as they are
  static constexpr auto fields(auto& self) { return std::tie(self.columns, self.names, self.scaling); }
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

/// Asks everyone the same and wants all answers: without one of them there is no beginning.
class SetupEngine {
 public:
  virtual ~SetupEngine() = default;
  /// Over the rows of all clients, added up in client order.
  virtual Result<std::vector<double>> sum_columns(const SumColumns& question) = 0;
  /// In client order.
  virtual Result<std::vector<PreparedRows>> prepare(const PrepareRows& question) = 0;
};

struct SetUp {
  PrepareRows preparation;
  std::vector<PreparedRows> clients;
};

/// An error where one of the clients cannot do what it is asked, or a column is too large to be squared.
Result<SetUp> set_up(const Plan& plan, const MatchedTables& tables, SetupEngine& engine);

}  // namespace fedrk::io
