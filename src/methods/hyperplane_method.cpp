// SPDX-License-Identifier: Apache-2.0
#include "fedrk/methods/hyperplane_method.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fedrk/linalg/kernels.hpp"

namespace fedrk {
namespace {

constexpr double kSolved = 1e-10;                                           // a relative residual that may be rounding
constexpr double kRounding = 8.0 * std::numeric_limits<double>::epsilon();  // of x, in a step

}  // namespace

HyperplaneMethod::HyperplaneMethod(const HyperplaneOptions& options, std::size_t clients)
    : options_(options),
      server_(options.server_budget, options.server_sampling),
      threshold_(options.sparsity),
      judge_(clients, options.memory == HyperplaneMemory::kAll),
      quiet_(clients) {
  if (options.memory > 0) memory_.emplace(options.memory, options.memory_limit);
}

Request HyperplaneMethod::request(RoundIndex, std::span<const double> x) {
  return {ValidSteps{options_.local_budget}, x, {}, options_.reveal};
}

void HyperplaneMethod::update(RoundIndex t, RoundReplies& round, std::span<double> x) {
  if (solved_) return;
  const AlignedVector before = aligned_copy(x);
  move(t, round, x);
  threshold_.apply(x.first(x.size() - options_.noise_columns));
  see_who_is_quiet(round, distance(before, x), x);
  if (memory_) look_back(t, round, before, x);
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

void HyperplaneMethod::see_who_is_quiet(const RoundReplies& round, double moved, std::span<const double> x) {
  // Few steps may happen on rows that lack nothing; the residual tells whether others do.
  const bool may_lack = contradicted_ || round.relative_residual.value_or(0.0) > kSolved;
  if (moved <= kRounding * std::sqrt(squared_norm(x)) && !may_lack) {
    quiet_.add(round.answered);
  } else {
    quiet_.clear();
  }
}

void HyperplaneMethod::look_back(RoundIndex t, const RoundReplies& round, std::span<const double> before,
                                 std::span<double> x) {
  using Verdict = ProgressJudge::Verdict;
  Verdict verdict = judge_.see(round, before, x);
  if (verdict == Verdict::GoOn && memory_->contradicted()) verdict = Verdict::Contradicts;
  if (verdict == Verdict::GoOn) return;
  std::ranges::copy(judge_.best(), x.begin());
  solved_ = verdict == Verdict::Solved;
  contradicted_ = verdict == Verdict::Contradicts;
  if (contradicted_) return give_up_memory(t);
  memory_.emplace(options_.memory, options_.memory_limit);
  judge_.begin_again();
}

void HyperplaneMethod::give_up_memory(RoundIndex t) {
  memory_.reset();
  quiet_.clear();
  notes_.push_back(
      "By round " + std::to_string(t.value + 1) +
      " it had shown that the equations contradict each other: hyperplanes of several rounds have no common point. The "
      "run went on by averaging what the clients send, which hovers around the least-squares solution; --least-squares "
      "or --ridge LAMBDA lead to it.");
}

}  // namespace fedrk
