// SPDX-License-Identifier: Apache-2.0
#pragma once

// Between the messages of federation.proto and the nouns of federated/. What comes from a peer is checked here: a value
// of a type that these functions return can be used without another look.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "federated/question_bytes.hpp"
#include "fedrk/base/result.hpp"
#include "fedrk/federated/engine.hpp"
#include "fedrk/io/plan.hpp"
#include "fedrk/masking/part.hpp"
#include "fedrk/v1/federation.pb.h"

namespace fedrk::wire {

constexpr std::uint32_t kProtocol = 4;

// ---- Work and tasks.

/// The task without what one client alone is sent. Throws InvalidArgument for work that stays where the rows are.
v1::Task task_message(const std::string& run, std::uint64_t number, const LocalTask& task,
                      std::span<const ClientId> participants);

/// Without x and `own`; nothing where the bytes are no question. No more than their form is checked.
std::optional<ArrivedQuestion> question_of(const v1::Task& message);

/// What makes a task an attempt at a masked sum.
struct Attempt {
  std::uint32_t attempt = 0;
  masking::Grid grid;
};
void set_attempt(v1::Task& message, const Attempt& attempt);
/// An error where the grid makes no sense.
Result<Attempt> attempt_of(const v1::Task& message);

/// A task that owns what a LocalTask only looks at.
class ReceivedTask {
 public:
  /// Checks it against a client of so many unknowns at this place.
  static Result<ReceivedTask> from(const v1::Task& message, ClientId self, std::size_t unknowns);

  const LocalTask& task() const { return question_.task; }
  std::uint64_t number() const { return number_; }
  std::span<const ClientId> participants() const { return question_.participants; }
  /// From now on its answer is drawn from this seed, and varied where it is said so.
  void draw_from(std::uint64_t seed, bool varied) {
    question_.task.fresh_draws = seed;
    question_.task.varied = varied;
  }
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

v1::Update update_message(const std::string& run, std::uint64_t number, const LocalTask& task, const LocalReply& reply);
v1::Update masked_update_message(const v1::Task& task, RoundIndex round, const masking::Words& words);
/// What the task did not ask for is left out: nobody checks it, and sums would run over it.
LocalReply reply_from(const v1::Update& update, ClientId client, const LocalTask& task);

// ---- Plans.

/// What a client is told of a plan: everything but files and how one file is split.
std::vector<v1::PlanEntry> plan_message(const io::Plan& plan);
/// Into a plan that holds the client's own files; what names files or is unknown is refused.
Result<void> take_plan(std::span<const v1::PlanEntry* const> entries, io::Plan& plan);

}  // namespace fedrk::wire
