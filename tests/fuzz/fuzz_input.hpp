// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the fuzz targets share: a promise that ends the program where it is broken, and messages made from the bytes of
// an input, some of them as they are, the others field by field, so that deep states are reached.

#include <cstdio>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <fuzzer/FuzzedDataProvider.h>

#include "base/fields.hpp"
#include "support/any_value.hpp"
#include "transport/protocol/chunks.hpp"

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
    std::string message = bytes_.ConsumeRandomLengthString(40);
    for (char& c : message) c = static_cast<char>(c & 0x7f);  // text that is not UTF-8 is refused
    return message;
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

  template <class Numbers>
  void fill(Numbers& numbers, std::uint32_t usual) {
    numbers.assign(maybe() ? usual : below(6), typename Numbers::value_type(1));
    for (auto& number : numbers) {
      if (below(4) == 0) number = this->number<typename Numbers::value_type>();
    }
  }

  std::string raw() { return bytes_.ConsumeRandomLengthString(400); }

  /// The bytes of a message as they travel, in chunks of any size; now and then not quite these bytes.
  std::vector<std::string> chunks_of(std::string& bytes) {
    if (below(12) == 0) spoil(bytes);
    const std::size_t most = below(4) == 0 ? 1 + below(60) : wire::kChunk;
    std::vector<std::string> chunks;
    for (std::size_t from = 0; from < bytes.size(); from += most) {
      const wire::Chunk chunk = wire::chunk_at(bytes, from, most);
      chunks.push_back(static_cast<char>(chunk.kind) + std::string(chunk.bytes));
    }
    return chunks;
  }

 private:
  FuzzedDataProvider bytes_;
};

/// A message of any kind, whose fields hold now and then anything at all.
template <class... Bodies>
void fill(std::variant<Bodies...>& message, Input& input) {
  const std::uint32_t chosen = input.below(sizeof...(Bodies));
  std::uint32_t kind = 0;
  ((kind++ == chosen ? static_cast<void>(message.template emplace<Bodies>()) : void()), ...);
  const bool any = input.below(4) == 0;
  std::visit([&](auto& body) { any ? test::fill_any(body, input) : void(); }, message);
}

/// Nothing where the bytes are none.
template <class Message>
std::optional<Message> parsed(std::string_view bytes) {
  std::optional<Message> message(std::in_place);
  ByteReader in(bytes);
  in.get(*message);
  if (!in.complete()) message.reset();
  return message;
}

}  // namespace fedrk::fuzz
