// SPDX-License-Identifier: Apache-2.0
#pragma once

// Random values of described types (base/fields.hpp). The source is the caller's: a stream of a test, the bytes of a
// fuzzer.

#include <cstdint>
#include <variant>

#include "base/fields.hpp"

namespace fedrk::test {

template <class Source, class... Kinds>
void fill_any(std::variant<Kinds...>& value, Source& source);

/// `Source` has number<T>() for plain numbers and below(n) for choices.
template <class T, class Source>
void fill_any(T& value, Source& source) {
  if constexpr (Plain<T>) {
    value = source.template number<T>();
  } else if constexpr (std::same_as<T, bool>) {
    value = source.below(2) == 1;
  } else if constexpr (std::is_enum_v<T>) {
    const auto all = enumerators(T{});
    value = all[source.below(static_cast<std::uint32_t>(all.size()))];
  } else if constexpr (Described<T>) {
    std::apply([&](auto&... field) { (fill_any(field, source), ...); }, T::fields(value));
  } else if constexpr (kIsOptional<T>) {
    value.reset();
    if (source.below(2) == 1) fill_any(value.emplace(), source);
  } else {
    value.resize(source.below(5));
    for (auto& element : value) fill_any(element, source);
  }
}

template <class Source, class... Kinds>
void fill_any(std::variant<Kinds...>& value, Source& source) {
  const std::uint32_t chosen = source.below(sizeof...(Kinds));
  std::uint32_t kind = 0;
  ((kind++ == chosen ? fill_any(value.template emplace<Kinds>(), source) : void()), ...);
}

}  // namespace fedrk::test
