// SPDX-License-Identifier: Apache-2.0
#pragma once

// What becomes of a run that projects onto hyperplanes, judged by the residuals that its participants report and by how
// far x moves. Three rules:
//
//   at rounding   every client was heard while x moved by rounding alone, or the residual is as small as rounding lets
//                 it be and falls no further
//   diverged      x left the range of numbers, or the residuals of a whole turn are far above the first ones, or above
//                 what had been reached
//   stagnant      the residual has not fallen by a tenth for long
//
// A turn is the rounds until every client was heard. A client that was just asked may have nothing left to lack, so
// the level of a turn is the largest residual in it. On equations that have a solution every projection onto valid
// hyperplanes brings x closer to it; so whatever diverges, or stagnates with all hyperplanes in memory, has none.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "fedrk/engine.hpp"

namespace fedrk {

class ConvergenceMonitor {
 public:
  enum class Judgement { GoOn, AtRounding, Diverged, Stagnant };

  explicit ConvergenceMonitor(std::size_t clients) : heard_(clients), quiet_(clients) {}

  /// To be told of every round: what was answered, where x was before it, and where it is now.
  Judgement see(const RoundReplies& round, std::span<const double> before, std::span<const double> x);

  /// The x of the lowest level; at first the start.
  std::span<const double> best() const { return best_; }
  /// True while x moves by rounding alone, whoever is asked.
  bool rests() const { return quiet_.complete(); }
  /// True where the residual has fallen so far that equations without a solution would not have let it.
  bool came_close() const { return best_level_ <= kClose * first_level_; }

  /// How many rounds it would take, at the pace of the last ones, until the residual is at rounding; nothing before
  /// that can be told.
  std::optional<double> rounds_to_go() const;

  std::size_t rounds() const { return rounds_; }

  /// The run goes on from best(), with another memory: pace, patience and turns begin anew.
  void begin_again();

  static constexpr auto fields(auto& self) {
    return std::tie(self.heard_, self.quiet_, self.best_, self.best_level_, self.first_level_, self.turn_largest_,
                    self.turn_smallest_, self.rounds_, self.turn_length_, self.last_turn_, self.since_best_,
                    self.turn_diverged_, self.pace_from_, self.pace_level_, self.fall_);
  }

 private:
  static constexpr double kClose = 1e-6;

  /// Which clients were heard since something last changed.
  class ClientSet {
   public:
    explicit ClientSet(std::size_t clients) : there_(clients, 0), missing_(clients) {}
    void clear();
    void add(std::span<const ClientId> clients);
    bool complete() const { return missing_ == 0; }
    static constexpr auto fields(auto& self) { return std::tie(self.there_, self.missing_); }

   private:
    std::vector<std::uint8_t> there_;  // 1: heard
    std::size_t missing_;
  };

  bool ends_turn(const RoundReplies& round);
  void take_level(std::span<const double> before);
  void take_pace();

  ClientSet heard_, quiet_;
  AlignedVector best_;
  double best_level_ = std::numeric_limits<double>::infinity();
  double first_level_ = std::numeric_limits<double>::infinity();
  double turn_largest_ = 0.0, turn_smallest_ = std::numeric_limits<double>::infinity();
  std::size_t rounds_ = 0, turn_length_ = 0, last_turn_ = 1, since_best_ = 0;
  bool turn_diverged_ = false;
  std::size_t pace_from_ = 0;
  double pace_level_ = 0.0;
  std::optional<double> fall_;  // of the logarithm of the residual, in a round
};

}  // namespace fedrk
