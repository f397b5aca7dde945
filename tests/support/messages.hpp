// SPDX-License-Identifier: Apache-2.0
#pragma once

// Messages of the network as tests look at them.

#include <stdexcept>
#include <string>
#include <string_view>

#include "transport/protocol/chunks.hpp"
#include "transport/protocol/messages.hpp"

namespace fedrk::test {

template <class Message>
Message message_from(std::string_view bytes) {
  Message message;
  ByteReader in(bytes);
  in.get(message);
  if (!in.complete()) throw std::runtime_error("these bytes are no message");
  return message;
}

/// As it travels where it is short.
inline std::string chunk_of(const wire::Chunk& chunk) {
  return static_cast<char>(chunk.kind) + std::string(chunk.bytes);
}
template <class Message>
std::string chunk_of(const Message& message) {
  return chunk_of({wire::ChunkKind::Whole, bytes_of(message)});
}

/// Why it refuses; nothing where it does not.
inline std::string reason_in(const wire::ClientMessage& message) {
  const auto* refusal = std::get_if<wire::Refusal>(&message);
  return refusal == nullptr ? "" : refusal->reason;
}

/// The task as it arrives.
inline wire::Task arrived(const wire::TaskView& sent) {
  return std::get<wire::Task>(message_from<wire::ServerMessage>(wire::bytes_of_message(sent)));
}

}  // namespace fedrk::test
