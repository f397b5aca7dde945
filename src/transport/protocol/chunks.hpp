// SPDX-License-Identifier: Apache-2.0
#pragma once

// Messages travel in chunks of at most a megabyte, so that no WebSocket message is large and a heartbeat can pass
// between them. A chunk is a byte that says what follows, and bytes of the message; those of all its chunks together
// are its bytes.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.hpp"
#include "transport/protocol/messages.hpp"

namespace fedrk::wire {

enum class ChunkKind : char { Whole, Part, Last };

struct Chunk {
  ChunkKind kind;
  std::string_view bytes;
};

constexpr std::size_t kChunk = 1 << 20;  // bytes

/// The chunk of a message that begins at this byte.
inline Chunk chunk_at(std::string_view message, std::size_t from, std::size_t most = kChunk) {
  const bool last = message.size() - from <= most;
  return {message.size() <= most ? ChunkKind::Whole
          : last                 ? ChunkKind::Last
                                 : ChunkKind::Part,
          message.substr(from, most)};
}

/// Puts messages together again. Nothing is set aside for what is only announced: memory grows with what arrives.
template <class Message>
class Reassembler {
 public:
  /// Refuses messages of more than `largest` bytes beside their vectors, and vectors of more than `max_length` numbers
  /// altogether.
  Reassembler(std::size_t largest, std::size_t max_length) : largest_(largest), max_length_(max_length) {}
  /// From now on so many numbers too. What was allowed stays so: an answer to an earlier question may still be on its
  /// way.
  void allow(std::size_t max_length) { max_length_ = std::max(max_length_, max_length); }

  /// The message, once it is whole. An error where it cannot become one; what was begun is then forgotten.
  Result<std::optional<Message>> add(std::string_view chunk) {
    auto added = take(chunk);
    if (!added) open_.reset();
    return added;
  }

 private:
  Result<std::optional<Message>> take(std::string_view chunk);
  Result<std::optional<Message>> read(std::string_view bytes) const;

  std::size_t largest_, max_length_;
  std::optional<std::string> open_;
};

extern template class Reassembler<ServerMessage>;
extern template class Reassembler<ClientMessage>;

/// The protocol of which this first chunk of a client is a hello: those before 5 were protobuf messages.
std::optional<std::uint32_t> protocol_of_hello(std::string_view chunk);

}  // namespace fedrk::wire
