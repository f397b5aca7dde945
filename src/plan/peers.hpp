// SPDX-License-Identifier: Apache-2.0
#pragma once

// Those who load a federation together, each the clients of its own: the ranks of a job, or one process alone. All of
// them call the same functions in the same order, so that loading is written down once.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/byte_stream.hpp"
#include "base/result.hpp"
#include "fedrk/error.hpp"

namespace fedrk::io {

class Peers {
 public:
  virtual ~Peers() = default;

  virtual std::size_t rank() const = 0;
  virtual std::size_t count() const = 0;

  /// Everyone's text, in order of rank, for everyone.
  virtual std::vector<std::string> exchange(std::string mine) = 0;

  /// A sum in order of rank: zeros at first, to which each adds its own and hands them on. For everyone.
  virtual std::vector<double> sum_in_order(std::size_t length, const std::function<void(std::span<double>)>& add) = 0;
};

/// One process that has all clients.
class Alone final : public Peers {
 public:
  std::size_t rank() const override { return 0; }
  std::size_t count() const override { return 1; }
  std::vector<std::string> exchange(std::string mine) override { return {std::move(mine)}; }
  std::vector<double> sum_in_order(std::size_t length, const std::function<void(std::span<double>)>& add) override {
    std::vector<double> sum(length, 0.0);
    add(sum);
    return sum;
  }
};

// A step of loading that may fail at one of the peers: then it fails for all, with one and the same message, that of
// the lowest rank. So nobody waits for a peer that has given up.

enum class Attempt : std::uint8_t { Fine, Failed, OutOfMemory };

/// Throws std::bad_alloc where somebody had too little memory, as that one would have alone.
inline Result<void> agree(Peers& peers, Attempt outcome, const std::string& message) {
  for (const std::string& text : peers.exchange(bytes_of(static_cast<std::uint8_t>(outcome), message))) {
    ByteReader in(text);
    const auto theirs = static_cast<Attempt>(in.get<std::uint8_t>());
    if (theirs == Attempt::OutOfMemory) throw std::bad_alloc();
    if (theirs == Attempt::Fine) continue;
    Error error;
    in.get(error.message);
    return error;
  }
  return {};
}

/// Does the work, which returns a Result, at every peer.
template <class Work>
auto together(Peers& peers, const Work& work) -> decltype(work()) {
  using Made = decltype(work());
  Attempt outcome = Attempt::Fine;
  const auto attempt = [&]() -> Made {
    try {
      return work();
    } catch (const InvalidArgument& error) {
      return Error{error.what()};
    } catch (const std::bad_alloc&) {
      outcome = Attempt::OutOfMemory;
      return Error{"not enough memory"};
    }
  };
  Made made = attempt();
  if (outcome == Attempt::Fine && !made) outcome = Attempt::Failed;
  if (const auto agreed = agree(peers, outcome, made ? "" : made.error().message); !agreed) return agreed.error();
  return made;
}

/// A number of everyone, in order of rank.
inline std::vector<std::uint64_t> exchange_number(Peers& peers, std::uint64_t mine) {
  std::vector<std::uint64_t> numbers;
  for (const std::string& text : peers.exchange(bytes_of(mine))) {
    numbers.push_back(ByteReader(text).get<std::uint64_t>());
  }
  return numbers;
}

}  // namespace fedrk::io
