// SPDX-License-Identifier: Apache-2.0
#include "transport/protocol/consent_site.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "linalg/kernels.hpp"
#include "methods/exposure.hpp"
#include "methods/zcdp.hpp"
#include "secure_sum/masker.hpp"
#include "secure_sum/reply_part.hpp"

namespace fedrk::network {
namespace {

constexpr std::size_t kMinSum = 3;        // in a sum of two, each could compute the other's part
constexpr std::size_t kMaxAttempts = 32;  // of one question, and one more for each client that may be lost
constexpr std::size_t kMaxRuns = 1000;    // of one process: most of what is pinned is pinned for a run
constexpr double kMaxOfPlan = 2.0;        // times its rho that a run may spend, as attempts that fail are paid for too
// More places than any federation has; a task with something for this client alone makes room for all before it.
constexpr std::uint32_t kMaxPlaces = 1 << 20;

constexpr const char* kNoPeers = "the other clients of the run are not known yet";

// The bytes of numbers where they lie.
template <class Numbers>
std::string_view bytes_in(const Numbers& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof numbers[0]};  // NOLINT: their bits
}

// Of all that the server said of a task, to the letter.
masking::Digest digest_of(const wire::Task& task) {
  return masking::digest({"asked", bytes_of(task.run, task.number, task.attempt, task.exponent, task.question),
                          bytes_in(task.x), bytes_in(task.own)});
}

}  // namespace

// ---- Runs.

Answered<wire::Ready> ConsentSite::answer(const RunTerms& terms) {
  terms_ = &terms;
  group_size_ = 0;
  prepared_.reset();
  steps_.reset();
  if (std::string reason = unwelcome(terms); !reason.empty()) return Refused{std::move(reason)};
  if (terms.masked && runs_.insert(terms.run).second && runs_.size() > kMaxRuns) {
    return Refused{"it has seen too many runs: start it again"};
  }
  if (!terms.masked) log_.warning("reveal.updates", {{"note", kUpdatesRevealed}});
  return inner_.answer(terms);
}

// What the owner of the rows has not agreed to, if anything.
std::string ConsentSite::unwelcome(const RunTerms& terms) const {
  if (terms.masked && options_.known_draws) {
    return "its draws derive from the plan's seed, which the server knows: not in a private run; set draws to secret";
  }
  if (terms.plan.method.privacy.on() && !terms.masked) return "differential privacy is for masked sums only";
  if (const auto agreed = agree_to(terms); !agreed) return agreed.error().message;
  if (terms.masked && terms.plan.row_sampling == RowSampling::Greedy) {
    return "greedy steps draw nothing, and would be the same each time: not in a private run";
  }
  if (terms.masked) return "";
  if (!options_.reveal_updates) {
    return "the server wants to see single updates, from which it could rebuild rows; where that is all right, both "
           "sides say --reveal updates";
  }
  const std::string exposed =
      options_.expose_rows ? "" : exposed_rows(goal_of(terms.plan.method, terms.plan.run), terms.decided.run);
  return exposed.empty() ? "" : exposed + "; where that is all right, both sides say --expose-rows";
}

// Whether this client may take part in a plan of that much differential privacy, or of none.
Result<void> ConsentSite::agree_to(const RunTerms& terms) const {
  const privacy::PrivacyOptions& plan = terms.plan.method.privacy;
  const PrivacyBudget& own = options_.budget;
  if (!plan.on() && !own.bounded()) return {};
  if (!plan.on()) {
    return Error{"its rows are for runs with differential privacy only, as their owner has set an epsilon for them"};
  }
  if (!own.bounded()) {
    return Error{
        "the plan spends differential privacy; say how much these rows may ever give away: --epsilon, --delta"};
  }
  const auto spent = own.ledger->spent_elsewhere(terms.run);  // what this run has spent is part of what it wants
  if (!spent) return spent.error();
  const double wanted = privacy::rho_of(plan.epsilon, plan.delta);
  if (*spent + wanted <= own.rho() * (1.0 + 1e-9)) return {};
  log_.error("privacy.spent",
             {{"wanted", wanted}, {"allowed", own.rho()}, {"left", std::max(0.0, own.rho() - *spent)}});
  return Error{"the plan would tell more of its rows than their owner allows; its own log says how much is left"};
}

std::optional<Refused> ConsentSite::meet(const wire::MaskingGroup& group) {
  if (terms_ == nullptr || !terms_->masked) return Refused{"keys for masks came out of turn"};
  if (group.run != terms_->run) return Refused{"a masking group of another run"};
  const std::size_t size = group.members.size(), smallest = std::max(kMinSum, options_.min_sum);
  if (size < smallest) {
    return Refused{fmt::format("a run of {} clients, where each sum is to be over {} at least", size, smallest)};
  }
  group_size_ = 0;
  if (auto refused = inner_.meet(group)) return refused;
  group_size_ = size;
  return std::nullopt;
}

// ---- The set-up.

