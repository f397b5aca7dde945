// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <tuple>

namespace fedrk {

/// The paper's t, from 0. People are shown `t + 1`, the number of rounds begun.
struct RoundIndex {
  std::uint32_t value = 0;
  RoundIndex& operator++() {
    ++value;
    return *this;
  }
  friend auto operator<=>(RoundIndex, RoundIndex) = default;
  static constexpr auto fields(auto& self) { return std::tie(self.value); }
};

}  // namespace fedrk
