// SPDX-License-Identifier: Apache-2.0
#include "transport/protocol/chunks.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "linalg/random/rng_stream.hpp"
#include "support/any_value.hpp"
#include "support/doubles.hpp"
#include "support/messages.hpp"

namespace fedrk::wire {
namespace {

constexpr std::size_t kBeside = 100;  // bytes beside vectors

using Chunks = std::vector<std::string>;

template <class Message>
Chunks chunks_of(const Message& message, std::size_t most = kChunk) {
  const std::string bytes = bytes_of(message);
  Chunks chunks;
  for (std::size_t from = 0; from < bytes.size(); from += most) {
    chunks.push_back(test::chunk_of(chunk_at(bytes, from, most)));
  }
  return chunks;
}

ServerMessage task(std::size_t x, std::size_t own) {
  return Task{.number = 7, .x = aligned_copy(test::any_doubles(x, 1)), .own = aligned_copy(test::any_doubles(own, 2))};
}

ClientMessage update(std::size_t length) { return Update{.run = "run", .values = AlignedVector(length, 1.5)}; }

std::string part(std::string_view bytes) { return test::chunk_of({ChunkKind::Part, bytes}); }
std::string last(std::string_view bytes) { return test::chunk_of({ChunkKind::Last, bytes}); }
std::string whole(std::string_view bytes) { return test::chunk_of({ChunkKind::Whole, bytes}); }

// What the last of several chunks brings: "whole", "more", or an error.
template <class Message>
std::string after(Reassembler<Message>& incoming, const Chunks& chunks) {
  std::string result;
  for (const std::string& chunk : chunks) {
    const auto added = incoming.add(chunk);
    result = !added ? added.error().message : *added ? "whole" : "more";
  }
  return result;
}

std::string after(const Chunks& chunks) {
  Reassembler<ClientMessage> incoming(kBeside, 10);
  return after(incoming, chunks);
}

TEST(Chunks, MakeTheSameMessageWhateverTheirSize) {
  for (const auto& [x, own] : {std::pair{0U, 0U}, {1U, 0U}, {0U, 3U}, {5U, 4U}, {17U, 1U}}) {
    const ServerMessage message = task(x, own);
    const std::size_t size = bytes_of(message).size();
    for (std::size_t most = 1; most <= size + 1; ++most) {
      Reassembler<ServerMessage> incoming(kBeside, x + own);
      const Chunks chunks = chunks_of(message, most);
      EXPECT_EQ(chunks.size(), (size + most - 1) / most);
      for (std::size_t k = 0; k < chunks.size(); ++k) {
        const auto added = incoming.add(chunks[k]);
        ASSERT_TRUE(added) << added.error().message;
        ASSERT_EQ(added->has_value(), k + 1 == chunks.size());
        EXPECT_TRUE(!*added || same(**added, message));
      }
    }
  }
}

TEST(Chunks, AreOfAMegabyteAtMost) {
  const Chunks chunks = chunks_of(task(3 * kChunk / sizeof(double), 5));
  ASSERT_EQ(chunks.size(), 4U);
  for (const std::string& chunk : chunks) EXPECT_LE(chunk.size(), kChunk + 1);
}

TEST(Chunks, HoldVectorsAsLongAsWasAllowedAndNoLonger) {
  EXPECT_EQ(after(chunks_of(update(10))), "whole");
  EXPECT_EQ(after(chunks_of(update(11))), "malformed message: a vector of 11 numbers");
  EXPECT_EQ(after(chunks_of(update(11), 30)), "malformed message: a vector of 11 numbers");
  Reassembler<ClientMessage> incoming(kBeside, 0);
  incoming.allow(12);
  incoming.allow(3);
  EXPECT_EQ(after(incoming, chunks_of(update(12))), "whole") << "the answer to an earlier question may still come";
}

TEST(Chunks, ShareTheRoomOfTheirVectors) {
  Reassembler<ServerMessage> incoming(kBeside, 10);
  EXPECT_EQ(after(incoming, chunks_of(task(6, 4))), "whole");
  EXPECT_EQ(after(incoming, chunks_of(task(6, 5))), "malformed message: a vector of 11 numbers");
  Reassembler<ClientMessage> of_words(kBeside, 10);
  ClientMessage masked = Update{.values = AlignedVector(4, 0.0), .masked = masking::Words(7, 0)};
  EXPECT_EQ(after(of_words, chunks_of(masked)), "malformed message: a vector of 11 numbers");
}

// Nothing is set aside for what a message only claims, nor kept beyond what it may have.
TEST(Chunks, AreNotBelieved) {
  Reassembler<ClientMessage> incoming(kBeside, 10);
  std::string result;
  std::size_t taken = 0;
  for (; taken < 100 && (result = after(incoming, {part(std::string(30, 'x'))})) == "more"; ++taken) {
  }
  EXPECT_EQ(taken, (kBeside + 10 * sizeof(double)) / 30);
  EXPECT_EQ(result, "malformed message: more than 180 bytes");
  std::string bytes = bytes_of(update(2));
  const std::uint64_t length = std::numeric_limits<std::uint64_t>::max() / 8;
  bytes.replace(bytes.size() - 1 - 2 * 8 - 8, 8, bytes_of(length));
  EXPECT_EQ(after({whole(bytes)}), "malformed message: its bytes are none");
}

TEST(Chunks, MayHaveHeartbeatsBetweenThemAndNothingElse) {
  const Chunks chunks = chunks_of(update(4), 30);
  ASSERT_EQ(chunks.size(), 3U);
  const std::string beat = chunks_of(ClientMessage(Heartbeat{})).front();
  const std::string refusal = chunks_of(ClientMessage(Refusal{})).front();
  constexpr const char* kAnother = "malformed message: another began before it was complete";
  EXPECT_EQ(after({chunks[0], beat, chunks[1], beat, chunks[2]}), "whole");
  EXPECT_EQ(after({chunks[0], beat}), "whole") << "the heartbeat itself";
  EXPECT_EQ(after({chunks[0], refusal}), kAnother);
  EXPECT_EQ(after({chunks[0], chunks_of(update(4)).front()}), kAnother);
  EXPECT_EQ(after({chunks[0], whole("nonsense")}), kAnother);
}

TEST(Chunks, ThatMakeNoSenseAreRefused) {
  EXPECT_EQ(after({""}), "malformed message: an empty chunk");
  EXPECT_EQ(after({whole("")}), "malformed message: an empty chunk");
  EXPECT_EQ(after({part("")}), "malformed message: an empty chunk");
  EXPECT_EQ(after({last("1")}), "malformed message: the end of none");
  EXPECT_EQ(after({"\x03nonsense"}), "malformed message: no chunk begins like this");
  const std::string bytes = bytes_of(update(4));
  constexpr const char* kNone = "malformed message: its bytes are none";
  EXPECT_EQ(after({whole(bytes + '\0')}), kNone) << "one byte more";
  for (std::size_t size = 1; size < bytes.size(); ++size) EXPECT_EQ(after({whole(bytes.substr(0, size))}), kNone);
  EXPECT_EQ(after({whole("\x07")}), kNone) << "a kind that there is not";
}

TEST(Chunks, ThatFailedAreForgotten) {
  const Chunks chunks = chunks_of(update(4), 60);
  Reassembler<ClientMessage> incoming(kBeside, 10);
  EXPECT_EQ(after(incoming, {chunks[0], whole("nonsense"), chunks[1]}), "malformed message: the end of none");
  EXPECT_EQ(after(incoming, chunks), "whole");
}

// Result files, metrics and logs hold these.
TEST(Chunks, HoldTextsInUtf8) {
  const auto with = [](const std::string& reason) { return after(chunks_of(ClientMessage(Refusal{"run", reason}))); };
  EXPECT_EQ(with("M\xC3\xBCnchen"), "whole");
  EXPECT_EQ(with("M\xFCnchen"), "malformed message: a text that is not UTF-8");
  EXPECT_EQ(after(chunks_of(ClientMessage(Ready{.names = {"\xC3"}}))), "malformed message: a text that is not UTF-8");
  EXPECT_EQ(after(chunks_of(ClientMessage(Ready{.membership = {.key = {0xC3}}}))), "whole") << "which is no text";
}

// ---- Every kind of message, whatever its fields hold.

class Source {
 public:
  explicit Source(std::uint64_t seed) : stream_(seed, Purpose::LocalSteps) {}
  template <Plain Number>
  Number number() {
    const std::uint64_t bits = stream_.next();
    if constexpr (std::same_as<Number, char>) return static_cast<char>(bits & 0x7F);
    return static_cast<Number>(bits);
  }
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(stream_.next() % n); }

