// SPDX-License-Identifier: Apache-2.0
#include "fedrk/io/plan_options.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "fedrk/io/number.hpp"

namespace fedrk::io {
namespace {

using Values = OptionValues;

// ---- One value as text to a field, each with what it accepts.

Result<std::string> single(const Values& values) {
  if (values.size() == 1) return values.front();
  return Error{fmt::format("expected one value, found {}", values.size())};
}

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

Result<void> set_steps(const Values& values, StepBudget& field) {
  if (values == Values{"inf"}) {
    field = UntilProjected{};
    return {};
  }
  std::uint64_t count = 0;
  if (const auto done = set_whole<std::uint64_t>(values, count, 1); !done) {
    return Error{fmt::format("expected a whole number from 1 or 'inf', found '{}'", fmt::join(values, ", "))};
  }
  field = FixedSteps{count};
  return {};
}

// ---- A choice from a closed list, by the words of a table.

template <class Choice>
using Words = std::pair<std::string_view, Choice>;

constexpr Words<RowSampling> kSamplings[] = {{"squared-norm", RowSampling::SquaredNorm},
                                             {"uniform", RowSampling::Uniform}};
constexpr Words<LocalForm> kForms[] = {
    {"auto", LocalForm::Auto}, {"direct", LocalForm::Direct}, {"gram", LocalForm::Gram}};
constexpr Words<Storage> kStorages[] = {{"float64", Storage::Float64}, {"float32", Storage::Float32}};

template <class Choice>
Result<void> set_choice(const Values& values, std::span<const Words<Choice>> words, Choice& field) {
  std::string expected;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (values == Values{std::string(words[i].first)}) {
      field = words[i].second;
      return {};
    }
    expected += fmt::format("{}'{}'", i == 0 ? "" : i + 1 == words.size() ? " or " : ", ", words[i].first);
  }
  return Error{fmt::format("expected {}, found '{}'", expected, fmt::join(values, ", "))};
}

template <class Choice>
std::string word_of(std::span<const Words<Choice>> words, Choice choice) {
  return std::string(std::ranges::find(words, choice, &Words<Choice>::second)->first);
}

Result<void> set_sampling(const Values& values, RowSampling& field) {
  return set_choice<RowSampling>(values, kSamplings, field);
}
Result<void> set_form(const Values& values, LocalForm& field) { return set_choice<LocalForm>(values, kForms, field); }
Result<void> set_storage(const Values& values, Storage& field) { return set_choice<Storage>(values, kStorages, field); }

Result<void> set_megabytes(const Values& values, std::size_t& bytes) {
  std::uint32_t megabytes = 0;
  if (const auto done = set_whole<std::uint32_t>(values, megabytes, 0); !done) return done.error();
  bytes = std::size_t{megabytes} << 20;
  return {};
}

Result<void> set_tolerance(const Values& values, double& field) {
  const auto text = single(values);
  if (!text) return text.error();
  const auto number = parse_number(*text);
  if (!number || *number < 0.0) return Error{fmt::format("expected a number from 0 (none), found '{}'", *text)};
  field = *number;
  return {};
}

Result<void> set_patience(const Values& values, std::optional<std::uint32_t>& field) {
  if (values == Values{"auto"}) {
    field.reset();
    return {};
  }
  std::uint32_t rounds = 0;
  const auto done = set_whole<std::uint32_t>(values, rounds, 1, {"endless", 0});
  if (!done) return Error{"expected 'auto', 'endless' or a whole number from 1, found '" + values.front() + "'"};
  field = rounds;
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

Result<void> set_method(const Values& values, std::string& field) {
  if (values != Values{"published"}) {
    return Error{fmt::format("expected 'published', found '{}'", fmt::join(values, ", "))};
  }
  field = values.front();
  return {};
}

Result<void> set_list(const Values& values, std::vector<std::string>& field) {
  field = values;
  return {};
}

// ---- Fields to text.

Values text_or_nothing(const std::string& text) { return text.empty() ? Values{} : Values{text}; }
Values whole_or_word(std::uint64_t number, std::string_view word) {
  return {number == 0 ? std::string(word) : std::to_string(number)};
}
Values switch_text(bool on) { return {on ? "true" : "false"}; }

constexpr std::string_view kData = "Data", kMethod = "Method", kStopping = "Stopping";

// Each line: name, group, kind, placeholder, help, from text, to text. A field of a Plan is `p.`, its values `v`.
#define FEDRK_SET(expression) [](Plan& p, const Values& v) -> Result<void> { return expression; }
#define FEDRK_GET(expression) [](const Plan& p) -> Values { return expression; }

constexpr auto kOptions = std::to_array<PlanOption>({
    {"data", kData, OptionKind::Paths, "FILE",
     "table with a target (CSV, LIBSVM): one for each client, or one to split", FEDRK_SET(set_list(v, p.data)),
     FEDRK_GET(p.data)},
    {"matrix", kData, OptionKind::Paths, "FILE", "matrix (Matrix Market, NPY): one for each client, or one to split",
     FEDRK_SET(set_list(v, p.matrix)), FEDRK_GET(p.matrix)},
    {"rhs", kData, OptionKind::Paths, "FILE", "right-hand side of each --matrix, in the same order",
     FEDRK_SET(set_list(v, p.rhs)), FEDRK_GET(p.rhs)},
    {"target", kData, OptionKind::Text, "COLUMN", "CSV column to explain by the others",
     FEDRK_SET(set_text(v, p.target)), FEDRK_GET(text_or_nothing(p.target))},
    {"ignore", kData, OptionKind::Texts, "COLUMN", "CSV column to leave out (may be repeated)",
     FEDRK_SET(set_list(v, p.ignore)), FEDRK_GET(p.ignore)},
    {"clients", kData, OptionKind::Number, "M", "split the one file over M clients",
     FEDRK_SET(set_whole<std::size_t>(v, p.clients, 1)),
     FEDRK_GET(p.clients == 0 ? Values{} : whole_or_word(p.clients, ""))},
    {"partition", kData, OptionKind::Text, "HOW",
     "how to split: contiguous, shuffled, or by:COLUMN (one client for each value)",
     FEDRK_SET(set_partition(v, p.partition)), FEDRK_GET({p.partition})},
    {"standardize", kData, OptionKind::Switch, "",
     "bring the columns to a common scale (clients exchange column sums, not rows)",
     FEDRK_SET(set_switch(v, p.standardize)), FEDRK_GET(switch_text(p.standardize))},
    {"intercept", kData, OptionKind::Switch, "", "add an intercept, named intcpt",
     FEDRK_SET(set_switch(v, p.intercept)), FEDRK_GET(switch_text(p.intercept))},
    {"storage", kData, OptionKind::Text, "TYPE",
     "how clients keep their rows: float64, or float32 for half the memory (rounded to 7 digits)",
     FEDRK_SET(set_storage(v, p.storage)), FEDRK_GET({to_text(p.storage)})},
    {"start", kData, OptionKind::Path, "FILE", "start from this vector (Matrix Market, NPY) instead of zero",
     FEDRK_SET(set_text(v, p.start)), FEDRK_GET(text_or_nothing(p.start))},
    {"truth", kData, OptionKind::Path, "FILE", "known solution (Matrix Market, NPY): the error to it is recorded",
     FEDRK_SET(set_text(v, p.truth)), FEDRK_GET(text_or_nothing(p.truth))},

    {"method", kMethod, OptionKind::Text, "NAME", "published: the paper's algorithm to the letter",
     FEDRK_SET(set_method(v, p.method)), FEDRK_GET({p.method})},
    {"participants", kMethod, OptionKind::Number, "N|all", "clients drawn for each round",
     FEDRK_SET(set_whole<std::size_t>(v, p.run.participants, 1, {"all", 0})),
     FEDRK_GET(whole_or_word(p.run.participants, "all"))},
    {"local-steps", kMethod, OptionKind::Number, "N|inf",
     "Kaczmarz steps of a client in a round (tau); inf: exact projection", FEDRK_SET(set_steps(v, p.run.local_budget)),
     FEDRK_GET({to_text(p.run.local_budget)})},
    {"server-steps", kMethod, OptionKind::Number, "N|inf", "Kaczmarz steps of the server in a round (tau_g)",
     FEDRK_SET(set_steps(v, p.run.server_budget)), FEDRK_GET({to_text(p.run.server_budget)})},
    {"row-sampling", kMethod, OptionKind::Text, "HOW", "how clients draw rows: squared-norm or uniform",
     FEDRK_SET(set_sampling(v, p.steps.sampling)), FEDRK_GET({to_text(p.steps.sampling)})},
    {"local-form", kMethod, OptionKind::Text, "HOW",
     "how clients make their steps: direct, gram (in coefficient space), or auto, the one of less work",
     FEDRK_SET(set_form(v, p.steps.form)), FEDRK_GET({to_text(p.steps.form)})},
    {"local-memory", kMethod, OptionKind::Number, "MB",
     "memory that the inner products of a client's rows may take for the gram form",
     FEDRK_SET(set_megabytes(v, p.steps.gram_memory)), FEDRK_GET({std::to_string(p.steps.gram_memory >> 20)})},
    {"server-sampling", kMethod, OptionKind::Text, "HOW", "how the server draws hyperplanes: uniform or squared-norm",
     FEDRK_SET(set_sampling(v, p.run.server_sampling)), FEDRK_GET({to_text(p.run.server_sampling)})},
    {"keep", kMethod, OptionKind::Number, "S|all", "after each round keep the S largest entries",
     FEDRK_SET(set_whole<std::size_t>(v, p.run.sparsity, 1, {"all", 0})),
     FEDRK_GET(whole_or_word(p.run.sparsity, "all"))},
    {"noise-columns", kMethod, OptionKind::Number, "P",
     "columns of noise that each client appends, for inconsistent systems",
     FEDRK_SET(set_whole<std::size_t>(v, p.run.noise_columns, 0)), FEDRK_GET(whole_or_word(p.run.noise_columns, "0"))},
    {"seed", kMethod, OptionKind::Number, "N", "seed of all random draws: one seed, one result",
     FEDRK_SET(set_whole<std::uint64_t>(v, p.run.seed, 0)), FEDRK_GET({std::to_string(p.run.seed)})},

    {"rounds", kStopping, OptionKind::Number, "T", "rounds at most",
     FEDRK_SET(set_whole<std::uint32_t>(v, p.run.rounds, 1)), FEDRK_GET({std::to_string(p.run.rounds)})},
    {"tolerance", kStopping, OptionKind::Number, "EPS",
     "stop when the relative residual of all clients is at most EPS; 0: do not",
     FEDRK_SET(set_tolerance(v, p.run.tolerance)), FEDRK_GET({to_text(p.run.tolerance)})},
    {"patience", kStopping, OptionKind::Number, "N|auto|endless",
     "stop after N rounds without progress; auto: 100 with a tolerance, else endless",
     FEDRK_SET(set_patience(v, p.patience)),
     FEDRK_GET(p.patience ? whole_or_word(*p.patience, "endless") : Values{"auto"})},
    {"residual-every", kStopping, OptionKind::Number, "N|auto",
     "ask for residuals every N rounds; auto: so that they cost little",
     FEDRK_SET(set_whole<std::uint32_t>(v, p.run.residual_every, 1, {"auto", 0})),
     FEDRK_GET(whole_or_word(p.run.residual_every, "auto"))},
});

#undef FEDRK_SET
#undef FEDRK_GET

}  // namespace

std::span<const PlanOption> plan_options() { return kOptions; }

const PlanOption* find_plan_option(std::string_view name) {
  const auto found = std::ranges::find(kOptions, name, &PlanOption::name);
  return found == kOptions.end() ? nullptr : &*found;
}

std::string to_text(const StepBudget& budget) {
  const auto* steps = std::get_if<FixedSteps>(&budget);
  return steps == nullptr ? "inf" : std::to_string(steps->count);
}

std::string to_text(LocalForm form) { return word_of<LocalForm>(kForms, form); }
std::string to_text(Storage storage) { return word_of<Storage>(kStorages, storage); }
std::string to_text(RowSampling sampling) { return word_of<RowSampling>(kSamplings, sampling); }

}  // namespace fedrk::io
