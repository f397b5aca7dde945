// SPDX-License-Identifier: Apache-2.0
#pragma once

// What becomes of a run that keeps hyperplanes in memory, judged by x and by the residuals that clients report.
//
// On the way to a solution the error falls in every step; the residual mostly does, but may rise where the way turns to
// directions that the equations feel more. Where there is no solution, hyperplanes of several rounds drive x away, by a
// factor in every round, or let it hover. So an x that is far from its best place, or has a much larger residual, is
// first suspect, and a contradiction only when that goes on for some rounds without getting better.

#include <cstddef>
#include <limits>
#include <optional>
#include <span>

#include "fedrk/federated/engine.hpp"
#include "fedrk/methods/residual_sweep.hpp"
#include "fedrk/methods/step_watch.hpp"

namespace fedrk {

class ProgressJudge {
 public:
  enum class Verdict {
    GoOn,
    Solved,       // only rounding is left to gain: best() is the answer
    ThrownOut,    // by rounding, from close to a solution: go on from best() with nothing in memory
    Contradicts,  // there is no solution; best() is where the residual was least
  };

  /// With all rounds in memory also the weakest directions are found, and x may rightly go far.
  ProgressJudge(std::size_t clients, bool remembers_all) : sweep_(clients), remembers_all_(remembers_all) {}

  /// To be told of every round: what was answered, where x was before it, and where it is now.
  Verdict see(const RoundReplies& round, std::span<const double> before, std::span<const double> x);

  /// After ThrownOut.
  void begin_again() { watch_ = StepWatch(); }

  std::span<const double> best() const { return best_; }

  /// True while the residual of everyone has not fallen for long.
  bool stalled() const { return stalled_; }

  /// How many rounds it would take, as it went lately, until the residual is at rounding; nothing before that can be
  /// told.
  std::optional<double> rounds_to_go() const;

  std::size_t rounds() const { return rounds_; }

 private:
  double how_far(double moved, std::span<const double> x);
  bool is_much_worse(const RoundReplies& round, std::span<const double> before);
  bool goes_on_for_long(bool suspect, std::optional<double> residual);
  void take_the_pace();

  ResidualSweep sweep_;
  bool remembers_all_;
  StepWatch watch_;
  AlignedVector best_;                                           // x where the residual was least; at first the start
  double best_level_ = std::numeric_limits<double>::infinity();  // that residual, of everyone
  double first_level_ = 0.0, first_residual_ = 0.0, first_step_ = 0.0;
  std::size_t rounds_ = 0, since_best_ = 0, suspect_rounds_ = 0;
  double suspect_least_ = 0.0;  // residual since x has been suspect
  bool stalled_ = false;
  std::size_t pace_from_ = 0;
  double pace_level_ = 0.0;
  std::optional<double> fall_;  // of the logarithm of the residual, in a round
};

}  // namespace fedrk
