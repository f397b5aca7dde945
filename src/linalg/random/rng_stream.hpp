// SPDX-License-Identifier: Apache-2.0
#pragma once

// Random numbers as values.
//
// A stream is a pure function of (seed, purpose, round): block k of it is Philox4x32-10 applied to the counter
// (k, purpose, round) under the key `seed`. Nobody hands streams around and nothing is shared, so neither the number of
// threads nor the order of clients can change a draw. In one process a client's seed is
// `client_seed(plan seed, client name)`.
//
// Philox: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC 2011).

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "fedrk/round_index.hpp"

namespace fedrk {

/// What a stream is for. Values are part of the results: never renumber them, only add.
enum class Purpose : std::uint32_t {
  Participation = 1,
  ServerSteps = 2,
  LocalSteps = 3,
  NoiseColumns = 4,
  PartitionShuffle = 5,
  GeneratedMatrix = 6,
  GeneratedSolution = 7,
  GeneratedNoise = 8,
  GeneratedSupport = 9,
  PooledSteps = 10,
  PrivacyNoise = 12,
  PassOrder = 13,
};

class RngStream {
 public:
  RngStream(std::uint64_t seed, Purpose purpose, RoundIndex round = {});

  std::uint64_t next();

  /// The next numbers, as many calls of next() would give them; many at once come cheaper.
  void fill(std::span<std::uint64_t> numbers);

  /// A number in [0, 1) on a grid of 2^-53.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  /// A whole number in [0, bound), every one equally likely.
  /// REQUIRES: bound > 0.
  std::uint64_t below(std::uint64_t bound);

  /// A standard Gaussian number (Box and Muller).
  double gaussian();

 private:
  std::uint64_t seed_;
  std::uint32_t purpose_;
  std::uint32_t round_;
  std::uint64_t block_ = 0;               // the next block to compute
  std::array<std::uint64_t, 2> ready_{};  // what is left of the last one, in ready_[0 .. ready_count_)
  std::uint32_t ready_count_ = 0;
  bool has_spare_gaussian_ = false;
  double spare_gaussian_ = 0.0;
};

inline RngStream stream_for(std::uint64_t seed, Purpose purpose, RoundIndex round = {}) {
  return RngStream(seed, purpose, round);
}

/// The seed of a client in a run within one process, where nobody has to keep it secret.
std::uint64_t client_seed(std::uint64_t plan_seed, std::string_view client_name);

}  // namespace fedrk
