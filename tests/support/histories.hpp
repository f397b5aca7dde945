// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "fedrk/history.hpp"

namespace fedrk::test {

/// A history whose round t reported residual(t), a number or nothing.
template <class Residual>
RunHistory history_of(std::uint32_t rounds, Residual residual) {
  RunHistory history(rounds);
  for (std::uint32_t t = 0; t < rounds; ++t) {
    history[t].round = RoundIndex{t};
    history[t].relative_residual = residual(t);
  }
  return history;
}

}  // namespace fedrk::test
