// SPDX-License-Identifier: Apache-2.0
#include "network/vectors.hpp"

#include <algorithm>
#include <cstring>

#include "fedrk/base/contracts.hpp"

namespace fedrk::wire {
namespace {

std::size_t held(const v1::Vector& vector) { return static_cast<std::size_t>(vector.values_size()); }

Error malformed(std::string words) { return Error{"malformed message: " + std::move(words)}; }

template <class Message>
std::vector<Message> taken_apart(Message whole, std::size_t most) {
  FEDRK_EXPECTS(most > 0);
  std::size_t total = 0;
  const auto vectors = vectors_of(whole);
  for (const v1::Vector* vector : vectors) total += held(*vector);
  std::vector<Message> messages;
  if (total <= most) {
    messages.push_back(std::move(whole));
    return messages;
  }
  std::vector<double> rest;
  rest.reserve(total);
  std::size_t room = most;
  for (v1::Vector* vector : vectors) {
    const std::size_t kept = std::min(room, held(*vector));
    const auto values = view(*vector);
    rest.insert(rest.end(), values.begin() + static_cast<std::ptrdiff_t>(kept), values.end());
    vector->mutable_values()->Truncate(static_cast<int>(kept));
    room -= kept;
  }
  messages.push_back(std::move(whole));
  for (std::size_t at = 0; at < rest.size(); at += most) {
    const auto piece = std::span(rest).subspan(at, std::min(most, rest.size() - at));
    messages.emplace_back().mutable_piece()->mutable_values()->Add(piece.begin(), piece.end());
  }
  return messages;
}

// What may come between pieces.
bool is_heartbeat(const v1::ClientMessage& message) { return message.has_heartbeat(); }
bool is_heartbeat(const v1::ServerMessage&) { return false; }

bool whole(const v1::Vector* vector) { return held(*vector) == vector->length(); }

}  // namespace

void set_vector(v1::Vector& vector, std::span<const double> values) {
  vector.set_length(values.size());
  vector.mutable_values()->Clear();
  vector.mutable_values()->Add(values.begin(), values.end());
}

void set_words(v1::Vector& vector, std::span<const std::uint64_t> words) {
  static_assert(sizeof(double) == sizeof(std::uint64_t));
  vector.set_length(words.size());
  vector.mutable_values()->Resize(static_cast<int>(words.size()), 0.0);
  if (!words.empty()) std::memcpy(vector.mutable_values()->mutable_data(), words.data(), words.size_bytes());
}

std::vector<std::uint64_t> words_of(const v1::Vector& vector) {
  std::vector<std::uint64_t> words(held(vector));
  if (!words.empty()) std::memcpy(words.data(), vector.values().data(), words.size() * sizeof(std::uint64_t));
  return words;
}

std::vector<v1::Vector*> vectors_of(v1::ServerMessage& message) {
  switch (message.body_case()) {
    case v1::ServerMessage::kSumSquares:
      return {message.mutable_sum_squares()->mutable_centre()};
    case v1::ServerMessage::kPrepare:
      return {message.mutable_prepare()->mutable_centre(), message.mutable_prepare()->mutable_scale()};
    case v1::ServerMessage::kTask:
      return {message.mutable_task()->mutable_x(), message.mutable_task()->mutable_own()};
    case v1::ServerMessage::kEnd:
      return {message.mutable_end()->mutable_coefficients()};
    case v1::ServerMessage::kWelcome:
    case v1::ServerMessage::kCompany:
    case v1::ServerMessage::kSumColumns:
    case v1::ServerMessage::kPiece:
    case v1::ServerMessage::BODY_NOT_SET:
      break;
  }
  return {};
}

std::vector<v1::Vector*> vectors_of(v1::ClientMessage& message) {
  switch (message.body_case()) {
    case v1::ClientMessage::kColumnSums:
      return {message.mutable_column_sums()->mutable_sums()};
    case v1::ClientMessage::kUpdate:
      return {message.mutable_update()->mutable_values()};
    case v1::ClientMessage::kPrepared:
      return {message.mutable_prepared()->mutable_masked_norms()};
    case v1::ClientMessage::kHello:
    case v1::ClientMessage::kReady:
    case v1::ClientMessage::kHeartbeat:
    case v1::ClientMessage::kRefusal:
    case v1::ClientMessage::kPiece:
    case v1::ClientMessage::BODY_NOT_SET:
      break;
  }
  return {};
}

std::vector<v1::ServerMessage> in_pieces(v1::ServerMessage whole, std::size_t most) {
  return taken_apart(std::move(whole), most);
}
std::vector<v1::ClientMessage> in_pieces(v1::ClientMessage whole, std::size_t most) {
  return taken_apart(std::move(whole), most);
}

template <class Message>
Result<std::optional<Message>> Assembly<Message>::add(Message message) {
  auto added = message.has_piece() ? go_on(message.piece()) : begin(std::move(message));
  if (!added) open_.reset();
  return added;
}

template <class Message>
Result<std::optional<Message>> Assembly<Message>::begin(Message message) {
  if (is_heartbeat(message)) return std::optional<Message>(std::move(message));
  if (open_) return malformed("another began before its vectors were complete");
  const auto vectors = vectors_of(message);
  std::size_t room = longest_;
  for (const v1::Vector* vector : vectors) {
    if (vector->length() > room) return malformed("a vector of " + std::to_string(vector->length()) + " numbers");
    if (held(*vector) > vector->length()) return malformed("a vector that is longer than it says");
    room -= vector->length();
  }
  const auto first_open = std::ranges::find_if_not(vectors, whole);
  if (first_open == vectors.end()) return std::optional<Message>(std::move(message));
  if (std::any_of(first_open + 1, vectors.end(), [](const v1::Vector* vector) { return held(*vector) > 0; })) {
    return malformed("its vectors are out of order");
  }
  open_ = std::move(message);
  return std::optional<Message>();
}

template <class Message>
Result<std::optional<Message>> Assembly<Message>::go_on(const v1::Piece& piece) {
  if (!open_) return malformed("a piece of no vector");
  if (piece.values_size() == 0) return malformed("an empty piece");
  const double* next = piece.values().data();
  auto left = static_cast<std::size_t>(piece.values_size());
  const auto vectors = vectors_of(*open_);
  for (v1::Vector* vector : vectors) {
    const std::size_t taken = std::min<std::size_t>(left, vector->length() - held(*vector));
    vector->mutable_values()->Add(next, next + taken);
    next += taken;
    left -= taken;
  }
  if (left > 0) return malformed("a vector that is longer than it says");
  if (!std::ranges::all_of(vectors, whole)) return std::optional<Message>();
  return std::exchange(open_, std::nullopt);
}

template class Assembly<v1::ServerMessage>;
template class Assembly<v1::ClientMessage>;

}  // namespace fedrk::wire
