// SPDX-License-Identifier: Apache-2.0
#include "secure_sum/part.hpp"

#include <algorithm>
#include <cmath>

#include "fedrk/contracts.hpp"

namespace fedrk::masking {
namespace {

using WideSpan = std::span<std::uint64_t, kWideWords>;
using ConstWideSpan = std::span<const std::uint64_t, kWideWords>;

constexpr double kHalfRange = 0x1.0p62;  // of a signed word, with a bit to spare for rounding

bool put_wide(std::span<const double> numbers, std::uint64_t* to) {
  for (const double number : numbers) {
    const auto wide = wide_from(number);
    if (!wide) return false;
    to = std::ranges::copy(*wide, to).out;
  }
  return true;
}

bool put_pairs(std::span<const double> numbers, std::uint64_t* to) {
  for (std::size_t k = 0; k < numbers.size(); k += 2) {
    auto high = wide_from(numbers[k]);
    const auto low = wide_from(numbers[k + 1]);
    if (!high || !low) return false;
    add_wide(*low, *high);
    to = std::ranges::copy(*high, to).out;
  }
  return true;
}

bool put_on_grid(std::span<const double> values, int exponent, double limit, std::uint64_t* to) {
  const double units = std::ldexp(1.0, -exponent);
  bool fits = true;
  for (const double value : values) {
    const double scaled = value * units;
    fits = fits && std::abs(scaled) <= limit;  // false for what is not finite
    *to++ = static_cast<std::uint64_t>(std::llrint(fits ? scaled : 0.0));
  }
  return fits;
}

template <class Plain, class Carrying>
void combine(const PartLayout& layout, std::span<const std::uint64_t> part, std::span<std::uint64_t> sum, Plain plain,
             Carrying carrying) {
  FEDRK_EXPECTS(part.size() == layout.words() && sum.size() == layout.words());
  const std::size_t narrow = layout.plain();
  for (std::size_t k = 0; k < narrow; ++k) sum[k] = plain(sum[k], part[k]);
  for (std::size_t k = narrow; k < sum.size(); k += kWideWords) {
    carrying(ConstWideSpan(part.subspan(k).first<kWideWords>()), WideSpan(sum.subspan(k).first<kWideWords>()));
  }
}

Wide wide_at(std::span<const std::uint64_t> words, std::size_t at) {
  Wide wide;
  std::ranges::copy(words.subspan(at, kWideWords), wide.begin());
  return wide;
}

}  // namespace

std::optional<Words> part_of(std::span<const double> values, std::span<const double> scalars, const Grid& grid,
                             std::size_t parties) {
  FEDRK_EXPECTS(parties > 0);
  const PartLayout layout{values.size(), scalars.size(), !grid.exponent};
  Words words(layout.words(), 0);
  words[0] = 1;
  std::uint64_t* const wide = words.data() + layout.plain();
  bool fits = true;
  if (grid.exponent) {
    fits = put_on_grid(values, *grid.exponent, kHalfRange / static_cast<double>(parties),
                       words.data() + PartLayout::kHead) &&
           put_wide(scalars, wide);
  } else {
    fits = put_wide(values, wide) && put_wide(scalars, wide + kWideWords * values.size());
  }
  if (!fits) return std::nullopt;
  return words;
}

std::optional<Words> part_of_pairs(std::span<const double> values, std::span<const double> scalars) {
  FEDRK_EXPECTS(values.size() % 2 == 0);
  const PartLayout layout{values.size() / 2, scalars.size(), true, true};
  Words words(layout.words(), 0);
  words[0] = 1;
  std::uint64_t* const wide = words.data() + layout.plain();
  if (!put_pairs(values, wide) || !put_wide(scalars, wide + kWideWords * layout.values)) return std::nullopt;
  return words;
}

void add_part(const PartLayout& layout, std::span<const std::uint64_t> part, std::span<std::uint64_t> sum) {
  combine(
      layout, part, sum, [](std::uint64_t a, std::uint64_t b) { return a + b; }, add_wide);
}

void subtract_part(const PartLayout& layout, std::span<const std::uint64_t> part, std::span<std::uint64_t> sum) {
  combine(
      layout, part, sum, [](std::uint64_t a, std::uint64_t b) { return a - b; }, subtract_wide);
}

SumOfParts read_sum(const PartLayout& layout, const Grid& grid, std::span<const std::uint64_t> words) {
  FEDRK_EXPECTS(words.size() == layout.words());
  const std::size_t numbers = layout.values * (layout.pairs ? 2 : 1);
  SumOfParts sum{words[0], words[1] == 0, AlignedVector(numbers), std::vector<double>(layout.scalars)};
  std::size_t at = layout.plain();
  if (layout.pairs) {
    for (std::size_t k = 0; k < numbers; k += 2, at += kWideWords) {
      std::ranges::copy(to_pair(wide_at(words, at)), sum.values.data() + k);
    }
  } else if (!layout.wide_values) {
    for (std::size_t k = 0; k < layout.values; ++k) {
      const auto units = static_cast<std::int64_t>(words[PartLayout::kHead + k]);
      sum.values[k] = std::ldexp(static_cast<double>(units), *grid.exponent);
    }
  } else {
    for (double& value : sum.values) {
      value = to_double(wide_at(words, at));
      at += kWideWords;
    }
  }
  for (double& scalar : sum.scalars) {
    scalar = to_double(wide_at(words, at));
    at += kWideWords;
  }
  return sum;
}

}  // namespace fedrk::masking
