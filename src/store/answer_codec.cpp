// SPDX-License-Identifier: Apache-2.0
#include "store/answer_codec.hpp"

#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <utility>

#include "store/hash.hpp"

namespace fedrk::store {
namespace {

static_assert(std::endian::native == std::endian::little, "the bytes are those of memory");

std::uint64_t checksum(std::string_view bytes) {
  Hash hash;
  hash.add(bytes);
  return hash.value();
}

// What a reply holds beside its values.
enum Part : std::uint8_t { kResidual = 1, kGap = 2, kSlack = 4 };

class Writer {
 public:
  Writer(std::string room, std::size_t expected) : bytes_(std::move(room)) {
    bytes_.clear();
    bytes_.reserve(expected);
  }
  template <class Number>
  requires std::integral<Number> || std::floating_point<Number>
  void put(Number number) { append(&number, sizeof number); }
  void put(std::span<const double> numbers) {
    put(std::uint64_t{numbers.size()});
    append(numbers.data(), numbers.size_bytes());
  }
  void put(std::string_view text) {
    put(std::uint64_t{text.size()});
    append(text.data(), text.size());
  }
  std::string& bytes() { return bytes_; }

 private:
  void append(const void* from, std::size_t count) {
    if (count > 0) bytes_.append(static_cast<const char*>(from), count);
  }
  std::string bytes_;
};

/// Once something is missing, everything is.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  template <class Number>
  Number get() {
    Number number{};
    take(&number, sizeof number);
    return number;
  }
  /// A length that the bytes can hold.
  std::size_t length(std::size_t each) {
    const auto count = get<std::uint64_t>();
    if (count > bytes_.size() / each) good_ = false;
    return good_ ? static_cast<std::size_t>(count) : 0;
  }
  template <class Vector>
  void get(Vector& numbers) {
    numbers.resize(length(sizeof(double)));
    take(numbers.data(), numbers.size() * sizeof(double));
  }
  void get(std::string& text) {
    text.resize(length(1));
    take(text.data(), text.size());
  }
  bool complete() const { return good_ && bytes_.empty(); }

 private:
  void take(void* to, std::size_t count) {
    if (count > bytes_.size()) good_ = false;
    if (!good_ || count == 0) return;
    std::memcpy(to, bytes_.data(), count);
    bytes_.remove_prefix(count);
  }
  std::string_view bytes_;
  bool good_ = true;
};

void put(const LocalReply& reply, Writer& out) {
  out.put(reply.client.value);
  out.put(static_cast<std::uint8_t>((reply.squared_residual ? kResidual : 0) | (reply.gap ? kGap : 0) |
                                    (reply.slack ? kSlack : 0)));
  if (reply.squared_residual) out.put(*reply.squared_residual);
  if (reply.gap) out.put(*reply.gap);
  if (reply.slack) {
    out.put(reply.slack->squared_gaps);
    out.put(std::span<const double>(reply.slack->products));
  }
  out.put(std::span<const double>(reply.values));
}

LocalReply get_reply(Reader& in) {
  LocalReply reply{ClientId{in.get<std::uint32_t>()}, {}};
  const auto parts = in.get<std::uint8_t>();
  if ((parts & kResidual) != 0) reply.squared_residual = in.get<double>();
  if ((parts & kGap) != 0) reply.gap = in.get<double>();
  if ((parts & kSlack) != 0) {
    reply.slack.emplace().squared_gaps = in.get<double>();
    in.get(reply.slack->products);
  }
  in.get(reply.values);
  return reply;
}

}  // namespace

std::string encoded(const RoundReplies& round, std::string room) {
  std::size_t expected = 64 + 64 * round.replies.size();
  for (const LocalReply& reply : round.replies) expected += sizeof(double) * message_length(reply);
  Writer out(std::move(room), expected);
  out.put(std::uint64_t{0});  // room for the checksum
  out.put(std::uint64_t{round.replies.size()});
  for (const LocalReply& reply : round.replies) put(reply, out);
  out.put(std::uint64_t{round.absences.size()});
  for (const Absence& absence : round.absences) {
    out.put(absence.client.value);
    out.put(std::string_view(absence.reason));
  }
  out.put(std::uint64_t{round.answered.size()});
  for (const ClientId client : round.answered) out.put(client.value);
  std::string bytes = std::move(out.bytes());
  const std::uint64_t sum = checksum(std::string_view(bytes).substr(sizeof(std::uint64_t)));
  std::memcpy(bytes.data(), &sum, sizeof sum);
  return bytes;
}

std::optional<RoundReplies> decoded(std::string_view bytes) {
  Reader in(bytes);
  const auto sum = in.get<std::uint64_t>();
  if (bytes.size() < sizeof sum || checksum(bytes.substr(sizeof sum)) != sum) return std::nullopt;
  RoundReplies round;
  for (std::size_t left = in.length(1); left > 0; --left) round.replies.push_back(get_reply(in));
  for (std::size_t left = in.length(1); left > 0; --left) {
    Absence& absence = round.absences.emplace_back(Absence{ClientId{in.get<std::uint32_t>()}, {}});
    in.get(absence.reason);
  }
  for (std::size_t left = in.length(1); left > 0; --left) round.answered.push_back(ClientId{in.get<std::uint32_t>()});
  return in.complete() ? std::optional(std::move(round)) : std::nullopt;
}

}  // namespace fedrk::store
