// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <tuple>
#include <variant>

namespace fedrk {

/// tau (or tau_g) randomized Kaczmarz steps. None at all asks a client only for its residual.
struct FixedSteps {
  std::uint64_t count = 0;
  friend bool operator==(const FixedSteps&, const FixedSteps&) = default;
  static constexpr auto fields(auto& self) { return std::tie(self.count); }
};

/// tau = infinity: the exact projection, which the steps would reach in the limit.
struct UntilProjected {
  friend bool operator==(const UntilProjected&, const UntilProjected&) = default;
  static constexpr auto fields(auto&) { return std::tie(); }
};

using StepBudget = std::variant<FixedSteps, UntilProjected>;

}  // namespace fedrk
