// SPDX-License-Identifier: Apache-2.0
#pragma once

// Described values (fields.hpp) as bytes and back.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fields.hpp"

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
  template <class T>
  void put(const T& value) {
    describe(value, *this);
  }
  /// A vector of so many numbers, by its bytes.
  void put(std::string_view bytes, std::uint64_t count) {
    put(count);
    append(bytes.data(), bytes.size());
  }
  std::string& bytes() { return bytes_; }

  // ---- What `describe` calls.
  template <Plain Number>
  void number(Number number) {
    append(&number, sizeof number);
  }
  template <Plain Number>
  void numbers(std::span<const Number> numbers) {
    number(std::uint64_t{numbers.size()});
    append(numbers.data(), numbers.size_bytes());
  }

 private:
  void append(const void* from, std::size_t count) {
    if (count > 0) bytes_.append(static_cast<const char*>(from), count);
  }
  std::string bytes_;
};

/// Once something is missing or not as it is written, everything is missing. Lengths are not believed: memory grows
/// with the bytes that are there.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  T get() {
    T value{};
    get(value);
    return value;
  }
  template <class T>
  void get(T& value);

  /// A count of elements of at least so many bytes, which the bytes can hold.
  std::size_t length(std::size_t each) {
    const auto count = get<std::uint64_t>();
    if (count > bytes_.size() / each) good_ = false;
    return good_ ? static_cast<std::size_t>(count) : 0;
  }
  bool complete() const { return good_ && bytes_.empty(); }

 private:
  void take(void* to, std::size_t count) {
    if (count > bytes_.size()) good_ = false;
    if (!good_ || count == 0) return;
    std::memcpy(to, bytes_.data(), count);
    bytes_.remove_prefix(count);
  }
  // 0 or 1
  bool flag() {
    const auto byte = get<std::uint8_t>();
    if (byte > 1) good_ = false;
    return good_ && byte == 1;
  }
  template <class Enum>
  void get_enumerator(Enum& value) {
    const auto read = static_cast<Enum>(get<std::underlying_type_t<Enum>>());
    const auto all = enumerators(Enum{});
    if (std::ranges::find(all, read) == all.end()) good_ = false;
    if (good_) value = read;
  }
  // In place, as GCC 12 takes a moved variant for one that was never set.
  template <class... Kinds>
  void get_chosen(std::variant<Kinds...>& value) {
    const std::size_t index = get<std::uint8_t>();
    std::size_t kind = 0;
    const bool known = ((kind++ == index && (get(value.template emplace<Kinds>()), true)) || ...);
    if (!known) good_ = false;
  }
  template <class Vector>
  void get_elements(Vector& elements) {
    using Element = typename Vector::value_type;
    if constexpr (PlainList<Vector>) {
      elements.resize(length(sizeof(Element)));
      take(elements.data(), elements.size() * sizeof(Element));
    } else if constexpr (requires { typename Vector::mapped_type; }) {
      elements.clear();
      for (std::size_t left = length(1); left > 0 && good_; --left) {
        const auto key = get<typename Vector::key_type>();
        if (!elements.empty() && !(elements.rbegin()->first < key)) good_ = false;  // keys ascend
        if (good_) get(elements[key]);
      }
    } else {
      elements.clear();
      for (std::size_t left = length(1); left > 0 && good_; --left) get(elements.emplace_back());
    }
  }

  std::string_view bytes_;
  bool good_ = true;
};

template <class T>
void ByteReader::get(T& value) {
  if constexpr (Plain<T>) {
    take(&value, sizeof value);
  } else if constexpr (std::same_as<T, bool>) {
    value = flag();
  } else if constexpr (std::is_enum_v<T>) {
    get_enumerator(value);
  } else if constexpr (Described<T>) {
    std::apply([&](auto&... field) { (get(field), ...); }, T::fields(value));
  } else if constexpr (kIsOptional<T>) {
    value.reset();
    if (flag()) get(value.emplace());
  } else if constexpr (kIsPair<T>) {
    get(value.first);
    get(value.second);
  } else if constexpr (kIsVariant<T>) {
    get_chosen(value);
  } else {
    get_elements(value);
  }
}

/// The values one after the other.
template <class... Values>
std::string bytes_of(const Values&... values) {
  ByteWriter out;
  (out.put(values), ...);
  return std::move(out.bytes());
}

/// Equality by bytes: 0.0 differs from -0.0, and no number is like itself.
template <class T>
bool same(const T& a, const T& b) {
  return bytes_of(a) == bytes_of(b);
}

}  // namespace fedrk
