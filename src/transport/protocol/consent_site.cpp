// SPDX-License-Identifier: Apache-2.0
#include "transport/protocol/consent_site.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "linalg/kernels.hpp"
#include "methods/exposure.hpp"
#include "methods/gaussian_privacy.hpp"
#include "plan/federation.hpp"
#include "round/task_cost.hpp"

namespace fedrk::network {
namespace {

constexpr std::size_t kMinSum = 3;      // in a sum of two, each could compute the other's part
constexpr std::size_t kMaxRuns = 1000;  // of one process
constexpr double kMaxOfPlan = 2.0;      // times its rho that a run may spend, as answers that got lost are paid for too
constexpr double kMaxOwnShare = 0.9;    // of a column's sum of squares that one site may have
constexpr const char* kRhsName = "b";   // of a matrix
// More places than any federation has; a task with something for this client alone makes room for all before it.
constexpr std::uint32_t kMaxPlaces = 1 << 20;

constexpr const char* kNoPeers = "the other clients of the run are not known yet";

}  // namespace

// ---- Runs.

Answered<TableFacts> ConsentSite::begin(const RunTerms& terms) {
  terms_ = &terms;
  names_.clear();
  group_.reset();
  prepared_.reset();
  order_.reset();
  steps_.reset();
  if (std::string reason = unwelcome(terms); !reason.empty()) return Refused{std::move(reason)};
  if (terms.masked && runs_.insert(terms.run).second && runs_.size() > kMaxRuns) {
    return Refused{"it has seen too many runs: start it again"};
  }
  if (!terms.masked) log_.warning("reveal.updates", {{"note", kUpdatesRevealed}});
  auto answer = inner_.begin(terms);
  auto* facts = std::get_if<TableFacts>(&answer);
  if (facts == nullptr || !terms.masked) return answer;
  names_ = facts->shape.names.empty() ? io::numbered_columns(facts->shape.columns) : facts->shape.names;
  if (is_noisy()) {
    if (auto refused = compare_with_budget()) return *std::move(refused);
  } else {
    if (auto refused = compare_with_earlier_runs(facts->shape)) return *std::move(refused);
    facts->table = disclosure_.table();
  }
  return answer;
}

// Of the rows as they are now, and of what sums have shown of them.
std::optional<Refused> ConsentSite::compare_with_earlier_runs(const TableShape& shape) {
  if (shape.rows < options_.rules.min_rows) {
    return Refused{fmt::format("its table has fewer than {} rows (min-rows)", options_.rules.min_rows)};
  }
  std::vector<std::string> columns = names_;
  columns.push_back(target_name());
  if (terms_->plan.intercept) columns.emplace_back(io::kInterceptName);
  const auto begun = disclosure_.begin(options_.rules, owner_, std::move(columns));
  if (!begun) return Refused{kUnfit, begun.error().message};
  if (!begun->empty()) return Refused{*begun};
  return std::nullopt;
}

// What these very records have spent in earlier runs, and whether the plan goes with it.
std::optional<Refused> ConsentSite::compare_with_budget() {
  const privacy::PrivacyOptions& plan = terms_->plan.method.privacy;
  const PrivacyBudget& own = options_.budget;
  auto columns = owner_.record_columns();
  if (!columns) return Refused{columns.error().message};
  std::ranges::sort(*columns);
  const auto hashes = [this](std::uint64_t salt, std::span<const std::string> names) {
    return owner_.record_hashes(salt, names);
  };
  const auto table = own.ledger->table_of(terms_->run, {*std::move(columns), hashes});
  if (!table) return Refused{table.error().message};
  spent_table_ = *table;
  const auto spent = own.ledger->spent_elsewhere(terms_->run, spent_table_);  // what this run spent is what it wants
  if (!spent) return Refused{spent.error().message};
  const double wanted = privacy::rho_of(plan.epsilon, plan.delta);
  if (*spent + wanted <= own.rho() * (1.0 + 1e-9)) return std::nullopt;
  log_.error("privacy.spent",
             {{"wanted", wanted}, {"allowed", own.rho()}, {"left", std::max(0.0, own.rho() - *spent)}});
  return Refused{"the plan would tell more of its rows than their owner allows; its own log says how much is left"};
}

void ConsentSite::end() {
  if (terms_ == nullptr || !terms_->masked) return;
  if (const auto done = disclosure_.end(); !done) log_.error("ledger", {{"reason", done.error().message}});
}

// What the owner of the rows has not agreed to, if anything.
std::string ConsentSite::unwelcome(const RunTerms& terms) const {
  if (terms.masked && options_.known_draws) {
    return "its draws derive from the plan's seed, which the server knows: not in a private run; set draws to secret";
  }
  if (terms.masked && terms.plan.row_sampling == RowSampling::Greedy) {
    return "greedy steps go where the rows lead them, and sums of them show which: not with masked sums";
  }
  if (terms.plan.method.privacy.on() && !terms.masked) return "differential privacy is for masked sums only";
  if (const auto agreed = agree_to(terms); !agreed) return agreed.error().message;
  if (!terms.masked && !options_.reveal_updates) {
    return "the server wants to see single updates, from which it could rebuild rows; where that is all right, both "
           "sides say --reveal updates";
  }
  const std::string exposed =
      options_.expose_rows ? ""
                           : exposed_rows(goal_of(terms.plan.method, terms.plan.run), terms.decided.run, terms.masked);
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
  return {};
}

std::optional<Refused> ConsentSite::meet(const RunGroup& group) {
  group_.reset();
  const std::size_t smallest = std::max(kMinSum, options_.rules.min_sum);
  const auto size_of = [&](const auto& members) { return options_.whole_run ? group.members.size() : members.size(); };
  for (const auto& members : group.groups) {
    if (members.size() < size_of(members)) {
      return Refused{fmt::format("sums over {} of {} clients, where its owner wants all of them in each",
                                 members.size(), group.members.size())};
    }
    if (members.size() < smallest) {
      return Refused{fmt::format("a sum over {} clients would show too much of each: {} at least take part",
                                 members.size(), smallest)};
    }
  }
  if (!is_noisy()) {
    if (std::string wrong = disclosure_.wrong_company(group); !wrong.empty()) return Refused{std::move(wrong)};
  }
  if (auto refused = inner_.meet(group)) return refused;
  group_ = group;
  return std::nullopt;
}

// ---- The set-up.

Answered<ColumnFacts> ConsentSite::sum_columns(const io::SumColumns& question) {
  if (question.columns > options_.max_vector) return Refused{"sums of too many columns"};
  if (!all_finite(question.known.sums)) return Refused{"the sums of the columns are not finite"};
  if (terms_->decided.columns == io::ColumnScaling::AsTheyAre && question.of != io::SumColumns::Of::Nothing) {
    return Refused{"its plan has no use for sums of columns"};
  }
  if (terms_->masked && !group_) return Refused{kNoPeers};
  if (is_noisy()) return Refused{"a run with noise has no use for sums of columns"};
  // The owner would read its file again to put the columns into another order: once.
  if (terms_->masked && order_ && question.names != *order_) {
    return Refused{"the server asks once more for sums, and of columns in another order than before"};
  }
  order_ = question.names;
  if (terms_->masked) {
    if (const auto entered = disclosure_.enter(*group_); !entered) return Refused{entered.error().message};
    if (question.of == io::SumColumns::Of::Entries) {
      std::vector<ClientId> everyone;
      for (std::uint32_t i = 0; i < group_->members.size(); ++i) everyone.push_back(ClientId{i});
      const auto spent =
          disclosure_.spend({.gram_columns = {std::string(io::kInterceptName)}}, rows_behind(everyone, false));
      if (!spent) return Refused{spent.error().message};
      if (!spent->empty()) return Refused{*spent};
    }
  }
  auto answer = inner_.sum_columns(question);
  if (!std::holds_alternative<ColumnFacts>(answer) || question.names.empty()) return answer;
  if (auto refused = changed_table()) return *std::move(refused);
  names_ = question.names;
  return answer;
}

// The file was read again.
std::optional<Refused> ConsentSite::changed_table() const {
  if (!terms_->masked || is_noisy()) return std::nullopt;
  const auto same = disclosure_.is_of(owner_);
  if (!same) return Refused{kUnfit, same.error().message};
  if (*same) return std::nullopt;
  return Refused{"its table has changed since the run began"};
}

std::string ConsentSite::target_name() const {
  return terms_->plan.target.empty() ? std::string(kRhsName) : terms_->plan.target;
}

std::string ConsentSite::name_of(std::size_t column) const {
  return column < names_.size() ? names_[column] : fmt::format("number {}", column + 1);
}

// A column that is zero, or the same for all rows, at most of the sites is answered by the rows of the others alone: a
// question that looks at nothing else would be a question to these.
std::string ConsentSite::wrong_columns(const Preparation& question) const {
  const auto least = static_cast<double>(std::max(kMinSum, options_.rules.min_sum));
  const auto& squares = question.question.totals.squares;
  const std::size_t fixed = terms_->plan.intercept ? 1 : 0;
  for (std::size_t j = 0; j < question.counts.varying.size(); ++j) {
    const double sites = question.counts.varying[j];
    const bool is_target = j + 1 == question.counts.varying.size();
    const bool is_intercept = question.counts.ones[j] == static_cast<double>(group_->members.size());
    if (sites >= least || question.counts.present[j] == 0.0 || (is_intercept && !is_target)) continue;
    if (j + fixed < squares.size() && squares[j + fixed] == 0.0 && question.question.totals.sums.size() > 0) continue;
    return fmt::format(
        "column '{}' varies among the rows of {} sites, so sums would show these alone: it has to vary at "
        "{} at least (min-sum); leave it out with ignore",
        is_target ? target_name() : name_of(j), sites, least);
  }
  return "";
}

// Of squares around the same centres, everyone's: the rows of a site that has nearly all of them would be told by a
// question about this column.
std::optional<Refused> ConsentSite::dominated_column(const Preparation& question) {
  const auto& [columns, names, totals] = question.question;
  if (totals.squares.empty()) return std::nullopt;
  const auto answer = inner_.sum_columns({columns, names, io::SumColumns::Of::Squares, totals});
  if (const auto* refused = std::get_if<Refused>(&answer)) return *refused;
  const ColumnSums& own = std::get<ColumnFacts>(answer).sums;
  const std::size_t fixed = terms_->plan.intercept ? 1 : 0;
  for (std::size_t j = fixed; j < std::min(own.sums.size(), totals.squares.size()); ++j) {
    if (own.sums[j] <= kMaxOwnShare * totals.squares[j]) continue;
    log_.warning("column.dominated", {{"column", name_of(j - fixed)}});
    return Refused{
        fmt::format("nearly all of the spread of column '{}' is that of one site, whose rows sums would show: "
                    "leave it out with ignore, or give it the same units everywhere",
                    name_of(j - fixed))};
  }
  return std::nullopt;
}

Answered<PreparedFacts> ConsentSite::prepare(const Preparation& question) {
  prepared_.reset();
  const auto& totals = question.question.totals;
  if (question.question.columns > options_.max_vector) return Refused{"the server wants too many columns"};
  if (question.place.value > kMaxPlaces) return Refused{"the server counts more clients than there can be"};
  if (!all_finite(totals.sums) || !all_finite(totals.squares)) return Refused{"the sums of the columns are not finite"};
  const bool as_they_are = terms_->decided.columns == io::ColumnScaling::AsTheyAre;
  if (as_they_are && !(totals.sums.empty() && totals.squares.empty())) {
    return Refused{"the plan says otherwise whether columns are scaled"};
  }
  const bool ruled = terms_->masked && !is_noisy();
  if (terms_->masked && !group_) return Refused{kNoPeers};
  if (terms_->masked && order_ && question.question.names != *order_)
    return Refused{"the server puts the columns into another order than before"};
  order_ = question.question.names;
  if (ruled && !options_.expose_rows) {
    if (std::string wrong = wrong_columns(question); !wrong.empty()) return Refused{std::move(wrong)};
    if (auto refused = dominated_column(question)) return *std::move(refused);
  }
  auto answer = inner_.prepare(question);
  if (const auto* refused = std::get_if<Refused>(&answer)) {
    // That rows do not fit such scales tells something of them: once.
    unfit_ = terms_->masked && !refused->detail.empty();
    return answer;
  }
  auto& facts = std::get<PreparedFacts>(answer);
  if (!question.question.names.empty()) {
    if (auto refused = changed_table()) return *std::move(refused);
  }
  prepared_ = facts.rows;
  if (ruled) {
    if (const auto entered = disclosure_.enter(*group_); !entered) return Refused{entered.error().message};
    const bool steps = is<Equations>(terms_->decided.goal) || is<SparseEquations>(terms_->decided.goal);
    facts.allowance = disclosure_.allowance(rows_behind(group_->own_group(), steps));
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

// A group as it was agreed on, or everyone.
std::string ConsentSite::wrong_participants(const wire::ReceivedTask& task) const {
  const auto participants = task.participants();
  const bool everyone = participants.size() == group_->members.size() &&
                        participants.back().value + std::size_t{1} == group_->members.size();
  if (everyone || std::ranges::equal(participants, group_->own_group())) return "";
  return "it asks another group than those of the run: the difference of two sums would tell the parts of those who "
         "are "
         "in one only";
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
  if (!group_) return kNoPeers;
  if (task.reveal != Reveal::Sums) return "it asks for a single update in a run of masked sums";
  return wrong_participants(asked.task);
}

// A server that chose the number of steps for each question could have rows by one step, and fixed functions of x by
// very many. It follows from the plan and the shapes of all data, so it is the same as long as the run goes.
std::string ConsentSite::changed_steps(const LocalTask& task) {
  const auto* steps = std::get_if<CutSteps>(&task.work);
  if (steps == nullptr || !task.columns.empty() || steps_ == steps->budget) return "";
  const auto* fixed = std::get_if<FixedSteps>(&steps->budget);
  const auto seen = guard_.record(terms_->run, masking::digest({"steps"}),
                                  masking::digest({fixed ? std::to_string(fixed->count) : "inf"}));
  if (!seen) return seen.error().message;
  if (*seen == store::ReplayGuard::Seen::Other) return "it had another number of local steps before";
  steps_ = steps->budget;
  return "";
}

SumRows ConsentSite::rows_behind(std::span<const ClientId> clients, bool steps) const {
  const auto is_wide = [&](ClientId client) {
    return prepared_ && group_->members[client.value].rows < prepared_->unknowns;
  };
  std::vector<std::string> names;
  for (const ClientId client : clients) names.push_back(group_->members[client.value].name);
  std::ranges::sort(names);
  std::uint64_t rows = 0, largest_other = 0;
  for (const ClientId client : clients) {
    if (steps && is_wide(group_->self) && !is_wide(client)) continue;
    const std::uint64_t own = group_->members[client.value].rows;
    rows += own;
    if (client != group_->self) largest_other = std::max(largest_other, own);
  }
  return {std::move(names), rows - largest_other, !steps};
}

// What all sums together show of the rows.
std::string ConsentSite::over_limits(const AskedTask& asked) {
  const LocalTask& task = asked.task.task();
  const TaskCost counted = cost_of(task, prepared_->unknowns);
  DisclosureCost cost{.vectors = counted.vectors, .scalars = counted.scalars};
  if (counted.columns > 0) {
    const std::size_t fixed = terms_->plan.intercept ? 1 : 0;
    const auto add = [&](std::size_t j) {
      cost.gram_columns.push_back(j < fixed ? std::string(io::kInterceptName) : name_of(j - fixed));
    };
    for (const std::uint32_t j : task.columns) add(j);
    for (std::size_t j = 0; task.columns.empty() && j < prepared_->unknowns; ++j) add(j);
    cost.gram_columns.push_back(target_name());
  }
  const bool steps = counted.vectors > 0 && has_trait(task.work, kSteps);
  const auto spent = disclosure_.spend(cost, rows_behind(asked.task.participants(), steps));
  return spent ? *spent : spent.error().message;
}

// What an answer tells is on the ledger before the answer leaves.
std::string ConsentSite::over_budget(const AskedTask& asked, bool repeated) const {
  const LocalWork& work = asked.task.task().work;
  const PrivacyBudget& own = options_.budget;
  if (!grid_of_noise(work)) {
    return own.bounded() ? "it asks for an answer without noise, which its owner does not allow" : "";
  }
  if (!own.bounded()) return "it spends differential privacy of which this client has none to spend";
  const auto rho =
      privacy::rho_of_answer(work, prepared_->summary.rows, prepared_->unknowns, asked.task.participants().size());
  if (!rho) return "it asks for an answer whose cost is not known";
  const auto elsewhere = own.ledger->spent_elsewhere(terms_->run, spent_table_);
  if (!elsewhere) return elsewhere.error().message;
  const privacy::PrivacyOptions& plan = terms_->plan.method.privacy;
  const double of_plan = kMaxOfPlan * privacy::rho_of(plan.epsilon, plan.delta);
  std::uint64_t name = 0;  // of the question
  std::memcpy(&name, asked.digest.data(), sizeof name);
  const auto charged =
      own.ledger->spend({terms_->run, name >> 1, *rho, spent_table_}, std::min(own.rho(), *elsewhere + of_plan));
  if (!charged) {
    log_.error("privacy.spent", {{"reason", charged.error().message}});  // it speaks of other runs
    return "its owner allows no further answer: what its rows may give away is spent";
  }
  return *charged || repeated ? "" : "this was charged to the ledger already, and no answer to it is on record";
}

Answered<LocalReply> ConsentSite::answer(AskedTask& asked) {
  if (std::string wrong = wrong_task(asked); !wrong.empty()) return Refused{std::move(wrong)};
  if (!terms_->masked) return inner_.answer(asked);
  if (std::string wrong = changed_steps(asked.task.task()); !wrong.empty()) return Refused{std::move(wrong)};
  const auto seen = guard_.look(terms_->run, asked.digest);
  if (!seen) return Refused{seen.error().message};
  const bool repeated = *seen != store::ReplayGuard::Seen::Never;
  if (std::string over = over_budget(asked, repeated); !over.empty()) return Refused{std::move(over)};
  if (!repeated && !is_noisy()) {
    if (std::string over = over_limits(asked); !over.empty()) return Refused{std::move(over)};
  }
  return inner_.answer(asked);
}

}  // namespace fedrk::network
