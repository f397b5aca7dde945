// SPDX-License-Identifier: Apache-2.0
#pragma once

// One client's table on its way to the rounds: it answers the questions of the set-up (setup.hpp), the last of which
// makes it a Client. In one process, on a rank and over a network it is the same.

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "fedrk/site.hpp"
#include "fedrk/system.hpp"
#include "plan/plan.hpp"
#include "plan/setup.hpp"
#include "problem/column_kinds.hpp"
#include "problem/frame.hpp"

namespace fedrk::io {

class TableSite {
 public:
  /// `open_ended`: columns that the table does not reach are empty. `plan` outlives the site.
  TableSite(const Plan& plan, std::string name, LinearSystem system, bool open_ended = false)
      : plan_(&plan), name_(std::move(name)), system_(std::move(system)), open_ended_(open_ended) {}

  const std::string& name() const { return name_; }
  const LinearSystem& system() const { return system_; }

  Result<ColumnSums> sum_columns(const SumColumns& question);
  /// Of the columns without the intercept. REQUIRES: they were summed.
  std::vector<ColumnKind> column_kinds() const { return fedrk::column_kinds(system_, plan_->intercept ? 1 : 0); }

  struct Place {
    ClientId id;
    std::uint64_t seed = 0;
  };
  /// The site is used up by it. `powers`: those of the plan, as columns of the rows. Where the rows had to be changed
  /// to be of use, the warnings say so.
  Result<Client> prepare(const PrepareRows& question, const std::vector<PowerTerm>& powers, const Place& place,
                         std::vector<std::string>& warnings) &&;

 private:
  Result<void> widen(std::size_t columns);
  Result<void> check(const ColumnTotals& totals) const;

  const Plan* plan_;
  std::string name_;
  LinearSystem system_;
  bool open_ended_;
  bool wide_ = false;  // with all columns and the intercept
};

}  // namespace fedrk::io
