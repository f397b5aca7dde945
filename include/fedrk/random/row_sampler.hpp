// SPDX-License-Identifier: Apache-2.0
#pragma once

// Draws row numbers in constant time: the alias method (Walker 1977, tables by Vose 1991).
//
// Slot k of the table holds a threshold and an alias; one random number picks a slot and decides between the two. Rows
// of weight zero are never drawn.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fedrk/random/rng_stream.hpp"

namespace fedrk {

enum class RowSampling { SquaredNorm, Uniform };

class RowSampler {
 public:
  /// Rows drawn in proportion to `weights`, which are finite and not negative.
  static RowSampler weighted(std::span<const double> weights);
  /// Rows with positive weight, each equally likely.
  static RowSampler uniform(std::span<const double> weights);
  static RowSampler make(RowSampling sampling, std::span<const double> squared_norms);

  /// True when every weight was zero: there is nothing to draw.
  bool empty() const { return slots_.empty(); }

  /// REQUIRES: not empty.
  std::size_t draw(RngStream& stream) const {
    // One product does both: its high word is the slot, its low word a uniform number within the slot (Lemire). A
    // slot's probability is off by at most 2^-64.
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(stream.next()) * slots_.size();
    const Slot& slot = slots_[static_cast<std::size_t>(product >> 64)];
    return static_cast<std::uint64_t>(product) <= slot.threshold ? slot.row : slot.alias;
  }

 private:
  struct Slot {
    std::uint64_t threshold;  // of 2^64: up to here the slot's own row, above it the alias
    std::uint32_t row;
    std::uint32_t alias;
  };
  std::vector<Slot> slots_;
};

}  // namespace fedrk