// Of the set-up, before the rows are looked at for it.
std::optional<Refused> ConsentSite::look(const store::ReplayGuard::Question& asked, const char* otherwise) {
  const auto admission = guard_.look(terms_->run, asked);
  if (!admission) return Refused{admission.error().message};
  if (admission->granted) return std::nullopt;
  return Refused{otherwise};
}

// Before an answer leaves.
std::optional<Refused> ConsentSite::record(const store::ReplayGuard::Question& asked, const masking::Words& words) {
  const auto admission = guard_.record(terms_->run, asked, masking::digest({bytes_in(words)}));
  if (!admission) return Refused{admission.error().message};
  if (admission->granted) return std::nullopt;
  return Refused{
      "its answer is not what it was when it answered this first: its data have changed, or another process "
      "has the same state folder"};
}

Answered<wire::ColumnSums> ConsentSite::answer(const wire::SumColumns& question) {
  if (question.question.columns > options_.max_vector) return Refused{"sums of too many columns"};
  if (terms_->plan.method.privacy.on()) {
    return Refused{"sums of columns would be without noise, in a run with an epsilon"};
  }
  if (!terms_->masked) return inner_.answer(question);
  if (group_size_ == 0) return Refused{kNoPeers};
  const store::ReplayGuard::Question asked{question.question.centre ? "squares" : "columns", 0, 0,
                                           masking::digest({bytes_of(question)})};
  if (auto refused = look(asked, "the server asks once more for sums, and for others than before")) {
    return *std::move(refused);
  }
  auto answer = inner_.answer(question);
  if (const auto* sums = std::get_if<wire::ColumnSums>(&answer)) {
    if (auto refused = record(asked, sums->masked)) return *std::move(refused);
  }
  return answer;
}

std::string ConsentSite::wrong_preparation(const wire::Prepare& prepare) const {
  const auto& scaling = prepare.question.scaling;
  if (prepare.question.columns > options_.max_vector) return "the server wants too many columns";
  if (prepare.place >= kMaxPlaces) return "the server counts more clients than there can be";
  if (scaling && (!all_finite(scaling->centre) || !all_finite(scaling->scale))) {
    return "the server's scales are not finite";
  }
  if (scaling.has_value() != (terms_->decided.columns != io::ColumnScaling::AsTheyAre)) {
    return "the plan says otherwise whether columns are scaled";
  }
  return terms_->masked && group_size_ == 0 ? kNoPeers : "";
}

Answered<wire::Prepared> ConsentSite::answer(const wire::Prepare& question) {
  prepared_.reset();
  if (std::string wrong = wrong_preparation(question); !wrong.empty()) return Refused{std::move(wrong)};
  const store::ReplayGuard::Question asked{"norms", 0, 0, masking::digest({common_bytes(question)})};
  if (terms_->masked) {
    if (auto refused = look(asked, "this run had its rows prepared in another way before")) return *std::move(refused);
  }
  auto answer = inner_.answer(question);
  if (const auto* refused = std::get_if<Refused>(&answer)) {
    // That rows do not fit such scales tells something of them: once.
    unfit_ = terms_->masked && !refused->detail.empty();
    return answer;
  }
  prepared_ = std::get<wire::Prepared>(answer);
  if (terms_->masked) {
    if (auto refused = record(asked, prepared_->masked_norms)) return *std::move(refused);
  }
  return answer;
}

// ---- Tasks.

bool ConsentSite::has_other_steps(const LocalTask& task) const {
  const auto* steps = std::get_if<CutSteps>(&task.work);
  if (steps == nullptr) return false;
  if (!task.columns.empty()) return steps->budget != StepBudget{ExactProjection{}};  // a refit
  const auto& planned = terms_->plan.local_steps;
  return planned ? steps->budget != *planned : is_one_step(*steps);
}

std::string ConsentSite::wrong_participants(const wire::ReceivedTask& task) const {
  const auto participants = task.participants();
  const std::size_t min_size = options_.min_sum == 0 ? group_size_ : std::max(kMinSum, options_.min_sum);
  if (participants.back().value >= group_size_) return "it names participants that are not there";
  if (participants.size() < min_size) {
    return fmt::format("a sum over {} clients would show too much of each: {} at least take part", participants.size(),
                       min_size);
  }
  return "";
}

// What is wrong with a task by itself, whatever was asked before.
std::string ConsentSite::wrong_task(const AskedTask& asked) const {
  const LocalTask& task = asked.task.task();
  if (!terms_->masked) {
    const bool exposes = asked.task.participants().size() == 1 || is_one_step(task.work);
    return exposes && !options_.expose_rows
               ? "one update would show a row; where that is all right, both sides say --expose-rows"
               : "";
  }
  if (has_other_steps(task) || !serves(task, terms_->plan.method, terms_->decided.run)) {
    return "its plan has no use for this";
  }
  if (group_size_ == 0) return kNoPeers;
  const auto grid = wire::grid_of(asked.message);
  if (!grid) return grid.error().message;
  const auto* pass = std::get_if<ClippedPass>(&task.work);
  if (pass != nullptr && grid->exponent.value_or(pass->exponent) != pass->exponent) {
    return "its noise is on another grid than its sum";  // and would be rounded away client by client
  }
  if (task.reveal != Reveal::Sums) return "it asks for a single update in a run of masked sums";
  if (std::string wrong = wrong_participants(asked.task); !wrong.empty()) return wrong;
  if (!asked.message.own.empty()) return "it holds numbers that not all participants see";
  if (asked.message.attempt >= kMaxAttempts + group_size_) {
    return "it was asked too often: many answers at one x tell the parts of a sum";
  }
  return "";
}

