// SPDX-License-Identifier: Apache-2.0
#pragma once

// How a run shows that it is alive, on stderr: a bar on a terminal, about twenty plain lines elsewhere.

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>

#include "bar.hpp"
#include "fedrk/federated/federated_run.hpp"

namespace fedrk::app {

enum class ProgressStyle { Auto, Bar, Lines, None };

/// What auto means here: a bar on a terminal, lines elsewhere.
ProgressStyle resolved(ProgressStyle style);

class ProgressDisplay final : public RoundObserver {
 public:
  ProgressDisplay(ProgressStyle style, std::uint32_t rounds);

  void on_round(const RoundRecord& record, std::span<const double> x) override;

  /// Clears the bar. Call it before anything else is written.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  void print_line(const RoundRecord& record) const;
  void draw_bar(const RoundRecord& record);

  ProgressStyle style_;
  std::uint32_t rounds_;
  std::uint32_t every_;
  std::optional<double> residual_;  // the last that was reported
  Clock::time_point start_ = Clock::now();
  Bar bar_;
};

}  // namespace fedrk::app
