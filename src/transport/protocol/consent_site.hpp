// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the owner of the rows allows, decided before the site within looks at them, whatever the server says: which
// runs, which questions, over which clients, and how much of the rows all answers together may show
// (secure_sum/disclosure.hpp), or of a privacy budget. What the server may not change on its way (the number of local
// steps) is kept as it first was.

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "checkpoint/privacy_budget.hpp"
#include "ops/log.hpp"
#include "secure_sum/disclosure.hpp"
#include "secure_sum/replay_guard.hpp"
#include "transport/protocol/client_site.hpp"

namespace fedrk::network {

struct ConsentOptions {
  bool known_draws = false;
  bool reveal_updates = false;       // takes part where the server sees single updates
  bool expose_rows = false;          // also where answers show rows outright
  std::size_t max_vector = 1 << 27;  // numbers; a server may not ask for more columns
  bool whole_run = false;            // every sum is over all clients of the run
  DisclosureRules rules{};           // of masked sums without noise
  PrivacyBudget budget{};
};

class ConsentSite final : public ClientSite {
 public:
  /// All of these outlive it.
  ConsentSite(ConsentOptions options, ClientSite& inner, const DataOwner& owner, store::ReplayGuard& guard,
              store::DisclosureLedger& ledger, operation::Log& log)
      : options_(std::move(options)), inner_(inner), owner_(owner), guard_(guard), disclosure_(ledger), log_(log) {}

  /// Its data did not fit a masked run: it takes part in nothing more.
  bool is_unfit() const { return unfit_; }
  /// The run is over.
  void end();

  Answered<TableFacts> begin(const RunTerms& terms) override;
  std::optional<Refused> meet(const RunGroup& group) override;
  Answered<ColumnFacts> sum_columns(const io::SumColumns& question) override;
  Answered<PreparedFacts> prepare(const Preparation& question) override;
  Answered<LocalReply> answer(AskedTask& asked) override;

 private:
  std::string unwelcome(const RunTerms& terms) const;
  Result<void> agree_to(const RunTerms& terms) const;
  std::optional<Refused> compare_with_earlier_runs(const TableShape& shape);
  std::optional<Refused> compare_with_budget();
  std::string wrong_columns(const Preparation& question) const;
  std::optional<Refused> dominated_column(const Preparation& question);
  std::string wrong_task(const AskedTask& asked) const;
  bool has_other_steps(const LocalTask& task) const;
  std::string wrong_participants(const wire::ReceivedTask& task) const;
  std::string changed_steps(const LocalTask& task);
  SumRows rows_behind(std::span<const ClientId> clients, bool steps) const;
  std::string over_limits(const AskedTask& asked);
  std::string over_budget(const AskedTask& asked, bool repeated) const;
  std::string name_of(std::size_t column) const;
  std::string target_name() const;
  std::optional<Refused> changed_table() const;
  bool is_noisy() const { return terms_->plan.method.privacy.on(); }

  ConsentOptions options_;
  ClientSite& inner_;
  const DataOwner& owner_;
  store::ReplayGuard& guard_;
  Disclosure disclosure_;
  operation::Log& log_;
  const RunTerms* terms_ = nullptr;
  std::vector<std::string> names_;                 // of the columns, in the order of all clients
  std::optional<std::vector<std::string>> order_;  // as the server gave it when it first asked about columns
  std::optional<RunGroup> group_;                  // of a masked run; none: not known yet
  std::optional<io::PreparedRows> prepared_;
  std::optional<StepBudget> steps_;  // that were pinned
  std::uint64_t spent_table_ = 0;    // of the run, as the privacy ledger knows it
  std::set<std::string> runs_;       // masked ones
  bool unfit_ = false;
};

}  // namespace fedrk::network
