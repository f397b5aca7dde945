// SPDX-License-Identifier: Apache-2.0
#pragma once

// A bar on a terminal, on stderr, with words behind it.

#include <chrono>
#include <string_view>

namespace fedrk::app {

class Bar {
 public:
  /// Whether it is time for another drawing; asking first saves making the words.
  bool due() const;

  /// Replaces what was drawn before. `share` is 0 to 1; words that do not fit the line are cut.
  void draw(double share, std::string_view words);

  /// Leaves an empty line. Call it before anything else is written.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point drawn_{};
  bool there_ = false;
};

}  // namespace fedrk::app