 private:
  RngStream stream_;
};

template <class Message>
void expect_all_kinds_to_travel() {
  Source source(9);
  std::vector<int> kinds(std::variant_size_v<Message>);
  for (int time = 0; time < 500; ++time) {
    Message message;
    test::fill_any(message, source);
    ++kinds[message.index()];
    Reassembler<Message> incoming(1 << 20, 100);
    std::optional<Message> arrived;
    for (const std::string& chunk : chunks_of(message, 1 + source.below(40))) {
      auto added = incoming.add(chunk);
      ASSERT_TRUE(added) << added.error().message;
      arrived = *std::move(added);
    }
    ASSERT_TRUE(arrived && same(*arrived, message)) << message.index();
  }
  for (const int count : kinds) EXPECT_GT(count, 0);
}

TEST(Messages, OfClientsTravelWhateverTheyHold) { expect_all_kinds_to_travel<ClientMessage>(); }
TEST(Messages, OfServersTravelWhateverTheyHold) { expect_all_kinds_to_travel<ServerMessage>(); }

// Another version must be able to read this much of each other one.
TEST(Messages, BeginWithTheProtocolWhereTheyGreet) {
  const std::string protocol = bytes_of(kProtocol);
  EXPECT_EQ(bytes_of(ClientMessage(Hello{})).substr(0, 5), '\0' + protocol);
  EXPECT_EQ(bytes_of(ServerMessage(Welcome{})).substr(0, 5), '\0' + protocol);
  EXPECT_EQ(protocol_of_hello(test::chunk_of(ClientMessage(Hello{.protocol = 77}))), 77U);
  EXPECT_FALSE(protocol_of_hello(test::chunk_of(ClientMessage(Ready{}))));
  EXPECT_FALSE(protocol_of_hello(std::string(5, '\0')));
}

}  // namespace
}  // namespace fedrk::wire
