// SPDX-License-Identifier: Apache-2.0
#include "transport/websocket/crowd.hpp"

#include <gtest/gtest.h>
#include <boost/asio/ip/address.hpp>

namespace fedrk::network {
namespace {

Origin from(const char* address) { return origin_of(asio::ip::make_address(address)); }

TEST(Crowd, LetsTheAddressWithTheMostGoFirst) {
  Crowd crowd;
  crowd.add(1, from("192.0.2.1"));
  for (ConnectionId id = 2; id <= 4; ++id) crowd.add(id, from("192.0.2.2"));

  EXPECT_EQ(crowd.first_to_go(), 2U);
  crowd.remove(2);
  EXPECT_EQ(crowd.first_to_go(), 3U);
  crowd.remove(3);
  EXPECT_EQ(crowd.first_to_go(), 1U) << "as many, and older";
}

TEST(Crowd, IsEmptyWhenAllAreGone) {
  Crowd crowd;
  EXPECT_FALSE(crowd.first_to_go());
  crowd.add(1, from("192.0.2.1"));
  crowd.remove(2);
  EXPECT_EQ(crowd.first_to_go(), 1U);
  crowd.remove(1);
  EXPECT_FALSE(crowd.first_to_go());
  crowd.add(3, from("192.0.2.1"));
  crowd.clear();
  EXPECT_FALSE(crowd.first_to_go());
}

TEST(Crowd, KnowsNetworksOfIpv6) {
  EXPECT_EQ(from("2001:db8:1:2::1"), from("2001:db8:1:2:ffff::9")) << "whoever has one has all of them";
  EXPECT_NE(from("2001:db8:1:2::1"), from("2001:db8:1:3::1"));
  EXPECT_EQ(from("192.0.2.1"), from("::ffff:192.0.2.1"));
  EXPECT_NE(from("192.0.2.1"), from("192.0.2.2"));
  EXPECT_NE(from("0.0.0.0"), from("::1"));
}

}  // namespace
}  // namespace fedrk::network
