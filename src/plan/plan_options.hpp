// SPDX-License-Identifier: Apache-2.0
#pragma once

// The entries of a plan, each described once. Flags, plan files, the saved plan and --help are all made from this
// table: a new option is a new line in it.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "plan/options.hpp"
#include "plan/plan.hpp"

namespace fedrk::io {

using PlanOption = Option<Plan>;

std::span<const PlanOption> plan_options();

/// Nothing where there is no such option.
const PlanOption* find_plan_option(std::string_view name);

/// Whether a plan for this job has the entry.
bool is_for(const PlanOption& option, Job job);
/// Whether it is one of the dozen that most runs for this job use.
bool is_common(const PlanOption& option, Job job);
/// What it means there.
std::string_view help_for(const PlanOption& option, Job job);

/// "solve", "fit"
std::string to_text(Job job);
/// "20" and "inf" as in --local-steps.
std::string to_text(const StepBudget& budget);
std::string to_text(RowSampling sampling);
std::string to_text(LocalForm form);
std::string to_text(Storage storage);
std::string to_text(MethodName name);
std::string to_text(Reveal reveal);
std::string to_text(HyperplaneKind kind);
/// "5", "all"
std::string memory_text(std::size_t rounds);

}  // namespace fedrk::io
