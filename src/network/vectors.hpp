// SPDX-License-Identifier: Apache-2.0
#pragma once

// Long vectors travel in pieces of about a megabyte, so that no message is large and a heartbeat can pass between them.
// A message is taken apart before it is sent and put together where it arrives (federation.proto: Vector).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fedrk/base/result.hpp"
#include "fedrk/linalg/aligned_vector.hpp"
#include "fedrk/v1/federation.pb.h"

namespace fedrk::wire {

constexpr std::size_t kPiece = 131072;  // numbers, a megabyte

void set_vector(v1::Vector& vector, std::span<const double> values);
inline std::span<const double> view(const v1::Vector& vector) {
  return {vector.values().data(), static_cast<std::size_t>(vector.values_size())};
}
inline AlignedVector copied(const v1::Vector& vector) { return aligned_copy(view(vector)); }

/// Words of a masked part in the place of numbers, bit for bit.
void set_words(v1::Vector& vector, std::span<const std::uint64_t> words);
std::vector<std::uint64_t> words_of(const v1::Vector& vector);

/// The vectors of a message, in the order in which pieces fill them.
std::vector<v1::Vector*> vectors_of(v1::ServerMessage& message);
std::vector<v1::Vector*> vectors_of(v1::ClientMessage& message);

/// The same as one message or several, none with more than `most` numbers in its vectors. REQUIRES: most > 0.
std::vector<v1::ServerMessage> in_pieces(v1::ServerMessage whole, std::size_t most = kPiece);
std::vector<v1::ClientMessage> in_pieces(v1::ClientMessage whole, std::size_t most = kPiece);

/// Puts messages together again. Nothing is set aside for what is only announced: memory grows with what arrives.
template <class Message>
class Assembly {
 public:
  /// Refuses vectors of more than `longest` numbers altogether.
  explicit Assembly(std::size_t longest) : longest_(longest) {}
  /// From now on so many too. What was allowed stays so: an answer to an earlier question may still be on its way.
  void allow(std::size_t longest) { longest_ = std::max(longest_, longest); }

  /// The message, once it is whole. An error where it cannot become one; what was begun is then forgotten.
  Result<std::optional<Message>> add(Message message);

 private:
  Result<std::optional<Message>> begin(Message message);
  Result<std::optional<Message>> go_on(const v1::Piece& piece);

  std::size_t longest_;
  std::optional<Message> open_;
};

extern template class Assembly<v1::ServerMessage>;
extern template class Assembly<v1::ClientMessage>;

}  // namespace fedrk::wire
