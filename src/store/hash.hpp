// SPDX-License-Identifier: Apache-2.0
#pragma once

// A hash of 64 bits that tells what changed by accident, eight bytes at a time. Not against people with intentions.

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace fedrk::store {

class Hash {
 public:
  void add(std::uint64_t word) {
    state_ = (state_ ^ word) * 0x9E3779B97F4A7C15ULL;
    state_ ^= state_ >> 32;
  }
  void add(double number) { add(std::bit_cast<std::uint64_t>(number)); }
  void add(std::span<const double> numbers) {
    add(std::uint64_t{numbers.size()});
    for (const double number : numbers) add(number);
  }
  void add(std::string_view bytes) {
    add(std::uint64_t{bytes.size()});
    while (!bytes.empty()) {
      std::uint64_t word = 0;
      const std::size_t part = bytes.size() < sizeof word ? bytes.size() : sizeof word;
      std::memcpy(&word, bytes.data(), part);
      add(word);
      bytes.remove_prefix(part);
    }
  }

  std::uint64_t value() const { return state_; }

 private:
  std::uint64_t state_ = 0xCBF29CE484222325ULL;
};

}  // namespace fedrk::store
