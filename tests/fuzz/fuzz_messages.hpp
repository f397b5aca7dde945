// SPDX-License-Identifier: Apache-2.0
#pragma once

// Messages for the fuzz targets of the protocol: field by field, and as they travel.

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fuzz/fuzz_input.hpp"
#include "support/any_value.hpp"
#include "transport/protocol/chunks.hpp"

namespace fedrk::fuzz {

inline std::string any_run(Input& input) { return input.rarely(8) ? input.text() : "fuzz"; }
inline std::uint32_t any_protocol(Input& input) { return input.rarely(16) ? input.below(3) : wire::kProtocol; }

/// The bytes of a message as they travel, in chunks of at most so many bytes.
inline std::vector<std::string> chunks_of(std::string_view bytes, std::size_t most = wire::kChunk) {
  std::vector<std::string> chunks;
  for (std::size_t from = 0; from < bytes.size(); from += most) {
    const wire::Chunk chunk = wire::chunk_at(bytes, from, most);
    chunks.push_back(static_cast<char>(chunk.kind) + std::string(chunk.bytes));
  }
  return chunks;
}

/// The same in chunks of any size; now and then not quite these bytes.
inline std::vector<std::string> any_chunks_of(std::string& bytes, Input& input) {
  if (input.rarely(12)) input.spoil(bytes);
  return chunks_of(bytes, input.rarely(4) ? 1 + input.below(60) : wire::kChunk);
}

/// A message of any kind, whose fields hold now and then anything at all.
template <class... Bodies>
void fill(std::variant<Bodies...>& message, Input& input) {
  const std::uint32_t chosen = input.below(sizeof...(Bodies));
  std::uint32_t kind = 0;
  ((kind++ == chosen ? static_cast<void>(message.template emplace<Bodies>()) : void()), ...);
  const bool any = input.rarely(4);
  std::visit([&](auto& body) { any ? test::fill_any(body, input) : void(); }, message);
}

/// Nothing where the bytes are none.
template <class Message>
std::optional<Message> parsed(std::string_view bytes) {
  std::optional<Message> message(std::in_place);
  ByteReader in(bytes);
  in.get(*message);
  if (!in.complete()) message.reset();
  return message;
}

}  // namespace fedrk::fuzz
