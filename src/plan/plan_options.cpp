// SPDX-License-Identifier: Apache-2.0
#include "plan/plan_options.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/number.hpp"
#include "plan/option_values.hpp"

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

// A fit is told by few entries; all others are about how equations are solved.
constexpr std::array<std::string_view, 21> kOfFits{
    "goal",         "data",      "matrix",      "rhs",        "target",    "ignore", "powers",
    "clients",      "partition", "standardize", "intercept",  "storage",   "truth",  "method",
    "participants", "ridge",     "seed",        "round-trip", "bandwidth", "rounds", "tolerance"};

// What --help lists; --help-all lists the rest as well.
constexpr std::array<std::string_view, 10> kCommonInSolve{
    "rhs", "target", "clients", "method", "participants", "local-steps", "keep", "rounds", "tolerance", "seed"};
constexpr std::array<std::string_view, 7> kCommonInFits{"target",      "ignore", "powers", "clients",
                                                        "standardize", "method", "ridge"};

// What an entry means in a fit, where that is said in other words.
constexpr std::pair<std::string_view, std::string_view> kTextsOfFits[] = {
    {"data", "table with the target column (CSV, TSV, LIBSVM); one per site, or one to split"},
    {"matrix", "model matrix (Matrix Market, NPY); one per site, or one to split"},
    {"clients", "number of sites to split one file into"},
    {"partition", "split of one file: contiguous, shuffled, or by:COLUMN (one site per value)"},
    {"standardize", "penalize standardized columns; report standardized coefficients as well"},
    {"intercept", "fit an intercept, named (Intercept); the default"},
    {"method", "gram: one sum of cross-products; cg: conjugate gradients, for many columns; auto: the faster one"},
    {"participants", "sites asked at a time; every site is asked"},
    {"ridge", "ridge regression: minimize |Ax - b|^2 + LAMBDA |x|^2; the intercept is not penalized"},
    {"rounds", "maximum number of rounds; auto: 1000 per group of sites"},
    {"tolerance",
     "stopping tolerance on the cosine between any column and the residual; auto: 1e-8; 0: rounding level"},
};

constexpr std::string_view kData = "Data", kMethod = "Method", kNetwork = "Network", kPrivacy = "Privacy",
                           kStopping = "Stopping";

// Each line: name, group, kind, placeholder, help, from text, to text. A field of a Plan is `p.`, its values `v`.
#define FEDRK_SET(expression) [](Plan& p, const Values& v) -> Result<void> { return expression; }
#define FEDRK_GET(expression) [](const Plan& p) -> Values { return expression; }

