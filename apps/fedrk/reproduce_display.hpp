// SPDX-License-Identifier: Apache-2.0
#pragma once

// What `fedrk reproduce` tells while it runs, on stderr: a bar for the whole with words for the part, or lines.

#include <chrono>
#include <cstddef>
#include <string_view>
#include <vector>

#include "bar.hpp"
#include "experiments/findings_files.hpp"
#include "progress.hpp"

namespace fedrk::app {

class ReproduceDisplay {
 public:
  ReproduceDisplay(ProgressStyle style, std::vector<const experiments::Experiment*> chosen);

  void begin(std::size_t index);
  void update(double share, std::string_view doing);
  void end(const experiments::Finished& finished);

 private:
  using Clock = std::chrono::steady_clock;
  double share_of_all() const;

  ProgressStyle style_;
  std::vector<const experiments::Experiment*> chosen_;
  std::size_t index_ = 0;
  double share_ = 0.0;  // of the experiment at hand
  Clock::time_point said_{};
  Bar bar_;
};

}  // namespace fedrk::app
