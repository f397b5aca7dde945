// SPDX-License-Identifier: Apache-2.0
#pragma once

// A struct lists its fields once,
//
//     struct SparseSteps {
//       FixedSteps budget{20};
//       double lambda = 0.0;
//       static constexpr auto fields(auto& self) { return std::tie(self.budget, self.lambda); }
//     };
//
// and has by that its bytes (byte_stream.hpp), its hash (hash.hpp) and, in tests, random values. The bytes are those of
// the fields in their order, without padding, and equal bytes mean equal values:
//
//     integers and doubles   little-endian, as wide as they are; doubles by their 64 bits
//     bool                   a byte, 0 or 1
//     enum                   its underlying integer, one of `enumerators(that enum)`, which the enum's namespace or
//                            class declares
//     text, vector, deque,   the count as 64 bits, then the elements
//     span, map
//     pair                   one after the other
//     optional               a byte, 0 or 1, then the value if there is one
//     variant                a byte, the number of the alternative from 0, then its value
//     described struct       its fields, one after the other
//
// docs/formats.md repeats this for those who write a reader of their own.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ranges>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

namespace fedrk {

template <class T>
concept Described = requires(T& value) {
  std::remove_const_t<T>::fields(value);
};

/// What memory holds as it is written.
template <class T>
concept Plain = (std::integral<T> || std::floating_point<T>)&&!std::same_as<T, bool>;

template <class T>
concept List = std::ranges::sized_range<T>;

/// Numbers that lie behind each other.
template <class T>
concept PlainList = List<T> && std::ranges::contiguous_range<T> && Plain<std::ranges::range_value_t<T>>;

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

template <class T>
inline constexpr bool kIsPair = false;
template <class First, class Second>
inline constexpr bool kIsPair<std::pair<First, Second>> = true;

template <class T>
inline constexpr bool kIsVariant = false;
template <class... Kinds>
inline constexpr bool kIsVariant<std::variant<Kinds...>> = true;

/// Takes a value apart. `Sink` has number(Plain) for each single number and numbers(span of Plain) for each list of
/// them, whose length it adds itself.
template <class T, class Sink>
void describe(const T& value, Sink& sink) {
  if constexpr (Plain<T>) {
    sink.number(value);
  } else if constexpr (std::same_as<T, bool>) {
    sink.number(static_cast<std::uint8_t>(value));
  } else if constexpr (std::is_enum_v<T>) {
    sink.number(static_cast<std::underlying_type_t<T>>(value));
  } else if constexpr (Described<const T>) {
    std::apply([&](const auto&... field) { (describe(field, sink), ...); }, T::fields(value));
  } else if constexpr (kIsOptional<T>) {
    sink.number(static_cast<std::uint8_t>(value.has_value()));
    if (value) describe(*value, sink);
  } else if constexpr (kIsVariant<T>) {
    static_assert(std::variant_size_v<T> < 256);
    sink.number(static_cast<std::uint8_t>(value.index()));
    std::visit([&](const auto& chosen) { describe(chosen, sink); }, value);
  } else if constexpr (kIsPair<T>) {
    describe(value.first, sink);
    describe(value.second, sink);
  } else if constexpr (PlainList<T>) {
    sink.numbers(std::span<const std::ranges::range_value_t<T>>(value));
  } else {
    static_assert(List<T>, "a type that has no bytes: list its fields");
    sink.number(std::uint64_t{std::ranges::size(value)});
    for (const auto& element : value) describe(element, sink);
  }
}

}  // namespace fedrk
