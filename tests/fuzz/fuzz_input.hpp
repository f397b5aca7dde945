// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the fuzz targets share: a promise that ends the program where it is broken, and values made from the bytes of an
// input. Most are well-formed, so that deep states are reached; some are anything at all.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>

#include <fuzzer/FuzzedDataProvider.h>

#include "base/fields.hpp"

namespace fedrk::fuzz {

#define FUZZ_PROMISE(condition)                                                            \
  do {                                                                                     \
    if (!(condition)) {                                                                    \
      std::fprintf(stderr, "%s:%d: broken promise: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                        \
    }                                                                                      \
  } while (false)

class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : bytes_(data, size) {}

  bool more() { return bytes_.remaining_bytes() > 0; }
  bool maybe() { return bytes_.ConsumeBool(); }
  std::uint32_t below(std::uint32_t n) { return bytes_.ConsumeIntegralInRange<std::uint32_t>(0, n - 1); }
  /// Once in so many times; never once the bytes are used up, from where on all is as usual.
  bool rarely(std::uint32_t n) { return more() && below(n) == 0; }
  /// Mostly small; now and then any.
  std::uint64_t number() { return rarely(8) ? bytes_.ConsumeIntegral<std::uint64_t>() : below(5); }
  template <Plain Number>
  Number number() {
    if constexpr (std::floating_point<Number>) {
      return static_cast<Number>(real());
    } else {
      return static_cast<Number>(number());
    }
  }
  double real() {
    switch (below(8)) {
      case 0:
        return bytes_.ConsumeFloatingPoint<double>();
      case 1:
        return std::numeric_limits<double>::quiet_NaN();
      case 2:
        return std::numeric_limits<double>::infinity();
      case 3:
        return std::numeric_limits<double>::max();
      default:
        return static_cast<double>(below(5)) - 1.0;
    }
  }
  std::string text() {
    std::string message = bytes_.ConsumeRandomLengthString(40);
    for (char& c : message) c = static_cast<char>(c & 0x7f);  // text that is not UTF-8 is refused
    return message;
  }
  std::string_view one_of(std::initializer_list<std::string_view> words) {
    return words.begin()[below(static_cast<std::uint32_t>(words.size()))];
  }

  /// A byte becomes another, or the last ones are cut off.
  void spoil(std::string& bytes) {
    if (bytes.empty()) return;
    const std::uint32_t at = below(static_cast<std::uint32_t>(bytes.size()));
    if (maybe()) return bytes.resize(at);
    bytes[at] = static_cast<char>(below(256));
  }
  std::string rest() { return bytes_.ConsumeRemainingBytesAsString(); }

  template <class Numbers>
  void fill(Numbers& numbers, std::uint32_t usual) {
    numbers.assign(!rarely(8) ? usual : below(6), typename Numbers::value_type(1));
    for (auto& number : numbers) {
      if (rarely(4)) number = this->number<typename Numbers::value_type>();
    }
  }

  std::string raw() { return bytes_.ConsumeRandomLengthString(400); }

 private:
  FuzzedDataProvider bytes_;
};

}  // namespace fedrk::fuzz
