// SPDX-License-Identifier: Apache-2.0
#pragma once

// Numbers, texts and vectors as bytes and back: little-endian, lengths in front.

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fedrk {

static_assert(std::endian::native == std::endian::little, "the bytes are those of memory");

class ByteWriter {
 public:
  ByteWriter() = default;
  /// `room`: a text that is not needed any more, whose memory serves again.
  ByteWriter(std::string room, std::size_t expected) : bytes_(std::move(room)) {
    bytes_.clear();
    bytes_.reserve(expected);
  }
  template <class Number>
  requires std::integral<Number> || std::floating_point<Number>
  void put(Number number) { append(&number, sizeof number); }
  void put(std::span<const double> numbers) { put_all(numbers); }
  void put(std::span<const std::uint32_t> numbers) { put_all(numbers); }
  void put(std::string_view text) { put_all(std::span(text.data(), text.size())); }
  void put(const std::vector<std::string>& texts) {
    put(std::uint64_t{texts.size()});
    for (const std::string& text : texts) put(std::string_view(text));
  }
  /// A vector of so many numbers, by its bytes.
  void put(std::string_view bytes, std::uint64_t count) {
    put(count);
    append(bytes.data(), bytes.size());
  }
  std::string& bytes() { return bytes_; }

 private:
  template <class Number>
  void put_all(std::span<const Number> numbers) {
    put(std::uint64_t{numbers.size()});
    append(numbers.data(), numbers.size_bytes());
  }
  void append(const void* from, std::size_t count) {
    if (count > 0) bytes_.append(static_cast<const char*>(from), count);
  }
  std::string bytes_;
};

/// Once something is missing, everything is.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}
  template <class Number>
  Number get() {
    Number number{};
    take(&number, sizeof number);
    return number;
  }
  /// A length that the bytes can hold.
  std::size_t length(std::size_t each) {
    const auto count = get<std::uint64_t>();
    if (count > bytes_.size() / each) good_ = false;
    return good_ ? static_cast<std::size_t>(count) : 0;
  }
  /// Into a vector of numbers or a text.
  template <class Vector>
  void get(Vector& numbers) {
    using Number = typename Vector::value_type;
    numbers.resize(length(sizeof(Number)));
    take(numbers.data(), numbers.size() * sizeof(Number));
  }
  void get(std::vector<std::string>& texts) {
    texts.resize(length(sizeof(std::uint64_t)));
    for (std::string& text : texts) get(text);
  }
  bool complete() const { return good_ && bytes_.empty(); }

 private:
  void take(void* to, std::size_t count) {
    if (count > bytes_.size()) good_ = false;
    if (!good_ || count == 0) return;
    std::memcpy(to, bytes_.data(), count);
    bytes_.remove_prefix(count);
  }
  std::string_view bytes_;
  bool good_ = true;
};

}  // namespace fedrk
