// SPDX-License-Identifier: Apache-2.0
#pragma once

// What residuals of a few clients at a time say of everyone. A client that was just asked may have nothing left to
// lack, so one report is no measure; the largest of a sweep is, a sweep being the reports until every client has had
// its say.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "fedrk/methods/roll.hpp"

namespace fedrk {

class ResidualSweep {
 public:
  explicit ResidualSweep(std::size_t clients) : clients_(clients), heard_(clients) {}

  /// The largest residual of the sweep that ends with this report; nothing where it goes on. One that waits for
  /// somebody eight times as long as it should take ends without.
  std::optional<double> level_with(double residual, std::span<const ClientId> of) {
    ++length_;
    largest_ = std::max(largest_, residual);
    heard_.add(of);
    if (!heard_.complete() && length_ * of.size() < 8 * clients_) return std::nullopt;
    last_length_ = length_;
    length_ = 0;
    heard_.clear();
    return std::exchange(largest_, 0.0);
  }

  /// Reports in the last complete sweep.
  std::size_t last_length() const { return last_length_; }

 private:
  std::size_t clients_;
  Roll heard_;
  double largest_ = 0.0;
  std::size_t length_ = 0, last_length_ = 0;
};

}  // namespace fedrk
