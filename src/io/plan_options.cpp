// SPDX-License-Identifier: Apache-2.0
#include "fedrk/io/plan_options.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "fedrk/io/number.hpp"
#include "io/option_values.hpp"

namespace fedrk::io {
namespace {

// ---- Fields to text.

Values text_or_nothing(const std::string& text) { return text.empty() ? Values{} : Values{text}; }
Values whole_or_word(std::uint64_t number, std::string_view word) {
  return {number == 0 ? std::string(word) : std::to_string(number)};
}
Values switch_text(bool on) { return {on ? "true" : "false"}; }
template <class Choice>
Values text_or_auto(const std::optional<Choice>& choice) {
  return {choice ? to_text(*choice) : "auto"};
}
Values average_text(const std::optional<TailBurnIn>& average) {
  if (!average) return {"none"};
  return {average->rounds ? fmt::format("tail:{}", *average->rounds) : "tail"};
}

// A number where the plan says one: else a plan that was written down could not be given an epsilon later.
Values rounds_text(const Plan& plan) {
  const bool open = plan.usual_rounds && (plan.method.privacy.on() || plan.run.rounds == RunOptions{}.rounds);
  return {open ? "auto" : std::to_string(plan.run.rounds)};
}

// A fit is told by few entries; all others are about how equations are solved.
constexpr std::array<std::string_view, 21> kOfFits{
    "goal",         "data",      "matrix",      "rhs",        "target",    "ignore", "powers",
    "clients",      "partition", "standardize", "intercept",  "storage",   "truth",  "method",
    "participants", "ridge",     "seed",        "round-trip", "bandwidth", "rounds", "tolerance"};

// What an entry means in a fit, where that is said in other words.
constexpr std::pair<std::string_view, std::string_view> kWordsOfFits[] = {
    {"data", "table with a target (CSV, LIBSVM): one for each site, or one to split"},
    {"matrix", "matrix (Matrix Market, NPY): one for each site, or one to split"},
    {"clients", "split the one file over M sites"},
    {"partition", "how to split: contiguous, shuffled, or by:COLUMN (one site for each value)"},
    {"standardize", "penalise standardised columns, and show their coefficients too"},
    {"intercept", "add an intercept, named (Intercept): there is one unless --no-intercept is given"},
    {"method", "gram: one sum of cross-products; cg: conjugate gradients, for many columns; auto: the faster one"},
    {"participants", "sites that are asked at a time; every site is asked"},
    {"ridge", "ridge regression: minimise |Ax - b|^2 + LAMBDA |x|^2; the intercept is not penalised"},
    {"rounds", "rounds at most; auto: 1000 for each group of sites"},
    {"tolerance",
     "converged when every column's cosine with the residual is at most EPS; auto: 1e-8; 0: as far as rounding allows"},
};

constexpr std::string_view kData = "Data", kMethod = "Method", kNetwork = "Network", kPrivacy = "Privacy",
                           kStopping = "Stopping";

// Each line: name, group, kind, placeholder, help, from text, to text. A field of a Plan is `p.`, its values `v`.
#define FEDRK_SET(expression) [](Plan& p, const Values& v) -> Result<void> { return expression; }
#define FEDRK_GET(expression) [](const Plan& p) -> Values { return expression; }

constexpr auto kOptions = std::to_array<PlanOption>({
    {"goal", kData, OptionKind::Text, "solve|fit", "solve equations, or fit data", FEDRK_SET(set_goal(v, p)),
     FEDRK_GET({to_text(p.goal)})},
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
    {"powers", kData, OptionKind::Texts, "COLUMN:K",
     "add the powers 2 to K of a column, named I(COLUMN^2), ... (may be repeated)", FEDRK_SET(set_powers(v, p.powers)),
     FEDRK_GET(p.powers)},
    {"clients", kData, OptionKind::Number, "M", "split the one file over M clients",
     FEDRK_SET(set_whole<std::size_t>(v, p.clients, 1)),
     FEDRK_GET(p.clients == 0 ? Values{} : whole_or_word(p.clients, ""))},
    {"partition", kData, OptionKind::Text, "HOW",
     "how to split: contiguous, shuffled, or by:COLUMN (one client for each value)",
     FEDRK_SET(set_partition(v, p.partition)), FEDRK_GET({p.partition})},
    {"standardize", kData, OptionKind::Switch, "",
     "bring the columns to a common scale (clients exchange column sums, not rows)",
     FEDRK_SET(set_switch(v, p.standardize)), FEDRK_GET(switch_text(p.standardize))},
    {"intercept", kData, OptionKind::Switch, "", "add an intercept, named (Intercept)", FEDRK_SET(set_intercept(v, p)),
     FEDRK_GET(switch_text(p.intercept))},
    {"storage", kData, OptionKind::Text, "TYPE",
     "how clients keep their rows: float64, or float32 for half the memory (rounded to 7 digits)",
     FEDRK_SET(set_choice<Storage>(v, kStorages, p.storage)), FEDRK_GET({to_text(p.storage)})},
    {"start", kData, OptionKind::Path, "FILE", "start from this vector (Matrix Market, NPY) instead of zero",
     FEDRK_SET(set_text(v, p.start)), FEDRK_GET(text_or_nothing(p.start))},
    {"truth", kData, OptionKind::Path, "FILE", "known solution (Matrix Market, NPY): the error to it is recorded",
     FEDRK_SET(set_text(v, p.truth)), FEDRK_GET(text_or_nothing(p.truth))},

    {"method", kMethod, OptionKind::Text, "NAME",
     "auto: summed hyperplanes with a memory, for equations that have a solution; published: the paper's algorithm to "
     "the letter; gram, cg: with --least-squares or --ridge, by cross-products or conjugate gradients (auto: cg)",
     FEDRK_SET(set_choice<MethodName>(v, kMethods, p.method.name)), FEDRK_GET({to_text(p.method.name)})},
    {"participants", kMethod, OptionKind::Number, "N|all",
     "clients in a round: groups of about N are drawn once and asked in turn; published: N are drawn for each round",
     FEDRK_SET(set_whole<std::size_t>(v, p.run.participants, 1, {"all", 0})),
     FEDRK_GET(whole_or_word(p.run.participants, "all"))},
    {"local-steps", kMethod, OptionKind::Number, "N|inf|auto",
     "Kaczmarz steps of a client in a round (tau); inf: exact projection; auto: 20 in the published and the sparse "
     "method, else eight passes over the rows",
     FEDRK_SET(set_local_steps(v, p)), FEDRK_GET({p.usual_local_steps ? "auto" : to_text(p.run.local_budget)})},
    {"server-steps", kMethod, OptionKind::Number, "N|inf", "Kaczmarz steps of the server in a round (tau_g)",
     FEDRK_SET(set_steps(v, p.run.server_budget)), FEDRK_GET({to_text(p.run.server_budget)})},
    {"row-sampling", kMethod, OptionKind::Text, "HOW",
     "the order in which clients use their rows: squared-norm and uniform draw them, shuffled takes each once in a "
     "pass, "
     "greedy the farthest; auto: squared-norm in the published method, else shuffled",
     FEDRK_SET(set_sampling(v, p)), FEDRK_GET({p.usual_sampling ? "auto" : to_text(p.steps.sampling)})},
    {"local-form", kMethod, OptionKind::Text, "HOW",
     "how clients make their steps: direct, gram (in coefficient space), or auto, the one of less work",
     FEDRK_SET(set_choice<LocalForm>(v, kForms, p.steps.form)), FEDRK_GET({to_text(p.steps.form)})},
    {"local-memory", kMethod, OptionKind::Number, "MB",
     "memory that the inner products of a client's rows may take for the gram form",
     FEDRK_SET(set_megabytes(v, p.steps.gram_memory)), FEDRK_GET({std::to_string(p.steps.gram_memory >> 20)})},
    {"server-sampling", kMethod, OptionKind::Text, "HOW", "how the server draws hyperplanes: uniform or squared-norm",
     FEDRK_SET(set_choice<RowSampling>(v, kServerSamplings, p.run.server_sampling)),
     FEDRK_GET({to_text(p.run.server_sampling)})},
    {"reveal", kMethod, OptionKind::Text, "WHAT",
     "what the server sees of a round: sums (one, of all clients), or updates (every client's); auto: sums unless "
     "something that was asked for needs updates",
     FEDRK_SET(choose_or_auto<Reveal>(v, kReveals, p.method.reveal)), FEDRK_GET(text_or_auto(p.method.reveal))},
    {"hyperplanes", kMethod, OptionKind::Text, "KIND",
     "what the server makes of updates: valid (hold every solution) or published",
     FEDRK_SET(choose_or_auto<HyperplaneKind>(v, kHyperplanes, p.method.hyperplanes)),
     FEDRK_GET(text_or_auto(p.method.hyperplanes))},
    {"memory", kMethod, OptionKind::Number, "K|all|auto",
     "earlier rounds whose hyperplanes the server goes on using; auto: 5, all where these are too slow, none in the "
     "published method",
     FEDRK_SET(set_or_auto(v, p.method.memory, set_memory)),
     FEDRK_GET({p.method.memory ? memory_text(*p.method.memory) : "auto"})},
    {"memory-limit", kMethod, OptionKind::Number, "MB", "memory that these may take; the oldest go first",
     FEDRK_SET(set_megabytes(v, p.method.memory_limit)), FEDRK_GET({std::to_string(p.method.memory_limit >> 20)})},
    {"ridge", kMethod, OptionKind::Number, "LAMBDA",
     "find the x that minimises |Ax - b|^2 + LAMBDA |x - start|^2, by sums over all clients; not for the intercept",
     FEDRK_SET(set_not_negative(v, p.method.ridge)), FEDRK_GET({to_text(p.method.ridge)})},
    {"least-squares", kMethod, OptionKind::Switch, "",
     "find the least-squares solution, by sums over all clients: for equations that contradict each other",
     FEDRK_SET(set_switch(v, p.method.least_squares)), FEDRK_GET(switch_text(p.method.least_squares))},
    {"sparse", kMethod, OptionKind::Text, "none|soft:LAMBDA",
     "find few non-zero entries by soft thresholding (sparse Kaczmarz)", FEDRK_SET(set_sparse(v, p.method.soft)),
     FEDRK_GET({p.method.soft > 0.0 ? fmt::format("soft:{}", to_text(p.method.soft)) : "none"})},
    {"refit", kMethod, OptionKind::Switch, "",
     "at the end fit the entries that --sparse selected anew, by least squares; --keep always does",
     FEDRK_SET(set_switch(v, p.method.refit)), FEDRK_GET(switch_text(p.method.refit))},
    {"average", kMethod, OptionKind::Text, "none|tail[:ROUNDS]",
     "answer with the mean of the iterates after the first ROUNDS (half of all), for noisy data",
     FEDRK_SET(set_average(v, p.method.average)), FEDRK_GET(average_text(p.method.average))},
    {"keep", kMethod, OptionKind::Number, "S|all",
     "after each round keep the S largest entries; at the end fit the S that were kept most often by least squares",
     FEDRK_SET(set_whole<std::size_t>(v, p.run.sparsity, 1, {"all", 0})),
     FEDRK_GET(whole_or_word(p.run.sparsity, "all"))},
    {"noise-columns", kMethod, OptionKind::Number, "P",
     "columns of noise that each client appends, for inconsistent systems",
     FEDRK_SET(set_whole<std::size_t>(v, p.run.noise_columns, 0)), FEDRK_GET(whole_or_word(p.run.noise_columns, "0"))},
    {"seed", kMethod, OptionKind::Number, "N", "seed of all random draws: one seed, one result",
     FEDRK_SET(set_whole<std::uint64_t>(v, p.run.seed, 0)), FEDRK_GET({std::to_string(p.run.seed)})},

    {"round-trip", kNetwork, OptionKind::Number, "MS",
     "time of a message to a client and back, for the choice between gram and cg",
     FEDRK_SET(set_positive(v, p.round_trip)), FEDRK_GET({to_text(p.round_trip)})},
    {"bandwidth", kNetwork, OptionKind::Number, "MBIT", "megabits a second to a client, for the same choice",
     FEDRK_SET(set_positive(v, p.bandwidth)), FEDRK_GET({to_text(p.bandwidth)})},

    {"epsilon", kPrivacy, OptionKind::Number, "EPS|none",
     "differential privacy: no single row changes the chance of any outcome by more than a factor e^EPS",
     FEDRK_SET(set_epsilon(v, p.method.privacy.epsilon)),
     FEDRK_GET({p.method.privacy.on() ? to_text(p.method.privacy.epsilon) : "none"})},
    {"delta", kPrivacy, OptionKind::Number, "DELTA",
     "probability with which the bound of --epsilon may fail; choose it well below 1/rows",
     FEDRK_SET(set_positive(v, p.method.privacy.delta)), FEDRK_GET({to_text(p.method.privacy.delta)})},
    {"clip", kPrivacy, OptionKind::Number, "C|auto",
     "longest step on x in the first round; auto: for columns and a solution of about unit scale",
     FEDRK_SET(set_or_auto(v, p.method.privacy.clip, set_positive)),
     FEDRK_GET({p.method.privacy.clip ? to_text(*p.method.privacy.clip) : "auto"})},
    {"least-answers", kPrivacy, OptionKind::Number, "N|all",
     "answers that every sum must have, whose shares of the noise are enough; all: no participant may be missing",
     FEDRK_SET(set_whole<std::size_t>(v, p.method.privacy.least, 3, {"all", 0})),
     FEDRK_GET(whole_or_word(p.method.privacy.least, "all"))},

    {"rounds", kStopping, OptionKind::Number, "T|auto",
     "rounds at most; auto: 1000, for a fit 1000 for each group of clients, with --epsilon 6",
     FEDRK_SET(set_rounds(v, p)), FEDRK_GET(rounds_text(p))},
    {"tolerance", kStopping, OptionKind::Number, "EPS|auto",
     "converged when the relative residual of all clients is at most EPS, in least squares every column's cosine with "
     "the residual; auto: 1e-8; 0: as far as rounding allows",
     FEDRK_SET(set_or_auto(v, p.tolerance, set_not_negative)),
     FEDRK_GET({p.tolerance ? to_text(*p.tolerance) : "auto"})},
    {"patience", kStopping, OptionKind::Number, "N|auto|endless",
     "stop after N rounds without progress; auto: 100 where a tolerance is given, else endless",
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

const PlanOption* find_plan_option(std::string_view name) { return find_option(plan_options(), name); }

bool is_for(const PlanOption& option, Goal goal) {
  return goal == Goal::Solve || std::ranges::find(kOfFits, option.name) != kOfFits.end();
}

std::string_view help_for(const PlanOption& option, Goal goal) {
  const auto found = std::ranges::find(kWordsOfFits, option.name, [](const auto& words) { return words.first; });
  return goal == Goal::Solve || found == std::end(kWordsOfFits) ? option.help : found->second;
}

std::string to_text(Goal goal) { return word_of<Goal>(kGoals, goal); }

std::string to_text(const StepBudget& budget) {
  const auto* steps = std::get_if<FixedSteps>(&budget);
  return steps == nullptr ? "inf" : std::to_string(steps->count);
}

std::string to_text(LocalForm form) { return word_of<LocalForm>(kForms, form); }
std::string to_text(Storage storage) { return word_of<Storage>(kStorages, storage); }
std::string to_text(MethodName name) { return word_of<MethodName>(kMethods, name); }
std::string to_text(Reveal reveal) { return word_of<Reveal>(kReveals, reveal); }
std::string to_text(HyperplaneKind kind) { return word_of<HyperplaneKind>(kHyperplanes, kind); }

std::string memory_text(std::size_t rounds) {
  return rounds == HyperplaneMemory::kAll ? "all" : std::to_string(rounds);
}
std::string to_text(RowSampling sampling) { return word_of<RowSampling>(kSamplings, sampling); }

}  // namespace fedrk::io
