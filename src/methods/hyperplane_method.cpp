// SPDX-License-Identifier: Apache-2.0
#include "fedrk/methods/hyperplane_method.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fedrk/linalg/kernels.hpp"

namespace fedrk {
namespace {

constexpr double kBetter = 0.9;       // of the best residual so far: that counts as progress
constexpr double kMuchWorse = 100.0;  // times the best residual so far
constexpr double kFarDown = 1e-6;     // of the first residual
constexpr double kSolved = 1e-10;     // a relative residual below which there is only rounding to gain
constexpr double kRounding = 8.0 * std::numeric_limits<double>::epsilon();  // of x, in a step

// How many rounds everyone has surely been asked in, and some more.
std::size_t patience_for(std::size_t clients, std::size_t participants) {
  return 6 + 3 * (clients + participants - 1) / std::max<std::size_t>(1, participants);
}

}  // namespace

HyperplaneMethod::HyperplaneMethod(const HyperplaneOptions& options, std::size_t clients)
    : options_(options),
      server_(options.server_budget, options.server_sampling),
      threshold_(options.sparsity),
      watch_(12),
      quiet_(clients),
      heard_(clients),
      clients_(clients) {
  if (options.memory > 0) memory_.emplace(options.memory, options.memory_limit);
}

Request HyperplaneMethod::request(RoundIndex, std::span<const double> x) {
  return {ValidSteps{options_.local_budget}, x, {}, options_.reveal};
}

void HyperplaneMethod::update(RoundIndex t, RoundReplies& round, std::span<double> x) {
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
  const double moved = distance(before, x);
  if (moved <= kRounding * std::sqrt(squared_norm(x))) {
    quiet_.add(round.answered);
  } else {
    quiet_.clear();
  }
  if (!memory_ || options_.sparsity > 0) return;  // what is kept of x moves it as well

  watch_.see(before, x);
  if (best_.empty()) best_ = aligned_copy(before);
  ++since_best_;
  const double residual = round.relative_residual.value_or(0.0);
  if (round.relative_residual) hear(residual, round.answered, before);
  const bool worse = !std::isfinite(moved) || residual > kMuchWorse * best_residual_;
  if (best_residual_ <= kSolved) {
    solved_ = worse || since_best_ >= patience_for(clients_, round.answered.size());
    if (solved_) std::ranges::copy(best_, x.begin());
  } else if (worse && best_residual_ <= kFarDown * first_residual_) {
    // Equations that contradict each other do not let it come that far. A new normal within the span of the others, up
    // to rounding, has thrown x out: without them it comes back.
    std::ranges::copy(best_, x.begin());
    memory_.emplace(options_.memory, options_.memory_limit);
  } else {
    // The way to a solution gets shorter in every step, but it may turn from where the equations feel little of it to
    // where they feel all. Worse than in the beginning is what no way leads to.
    const bool lost = worse && !(std::isfinite(moved) && residual <= first_residual_);
    contradicted_ = lost || memory_->contradicted() || watch_.going_nowhere();
  }
}

// What a few report says little of the others: they may have been heard just before, or measure in other units. So the
// residual that counts is the worst since everyone has been heard, or since surely everyone would have been.
void HyperplaneMethod::hear(double residual, std::span<const ClientId> clients, std::span<const double> before) {
  heard_.add(clients);
  worst_residual_ = std::max(worst_residual_, residual);
  if (!heard_.complete() && ++rounds_heard_ < 4 * patience_for(clients_, clients.size())) return;
  if (first_residual_ < 0.0) first_residual_ = worst_residual_;
  if (worst_residual_ < kBetter * best_residual_) {
    best_residual_ = worst_residual_;
    best_ = aligned_copy(before);
    since_best_ = 0;
  }
  heard_.clear();
  worst_residual_ = 0.0;
  rounds_heard_ = 0;
}

void HyperplaneMethod::give_up_memory(RoundIndex t, std::span<double> x) {
  memory_.reset();
  quiet_.clear();
  std::ranges::copy(best_, x.begin());
  notes_.push_back(
      "By round " + std::to_string(t.value + 1) +
      " the steps led nowhere: the equations contradict each other, and hyperplanes of several rounds have no common "
      "point. The run went on by averaging what the clients send, which hovers around the least-squares solution; "
      "--least-squares or --ridge LAMBDA lead to it.");
}

}  // namespace fedrk
