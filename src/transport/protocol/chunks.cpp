// SPDX-License-Identifier: Apache-2.0
#include "transport/protocol/chunks.hpp"

#include "base/shown.hpp"

namespace fedrk::wire {
namespace {

/// How many numbers the vectors of a message hold, and whether its texts are UTF-8, as result files need it. A sink of
/// `describe`.
struct Inspection {
  std::size_t count = 0;
  bool good_text = true;

  template <Plain Number>
  void number(Number) {}
  template <Plain Number>
  void numbers(std::span<const Number> list) {
    if constexpr (std::same_as<Number, char>) {
      good_text = good_text && io::is_utf8({list.data(), list.size()});
    } else if constexpr (sizeof(Number) == sizeof(double)) {
      count += list.size();
    }
  }
};

Error malformed(std::string reason) { return Error{"malformed message: " + std::move(reason)}; }

// The number at the start of protobuf's bytes, which are taken away: seven bits a byte, the lowest first.
std::optional<std::uint32_t> take_varint(std::string_view& bytes) {
  std::uint32_t number = 0;
  for (int shift = 0; shift < 28 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    number |= (byte & 0x7FU) << shift;
    if (byte < 0x80) return number;
  }
  return std::nullopt;
}

}  // namespace

template <class Message>
Result<std::optional<Message>> Reassembler<Message>::take(std::string_view chunk) {
  if (chunk.size() < 2) return malformed("an empty chunk");
  const auto kind = static_cast<ChunkKind>(chunk.front());
  chunk.remove_prefix(1);
  if (kind == ChunkKind::Whole) {
    auto message = read(chunk);
    if constexpr (std::same_as<Message, ClientMessage>) {
      if (message && holds<Heartbeat>(**message)) return message;
    }
    if (open_) return malformed("another began before it was complete");
    return message;
  }
  if (kind != ChunkKind::Part && kind != ChunkKind::Last) return malformed("no chunk begins like this");
  if (!open_ && kind == ChunkKind::Last) return malformed("the end of none");
  if (!open_) open_.emplace();
  const std::size_t room = largest_ + max_length_ * sizeof(double) - open_->size();
  if (chunk.size() > room) return malformed("more than " + std::to_string(open_->size() + room) + " bytes");
  open_->append(chunk);
  if (kind == ChunkKind::Part) return std::optional<Message>();
  const std::string whole = *std::exchange(open_, std::nullopt);
  return read(whole);
}

template <class Message>
Result<std::optional<Message>> Reassembler<Message>::read(std::string_view bytes) const {
  std::optional<Message> message(std::in_place);
  ByteReader in(bytes);
  in.get(*message);
  if (!in.complete()) return malformed("its bytes are none");
  Inspection seen;
  describe(*message, seen);
  if (seen.count > max_length_) return malformed("a vector of " + std::to_string(seen.count) + " numbers");
  if (!seen.good_text) return malformed("a text that is not UTF-8");
  return message;
}

template class Reassembler<ServerMessage>;
template class Reassembler<ClientMessage>;

std::optional<std::uint32_t> protocol_of_hello(std::string_view chunk) {
  constexpr char kProtobufHello = 0x0A, kProtobufProtocol = 0x08;
  if (chunk.starts_with(kProtobufHello)) {
    chunk.remove_prefix(1);
    if (!take_varint(chunk) || !chunk.starts_with(kProtobufProtocol)) return std::nullopt;
    chunk.remove_prefix(1);
    return take_varint(chunk);
  }
  constexpr std::string_view kHello("\0\0", 2);  // a whole message, the first kind
  static_assert(kAnswerKind<Hello> == 0);
  if (!chunk.starts_with(kHello)) return std::nullopt;
  ByteReader in(chunk.substr(kHello.size(), sizeof(std::uint32_t)));
  const auto protocol = in.get<std::uint32_t>();
  return in.complete() ? std::optional(protocol) : std::nullopt;
}

}  // namespace fedrk::wire
