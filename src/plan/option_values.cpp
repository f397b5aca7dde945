// SPDX-License-Identifier: Apache-2.0
#include "plan/option_values.hpp"

#include "data/powers.hpp"

namespace fedrk::io {
Result<std::string> single(const Values& values) {
  if (values.size() == 1) return values.front();
  return Error{fmt::format("expected one value, found {}", values.size())};
}

Result<void> set_job(const Values& values, Plan& plan) {
  Job job{};
  if (const auto done = set_choice<Job>(values, kJobs, job); !done) return done.error();
  plan.set_job(job);
  return {};
}

Result<void> set_intercept(const Values& values, Plan& plan) {
  plan.default_intercept = false;
  return set_switch(values, plan.intercept);
}

Result<void> set_powers(const Values& values, std::vector<std::string>& field) {
  for (const std::string& value : values) {
    if (const auto power = parse_powers(value); !power) return power.error();
  }
  field = values;
  return {};
}

Result<void> set_steps(const Values& values, StepBudget& field) {
  if (values == Values{"inf"}) {
    field = ExactProjection{};
    return {};
  }
  std::uint64_t count = 0;
  if (const auto done = set_whole<std::uint64_t>(values, count, 1); !done) {
    return Error{fmt::format("expected a whole number from 1 or 'inf', found '{}'", fmt::join(values, ", "))};
  }
  field = FixedSteps{count};
  return {};
}

Result<void> set_rounds(const Values& values, std::optional<std::uint32_t>& field) {
  if (values == Values{"auto"}) return field.reset(), Result<void>();
  return set_whole<std::uint32_t>(values, field.emplace(), 1);
}

Result<void> set_epsilon(const Values& values, double& field) {
  if (values != Values{"none"}) return set_positive(values, field);
  field = 0.0;
  return {};
}

Result<void> set_memory(const Values& values, std::size_t& rounds) {
  return set_whole<std::size_t>(values, rounds, 0, {"all", HyperplaneMemory::kAll});
}

Result<void> set_megabytes(const Values& values, std::size_t& bytes) {
  std::uint32_t megabytes = 0;
  if (const auto done = set_whole<std::uint32_t>(values, megabytes, 0); !done) return done.error();
  bytes = std::size_t{megabytes} << 20;
  return {};
}

Result<void> set_number(const Values& values, std::string_view expected, bool (*accepts)(double), double& field) {
  const auto text = single(values);
  if (!text) return text.error();
  const auto number = parse_number(*text);
  if (!number || !accepts(*number)) return Error{fmt::format("expected {}, found '{}'", expected, *text)};
  field = *number;
  return {};
}

Result<void> set_not_negative(const Values& values, double& field) {
  return set_number(
      values, "a number from 0 (none)", [](double v) { return v >= 0.0; }, field);
}

Result<void> set_positive(const Values& values, double& field) {
  return set_number(
      values, "a number above 0", [](double v) { return v > 0.0; }, field);
}

Result<void> set_seconds(const Values& values, double& field) {
  return set_number(
      values, "a number above 0, at most 1e9", [](double v) { return v > 0.0 && v <= 1e9; }, field);
}

Result<void> set_patience(const Values& values, std::optional<std::uint32_t>& field) {
  if (values == Values{"auto"}) {
    field.reset();
    return {};
  }
  std::uint32_t rounds = 0;
  if (const auto done = set_whole<std::uint32_t>(values, rounds, 1, {"endless", 0}); !done) {
    return Error{
        fmt::format("expected 'auto', 'endless' or a whole number from 1, found '{}'", fmt::join(values, ", "))};
  }
  field = rounds;
  return {};
}

Result<void> set_sparse(const Values& values, double& lambda) {
  constexpr std::string_view kSoft = "soft:";
  const auto text = single(values);
  if (!text) return text.error();
  if (*text == "none") {
    lambda = 0.0;
    return {};
  }
  if (text->starts_with(kSoft) && set_positive({text->substr(kSoft.size())}, lambda)) return {};
  return Error{fmt::format("expected 'none' or 'soft:LAMBDA' with a number above 0, found '{}'", *text)};
}

Result<void> set_average(const Values& values, std::optional<TailBurnIn>& field) {
  constexpr std::string_view kTail = "tail:";
  const auto text = single(values);
  if (!text) return text.error();
  std::uint32_t rounds = 0;
  if (*text == "none") {
    field.reset();
  } else if (*text == "tail") {
    field = TailBurnIn{};
  } else if (text->starts_with(kTail) && set_whole<std::uint32_t>({text->substr(kTail.size())}, rounds, 0)) {
    field = TailBurnIn{rounds};
  } else {
    return Error{fmt::format("expected 'none', 'tail' or 'tail:ROUNDS', found '{}'", *text)};
  }
  return {};
}

Result<void> set_switch(const Values& values, bool& field) {
  if (values != Values{"true"} && values != Values{"false"}) {
    return Error{fmt::format("expected true or false, found '{}'", fmt::join(values, ", "))};
  }
  field = values.front() == "true";
  return {};
}

Result<void> set_text(const Values& values, std::string& field) {
  const auto text = single(values);
  if (!text) return text.error();
  field = *text;
  return {};
}

Result<void> set_partition(const Values& values, std::string& field) {
  const auto text = single(values);
  if (!text) return text.error();
  if (*text != "contiguous" && *text != "shuffled" && !(text->starts_with("by:") && text->size() > 3)) {
    return Error{fmt::format("expected 'contiguous', 'shuffled' or 'by:COLUMN', found '{}'", *text)};
  }
  field = *text;
  return {};
}

Result<void> set_list(const Values& values, std::vector<std::string>& field) {
  field = values;
  return {};
}

}  // namespace fedrk::io
