// SPDX-License-Identifier: Apache-2.0
#include "fedrk/methods/hyperplane_method.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fedrk/linalg/kernels.hpp"

namespace fedrk {
namespace {

constexpr double kBetter = 0.9;           // of the best residual so far: that counts as progress
constexpr double kMuchWorse = 100.0;      // times the best residual so far
constexpr double kFarDown = 1e-6;         // of the first residual
constexpr std::size_t kLongPatience = 8;  // times the usual one: a residual that falls so slowly may as well stand
constexpr double kFar = 1e3, kFarWithAll = 1e8;  // with all rounds kept, also the weakest directions are found
constexpr double kAtRounding = 1e-13;
constexpr std::size_t kPaceRounds = 30;  // in which the pace is taken
constexpr double kSolved = 1e-10;        // a relative residual below which there is only rounding to gain
constexpr double kRounding = 8.0 * std::numeric_limits<double>::epsilon();  // of x, in a step

}  // namespace

HyperplaneMethod::HyperplaneMethod(const HyperplaneOptions& options, std::size_t clients)
    : options_(options),
      server_(options.server_budget, options.server_sampling),
      threshold_(options.sparsity),
      quiet_(clients),
      sweep_(clients) {
  if (options.memory > 0) memory_.emplace(options.memory, options.memory_limit);
}

Request HyperplaneMethod::request(RoundIndex, std::span<const double> x) {
  return {ValidSteps{options_.local_budget}, x, {}, options_.reveal};
}

void HyperplaneMethod::update(RoundIndex t, RoundReplies& round, std::span<double> x) {
  if (solved_) return;
  ++rounds_;
  const AlignedVector before = aligned_copy(x);
  move(t, round, x);
  threshold_.apply(x.first(x.size() - options_.noise_columns));
  look_back(round, before, x);
  if (contradicted_ && memory_) give_up_memory(t, x);
}

void HyperplaneMethod::move(RoundIndex t, RoundReplies& round, std::span<double> x) {
  if (contradicted_) {
    const double share = 1.0 / static_cast<double>(std::max<std::size_t>(1, round.answered.size()));
    for (const LocalReply& reply : round.replies) axpy(share, reply.values, x);
    return;
  }
  auto planes = hyperplanes_from(round.replies);
  if (memory_) return memory_->project(t, planes, x);
  server_.project(planes, stream_for(options_.seed, Purpose::ServerSteps, t), x);
}

void HyperplaneMethod::look_back(const RoundReplies& round, std::span<const double> before, std::span<double> x) {
  const double moved = distance(before, x), length = std::sqrt(squared_norm(x));
  // Few steps may happen on rows that lack nothing; the residual tells whether others do.
  const bool may_lack = contradicted_ || round.relative_residual.value_or(0.0) > kSolved;
  if (moved <= kRounding * length && !may_lack) {
    quiet_.add(round.answered);
  } else {
    quiet_.clear();
  }
  if (!memory_ || options_.sparsity > 0) return;  // what is kept of x moves it as well

  if (best_.empty()) best_ = aligned_copy(before);
  watch_.see(before, x);
  const bool away = has_run_away(moved, x);
  const bool worse = (round.relative_residual && is_much_worse(round, before)) || away;
  const bool at_rest = watch_.going_nowhere() && watch_.farthest() <= kSolved * length;
  const std::size_t patience = 6 + 2 * sweep_.last_length();
  if (best_level_ <= kSolved || at_rest) {
    // Close to rounding a residual soon falls no further; above it, it may only fall slowly.
    const std::size_t enough = best_level_ <= kAtRounding ? patience : kLongPatience * patience;
    solved_ = worse || at_rest || since_best_ >= enough;
    if (solved_) std::ranges::copy(best_, x.begin());
  } else if (worse && best_level_ <= kFarDown * first_level_) {
    // Equations that contradict each other do not let it come that far: rounding has thrown x out, and without the
    // hyperplanes that did it comes back.
    std::ranges::copy(best_, x.begin());
    memory_.emplace(options_.memory, options_.memory_limit);
    watch_ = StepWatch();
  } else {
    // The way to a solution gets shorter in every step, but it may turn from where the equations feel little of it to
    // where they feel all. Worse than in the beginning is what no way leads to.
    const bool lost = away || (worse && last_level_ > first_level_);
    contradicted_ = lost || memory_->contradicted() || watch_.going_nowhere();
    stalled_ = since_best_ >= kLongPatience * patience;
  }
}

// Hyperplanes without a common point drive x away, by a factor in every round. Waiting for everyone's residual would
// take too long: what rounding leaves of an x that was far away stays in it.
bool HyperplaneMethod::has_run_away(double moved, std::span<const double> x) {
  if (first_step_ == 0.0) first_step_ = moved;
  const double far = options_.memory == HyperplaneMemory::kAll ? kFarWithAll : kFar;
  return !(distance(x, best_) <= far * std::max(std::sqrt(squared_norm(best_)), first_step_));
}

// Looks at the residual of everyone, as a sweep tells it, and keeps the best x.
bool HyperplaneMethod::is_much_worse(const RoundReplies& round, std::span<const double> x) {
  ++since_best_;
  const auto level = sweep_.level_with(*round.relative_residual, round.answered);
  if (!level) return false;
  last_level_ = *level;
  if (first_level_ == 0.0) first_level_ = *level;
  if (*level < kBetter * best_level_) {
    best_level_ = *level;
    best_ = aligned_copy(x);
    since_best_ = 0;
  }
  take_the_pace();
  return *level > kMuchWorse * best_level_;
}

std::optional<double> HyperplaneMethod::rounds_to_go() const {
  if (!fall_ || best_level_ <= kSolved) return std::nullopt;
  return *fall_ > 0.0 ? std::log(best_level_ / kSolved) / *fall_ : std::numeric_limits<double>::infinity();
}

// How fast the residual fell lately: the first rounds are faster than those to come.
void HyperplaneMethod::take_the_pace() {
  const std::size_t stretch = std::max<std::size_t>(kPaceRounds, 4 * sweep_.last_length());
  if (rounds_ < pace_from_ + stretch) return;
  if (pace_from_ > 0) fall_ = std::log(pace_level_ / best_level_) / static_cast<double>(rounds_ - pace_from_);
  pace_from_ = rounds_;
  pace_level_ = best_level_;
}

void HyperplaneMethod::give_up_memory(RoundIndex t, std::span<double> x) {
  memory_.reset();
  quiet_.clear();
  std::ranges::copy(best_, x.begin());
  notes_.push_back(
      "By round " + std::to_string(t.value + 1) +
      " it had shown that the equations contradict each other: hyperplanes of several rounds have no common point. The "
      "run went on by averaging what the clients send, which hovers around the least-squares solution; --least-squares "
      "or --ridge LAMBDA lead to it.");
}

}  // namespace fedrk
