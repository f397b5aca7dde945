// SPDX-License-Identifier: Apache-2.0
#pragma once

// The values of plan entries: from the text that a flag or a plan file holds to a field of the plan, each with what it
// accepts, and the names of choices from a closed list.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/number.hpp"
#include "plan/plan.hpp"
#include "plan/plan_options.hpp"

namespace fedrk::io {

using Values = OptionValues;

// ---- Choices.

template <class Choice>
using ChoiceName = std::pair<std::string_view, Choice>;

inline constexpr ChoiceName<Job> kJobs[] = {{"solve", Job::Solve}, {"fit", Job::Fit}};
inline constexpr ChoiceName<RowSampling> kServerSamplings[] = {{"uniform", RowSampling::Uniform},
                                                               {"squared-norm", RowSampling::SquaredNorm}};
inline constexpr ChoiceName<RowSampling> kSamplings[] = {{"squared-norm", RowSampling::SquaredNorm},
                                                         {"norm", RowSampling::SquaredNorm},
                                                         {"uniform", RowSampling::Uniform},
                                                         {"shuffled", RowSampling::Shuffled},
                                                         {"greedy", RowSampling::Greedy}};
inline constexpr ChoiceName<privacy::Mechanism> kMechanisms[] = {
    {"auto", privacy::Mechanism::Auto}, {"passes", privacy::Mechanism::Passes}, {"gram", privacy::Mechanism::Gram}};
inline constexpr ChoiceName<MethodName> kMethods[] = {{"auto", MethodName::Auto},
                                                      {"fedrk", MethodName::Fedrk},
                                                      {"published", MethodName::Fedrk},
                                                      {"gram", MethodName::Gram},
                                                      {"cg", MethodName::Cg}};
inline constexpr ChoiceName<Reveal> kReveals[] = {{"sums", Reveal::Sums}, {"updates", Reveal::Updates}};
inline constexpr ChoiceName<HyperplaneKind> kHyperplanes[] = {
    {"valid", HyperplaneKind::Valid}, {"fedrk", HyperplaneKind::Fedrk}, {"published", HyperplaneKind::Fedrk}};
inline constexpr ChoiceName<LocalForm> kForms[] = {
    {"auto", LocalForm::Auto}, {"direct", LocalForm::Direct}, {"gram", LocalForm::Gram}};
inline constexpr ChoiceName<Storage> kStorages[] = {{"float64", Storage::Float64}, {"float32", Storage::Float32}};

template <class Choice>
std::string word_of(std::span<const ChoiceName<Choice>> names, Choice choice) {
  return std::string(std::ranges::find(names, choice, &ChoiceName<Choice>::second)->first);
}

template <class Choice>
Result<void> set_choice(const Values& values, std::span<const ChoiceName<Choice>> names, Choice& field) {
  std::string expected;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (values == Values{std::string(names[i].first)}) {
      field = names[i].second;
      return {};
    }
    expected += fmt::format("{}'{}'", i == 0 ? "" : i + 1 == names.size() ? " or " : ", ", names[i].first);
  }
  return Error{fmt::format("expected {}, found '{}'", expected, fmt::join(values, ", "))};
}

// ---- Numbers.

/// Exactly one value.
Result<std::string> single(const Values& values);

/// A number that `accepts` takes; `expected` says which.
Result<void> set_number(const Values& values, std::string_view expected, bool (*accepts)(double), double& field);

/// A whole number from `smallest`, or a word that stands for one.
template <class Whole>
Result<void> set_whole(const Values& values, Whole& field, Whole smallest,
                       std::pair<std::string_view, Whole> word = {}) {
  const auto text = single(values);
  if (!text) return text.error();
  if (!word.first.empty() && *text == word.first) {
    field = word.second;
    return {};
  }
  const auto number = parse_whole(*text);
  const bool fits = number && *number >= smallest && *number <= std::numeric_limits<Whole>::max();
  if (!fits) {
    // 64 bits hold what anybody asks for; a smaller limit is worth telling.
    const std::string limit = sizeof(Whole) < 8 ? fmt::format(" to {}", std::numeric_limits<Whole>::max()) : "";
    const std::string or_word = word.first.empty() ? "" : fmt::format(" or '{}'", word.first);
    return Error{fmt::format("expected a whole number from {}{}{}, found '{}'", smallest, limit, or_word, *text)};
  }
  field = static_cast<Whole>(*number);
  return {};
}

/// A value that may be left open, by the word "auto"; any other goes to `set`.
template <class Value, class Set>
Result<void> set_or_auto(const Values& values, std::optional<Value>& field, const Set& set) {
  if (values == Values{"auto"}) {
    field.reset();
    return {};
  }
  Value value{};
  if (const auto done = set(values, value); !done) {
    constexpr std::string_view kExpected = "expected ";
    std::string message = done.error().message;
    if (message.starts_with(kExpected)) message.insert(kExpected.size(), "'auto' or ");
    return Error{message};
  }
  field = value;
  return {};
}

template <class Choice>
Result<void> choose_or_auto(const Values& values, std::span<const ChoiceName<Choice>> names,
                            std::optional<Choice>& field) {
  return set_or_auto(values, field,
                     [names](const Values& v, Choice& choice) { return set_choice<Choice>(v, names, choice); });
}

Result<void> set_job(const Values& values, Plan& plan);
Result<void> set_intercept(const Values& values, Plan& plan);
Result<void> set_powers(const Values& values, std::vector<std::string>& field);
Result<void> set_steps(const Values& values, StepBudget& field);
Result<void> set_rounds(const Values& values, std::optional<std::uint32_t>& field);
Result<void> set_epsilon(const Values& values, double& field);
Result<void> set_memory(const Values& values, std::size_t& rounds);
Result<void> set_megabytes(const Values& values, std::size_t& bytes);
Result<void> set_not_negative(const Values& values, double& field);
Result<void> set_positive(const Values& values, double& field);
/// A time that clocks can add: at most 1e9, thirty years.
Result<void> set_seconds(const Values& values, double& field);
Result<void> set_patience(const Values& values, std::optional<std::uint32_t>& field);
Result<void> set_sparse(const Values& values, double& lambda);
Result<void> set_average(const Values& values, std::optional<TailBurnIn>& field);

// ---- The rest.

Result<void> set_switch(const Values& values, bool& field);
Result<void> set_text(const Values& values, std::string& field);
Result<void> set_partition(const Values& values, std::string& field);
Result<void> set_list(const Values& values, std::vector<std::string>& field);

}  // namespace fedrk::io
