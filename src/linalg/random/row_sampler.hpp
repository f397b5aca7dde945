// SPDX-License-Identifier: Apache-2.0
#pragma once

// The order in which rows are used.
//
// Independent draws take constant time: the alias method (Walker 1977, tables by Vose 1991). Slot k of the table holds
// a threshold and an alias; one random number picks a slot and decides between the two. Shuffled rows come once in a
// pass, in a new order each time. Rows of weight zero are never drawn.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fedrk/steps.hpp"
#include "linalg/random/rng_stream.hpp"

namespace fedrk {

class RowSampler {
 public:
  /// Rows drawn in proportion to `weights`, which are finite and not negative.
  static RowSampler weighted(std::span<const double> weights);
  /// Rows with positive weight, each equally likely.
  static RowSampler uniform(std::span<const double> weights);
  static RowSampler make(RowSampling sampling, std::span<const double> squared_norms);

  RowSampling order() const { return order_; }
  /// True when every weight was zero: there is nothing to draw.
  bool empty() const { return slots_.empty(); }

  /// The first row of a stream. REQUIRES: not empty.
  std::size_t draw(RngStream& stream) const { return row_for(stream.next()); }

  /// Many independent draws, the same as one by one.
  /// REQUIRES: not empty.
  void draw(RngStream& stream, std::span<std::uint32_t> rows) const;

  /// The rows that can be drawn, ascending.
  std::vector<std::uint32_t> rows() const;

 private:
  std::uint32_t row_for(std::uint64_t number) const {
    // One product does both: its high word is the slot, its low word a uniform number within the slot (Lemire). A
    // slot's probability is off by at most 2^-64.
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(number) * slots_.size();
    const Slot& slot = slots_[static_cast<std::size_t>(product >> 64)];
    return slot.row_or_alias[static_cast<std::uint64_t>(product) > slot.threshold ? 1 : 0];  // not a branch to guess
  }

  struct Slot {
    std::uint64_t threshold;  // of 2^64: up to here the slot's own row, above it the alias
    std::array<std::uint32_t, 2> row_or_alias;
  };
  std::vector<Slot> slots_;
  RowSampling order_ = RowSampling::SquaredNorm;
};

/// The rows that a sampler gives from a stream, one after the other, in stretches of any length.
class RowDraws {
 public:
  /// REQUIRES: the sampler is not empty and outlives this.
  RowDraws(const RowSampler& sampler, RngStream stream) : sampler_(sampler), stream_(stream) {}

  void next(std::span<std::uint32_t> rows);

 private:
  const RowSampler& sampler_;
  RngStream stream_;
  std::vector<std::uint32_t> pass_;  // of shuffled rows: pass_[at_] comes next, what is before it has been used
  std::size_t at_ = 0;
};

/// The rows of a given number of steps, drawn in stretches, so that a step can see which rows follow and have them
/// fetched from memory in time.
class DrawnRows {
 public:
  static constexpr std::size_t kAhead = 16;  // how many rows are known after the present one

  /// REQUIRES: the sampler is not empty and outlives this; steps > 0.
  DrawnRows(const RowSampler& sampler, std::uint64_t steps, RngStream stream) : draws_(sampler, stream), left_(steps) {
    draw_from(0);
  }

  /// The row of the present step for 0, of those after it for 1 .. kAhead. Beyond the last step: that of the last.
  std::uint32_t operator[](std::size_t ahead) const { return rows_[at_ + ahead]; }

  void advance() {
    if (++at_ + kAhead < rows_.size()) return;
    std::copy(rows_.begin() + static_cast<std::ptrdiff_t>(at_), rows_.end(), rows_.begin());
    at_ = 0;
    draw_from(kAhead);
  }

 private:
  void draw_from(std::size_t known);

  RowDraws draws_;
  std::uint64_t left_;
  std::size_t at_ = 0;
  std::array<std::uint32_t, 128> rows_;
};

}  // namespace fedrk
