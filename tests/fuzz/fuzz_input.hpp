// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the fuzz targets share: a promise that ends the program where it is broken, and messages made from the bytes of
// an input, half of them parsed as they are and half put together field by field, so that deep states are reached.

#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>

#include <fuzzer/FuzzedDataProvider.h>

#include "base/fields.hpp"
#include "fedrk/v1/federation.pb.h"
#include "transport/protocol/wire.hpp"

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
    std::string words = bytes_.ConsumeRandomLengthString(40);
    for (char& c : words) c = static_cast<char>(c & 0x7f);  // protobuf refuses to parse text that is not UTF-8
    return words;
  }
  std::string run() { return below(8) == 0 ? text() : "fuzz"; }
  std::uint32_t protocol() { return below(16) == 0 ? below(3) : wire::kProtocol; }

  /// A byte becomes another, or the last ones are cut off.
  void spoil(std::string& bytes) {
    if (bytes.empty()) return;
    const std::uint32_t at = below(static_cast<std::uint32_t>(bytes.size()));
    if (maybe()) return bytes.resize(at);
    bytes[at] = static_cast<char>(below(256));
  }
  std::string rest() { return bytes_.ConsumeRemainingBytesAsString(); }

  /// As often as not of the length that it says.
  void fill(wire::Vector& vector, std::uint32_t usual) {
    const std::uint32_t held = maybe() ? usual : below(6);
    for (std::uint32_t k = 0; k < held; ++k) vector.add_values(below(4) == 0 ? real() : 0.5);
    vector.set_length(below(4) == 0 ? number() : held);
  }
  void fill(wire::Piece& piece) {
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
