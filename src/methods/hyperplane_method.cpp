// SPDX-License-Identifier: Apache-2.0
#include "methods/hyperplane_method.hpp"

#include <algorithm>

#include "linalg/kernels.hpp"
#include "round/state_stream.hpp"

namespace fedrk {
namespace {

constexpr std::size_t kMaxRestarts = 3;  // after rounding threw x out from close to a solution

}  // namespace

HyperplaneMethod::HyperplaneMethod(const HyperplaneOptions& options, std::size_t clients)
    : options_(options),
      server_(options.server_budget, options.server_sampling),
      threshold_(options.sparsity),
      monitor_(clients) {
  if (options.memory > 0) memory_.emplace(options.memory, options.memory_limit);
}

Request HyperplaneMethod::request(RoundIndex, std::span<const double> x) {
  return {CutSteps{options_.local_budget}, x, {}, options_.reveal, Audience::Turn};
}

void HyperplaneMethod::update(RoundIndex t, RoundReplies& round, std::span<double> x) {
  if (finished_) return;
  const AlignedVector before = aligned_copy(x);
  move(t, round, x);
  threshold_.apply(x.first(x.size() - options_.noise_columns));
  look_back(t, round, before, x);
}

void HyperplaneMethod::move(RoundIndex t, RoundReplies& round, std::span<double> x) {
  auto planes = hyperplanes_from(round.replies);
  if (memory_) return memory_->project(t, planes, x);
  server_.project(planes, stream_for(options_.seed, Purpose::ServerSteps, t), x);
}

void HyperplaneMethod::look_back(RoundIndex t, const RoundReplies& round, std::span<const double> before,
                                 std::span<double> x) {
  using Judgement = ConvergenceMonitor::Judgement;
  const Judgement judgement = monitor_.see(round, before, x);
  if (judgement == Judgement::AtRounding) {
    if (!monitor_.rests()) std::ranges::copy(monitor_.best(), x.begin());
    finished_ = true;
    return;
  }
  if (!memory_) return;  // steps over single hyperplanes may hover as they like; the round loop judges them
  const bool diverged = judgement == Judgement::Diverged;
  if (diverged && monitor_.came_close() && restarts_ < kMaxRestarts) {
    ++restarts_;
    return begin_again(options_.memory, x);
  }
  const bool slow =
      judgement == Judgement::Stagnant || monitor_.rounds_to_go().value_or(0.0) > 2.0 * static_cast<double>(x.size());
  if (!diverged && slow && options_.grows && !remembers_all()) {
    grown_ = t;
    return begin_again(HyperplaneMemory::kAll, x);
  }
  const bool stuck = judgement == Judgement::Stagnant && has_had_its_time(x.size());
  if (!diverged && !stuck) return;
  std::ranges::copy(monitor_.best(), x.begin());
  finished_ = contradictory_ = true;
  ended_ = t;
}

// With all rounds kept the residual may stand until there are as many hyperplanes as unknowns; with a few it may be
// slow for long.
bool HyperplaneMethod::has_had_its_time(std::size_t unknowns) const {
  return remembers_all() && monitor_.rounds() > 2 * unknowns;
}

void HyperplaneMethod::begin_again(std::size_t memory, std::span<double> x) {
  std::ranges::copy(monitor_.best(), x.begin());
  options_.memory = memory;
  memory_.emplace(memory, options_.memory_limit);
  monitor_.begin_again();
}

bool HyperplaneMethod::state(StateStream& stream) {
  stream(options_.memory, monitor_, finished_, contradictory_, restarts_, grown_, ended_);
  if (stream.reads() && options_.memory > 0) memory_.emplace(options_.memory, options_.memory_limit);
  if (memory_) stream(*memory_);
  return true;
}

std::vector<std::string> HyperplaneMethod::notes() const {
  std::vector<std::string> notes;
  if (grown_) {
    notes.push_back("A memory of a few rounds was too slow by round " + std::to_string(grown_->value + 1) +
                    "; from there on all rounds were kept.");
  }
  if (contradictory_) {
    notes.push_back(
        "By round " + std::to_string(ended_->value + 1) +
        " the equations had shown that they contradict each other: hyperplanes of several rounds have no "
        "common point. The answer is the best x that was seen. Use fedrk fit for data, or --least-squares.");
  }
  return notes;
}

}  // namespace fedrk
