// SPDX-License-Identifier: Apache-2.0
#pragma once

// What one client adds to a sum, as integers: words modulo 2^64, whose sum is the same in any order, and of which a
// uniformly random mask leaves nothing to be seen.
//
//   word 0        1 from each client, so that the sum tells whether all parts are in it and no mask is left
//   word 1        0, but from a client whose numbers do not fit the grid a random word, and so are then all that
//   follow:
//                 nothing can be read of such a sum, not even how many they were
//   values        one word each, in units of 2^exponent; or wide integers (wide.hpp) where no size is known yet, and
//                 for pairs of doubles that stand for their sum: one for each pair
//   scalars       wide integers

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fedrk/aligned_vector.hpp"
#include "secure_sum/wide.hpp"

namespace fedrk::masking {

/// The unit of the values of a sum.
struct Grid {
  std::optional<int> exponent{};  // units of 2^exponent; none: wide integers
  friend bool operator==(const Grid&, const Grid&) = default;
};

/// An exponent of a grid is between these.
constexpr int kFinest = -900, kCoarsest = 900;

struct PartLayout {
  std::size_t values = 0, scalars = 0;  // a pair is one value
  bool wide_values = false;
  bool pairs = false;  // of doubles: the values are wide

  static constexpr std::size_t kHead = 2;
  /// The words that are integers modulo 2^64 of their own; groups of kWideWords follow.
  std::size_t plain() const { return kHead + (wide_values ? 0 : values); }
  std::size_t words() const { return plain() + kWideWords * (scalars + (wide_values ? values : 0)); }
};

using Words = std::vector<std::uint64_t>;

/// A part for a sum of so many; nothing where the numbers do not fit. REQUIRES: parties > 0, and an exponent within its
/// limits.
std::optional<Words> part_of(std::span<const double> values, std::span<const double> scalars, const Grid& grid,
                             std::size_t parties);
/// The same of values that are pairs, each the exact sum of its two doubles; no grid applies to them. REQUIRES: an even
/// number of values.
std::optional<Words> part_of_pairs(std::span<const double> values, std::span<const double> scalars);

/// sum += part, or sum -= part. REQUIRES: both of this layout.
void add_part(const PartLayout& layout, std::span<const std::uint64_t> part, std::span<std::uint64_t> sum);
void subtract_part(const PartLayout& layout, std::span<const std::uint64_t> part, std::span<std::uint64_t> sum);

struct SumOfParts {
  std::uint64_t parties = 0;  // anything else than their number: parts are missing, or masks are left
  bool fits = false;          // everyone's numbers did
  AlignedVector values;
  std::vector<double> scalars;
};
/// Pairs come as the nearest to each exact sum, one after the other. REQUIRES: words of this layout.
SumOfParts read_sum(const PartLayout& layout, const Grid& grid, std::span<const std::uint64_t> words);

}  // namespace fedrk::masking
