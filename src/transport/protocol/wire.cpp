// SPDX-License-Identifier: Apache-2.0
#include "transport/protocol/wire.hpp"

#include <algorithm>
#include <utility>

#include "fedrk/error.hpp"
#include "linalg/kernels.hpp"
#include "plan/plan_options.hpp"

namespace fedrk::wire {
namespace {

// Numbers: sixteen gigabytes, more than any server takes.
constexpr std::size_t kMaxAnswer = std::size_t{1} << 31;

template <class Numbers>
bool ascending(const Numbers& numbers) {
  return std::ranges::adjacent_find(numbers, std::ranges::greater_equal{}) == numbers.end();
}

// What comes with a private answer must be private too.
std::string wrong_privacy(const LocalTask& task) {
  if (!grid_of_noise(task.work)) return "";
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
  if (reply_length(task.work, wanted).value_or(0) > kMaxAnswer) return "its answer would be too long to be sent";
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

TaskView task_message(const std::string& run, std::uint64_t number, const LocalTask& task,
                      std::span<const ClientId> participants) {
  if (has_trait(task.work, kStays)) {
    throw InvalidArgument(std::string(name_of(task.work)) + " do not travel: this method is for one process");
  }
  ByteWriter out;
  describe_question(task, participants, out);
  return {.run = run, .number = number, .question = bytes_from(out.bytes()), .x = task.x};
}

std::optional<ArrivedQuestion> question_of(const Task& message) {
  std::optional<ArrivedQuestion> question(std::in_place);
  ByteReader in(text_of(message.question));
  question->get(in);
  if (!in.complete()) question.reset();
  return question;
}

Result<masking::Grid> grid_of(const Task& message) {
  const auto exponent = message.exponent.value_or(0);
  if (exponent < masking::kFinest || exponent > masking::kCoarsest) return Error{"its grid makes no sense"};
  return masking::Grid{message.exponent};
}

Result<ReceivedTask> ReceivedTask::from(const Task& message, ClientId self, std::size_t unknowns) {
  auto question = question_of(message);
  if (!question || has_trait(question->task.work, kStays)) return Error{"it asks for nothing that this client knows"};
  if (!message.own.empty()) {
    question->own.resize(self.value + std::size_t{1});
    question->own.back().assign(message.own.begin(), message.own.end());
  }
  question->look();
  question->task.x = message.x;
  std::string wrong = wrong_shape(*question, self, unknowns);
  if (wrong.empty()) wrong = wrong_privacy(question->task);
  if (!wrong.empty()) return Error{std::move(wrong)};
  return ReceivedTask(*std::move(question), message.number);
}

Update update_message(const std::string& run, std::uint64_t number, const LocalTask& task, LocalReply reply) {
  return {.run = run,
          .number = number,
          .round = task.round.value,
          .part = task.reveal == Reveal::Sums,
          .squared_residual = reply.squared_residual,
          .gap = reply.gap,
          .values = std::move(reply.values)};
}

Update masked_update_message(const Task& task, RoundIndex round, masking::Words words) {
  return {.run = task.run, .number = task.number, .round = round.value, .values = {}, .masked = std::move(words)};
}

LocalReply reply_from(Update update, ClientId client, const LocalTask& task) {
  LocalReply reply{client, std::move(update.values)};
  if (task.report_residual) reply.squared_residual = update.squared_residual;
  if (sends_gap(task.work)) reply.gap = update.gap;
  return reply;
}

std::vector<PlanEntry> plan_message(const io::Plan& plan) {
  std::vector<PlanEntry> entries;
  for (const io::PlanOption& option : io::plan_options()) {
    io::OptionValues values = option.get(plan);
    if (!values.empty() && !names_files(option)) entries.push_back({std::string(option.name), std::move(values)});
  }
  return entries;
}

Result<void> take_plan(std::span<const PlanEntry> entries, io::Plan& plan) {
  for (const auto& [name, values] : entries) {
    const io::PlanOption* option = io::find_plan_option(name);
    if (option == nullptr || names_files(*option)) {
      return Error{"the server's plan has an entry '" + name + "', which this program does not take from it"};
    }
    if (const auto set = option->set(plan, values); !set) {
      return Error{"the server's plan: " + name + ": " + set.error().message};
    }
  }
  return {};
}

}  // namespace fedrk::wire
