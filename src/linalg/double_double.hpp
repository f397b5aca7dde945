// SPDX-License-Identifier: Apache-2.0
#pragma once

// A number of about 32 digits as the unevaluated sum of two doubles,
//
//     value = high + low,  |low| <= half a unit in the last place of high.
//
// Its arithmetic rests on error-free transformations: the sum and the product of two doubles are themselves such pairs.
// Relative errors of +, -, *, / and sqrt are below 2^-102. Where doubles overflow or underflow, so do these numbers; a
// product below 2^-969 loses its low part.
//
// References: T. J. Dekker, "A floating-point technique for extending the available precision" (1971);
// M. Joldes, J.-M. Muller, V. Popescu, "Tight and rigorous error bounds for basic building blocks of double-word
// arithmetic" (2017).

#include <cmath>
#include <compare>

namespace fedrk {

struct DoubleDouble {
  double high = 0.0;
  double low = 0.0;

  constexpr DoubleDouble() = default;
  constexpr DoubleDouble(double value) : high(value) {}  // implicit: it is exact
  /// REQUIRES: |low| is at most half a unit in the last place of `high`; `two_sum` makes such pairs of any two numbers.
  constexpr DoubleDouble(double high_part, double low_part) : high(high_part), low(low_part) {}

  /// By value, as pairs are unique; doubles convert.
  friend constexpr bool operator==(const DoubleDouble& a, const DoubleDouble& b) = default;
  friend constexpr auto operator<=>(const DoubleDouble& a, const DoubleDouble& b) = default;
};

/// The nearest double.
constexpr double to_double(const DoubleDouble& a) { return a.high + a.low; }

/// a + b exactly. REQUIRES: |a| >= |b|, or a is zero.
constexpr DoubleDouble fast_two_sum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

/// a + b exactly.
constexpr DoubleDouble two_sum(double a, double b) {
  const double sum = a + b, of_b = sum - a, of_a = sum - of_b;
  return {sum, (a - of_a) + (b - of_b)};
}

/// a b exactly.
inline DoubleDouble two_product(double a, double b) {
  const double product = a * b;
  return {product, std::fma(a, b, -product)};
}

constexpr DoubleDouble operator-(const DoubleDouble& a) { return {-a.high, -a.low}; }

constexpr DoubleDouble abs(const DoubleDouble& a) { return a.high < 0.0 ? -a : a; }

constexpr DoubleDouble operator+(const DoubleDouble& a, double b) {
  const DoubleDouble sum = two_sum(a.high, b);
  return fast_two_sum(sum.high, sum.low + a.low);
}

constexpr DoubleDouble operator+(const DoubleDouble& a, const DoubleDouble& b) {
  const DoubleDouble highs = two_sum(a.high, b.high), lows = two_sum(a.low, b.low);
  const DoubleDouble sum = fast_two_sum(highs.high, highs.low + lows.high);
  return fast_two_sum(sum.high, sum.low + lows.low);
}

constexpr DoubleDouble operator-(const DoubleDouble& a, double b) { return a + -b; }
constexpr DoubleDouble operator-(const DoubleDouble& a, const DoubleDouble& b) { return a + -b; }

inline DoubleDouble operator*(const DoubleDouble& a, double b) {
  const DoubleDouble product = two_product(a.high, b);
  return fast_two_sum(product.high, product.low + a.low * b);
}

inline DoubleDouble operator*(const DoubleDouble& a, const DoubleDouble& b) {
  const DoubleDouble product = two_product(a.high, b.high);
  return fast_two_sum(product.high, product.low + (a.high * b.low + a.low * b.high));
}

/// Long division: three digits of 53 bits.
inline DoubleDouble operator/(const DoubleDouble& a, const DoubleDouble& b) {
  const double first = a.high / b.high;
  if (!std::isfinite(first)) return first;
  const DoubleDouble rest = a - b * first;
  const double second = rest.high / b.high;
  const double third = (rest - b * second).high / b.high;
  return fast_two_sum(first, second) + third;
}

constexpr DoubleDouble operator+(double a, const DoubleDouble& b) { return b + a; }
constexpr DoubleDouble operator-(double a, const DoubleDouble& b) { return -b + a; }
inline DoubleDouble operator*(double a, const DoubleDouble& b) { return b * a; }

constexpr DoubleDouble& operator+=(DoubleDouble& a, const DoubleDouble& b) { return a = a + b; }
constexpr DoubleDouble& operator-=(DoubleDouble& a, const DoubleDouble& b) { return a = a - b; }
inline DoubleDouble& operator*=(DoubleDouble& a, const DoubleDouble& b) { return a = a * b; }
inline DoubleDouble& operator/=(DoubleDouble& a, const DoubleDouble& b) { return a = a / b; }

/// One step of Newton's method from the square root of the high part. Not a number below zero.
inline DoubleDouble sqrt(const DoubleDouble& a) {
  const double root = std::sqrt(a.high);
  if (!(root > 0.0) || !std::isfinite(root)) return root;
  return fast_two_sum(root, (a - two_product(root, root)).high / (2.0 * root));
}

/// base^exponent by repeated squaring; 1 for the exponent 0.
inline DoubleDouble power(DoubleDouble base, unsigned exponent) {
  DoubleDouble result = 1.0;
  for (; exponent > 1; exponent /= 2) {
    if (exponent % 2 == 1) result *= base;
    base *= base;
  }
  return exponent == 1 ? result * base : result;
}

}  // namespace fedrk
