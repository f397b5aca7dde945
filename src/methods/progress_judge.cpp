// SPDX-License-Identifier: Apache-2.0
#include "fedrk/methods/progress_judge.hpp"

#include <algorithm>
#include <cmath>

#include "fedrk/linalg/kernels.hpp"

namespace fedrk {
namespace {

constexpr double kBetter = 0.9;                  // of the best residual so far: that counts as progress
constexpr double kMuchWorse = 100.0;             // times the best residual so far
constexpr double kFarDown = 1e-6;                // of the first residual: contradictions do not let it come there
constexpr double kFar = 1e3, kFarWithAll = 1e8;  // times the size of the best x, or of the first steps
constexpr double kHopeless = 1e3;                // times as far: what rounding leaves of such an x would stay in it
constexpr double kGrown = 10.0;                  // times the first residual
constexpr std::size_t kSuspectRounds = 6;
constexpr std::size_t kLongPatience = 8;  // times the usual one: a residual that falls so slowly may as well stand
constexpr std::size_t kPaceRounds = 30;   // in which the pace is taken
constexpr double kSolved = 1e-10;         // a relative residual below which there is only rounding to gain
constexpr double kNearlySolved = 1e-6;    // and one that rounding may explain where x hardly moves
constexpr double kAtRounding = 1e-13;     // and where it soon falls no further

}  // namespace

ProgressJudge::Verdict ProgressJudge::see(const RoundReplies& round, std::span<const double> before,
                                          std::span<const double> x) {
  ++rounds_;
  if (best_.empty()) best_ = aligned_copy(before);
  watch_.see(before, x);
  const double moved = distance(before, x);
  if (!std::isfinite(moved)) return Verdict::Contradicts;
  const bool worse = round.relative_residual && is_much_worse(round, before);
  const double far = how_far(moved, x);
  const bool suspect = far > 1.0 || worse;
  const bool at_rest = watch_.going_nowhere() && watch_.farthest() <= kSolved * std::sqrt(squared_norm(x));
  const std::size_t patience = 6 + 2 * sweep_.last_length();
  stalled_ = since_best_ >= kLongPatience * patience;

  if (at_rest && !(round.relative_residual && best_level_ > kNearlySolved)) return Verdict::Solved;
  if (best_level_ <= kSolved) {
    const bool waited = best_level_ <= kAtRounding ? since_best_ >= patience : stalled_;
    return suspect || waited ? Verdict::Solved : Verdict::GoOn;
  }
  // Clients of different size take x far too, but not to a larger residual than the one it had.
  if (first_residual_ == 0.0) first_residual_ = round.relative_residual.value_or(0.0);
  const bool grows = round.relative_residual.value_or(std::numeric_limits<double>::infinity()) >
                     kGrown * std::max(first_residual_, 1.0);
  const bool lost = goes_on_for_long(suspect, round.relative_residual) || (far > kHopeless && grows);
  if (lost && best_level_ <= kFarDown * first_level_) return Verdict::ThrownOut;
  return lost || watch_.going_nowhere() ? Verdict::Contradicts : Verdict::GoOn;
}

// Above one where x is farther from its best place than a way to a solution mostly leads.
double ProgressJudge::how_far(double moved, std::span<const double> x) {
  if (first_step_ == 0.0) first_step_ = moved;
  const double far = remembers_all_ ? kFarWithAll : kFar;
  const double size = std::max(std::sqrt(squared_norm(best_)), first_step_);
  return size > 0.0 ? distance(x, best_) / (far * size) : 0.0;
}

// Looks at the residual of everyone, as a sweep tells it, and keeps the best x.
bool ProgressJudge::is_much_worse(const RoundReplies& round, std::span<const double> before) {
  ++since_best_;
  const auto level = sweep_.level_with(*round.relative_residual, round.answered);
  if (level && first_level_ == 0.0) first_level_ = *level;
  if (level && *level < kBetter * best_level_) {
    best_level_ = *level;
    best_ = aligned_copy(before);
    since_best_ = 0;
  }
  if (level) take_the_pace();
  const bool solved_once = best_level_ <= kSolved;
  return *round.relative_residual > kMuchWorse * best_level_ &&
         (solved_once || *round.relative_residual > first_level_);
}

bool ProgressJudge::goes_on_for_long(bool suspect, std::optional<double> residual) {
  const double now = residual.value_or(std::numeric_limits<double>::infinity());
  if (!suspect || suspect_rounds_ == 0 || now < kBetter * suspect_least_) {
    suspect_least_ = now;
    suspect_rounds_ = suspect ? 1 : 0;
  } else {
    ++suspect_rounds_;
  }
  return suspect_rounds_ >= kSuspectRounds;
}

std::optional<double> ProgressJudge::rounds_to_go() const {
  if (!fall_ || best_level_ <= kSolved) return std::nullopt;
  return *fall_ > 0.0 ? std::log(best_level_ / kSolved) / *fall_ : std::numeric_limits<double>::infinity();
}

// How fast the residual fell lately: the first rounds are faster than those to come.
void ProgressJudge::take_the_pace() {
  const std::size_t stretch = std::max<std::size_t>(kPaceRounds, 4 * sweep_.last_length());
  if (rounds_ < pace_from_ + stretch) return;
  if (pace_from_ > 0) fall_ = std::log(pace_level_ / best_level_) / static_cast<double>(rounds_ - pace_from_);
  pace_from_ = rounds_;
  pace_level_ = best_level_;
}

}  // namespace fedrk
