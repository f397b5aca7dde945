// SPDX-License-Identifier: Apache-2.0
#pragma once

// How a run shows that it is alive, on stderr: a bar on a terminal, about twenty plain lines elsewhere.

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "fedrk/run.hpp"

namespace fedrk::app {

enum class ProgressStyle { Auto, Bar, Lines, None };

/// What auto means here: a bar on a terminal, lines elsewhere.
ProgressStyle resolved(ProgressStyle style);

/// A bar on a terminal, on stderr, with words behind it.
class Bar {
 public:
  /// Whether it is time for another drawing; asking first saves making the words.
  bool due() const;

  /// Replaces what was drawn before. `share` is 0 to 1; words that do not fit the line are cut.
  void draw(double share, std::string_view message);

  /// Leaves an empty line. Call it before anything else is written.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point drawn_{};
  bool there_ = false;
};

class ProgressDisplay final : public RoundObserver {
 public:
  ProgressDisplay(ProgressStyle style, std::uint32_t rounds);

  void on_round(const RoundRecord& record, std::span<const double> x) override;

  /// What follows these rounds are those of a refit. Nobody knows beforehand how many.
  void begin_refit(std::size_t rounds);

  /// Clears the bar. Call it before anything else is written.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  std::string round_text() const;
  void print_line(const RoundRecord& record) const;
  void draw_bar();

  ProgressStyle style_;
  std::uint32_t rounds_;
  std::uint32_t every_;
  std::size_t made_ = 0;               // rounds
  std::optional<std::size_t> before_;  // rounds before the refit that is going on
  std::optional<double> residual_;     // the last that was reported
  Clock::time_point start_ = Clock::now();
  Bar bar_;
};

}  // namespace fedrk::app
