// SPDX-License-Identifier: Apache-2.0
#include "secure_sum/wide.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace fedrk::masking {
namespace {

__extension__ using Double = unsigned __int128;  // two words

constexpr double kTooLarge = 0x1.0p100;
constexpr int kMantissa = 53;

void negate(Wide& wide) {
  Wide zero{};
  subtract_wide(wide, zero);
  wide = zero;
}

// The highest bit that is set, from 0; -1 where none is.
int highest_bit(const Wide& wide) {
  for (std::size_t k = kWideWords; k-- > 0;) {
    if (wide[k] != 0) return static_cast<int>(64 * k) + 63 - std::countl_zero(wide[k]);
  }
  return -1;
}

// REQUIRES: below 2^127 in size.
Wide placed(double value) {
  int exponent = 0;
  const double fraction = std::frexp(std::abs(value), &exponent);  // |value| = fraction 2^exponent
  auto mantissa = static_cast<std::uint64_t>(std::ldexp(fraction, kMantissa));
  int shift = exponent - kMantissa - kWideExponent;
  Wide wide{};
  if (shift < 0) {
    mantissa = shift <= -64 ? 0 : (mantissa + (std::uint64_t{1} << (-shift - 1))) >> -shift;
    shift = 0;
  }
  const auto word = static_cast<std::size_t>(shift / 64);
  const Double bits = static_cast<Double>(mantissa) << (shift % 64);
  wide[word] = static_cast<std::uint64_t>(bits);
  if (word + 1 < kWideWords) wide[word + 1] = static_cast<std::uint64_t>(bits >> 64);
  if (value < 0.0) negate(wide);
  return wide;
}

}  // namespace

std::optional<Wide> wide_from(double value) {
  if (!(std::abs(value) < kTooLarge)) return std::nullopt;
  return placed(value);
}

double to_double(const Wide& wide) {
  Wide size = wide;
  const bool negative = (size.back() >> 63) != 0;
  if (negative) negate(size);
  const int high = highest_bit(size);
  if (high < 0) return 0.0;
  // The 64 bits from the highest one down; whatever is below them counts in the last bit, which decides ties.
  const int low = std::max(0, high - 63);
  const auto word = static_cast<std::size_t>(low / 64);
  const int shift = low % 64;
  std::uint64_t top = size[word] >> shift;
  if (shift > 0 && word + 1 < kWideWords) top |= size[word + 1] << (64 - shift);
  bool rest = shift > 0 && (size[word] << (64 - shift)) != 0;
  for (std::size_t k = 0; k < word; ++k) rest = rest || size[k] != 0;
  if (rest) top |= 1;
  const double value = std::ldexp(static_cast<double>(top), low + kWideExponent);
  return negative ? -value : value;
}

std::array<double, 2> to_pair(const Wide& wide) {
  const double high = to_double(wide);
  Wide rest = wide;
  subtract_wide(placed(high), rest);
  return {high, to_double(rest)};
}

void add_wide(std::span<const std::uint64_t, kWideWords> from, std::span<std::uint64_t, kWideWords> to) {
  std::uint64_t carry = 0;
  for (std::size_t k = 0; k < kWideWords; ++k) {
    const Double sum = static_cast<Double>(to[k]) + from[k] + carry;
    to[k] = static_cast<std::uint64_t>(sum);
    carry = static_cast<std::uint64_t>(sum >> 64);
  }
}

void subtract_wide(std::span<const std::uint64_t, kWideWords> from, std::span<std::uint64_t, kWideWords> to) {
  std::uint64_t borrow = 0;
  for (std::size_t k = 0; k < kWideWords; ++k) {
    const Double difference = static_cast<Double>(to[k]) - from[k] - borrow;
    to[k] = static_cast<std::uint64_t>(difference);
    borrow = static_cast<std::uint64_t>(difference >> 64) & 1;
  }
}

}  // namespace fedrk::masking
