// SPDX-License-Identifier: Apache-2.0
#pragma once

// The entries of a plan, each described once. Flags, plan files, the saved plan and --help are all made from this
// table: a new option is a new line in it.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fedrk/base/result.hpp"
#include "fedrk/io/plan.hpp"

namespace fedrk::io {

enum class OptionKind {
  Switch,  // true or false
  Number,  // a number, or one of a few words such as "inf"
  Text,
  Path,   // text that a plan file gives relative to its folder
  Paths,  // any number of these
  Texts,
};

using OptionValues = std::vector<std::string>;

struct PlanOption {
  std::string_view name;  // as in --name and in a plan file
  std::string_view group;
  OptionKind kind;
  std::string_view placeholder;
  std::string_view help;
  Result<void> (*set)(Plan& plan, const OptionValues& values);
  OptionValues (*get)(const Plan& plan);  // empty: not set
};

std::span<const PlanOption> plan_options();

/// Nothing where there is no such option.
const PlanOption* find_plan_option(std::string_view name);

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
