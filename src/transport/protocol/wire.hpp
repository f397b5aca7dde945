// SPDX-License-Identifier: Apache-2.0
#pragma once

// Between the messages of the network and the nouns of federated/. What comes from a peer is checked here: a value
// of a type that these functions return can be used without another look.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "fedrk/engine.hpp"
#include "plan/plan.hpp"
#include "round/question_bytes.hpp"
#include "secure_sum/part.hpp"
#include "transport/protocol/messages.hpp"

namespace fedrk::wire {

// ---- Work and tasks.

/// The task without what one client alone is sent; it looks at the same x. Throws InvalidArgument for work that stays
/// where the rows are.
TaskView task_message(const std::string& run, std::uint64_t number, const LocalTask& task,
                      std::span<const ClientId> participants);

/// Without x and `own`; nothing where the bytes are no question. No more than their form is checked.
std::optional<ArrivedQuestion> question_of(const Task& message);

/// Of a masked sum; an error where it makes no sense.
Result<masking::Grid> grid_of(const Task& message);

/// A task that owns the lists that a LocalTask only looks at, but for x, which stays in the message.
class ReceivedTask {
 public:
  /// Checks it against a client of so many unknowns at this place. `message` must outlive it.
  static Result<ReceivedTask> from(const Task& message, ClientId self, std::size_t unknowns);

  const LocalTask& task() const { return question_.task; }
  std::uint64_t number() const { return number_; }
  std::span<const ClientId> participants() const { return question_.participants; }
  /// From now on its answer is drawn from this seed.
  void draw_from(std::uint64_t seed) { question_.task.fresh_draws = seed; }
  /// And its noise, under differential privacy, is made of these.
  void make_noise_of(std::vector<double> gaussians) {
    gaussians_ = std::move(gaussians);
    question_.task.gaussians = gaussians_;
  }

 private:
  ReceivedTask(ArrivedQuestion question, std::uint64_t number) : number_(number), question_(std::move(question)) {}

  std::uint64_t number_ = 0;
  ArrivedQuestion question_;
  std::vector<double> gaussians_;
};

// ---- Answers.

Update update_message(const std::string& run, std::uint64_t number, const LocalTask& task, LocalReply reply);
Update masked_update_message(const Task& task, RoundIndex round, masking::Words words);
/// What the task did not ask for is left out: nobody checks it, and sums would run over it.
LocalReply reply_from(Update update, ClientId client, const LocalTask& task);

// ---- Plans.

/// What a client is told of a plan: everything but files and how one file is split.
std::vector<PlanEntry> plan_message(const io::Plan& plan);
/// Into a plan that holds the client's own files; what names files or is unknown is refused.
Result<void> take_plan(std::span<const PlanEntry> entries, io::Plan& plan);

}  // namespace fedrk::wire
