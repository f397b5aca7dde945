// SPDX-License-Identifier: Apache-2.0
#include "methods/convergence_monitor.hpp"

#include <algorithm>
#include <cmath>

#include "linalg/kernels.hpp"

namespace fedrk {
namespace {

constexpr double kBetter = 0.9;                                          // of the best level: that counts as progress
constexpr double kSolved = 1e-10;                                        // a relative residual that may be rounding
constexpr double kRoundingLevel = 1e-13;                                 // one that is, where it falls no further
constexpr double kQuiet = 8.0 * std::numeric_limits<double>::epsilon();  // of x, in a step
constexpr double kGrown = 1e5;           // times the first level, or the level that was reached after coming close
constexpr std::size_t kMaxTurn = 64;     // rounds; with very many clients the level of these must do
constexpr std::size_t kPaceRounds = 30;  // in which the pace is taken

}  // namespace

void ConvergenceMonitor::ClientSet::clear() {
  if (missing_ < there_.size()) there_.assign(there_.size(), 0);
  missing_ = there_.size();
}

void ConvergenceMonitor::ClientSet::add(std::span<const ClientId> clients) {
  for (const ClientId client : clients) {
    if (there_[client.value] == 1) continue;
    there_[client.value] = 1;
    --missing_;
  }
}

ConvergenceMonitor::Judgement ConvergenceMonitor::see(const RoundReplies& round, std::span<const double> before,
                                                      std::span<const double> x) {
  ++rounds_;
  ++since_best_;
  if (best_.empty()) best_ = aligned_copy(before);
  const double moved = distance(before, x);
  if (!std::isfinite(moved)) return Judgement::Diverged;
  // Few steps may happen on rows that lack nothing; the residual tells whether others do.
  const bool lacks = round.relative_residual.value_or(0.0) > kSolved;
  if (moved <= kQuiet * std::sqrt(squared_norm(x)) && !lacks) {
    quiet_.add(round.answered);
  } else {
    quiet_.clear();
  }
  if (round.relative_residual && ends_turn(round)) take_level(before);
  if (quiet_.complete()) return Judgement::AtRounding;
  const std::size_t patience = 6 + 2 * last_turn_;
  const bool stagnant = since_best_ >= 8 * patience;
  if (best_level_ <= kSolved && (turn_diverged_ || stagnant)) return Judgement::AtRounding;
  if (best_level_ <= kRoundingLevel && since_best_ >= patience) return Judgement::AtRounding;
  if (turn_diverged_) return Judgement::Diverged;
  return stagnant ? Judgement::Stagnant : Judgement::GoOn;
}

bool ConvergenceMonitor::ends_turn(const RoundReplies& round) {
  ++turn_length_;
  turn_largest_ = std::max(turn_largest_, *round.relative_residual);
  turn_smallest_ = std::min(turn_smallest_, *round.relative_residual);
  heard_.add(round.answered);
  return heard_.complete() || turn_length_ >= kMaxTurn;
}

void ConvergenceMonitor::take_level(std::span<const double> before) {
  if (!std::isfinite(first_level_)) first_level_ = turn_largest_;
  const double bearable = came_close() ? best_level_ : std::max(1.0, first_level_);
  turn_diverged_ = turn_smallest_ > kGrown * bearable;
  if (turn_largest_ < kBetter * best_level_) {
    best_level_ = turn_largest_;
    best_.assign(before.begin(), before.end());
    since_best_ = 0;
  }
  last_turn_ = turn_length_;
  turn_length_ = 0;
  turn_largest_ = 0.0;
  turn_smallest_ = std::numeric_limits<double>::infinity();
  heard_.clear();
  take_pace();
}

// How fast the residual fell lately: the first rounds are faster than those to come.
void ConvergenceMonitor::take_pace() {
  const std::size_t stretch = std::max<std::size_t>(kPaceRounds, 4 * last_turn_);
  if (rounds_ < pace_from_ + stretch) return;
  if (pace_from_ > 0) fall_ = std::log(pace_level_ / best_level_) / static_cast<double>(rounds_ - pace_from_);
  pace_from_ = rounds_;
  pace_level_ = best_level_;
}

std::optional<double> ConvergenceMonitor::rounds_to_go() const {
  if (!fall_ || best_level_ <= kSolved) return std::nullopt;
  return *fall_ > 0.0 ? std::log(best_level_ / kSolved) / *fall_ : std::numeric_limits<double>::infinity();
}

void ConvergenceMonitor::begin_again() {
  heard_.clear();
  quiet_.clear();
  turn_length_ = since_best_ = 0;
  turn_largest_ = 0.0;
  turn_smallest_ = std::numeric_limits<double>::infinity();
  turn_diverged_ = false;
  rounds_ = pace_from_ = 0;
  fall_.reset();
}

}  // namespace fedrk
