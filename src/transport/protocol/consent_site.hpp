// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the owner of the rows allows, decided before the site within looks at them, whatever the server says: which
// runs, which questions, over how many clients, how often, and how much of a privacy budget. In a masked run a question
// is answered once, and repeated to the byte when asked again. What the server may not change on its way (the group for
// what is the same function of x each time, the number of local steps) is kept as it first was.

#include <cstddef>
#include <optional>
#include <set>
#include <string>

#include "checkpoint/privacy_budget.hpp"
#include "ops/log.hpp"
#include "secure_sum/replay_guard.hpp"
#include "transport/protocol/client_site.hpp"

namespace fedrk::network {

struct ConsentOptions {
  bool known_draws = false;
  bool reveal_updates = false;       // takes part where the server sees single updates
  bool expose_rows = false;          // also where one update shows a row outright
  std::size_t max_vector = 1 << 27;  // numbers; a server may not ask for more columns
  std::size_t min_sum = 3;           // participants of a masked sum at least; 0: all clients of the run
  PrivacyBudget budget{};
};

class ConsentSite final : public ClientSite {
 public:
  ConsentSite(ConsentOptions options, ClientSite& inner, store::ReplayGuard& guard, operation::Log& log)
      : options_(options), inner_(inner), guard_(guard), log_(log) {}

  /// Its data did not fit a masked run: it takes part in nothing more.
  bool is_unfit() const { return unfit_; }

  Answered<wire::Ready> answer(const RunTerms& terms) override;
  std::optional<Refused> meet(const wire::MaskingGroup& group) override;
  Answered<wire::ColumnSums> answer(const wire::SumColumns& question) override;
  Answered<wire::Prepared> answer(const wire::Prepare& question) override;
  Answered<wire::Update> answer(AskedTask& asked) override;

 private:
  std::string unwelcome(const RunTerms& terms) const;
  Result<void> agree_to(const RunTerms& terms) const;
  std::string wrong_preparation(const wire::Prepare& prepare) const;
  std::string wrong_task(const AskedTask& asked) const;
  bool has_other_steps(const LocalTask& task) const;
  std::string wrong_participants(const wire::ReceivedTask& task) const;
  std::string changed_steps(const LocalTask& task);
  std::string other_group(const wire::ReceivedTask& task);
  std::string over_budget(const AskedTask& asked, bool repeated) const;
  std::optional<Refused> look(const store::ReplayGuard::Question& asked, const char* otherwise);
  std::optional<Refused> record(const store::ReplayGuard::Question& asked, const masking::Words& words);

  ConsentOptions options_;
  ClientSite& inner_;
  store::ReplayGuard& guard_;
  operation::Log& log_;
  const RunTerms* terms_ = nullptr;
  std::size_t group_size_ = 0;  // of a masked run; 0: not known yet
  std::optional<wire::Prepared> prepared_;
  std::optional<StepBudget> steps_;  // that were pinned
  std::set<std::string> runs_;       // masked ones
  bool unfit_ = false;
};

}  // namespace fedrk::network
