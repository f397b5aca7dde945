// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the fuzz targets share: a promise that ends the program where it is broken, and messages made from the bytes of
// an input, half of them parsed as they are and half put together field by field, so that deep states are reached.

#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>

#include <fuzzer/FuzzedDataProvider.h>

#include "fedrk/v1/federation.pb.h"
#include "network/wire.hpp"

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
  /// Mostly small; now and then any.
  std::uint64_t number() { return below(8) == 0 ? bytes_.ConsumeIntegral<std::uint64_t>() : below(5); }
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
    std::string words = bytes_.ConsumeRandomLengthString(40);
    for (char& c : words) c = static_cast<char>(c & 0x7f);  // protobuf refuses to parse text that is not UTF-8
    return words;
  }
  std::string run() { return below(8) == 0 ? text() : "fuzz"; }
  std::uint32_t protocol() { return below(16) == 0 ? below(3) : wire::kProtocol; }

  /// As often as not of the length that it says.
  void fill(v1::Vector& vector, std::uint32_t usual) {
    const std::uint32_t held = maybe() ? usual : below(6);
    for (std::uint32_t k = 0; k < held; ++k) vector.add_values(below(4) == 0 ? real() : 0.5);
    vector.set_length(below(4) == 0 ? number() : held);
  }
  void fill(v1::Piece& piece) {
    for (std::uint32_t k = below(5); k > 0; --k) piece.add_values(real());
  }

  /// Nothing where a transport would have refused the bytes.
  template <class Message>
  bool parse(Message& message) {
    return message.ParseFromString(bytes_.ConsumeRandomLengthString(400));
  }

 private:
  FuzzedDataProvider bytes_;
};

}  // namespace fedrk::fuzz
