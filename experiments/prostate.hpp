// SPDX-License-Identifier: Apache-2.0
#pragma once

// The prostate data, which the program carries with it, and the run that data/prostate.toml describes.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fedrk/system.hpp"

namespace fedrk::experiments {

struct Prostate {
  std::vector<std::string> unknowns;  // the intercept first
  std::vector<std::size_t> rows_of_client;
  LinearSystem system;  // everyone's rows in the order of the file, features standardised, with the intercept
};

Prostate prostate();

inline constexpr std::uint32_t kProstateRounds = 2000;

/// In how many rounds each unknown was not zero: seven clients, three a round, tau = tau_g = 20, five entries kept. The
/// same counts as `fedrk solve data/prostate.toml --seed SEED`.
std::vector<std::uint64_t> prostate_selection(const Prostate& data, std::uint64_t seed, std::size_t threads);

}  // namespace fedrk::experiments
