// SPDX-License-Identifier: Apache-2.0
#pragma once

// A hash of 64 bits that tells what changed by accident, eight bytes at a time, of texts and of described values
// (fields.hpp). Not against people with intentions.

#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "base/fields.hpp"

namespace fedrk {

class Hash {
 public:
  void add(std::uint64_t word) {
    state_ = (state_ ^ word) * 0x9E3779B97F4A7C15ULL;
    state_ ^= state_ >> 32;
  }
  void add(std::string_view bytes) {
    add(std::uint64_t{bytes.size()});
    add_long_part(bytes);
    while (!bytes.empty()) {
      std::uint64_t word = 0;
      const std::size_t part = bytes.size() < sizeof word ? bytes.size() : sizeof word;
      std::memcpy(&word, bytes.data(), part);
      add(word);
      bytes.remove_prefix(part);
    }
  }

  std::uint64_t value() const { return state_; }

  // ---- What `describe` calls: a number is one word, a list its length and eight bytes at a time.
  template <Plain Number>
  void number(Number number) {
    std::uint64_t word = 0;
    std::memcpy(&word, &number, sizeof number);
    add(word);
  }
  template <Plain Number>
  void numbers(std::span<const Number> numbers) {
    add(std::string_view(reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()));  // NOLINT: their bits
  }

 private:
  // Four chains side by side, as each step has to wait for the one before it.
  void add_long_part(std::string_view& bytes) {
    Hash lanes[4];
    if (bytes.size() < sizeof lanes) return;
    for (std::uint64_t words[4]; bytes.size() >= sizeof words; bytes.remove_prefix(sizeof words)) {
      std::memcpy(words, bytes.data(), sizeof words);
      for (int k = 0; k < 4; ++k) lanes[k].add(words[k]);
    }
    for (const Hash& lane : lanes) add(lane.value());
  }

  std::uint64_t state_ = 0xCBF29CE484222325ULL;
};

}  // namespace fedrk
