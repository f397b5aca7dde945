// SPDX-License-Identifier: Apache-2.0
#include "network/wire.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "fedrk/base/error.hpp"
#include "fedrk/io/plan_options.hpp"
#include "fedrk/linalg/kernels.hpp"
#include "network/vectors.hpp"

namespace fedrk::wire {
namespace {

// As many numbers as a message of protobuf can hold, together with its pieces.
constexpr std::size_t kLongestAnswer = std::numeric_limits<int>::max();

template <class Numbers>
bool ascending(const Numbers& numbers) {
  return std::ranges::adjacent_find(numbers, std::ranges::greater_equal{}) == numbers.end();
}

// What comes with a private answer must be private too.
std::string wrong_privacy(const LocalTask& task) {
  if (!std::holds_alternative<ClippedPass>(task.work)) return "";
  if (task.reveal != Reveal::Sums) return "it asks for a private answer that is not part of a sum";
  if (task.report_residual) return "it asks for a residual beside a private answer";
  if (!task.columns.empty() || task.noise_columns > 0) return "it asks for a private answer about some of the columns";
  return "";
}

std::string wrong_shape(const ArrivedQuestion& question, ClientId self, std::size_t unknowns) {
  const LocalTask& task = question.task;
  const auto& columns = question.columns;
  if (!ascending(columns) || (!columns.empty() && columns.back() >= unknowns)) {
    return "it names columns that are not there";
  }
  const std::size_t wanted = columns.empty() ? unknowns : columns.size();
  if (const auto wrong = wrong_work(task.work, wanted); !wrong.empty()) return std::string(wrong);
  if (reply_length(task.work, wanted).value_or(0) > kLongestAnswer) return "its answer would be too long to be sent";
  if (task.x.size() != wanted && (needs_x(task.work) || !task.x.empty() || task.report_residual)) {
    return "its x has " + std::to_string(task.x.size()) + " entries, not " + std::to_string(wanted);
  }
  const auto own = task.own.empty() ? std::span<const double>() : std::span<const double>(task.own.back());
  const bool of_use = has_trait(task.work, kOwn) && own.size() == wanted;
  if (!own.empty() && !of_use) {
    return "it holds numbers for this client alone that its work has no use for";
  }
  if (!all_finite(task.x) || !all_finite(own)) return "it holds a number that is not finite";
  if (task.noise_columns > task.x.size()) return "it has more noise columns than x has entries";
  if (!ascending(question.participants)) return "its participants do not ascend";
  if (!std::ranges::binary_search(question.participants, self)) return "this client is not among its participants";
  return "";
}

bool names_files(const io::PlanOption& option) {
  const bool path = option.kind == io::OptionKind::Path || option.kind == io::OptionKind::Paths;
  return path || option.name == "clients" || option.name == "partition";
}

}  // namespace

v1::Task task_message(const std::string& run, std::uint64_t number, const LocalTask& task,
                      std::span<const ClientId> participants) {
  if (has_trait(task.work, kStays)) {
    throw InvalidArgument(std::string(name_of(task.work)) + " do not travel: this method is for one process");
  }
  v1::Task message;
  message.set_run(run);
  message.set_number(number);
  ByteWriter out;
  describe_question(task, participants, out);
  message.set_question(std::move(out.bytes()));
  set_vector(*message.mutable_x(), task.x);
  return message;
}

std::optional<ArrivedQuestion> question_of(const v1::Task& message) {
  std::optional<ArrivedQuestion> question(std::in_place);
  ByteReader in(message.question());
  question->get(in);
  if (!in.complete()) question.reset();
  return question;
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
  auto question = question_of(message);
  if (!question || has_trait(question->task.work, kStays)) return Error{"it asks for nothing that this client knows"};
  question->x = copied(message.x());
  if (const auto& own = message.own().values(); !own.empty()) {
    question->own.resize(self.value + std::size_t{1});
    question->own.back().assign(own.begin(), own.end());
  }
  question->look();
  std::string wrong = wrong_shape(*question, self, unknowns);
  if (wrong.empty()) wrong = wrong_privacy(question->task);
  if (!wrong.empty()) return Error{std::move(wrong)};
  return ReceivedTask(*std::move(question), message.number());
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

v1::Update masked_update_message(const v1::Task& task, RoundIndex round, const masking::Words& words) {
  v1::Update update;
  update.set_run(task.run());
  update.set_number(task.number());
  update.set_round(round.value);
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
