// SPDX-License-Identifier: Apache-2.0
#pragma once

// A step of loading that may fail at one of the peers: then it fails for all, with one and the same message, that of
// the lowest rank. So nobody waits for a peer that has given up.

#include <cstdint>
#include <new>
#include <utility>

#include "base/byte_stream.hpp"
#include "base/result.hpp"
#include "fedrk/error.hpp"
#include "plan/peers.hpp"

namespace fedrk::io {

enum class Outcome : std::uint8_t { Fine, Failed, OutOfMemory };

/// Throws std::bad_alloc where somebody had too little memory, as that one would have alone.
inline Result<void> agree(Peers& peers, Outcome outcome, const std::string& message) {
  ByteWriter out;
  out.put(static_cast<std::uint8_t>(outcome));
  out.put(std::string_view(message));
  for (const std::string& text : peers.exchange(std::move(out.bytes()))) {
    ByteReader in(text);
    const auto theirs = static_cast<Outcome>(in.get<std::uint8_t>());
    if (theirs == Outcome::OutOfMemory) throw std::bad_alloc();
    if (theirs == Outcome::Fine) continue;
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
  Outcome outcome = Outcome::Fine;
  const auto attempt = [&]() -> Made {
    try {
      return work();
    } catch (const InvalidArgument& error) {
      return Error{error.what()};
    } catch (const std::bad_alloc&) {
      outcome = Outcome::OutOfMemory;
      return Error{"not enough memory"};
    }
  };
  Made made = attempt();
  if (outcome == Outcome::Fine && !made) outcome = Outcome::Failed;
  if (const auto agreed = agree(peers, outcome, made ? "" : made.error().message); !agreed) return agreed.error();
  return made;
}

/// A number of everyone, in order of rank.
inline std::vector<std::uint64_t> exchange_number(Peers& peers, std::uint64_t mine) {
  ByteWriter out;
  out.put(mine);
  std::vector<std::uint64_t> numbers;
  for (const std::string& text : peers.exchange(std::move(out.bytes()))) {
    numbers.push_back(ByteReader(text).get<std::uint64_t>());
  }
  return numbers;
}

}  // namespace fedrk::io
