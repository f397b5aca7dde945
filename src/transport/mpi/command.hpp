// SPDX-License-Identifier: Apache-2.0
#pragma once

// What rank 0 tells the others: one text, whose length all of them have to know before it is sent. Rounds of a run are
// mostly told in as many bytes as the one before, so that length is tried first, and one broadcast does.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/byte_stream.hpp"
#include "fedrk/mpi_ranks.hpp"

namespace fedrk::mpi {

enum class Command : std::uint8_t { Round, Stop };

/// One at each rank, used alike by all.
class Announcements {
 public:
  /// At rank 0: a text with the command in it, to be gone on with and then told.
  ByteWriter begin(Command command) {
    ByteWriter out(std::move(text_), expected_);
    out.put(std::uint64_t{0});  // room for the length
    out.put(static_cast<std::uint8_t>(command));
    return out;
  }

  void tell(const Ranks& ranks, ByteWriter&& out) {
    text_ = std::move(out.bytes());
    const std::uint64_t length = text_.size();
    std::memcpy(text_.data(), &length, sizeof length);
    text_.resize(std::max<std::size_t>(expected_, length));
    ranks.broadcast(text_.data(), expected_);
    finish(ranks, length);
  }

  /// At the others; good until the next call.
  ByteReader hear(const Ranks& ranks) {
    text_.resize(expected_);
    ranks.broadcast(text_.data(), expected_);
    std::uint64_t length = 0;
    std::memcpy(&length, text_.data(), sizeof length);
    text_.resize(std::max<std::size_t>(expected_, length));
    finish(ranks, length);
    return ByteReader(std::string_view(text_).substr(sizeof length, length - sizeof length));
  }

 private:
  void finish(const Ranks& ranks, std::size_t length) {
    if (length > expected_) ranks.broadcast(text_.data() + expected_, length - expected_);
    expected_ = (length + kGrain - 1) / kGrain * kGrain;
  }

  static constexpr std::size_t kGrain = 64;
  std::string text_;
  std::size_t expected_ = kGrain;
};

}  // namespace fedrk::mpi