constexpr auto kOptions = std::to_array<PlanOption>({
    {"goal", kData, OptionKind::Text, "solve|fit", "solve equations, or fit data", FEDRK_SET(set_job(v, p)),
     FEDRK_GET({to_text(p.job)})},
    {"data", kData, OptionKind::Paths, "FILE",
     "table with a target column (CSV, TSV, LIBSVM); one per client, or one to split", FEDRK_SET(set_list(v, p.data)),
     FEDRK_GET(p.data)},
    {"matrix", kData, OptionKind::Paths, "FILE",
     "coefficient matrix (Matrix Market, NPY); one per client, or one to split", FEDRK_SET(set_list(v, p.matrix)),
     FEDRK_GET(p.matrix)},
    {"rhs", kData, OptionKind::Paths, "FILE", "right-hand side of each matrix, in the same order",
     FEDRK_SET(set_list(v, p.rhs)), FEDRK_GET(p.rhs)},
    {"target", kData, OptionKind::Text, "COLUMN", "response column of the tables; all other columns are regressors",
     FEDRK_SET(set_text(v, p.target)), FEDRK_GET(text_or_nothing(p.target))},
    {"ignore", kData, OptionKind::Texts, "COLUMN", "column to exclude (may be repeated)",
     FEDRK_SET(set_list(v, p.ignore)), FEDRK_GET(p.ignore)},
    {"powers", kData, OptionKind::Texts, "COLUMN:K",
     "add powers 2 to K of a column, named I(COLUMN^2), ... (may be repeated)", FEDRK_SET(set_powers(v, p.powers)),
     FEDRK_GET(p.powers)},
    {"clients", kData, OptionKind::Number, "M", "number of clients to split one file into",
     FEDRK_SET(set_whole<std::size_t>(v, p.clients, 1)),
     FEDRK_GET(p.clients == 0 ? Values{} : whole_or_word(p.clients, ""))},
    {"partition", kData, OptionKind::Text, "HOW",
     "split of one file: contiguous, shuffled, or by:COLUMN (one client per value)",
     FEDRK_SET(set_partition(v, p.partition)), FEDRK_GET({p.partition})},
    {"standardize", kData, OptionKind::Switch, "", "center and scale the columns, from column sums over all clients",
     FEDRK_SET(set_switch(v, p.standardize)), FEDRK_GET(switch_text(p.standardize))},
    {"intercept", kData, OptionKind::Switch, "", "add an intercept, named (Intercept)", FEDRK_SET(set_intercept(v, p)),
     FEDRK_GET(switch_text(p.intercept))},
    {"storage", kData, OptionKind::Text, "TYPE",
     "number type of stored rows: float64, or float32 (half the memory, 7 digits)",
     FEDRK_SET(set_choice<Storage>(v, kStorages, p.storage)), FEDRK_GET({to_text(p.storage)})},
    {"start", kData, OptionKind::Path, "FILE", "initial vector (Matrix Market, NPY); default: zero",
     FEDRK_SET(set_text(v, p.start)), FEDRK_GET(text_or_nothing(p.start))},
    {"truth", kData, OptionKind::Path, "FILE",
     "known solution (Matrix Market, NPY); records the relative error of each round", FEDRK_SET(set_text(v, p.truth)),
     FEDRK_GET(text_or_nothing(p.truth))},

    {"method", kMethod, OptionKind::Text, "NAME",
     "auto: summed hyperplanes with memory, for consistent equations; fedrk: as in the paper; gram, cg: "
     "cross-products or conjugate gradients, with --least-squares or --ridge (auto: cg)",
     FEDRK_SET(set_choice<MethodName>(v, kMethods, p.method.name)), FEDRK_GET({to_text(p.method.name)})},
    {"participants", kMethod, OptionKind::Number, "N|all",
     "clients per round, in fixed groups asked in turn; fedrk: N drawn anew each round",
     FEDRK_SET(set_whole<std::size_t>(v, p.run.participants, 1, {"all", 0})),
     FEDRK_GET(whole_or_word(p.run.participants, "all"))},
    {"local-steps", kMethod, OptionKind::Number, "N|inf|auto",
     "Kaczmarz steps per client and round (tau); inf: exact projection; auto: 20 for fedrk and sparse methods, "
     "otherwise eight passes over the rows",
     FEDRK_SET(set_or_auto(v, p.local_steps, set_steps)), FEDRK_GET(text_or_auto(p.local_steps))},
    {"server-steps", kMethod, OptionKind::Number, "N|inf", "Kaczmarz steps of the server per round (tau_g)",
     FEDRK_SET(set_steps(v, p.run.server_budget)), FEDRK_GET({to_text(p.run.server_budget)})},
    {"row-sampling", kMethod, OptionKind::Text, "HOW",
     "row order in local steps: squared-norm or uniform (random), shuffled (each row once per pass), greedy (largest "
     "distance); auto: squared-norm for fedrk, otherwise shuffled",
     FEDRK_SET(choose_or_auto<RowSampling>(v, kSamplings, p.row_sampling)), FEDRK_GET(text_or_auto(p.row_sampling))},
    {"local-form", kMethod, OptionKind::Text, "HOW",
     "arithmetic of local steps: direct, gram (in coefficient space), or auto (fewer operations)",
     FEDRK_SET(set_choice<LocalForm>(v, kForms, p.steps.form)), FEDRK_GET({to_text(p.steps.form)})},
    {"local-memory", kMethod, OptionKind::Number, "MB", "memory limit for a client's Gram matrix",
     FEDRK_SET(set_megabytes(v, p.steps.gram_memory)), FEDRK_GET({std::to_string(p.steps.gram_memory >> 20)})},
    {"server-sampling", kMethod, OptionKind::Text, "HOW", "hyperplane sampling at the server: uniform or squared-norm",
     FEDRK_SET(set_choice<RowSampling>(v, kServerSamplings, p.run.server_sampling)),
     FEDRK_GET({to_text(p.run.server_sampling)})},
    {"reveal", kMethod, OptionKind::Text, "WHAT",
     "what the server sees in a round: sums (one, over all clients) or updates (one per client); auto: sums unless "
     "another option needs updates",
     FEDRK_SET(choose_or_auto<Reveal>(v, kReveals, p.method.reveal)), FEDRK_GET(text_or_auto(p.method.reveal))},
    {"hyperplanes", kMethod, OptionKind::Text, "KIND",
     "hyperplanes made from updates: valid (contain every solution) or fedrk",
     FEDRK_SET(choose_or_auto<HyperplaneKind>(v, kHyperplanes, p.method.hyperplanes)),
     FEDRK_GET(text_or_auto(p.method.hyperplanes))},
    {"memory", kMethod, OptionKind::Number, "K|all|auto",
     "past rounds whose hyperplanes the server keeps using; auto: 5, all if 5 converge slowly, none for fedrk",
     FEDRK_SET(set_or_auto(v, p.method.memory, set_memory)),
     FEDRK_GET({p.method.memory ? memory_text(*p.method.memory) : "auto"})},
    {"memory-limit", kMethod, OptionKind::Number, "MB",
     "memory limit for past hyperplanes; the oldest are dropped first",
     FEDRK_SET(set_megabytes(v, p.method.memory_limit)), FEDRK_GET({std::to_string(p.method.memory_limit >> 20)})},
    {"ridge", kMethod, OptionKind::Number, "LAMBDA",
     "ridge penalty: minimize |Ax - b|^2 + LAMBDA |x - start|^2; the intercept is not penalized",
     FEDRK_SET(set_not_negative(v, p.method.ridge)), FEDRK_GET({to_text(p.method.ridge)})},
    {"least-squares", kMethod, OptionKind::Switch, "", "least-squares solution, for inconsistent equations",
     FEDRK_SET(set_switch(v, p.method.least_squares)), FEDRK_GET(switch_text(p.method.least_squares))},
    {"sparse", kMethod, OptionKind::Text, "none|soft:LAMBDA", "sparse Kaczmarz: soft thresholding by LAMBDA",
     FEDRK_SET(set_sparse(v, p.method.soft)),
     FEDRK_GET({p.method.soft > 0.0 ? fmt::format("soft:{}", to_text(p.method.soft)) : "none"})},
    {"refit", kMethod, OptionKind::Switch, "",
     "refit the entries that --sparse selects, by least squares; --keep always refits",
     FEDRK_SET(set_switch(v, p.method.refit)), FEDRK_GET(switch_text(p.method.refit))},
    {"average", kMethod, OptionKind::Text, "none|tail[:ROUNDS]",
     "mean of the iterates after the first ROUNDS (default: half of all), for noisy data",
     FEDRK_SET(set_average(v, p.method.average)), FEDRK_GET(average_text(p.method.average))},
    {"keep", kMethod, OptionKind::Number, "S|all",
     "hard thresholding: keep the S largest entries after each round, then refit the S most selected by least squares",
     FEDRK_SET(set_whole<std::size_t>(v, p.run.sparsity, 1, {"all", 0})),
     FEDRK_GET(whole_or_word(p.run.sparsity, "all"))},
    {"noise-columns", kMethod, OptionKind::Number, "P",
     "noise columns that each client appends, for inconsistent systems",
     FEDRK_SET(set_whole<std::size_t>(v, p.run.noise_columns, 0)), FEDRK_GET(whole_or_word(p.run.noise_columns, "0"))},
    {"seed", kMethod, OptionKind::Number, "N", "random seed; equal seeds give equal results",
     FEDRK_SET(set_whole<std::uint64_t>(v, p.run.seed, 0)), FEDRK_GET({std::to_string(p.run.seed)})},

    {"round-trip", kNetwork, OptionKind::Number, "MS", "network round-trip time, for the choice between gram and cg",
     FEDRK_SET(set_positive(v, p.round_trip)), FEDRK_GET({to_text(p.round_trip)})},
    {"bandwidth", kNetwork, OptionKind::Number, "MBIT",
     "network bandwidth to a client, for the choice between gram and cg", FEDRK_SET(set_positive(v, p.bandwidth)),
     FEDRK_GET({to_text(p.bandwidth)})},

    {"epsilon", kPrivacy, OptionKind::Number, "EPS|none",
     "differential privacy: one row changes the probability of any outcome by at most a factor e^EPS",
     FEDRK_SET(set_epsilon(v, p.method.privacy.epsilon)),
     FEDRK_GET({p.method.privacy.on() ? to_text(p.method.privacy.epsilon) : "none"})},
    {"delta", kPrivacy, OptionKind::Number, "DELTA",
     "probability with which the epsilon bound may fail; choose it well below 1/rows",
     FEDRK_SET(set_positive(v, p.method.privacy.delta)), FEDRK_GET({to_text(p.method.privacy.delta)})},
    {"mechanism", kPrivacy, OptionKind::Text, "HOW",
     "passes (clipped steps, in rounds), gram (one noisy Gram sum), or auto: what the forecast says is better",
     FEDRK_SET(set_choice<privacy::Mechanism>(v, kMechanisms, p.method.privacy.mechanism)),
     FEDRK_GET({word_of<privacy::Mechanism>(kMechanisms, p.method.privacy.mechanism)})},
    {"clip", kPrivacy, OptionKind::Number, "C|auto",
     "clipping bound of a step in the first round; auto: for columns and a solution of about unit scale",
     FEDRK_SET(set_or_auto(v, p.method.privacy.clip, set_positive)),
     FEDRK_GET({p.method.privacy.clip ? to_text(*p.method.privacy.clip) : "auto"})},
    {"row-clip", kPrivacy, OptionKind::Number, "C|auto",
     "length that rows are shortened to in a noisy Gram sum; auto: for columns and a solution of about unit scale",
     FEDRK_SET(set_or_auto(v, p.method.privacy.row_clip, set_positive)),
     FEDRK_GET({p.method.privacy.row_clip ? to_text(*p.method.privacy.row_clip) : "auto"})},
    {"least-answers", kPrivacy, OptionKind::Number, "N|all",
     "minimum number of replies in a sum; all: every participant",
     FEDRK_SET(set_whole<std::size_t>(v, p.method.privacy.min_answers, 3, {"all", 0})),
     FEDRK_GET(whole_or_word(p.method.privacy.min_answers, "all"))},

    {"rounds", kStopping, OptionKind::Number, "T|auto",
     "maximum number of rounds; auto: 1000 (fit: 1000 per group of clients; with --epsilon: 6)",
     FEDRK_SET(set_rounds(v, p.rounds)), FEDRK_GET({p.rounds ? std::to_string(*p.rounds) : "auto"})},
    {"tolerance", kStopping, OptionKind::Number, "EPS|auto",
     "stopping tolerance on the relative residual of all clients; in least squares on the cosine between any column "
     "and the residual; auto: 1e-8; 0: rounding level",
     FEDRK_SET(set_or_auto(v, p.tolerance, set_not_negative)),
     FEDRK_GET({p.tolerance ? to_text(*p.tolerance) : "auto"})},
    {"patience", kStopping, OptionKind::Number, "N|auto|endless",
     "stop after N rounds without progress; auto: 100 with a tolerance, otherwise endless",
     FEDRK_SET(set_patience(v, p.patience)),
     FEDRK_GET(p.patience ? whole_or_word(*p.patience, "endless") : Values{"auto"})},
    {"residual-every", kStopping, OptionKind::Number, "N|auto",
     "rounds between residual measurements; auto: at little cost",
     FEDRK_SET(set_whole<std::uint32_t>(v, p.run.residual_every, 1, {"auto", 0})),
     FEDRK_GET(whole_or_word(p.run.residual_every, "auto"))},
});

#undef FEDRK_SET
#undef FEDRK_GET

}  // namespace

std::span<const PlanOption> plan_options() { return kOptions; }

const PlanOption* find_plan_option(std::string_view name) { return find_option(plan_options(), name); }

bool is_for(const PlanOption& option, Job job) {
  return job == Job::Solve || std::ranges::find(kOfFits, option.name) != kOfFits.end();
}

bool is_common(const PlanOption& option, Job job) {
  const std::span<const std::string_view> names =
      job == Job::Fit ? std::span<const std::string_view>(kCommonInFits) : kCommonInSolve;
  return std::ranges::find(names, option.name) != names.end();
}

std::string_view help_for(const PlanOption& option, Job job) {
  const auto found = std::ranges::find(kTextsOfFits, option.name, [](const auto& entry) { return entry.first; });
  return job == Job::Solve || found == std::end(kTextsOfFits) ? option.help : found->second;
}

std::string to_text(Job job) { return word_of<Job>(kJobs, job); }

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