// A server that chose the number of steps for each question could have rows by one step, and fixed functions of x by
// very many. It follows from the plan and the shapes of all data, so it is the same as long as the run goes.
std::string ConsentSite::changed_steps(const LocalTask& task) {
  const auto* steps = std::get_if<CutSteps>(&task.work);
  if (steps == nullptr || !task.columns.empty() || steps_ == steps->budget) return "";
  const auto* fixed = std::get_if<FixedSteps>(&steps->budget);
  const auto same = guard_.pin(terms_->run, "steps", masking::digest({fixed ? std::to_string(fixed->count) : "inf"}));
  if (!same) return same.error().message;
  if (!*same) return "it had another number of local steps before";
  steps_ = steps->budget;
  return "";
}

// A group that answers what is the same function of x each time neither grows nor shrinks: the difference of two sums
// would be the part of one client. Looks at the residual are of all clients also where sums are of groups.
std::string ConsentSite::other_group(const wire::ReceivedTask& task) {
  const LocalWork& work = task.task().work;
  if (masking::may_be_of_some(work)) return "";
  std::string members;
  for (const ClientId client : task.participants()) members += std::to_string(client.value) + ' ';
  const auto same = guard_.pin(terms_->run, masking::is_look(work) ? "look" : "group", masking::digest({members}));
  if (!same) return same.error().message;
  if (*same) return "";
  return "it asks another group than before for what is the same function of x each time: the difference of the two "
         "sums would tell the parts of those who are in one only";
}

// What an answer tells is on the ledger before the answer leaves. Each attempt is an answer of its own: a server may
// say that it got none.
std::string ConsentSite::over_budget(const AskedTask& asked, bool repeated) const {
  const auto* pass = std::get_if<ClippedPass>(&asked.task.task().work);
  const PrivacyBudget& own = options_.budget;
  if (pass == nullptr)
    return own.bounded() ? "it asks for an answer without noise, which its owner does not allow" : "";
  if (!own.bounded()) return "it spends differential privacy of which this client has none to spend";
  const double rho =
      privacy::rho_of_pass(*pass, prepared_->rows, prepared_->unknowns, asked.task.participants().size());
  constexpr std::uint64_t kAttempts = std::uint64_t{1} << 20;
  const wire::Task& message = asked.message;
  if (message.attempt >= kAttempts || message.number >= kAttempts << 20) return "it counts further than it can";
  const auto elsewhere = own.ledger->spent_elsewhere(terms_->run);
  if (!elsewhere) return elsewhere.error().message;
  const privacy::PrivacyOptions& plan = terms_->plan.method.privacy;
  const double of_plan = kMaxOfPlan * privacy::rho_of(plan.epsilon, plan.delta);
  const auto charged = own.ledger->spend({terms_->run, message.number * kAttempts + message.attempt, rho},
                                         std::min(own.rho(), *elsewhere + of_plan));
  if (!charged) {
    log_.error("privacy.spent", {{"reason", charged.error().message}});  // it speaks of other runs
    return "its owner allows no further answer: what its rows may give away is spent";
  }
  return *charged || repeated ? "" : "this attempt was charged to the ledger already, and no answer to it is on record";
}

Answered<wire::Update> ConsentSite::answer(AskedTask& asked) {
  if (std::string wrong = wrong_task(asked); !wrong.empty()) return Refused{std::move(wrong)};
  if (!terms_->masked) return inner_.answer(asked);
  if (std::string wrong = changed_steps(asked.task.task()); !wrong.empty()) return Refused{std::move(wrong)};
  asked.digest = digest_of(asked.message);
  const store::ReplayGuard::Question question{"task", asked.message.number, asked.message.attempt, asked.digest};
  const auto admission = guard_.look(terms_->run, question);
  if (!admission) return Refused{admission.error().message};
  if (!admission->granted) {
    const bool same_task = admission->last_number == asked.message.number;
    return Refused{.reason = "it has answered this question already, or a later one",
                   .answered = same_task ? std::optional(admission->last_attempt) : std::nullopt};
  }
  if (std::string other = other_group(asked.task); !other.empty()) return Refused{std::move(other)};
  if (std::string over = over_budget(asked, admission->repeated); !over.empty()) return Refused{std::move(over)};
  auto answer = inner_.answer(asked);
  const auto* update = std::get_if<wire::Update>(&answer);
  if (update == nullptr) return answer;
  if (auto refused = record(question, *update->masked)) return *std::move(refused);
  return answer;
}

}  // namespace fedrk::network
