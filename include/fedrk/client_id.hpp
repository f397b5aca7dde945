// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <tuple>

namespace fedrk {

/// A client's place in the roster, from 0. Replies are ordered by it before any arithmetic.
struct ClientId {
  std::uint32_t value = 0;
  friend auto operator<=>(ClientId, ClientId) = default;
  static constexpr auto fields(auto& self) { return std::tie(self.value); }
};

}  // namespace fedrk
