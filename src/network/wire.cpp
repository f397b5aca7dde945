// SPDX-License-Identifier: Apache-2.0
#include "network/wire.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "fedrk/base/error.hpp"
#include "fedrk/io/plan_options.hpp"
#include "fedrk/linalg/kernels.hpp"
#include "network/vectors.hpp"

namespace fedrk::wire {
namespace {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

// A client that is asked for more would be busy for days.
constexpr std::uint64_t kMostSteps = std::uint64_t{1} << 40;

// As many numbers as a message of protobuf can hold, together with its pieces.
constexpr std::size_t kLongestAnswer = std::numeric_limits<int>::max();

void set_budget(v1::StepBudget& message, const StepBudget& budget) {
  if (const auto* fixed = std::get_if<FixedSteps>(&budget)) message.set_steps(fixed->count);
}

StepBudget budget_from(const v1::StepBudget& message) {
  if (message.has_steps()) return FixedSteps{message.steps()};
  return UntilProjected{};
}

std::optional<std::uint64_t> steps_of(const LocalWork& work) {
  return std::visit(
      Overloaded{[](const FixedSteps& steps) -> std::optional<std::uint64_t> { return steps.count; },
                 [](const ValidSteps& steps) -> std::optional<std::uint64_t> {
                   const auto* fixed = std::get_if<FixedSteps>(&steps.budget);
                   return fixed ? std::optional(fixed->count) : std::nullopt;
                 },
                 [](const SparseSteps& steps) -> std::optional<std::uint64_t> { return steps.budget.count; },
                 [](const GradientSteps& steps) -> std::optional<std::uint64_t> { return steps.count; },
                 [](const ClippedPass& pass) -> std::optional<std::uint64_t> { return pass.steps; },
                 [](const auto&) -> std::optional<std::uint64_t> { return std::nullopt; }},
      work);
}

bool finite_and_not_negative(double value) { return std::isfinite(value) && value >= 0.0; }

template <class Numbers>
bool ascending(const Numbers& numbers) {
  return std::ranges::adjacent_find(numbers, std::ranges::greater_equal{}) == numbers.end();
}

// Within these bounds clips, noise and the numbers of the grid stay ordinary numbers, also added up. A share below a
// thousand grid steps would not hide what rounding does.
std::string wrong_pass(const ClippedPass& pass) {
  constexpr double kSmallest = 0x1.0p-200, kLargest = 0x1.0p200;
  const auto ordinary = [](double value) { return value >= kSmallest && value <= kLargest; };
  if (!ordinary(pass.clip)) return "its steps are clipped at no sensible length";
  if (!ordinary(pass.noise)) return "its noise has no sensible size";
  constexpr std::int32_t kMostExponent = 400;
  const bool grid = pass.exponent >= -kMostExponent && pass.exponent <= kMostExponent;
  const int bits = grid ? std::ilogb(pass.noise) - pass.exponent : 0;
  if (bits < 10 || bits > 40) return "its grid does not suit its noise";
  return "";
}

std::string wrong_work(const LocalWork& work) {
  if (steps_of(work).value_or(0) > kMostSteps) return "it asks for too many steps";
  if (const auto* sparse = std::get_if<SparseSteps>(&work)) {
    if (!finite_and_not_negative(sparse->lambda)) return "its threshold makes no sense";
  }
  if (const auto* gradient = std::get_if<GradientSteps>(&work)) {
    if (!std::isfinite(gradient->step) || !std::isfinite(gradient->proximal)) return "its step size is not finite";
    if (gradient->batch > kMostSteps / std::max<std::uint64_t>(1, gradient->count)) return "it asks for too many steps";
  }
  if (const auto* pass = std::get_if<ClippedPass>(&work)) return wrong_pass(*pass);
  return "";
}

// What comes with a private answer must be private too.
std::string wrong_privacy(const LocalTask& task) {
  if (!std::holds_alternative<ClippedPass>(task.work)) return "";
  if (task.reveal != Reveal::Sums) return "it asks for a private answer that is not part of a sum";
  if (task.report_residual) return "it asks for a residual beside a private answer";
  if (!task.columns.empty() || task.noise_columns > 0) return "it asks for a private answer about some of the columns";
  return "";
}

std::string wrong_shape(const LocalTask& task, ClientId self, std::size_t unknowns, const v1::Task& message) {
  const auto& columns = message.columns();
  if (!ascending(columns) || (!columns.empty() && *columns.rbegin() >= unknowns)) {
    return "it names columns that are not there";
  }
  const std::size_t wanted = columns.empty() ? unknowns : static_cast<std::size_t>(columns.size());
  if (reply_length(task.work, wanted).value_or(0) > kLongestAnswer) return "its answer would be too long to be sent";
  if (task.x.size() != wanted && (needs_x(task.work) || !task.x.empty() || task.report_residual)) {
    return "its x has " + std::to_string(task.x.size()) + " entries, not " + std::to_string(wanted);
  }
  const auto own = task.own.empty() ? std::span<const double>() : std::span<const double>(task.own.back());
  const bool of_use = std::holds_alternative<GradientSteps>(task.work) && own.size() == wanted;
  if (!own.empty() && !of_use) {
    return "it holds numbers for this client alone that its work has no use for";
  }
  if (!all_finite(task.x) || !all_finite(own)) return "it holds a number that is not finite";
  if (task.noise_columns > task.x.size()) return "it has more noise columns than x has entries";
  if (!ascending(message.participants())) return "its participants do not ascend";
  if (std::ranges::find(message.participants(), self.value) == message.participants().end()) {
    return "this client is not among its participants";
  }
  return "";
}

// In place, as GCC 12 takes a moved variant for one that was never set.
bool read_work(const v1::Work& message, LocalWork& work) {
  switch (message.kind_case()) {
    case v1::Work::kSteps:
      if (message.steps().has_steps()) {
        work.emplace<FixedSteps>().count = message.steps().steps();
      } else {
        work.emplace<UntilProjected>();
      }
      return true;
    case v1::Work::kValidSteps:
      work.emplace<ValidSteps>().budget = budget_from(message.valid_steps().budget());
      return true;
    case v1::Work::kSparseSteps: {
      auto& sparse = work.emplace<SparseSteps>();
      sparse.budget.count = message.sparse_steps().steps();
      sparse.lambda = message.sparse_steps().lambda();
      return true;
    }
    case v1::Work::kGradientSteps: {
      auto& steps = work.emplace<GradientSteps>();
      steps.count = message.gradient_steps().count();
      steps.step = message.gradient_steps().step();
      steps.proximal = message.gradient_steps().proximal();
      steps.loss = message.gradient_steps().sum() ? GradientSteps::Loss::Sum : GradientSteps::Loss::Mean;
      steps.batch = message.gradient_steps().batch();
      return true;
    }
    case v1::Work::kGradient:
      work.emplace<Gradient>();
      return true;
    case v1::Work::kNormalProduct:
      work.emplace<NormalProduct>();
      return true;
    case v1::Work::kCrossProducts:
      work.emplace<CrossProducts>().pairs = message.cross_products().pairs();
      return true;
    case v1::Work::kCurvature:
      work.emplace<Curvature>();
      return true;
    case v1::Work::kColumnNorms:
      work.emplace<ColumnNorms>();
      return true;
    case v1::Work::kClippedPass: {
      auto& pass = work.emplace<ClippedPass>();
      pass.steps = message.clipped_pass().steps();
      pass.clip = message.clipped_pass().clip();
      pass.noise = message.clipped_pass().noise();
      pass.exponent = message.clipped_pass().exponent();
      return true;
    }
    case v1::Work::KIND_NOT_SET:
      break;
  }
  return false;
}

bool names_files(const io::PlanOption& option) {
  const bool path = option.kind == io::OptionKind::Path || option.kind == io::OptionKind::Paths;
  return path || option.name == "clients" || option.name == "partition";
}

}  // namespace

v1::Work work_message(const LocalWork& work) {
  v1::Work message;
  std::visit(
      Overloaded{
          [&](const FixedSteps& steps) { message.mutable_steps()->set_steps(steps.count); },
          [&](const UntilProjected&) { message.mutable_steps(); },
          [&](const ValidSteps& steps) { set_budget(*message.mutable_valid_steps()->mutable_budget(), steps.budget); },
          [&](const SparseSteps& steps) {
            message.mutable_sparse_steps()->set_steps(steps.budget.count);
            message.mutable_sparse_steps()->set_lambda(steps.lambda);
          },
          [&](const GradientSteps& steps) {
            auto& gradient = *message.mutable_gradient_steps();
            gradient.set_count(steps.count);
            gradient.set_step(steps.step);
            gradient.set_proximal(steps.proximal);
            gradient.set_sum(steps.loss == GradientSteps::Loss::Sum);
            gradient.set_batch(steps.batch);
          },
          [&](const Gradient&) { message.mutable_gradient(); },
          [&](const NormalProduct&) { message.mutable_normal_product(); },
          [&](const CrossProducts& products) { message.mutable_cross_products()->set_pairs(products.pairs); },
          [&](const Curvature&) { message.mutable_curvature(); },
          [&](const ColumnNorms&) { message.mutable_column_norms(); },
          [&](const ClippedPass& pass) {
            auto& clipped = *message.mutable_clipped_pass();
            clipped.set_steps(pass.steps);
            clipped.set_clip(pass.clip);
            clipped.set_noise(pass.noise);
            clipped.set_exponent(pass.exponent);
          },
          [&](const AllRows&) { throw InvalidArgument("rows do not travel: this method is for one process"); },
      },
      work);
  return message;
}

v1::Task task_message(const std::string& run, std::uint64_t number, const LocalTask& task,
                      std::span<const ClientId> participants) {
  v1::Task message;
  message.set_run(run);
  message.set_number(number);
  message.set_round(task.round.value);
  for (const ClientId client : participants) message.add_participants(client.value);
  *message.mutable_work() = work_message(task.work);
  message.set_report_residual(task.report_residual);
  message.set_noise_columns(task.noise_columns);
  message.set_reveal(task.reveal == Reveal::Sums ? v1::REVEAL_SUMS : v1::REVEAL_UPDATES);
  message.mutable_columns()->Add(task.columns.begin(), task.columns.end());
  set_vector(*message.mutable_x(), task.x);
  return message;
}

void set_attempt(v1::Task& message, const Attempt& attempt) {
  message.set_attempt(attempt.attempt);
  message.clear_exponent();
  if (attempt.grid.exponent) message.set_exponent(*attempt.grid.exponent);
}

Result<Attempt> attempt_of(const v1::Task& message) {
  Attempt attempt{message.attempt(), {}};
  if (!message.has_exponent()) return attempt;
  if (message.exponent() < masking::kFinest || message.exponent() > masking::kCoarsest) {
    return Error{"its grid makes no sense"};
  }
  attempt.grid.exponent = message.exponent();
  return attempt;
}

Result<ReceivedTask> ReceivedTask::from(const v1::Task& message, ClientId self, std::size_t unknowns) {
  ReceivedTask received;
  LocalTask& task = received.task_;
  if (!read_work(message.work(), task.work)) return Error{"it asks for nothing that this client knows"};
  received.number_ = message.number();
  received.x_ = copied(message.x());
  received.columns_.assign(message.columns().begin(), message.columns().end());
  for (const std::uint32_t place : message.participants()) received.participants_.push_back(ClientId{place});
  if (const auto& own = message.own().values(); !own.empty()) {
    received.own_.resize(self.value + std::size_t{1});
    received.own_.back().assign(own.begin(), own.end());
  }
  task.round = RoundIndex{message.round()};
  task.x = received.x_;
  task.report_residual = message.report_residual();
  task.noise_columns = message.noise_columns();
  task.own = received.own_;
  task.reveal = message.reveal() == v1::REVEAL_SUMS ? Reveal::Sums : Reveal::Updates;
  task.columns = received.columns_;
  if (message.reveal() != v1::REVEAL_SUMS && message.reveal() != v1::REVEAL_UPDATES) {
    return Error{"it does not say what it reveals"};
  }
  std::string wrong = wrong_work(task.work);
  if (wrong.empty()) wrong = wrong_privacy(task);
  if (wrong.empty()) wrong = wrong_shape(task, self, unknowns, message);
  if (!wrong.empty()) return Error{std::move(wrong)};
  return received;
}

v1::Update update_message(const std::string& run, std::uint64_t number, const LocalTask& task,
                          const LocalReply& reply) {
  v1::Update update;
  update.set_run(run);
  update.set_number(number);
  update.set_round(task.round.value);
  update.set_part(task.reveal == Reveal::Sums);
  set_vector(*update.mutable_values(), reply.values);
  if (reply.squared_residual) update.set_squared_residual(*reply.squared_residual);
  if (reply.gap) update.set_gap(*reply.gap);
  return update;
}

v1::Update masked_update_message(const v1::Task& task, const masking::Words& words) {
  v1::Update update;
  update.set_run(task.run());
  update.set_number(task.number());
  update.set_round(task.round());
  update.set_attempt(task.attempt());
  update.set_masked(true);
  set_words(*update.mutable_values(), words);
  return update;
}

LocalReply reply_from(const v1::Update& update, ClientId client, const LocalTask& task) {
  LocalReply reply{client, copied(update.values())};
  if (task.report_residual && update.has_squared_residual()) reply.squared_residual = update.squared_residual();
  if (sends_gap(task.work) && update.has_gap()) reply.gap = update.gap();
  return reply;
}

std::vector<v1::PlanEntry> plan_message(const io::Plan& plan) {
  std::vector<v1::PlanEntry> entries;
  for (const io::PlanOption& option : io::plan_options()) {
    const io::OptionValues values = option.get(plan);
    if (values.empty() || names_files(option)) continue;
    v1::PlanEntry& entry = entries.emplace_back();
    entry.set_name(std::string(option.name));
    for (const std::string& value : values) entry.add_values(value);
  }
  return entries;
}

Result<void> take_plan(std::span<const v1::PlanEntry* const> entries, io::Plan& plan) {
  for (const v1::PlanEntry* entry : entries) {
    const io::PlanOption* option = io::find_plan_option(entry->name());
    if (option == nullptr || names_files(*option)) {
      return Error{"the server's plan has an entry '" + entry->name() + "', which this program does not take from it"};
    }
    if (const auto set = option->set(plan, {entry->values().begin(), entry->values().end()}); !set) {
      return Error{"the server's plan: " + entry->name() + ": " + set.error().message};
    }
  }
  return {};
}

}  // namespace fedrk::wire
