// SPDX-License-Identifier: Apache-2.0
#include "network/vectors.hpp"

#include <bit>

#include <gtest/gtest.h>

#include "support/doubles.hpp"

namespace fedrk::wire {
namespace {

v1::ServerMessage task(std::size_t x, std::size_t own) {
  v1::ServerMessage message;
  message.mutable_task()->set_number(7);
  set_vector(*message.mutable_task()->mutable_x(), test::any_doubles(x, 1));
  set_vector(*message.mutable_task()->mutable_own(), test::any_doubles(own, 2));
  return message;
}

v1::ClientMessage update(std::uint64_t length, std::size_t held) {
  v1::ClientMessage message;
  set_vector(*message.mutable_update()->mutable_values(), std::vector<double>(held, 1.5));
  message.mutable_update()->mutable_values()->set_length(length);
  return message;
}

v1::ClientMessage piece(std::size_t length) {
  v1::ClientMessage message;
  message.mutable_piece();
  for (std::size_t k = 0; k < length; ++k) message.mutable_piece()->add_values(2.5);
  return message;
}

v1::ClientMessage heartbeat() {
  v1::ClientMessage message;
  message.mutable_heartbeat();
  return message;
}

v1::ClientMessage refusal() {
  v1::ClientMessage message;
  message.mutable_refusal();
  return message;
}

// What the last of several messages brings: "whole", "more", or an error.
std::string after(Assembly<v1::ClientMessage>& assembly, std::vector<v1::ClientMessage> messages) {
  std::string result;
  for (auto& message : messages) {
    const auto added = assembly.add(std::move(message));
    result = !added ? added.error().message : *added ? "whole" : "more";
  }
  return result;
}

std::string after(std::vector<v1::ClientMessage> messages) {
  Assembly<v1::ClientMessage> assembly(10);
  return after(assembly, std::move(messages));
}

TEST(Vectors, AreTheSameAfterTakingApartWithAnySizeOfPiece) {
  for (const auto& [x, own] : {std::pair{0U, 0U}, {1U, 0U}, {0U, 3U}, {5U, 4U}, {17U, 1U}}) {
    const v1::ServerMessage whole = task(x, own);
    for (std::size_t most = 1; most <= 24; ++most) {
      Assembly<v1::ServerMessage> assembly(x + own);
      const auto parts = in_pieces(whole, most);
      EXPECT_EQ(parts.size(), std::max<std::size_t>(1, (x + own + most - 1) / most));
      for (std::size_t k = 0; k < parts.size(); ++k) {
        const auto added = assembly.add(parts[k]);
        ASSERT_TRUE(added) << added.error().message;
        ASSERT_EQ(added->has_value(), k + 1 == parts.size());
        EXPECT_TRUE(!*added || (*added)->SerializeAsString() == whole.SerializeAsString());
      }
    }
  }
}

TEST(Vectors, TravelInMessagesOfAboutAMegabyte) {
  const auto parts = in_pieces(task(3 * kPiece, 5));
  ASSERT_EQ(parts.size(), 4U);
  for (const auto& part : parts) EXPECT_LT(part.ByteSizeLong(), (1U << 20) + 100U);
}

TEST(Vectors, MayBeAsLongAsWasAllowedAndNoLonger) {
  EXPECT_EQ(after({update(10, 10)}), "whole");
  EXPECT_EQ(after({update(11, 1)}), "malformed message: a vector of 11 numbers");
  EXPECT_EQ(after({update(~std::uint64_t{0}, 1)}), "malformed message: a vector of 18446744073709551615 numbers");
  Assembly<v1::ClientMessage> assembly(0);
  assembly.allow(12);
  assembly.allow(3);
  EXPECT_EQ(after(assembly, {update(12, 12)}), "whole") << "the answer to an earlier question may still come";
}

TEST(Vectors, ShareTheirRoom) {
  Assembly<v1::ServerMessage> assembly(10);
  EXPECT_TRUE(assembly.add(task(6, 4)));
  EXPECT_FALSE(assembly.add(task(6, 5)));
  v1::ServerMessage wrapping = task(6, 1);  // the lengths together are small only where they wrap around
  wrapping.mutable_task()->mutable_own()->set_length(~std::uint64_t{0} - 4);
  EXPECT_FALSE(assembly.add(wrapping));
}

TEST(Vectors, MayHaveHeartbeatsBetweenTheirPiecesAndNothingElse) {
  EXPECT_EQ(after({update(4, 1), heartbeat(), piece(1), heartbeat(), piece(2)}), "whole");
  EXPECT_EQ(after({update(4, 1), refusal()}), "malformed message: another began before its vectors were complete");
  EXPECT_EQ(after({update(4, 1), update(4, 4)}), "malformed message: another began before its vectors were complete");
}

TEST(Vectors, ThatMakeNoSenseAreRefused) {
  EXPECT_EQ(after({piece(1)}), "malformed message: a piece of no vector");
  EXPECT_EQ(after({update(4, 4), piece(1)}), "malformed message: a piece of no vector");
  EXPECT_EQ(after({update(4, 1), piece(0)}), "malformed message: an empty piece");
  EXPECT_EQ(after({update(4, 1), piece(4)}), "malformed message: a vector that is longer than it says");
  EXPECT_EQ(after({update(3, 4)}), "malformed message: a vector that is longer than it says");
  v1::ServerMessage out_of_order = task(4, 2);
  out_of_order.mutable_task()->mutable_x()->mutable_values()->Truncate(1);
  const auto added = Assembly<v1::ServerMessage>(10).add(out_of_order);
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().message, "malformed message: its vectors are out of order");
}

TEST(Vectors, ThatFailedAreForgotten) {
  Assembly<v1::ClientMessage> assembly(10);
  EXPECT_NE(after(assembly, {update(4, 1), piece(9)}), "whole");
  EXPECT_EQ(after(assembly, {piece(3)}), "malformed message: a piece of no vector");
  EXPECT_EQ(after(assembly, {update(4, 1), piece(3)}), "whole");
}

}  // namespace
}  // namespace fedrk::wire
