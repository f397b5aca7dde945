// SPDX-License-Identifier: Apache-2.0
#pragma once

// A value, or the reason why there is none: the little of std::expected (C++23) that fedrk uses.
//
//     Result<Dataset> data = io::read_csv(path, options);
//     if (!data) return data.error();
//     use(*data);

#include <utility>
#include <variant>

#include "fedrk/contracts.hpp"
#include "fedrk/error.hpp"

namespace fedrk {

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit, so `return x;` works
  Result(Error error) : content_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: likewise

  explicit operator bool() const { return content_.index() == 0; }

  /// REQUIRES: the result holds a value.
  T& operator*() & {
    FEDRK_EXPECTS(*this);
    return *std::get_if<0>(&content_);
  }
  const T& operator*() const& {
    FEDRK_EXPECTS(*this);
    return *std::get_if<0>(&content_);
  }
  T&& operator*() && { return std::move(**this); }
  T* operator->() { return &**this; }
  const T* operator->() const { return &**this; }

  /// REQUIRES: the result holds an error.
  const Error& error() const {
    FEDRK_EXPECTS(!*this);
    return *std::get_if<1>(&content_);
  }

 private:
  std::variant<T, Error> content_;
};

/// Success, or the reason for the lack of it.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)), failed_(true) {}  // NOLINT: implicit, as above

  explicit operator bool() const { return !failed_; }
  const Error& error() const {
    FEDRK_EXPECTS(failed_);
    return error_;
  }

 private:
  Error error_;
  bool failed_ = false;
};

}  // namespace fedrk
