// SPDX-License-Identifier: Apache-2.0
#include "support/network_namespaces.hpp"

#include <gtest/gtest.h>

#include "support/process.hpp"

namespace fedrk::test {
namespace {

using std::chrono_literals::operator""s;

// Bash opens connections by itself: no other tool is needed on either side.
bool connects(const NetworkNamespaces& net) {
  const std::string line = "exec 3<>/dev/tcp/" + NetworkNamespaces::address(Side::Server) + "/9";
  const Outcome ended = run_command(net.inside(Side::Client, {"timeout", "0.3", "bash", "-c", line}));
  return ended.err.find("refused") != std::string::npos;  // nobody listens, but somebody answers
}

TEST(NetworkNamespaces, JoinTwoSidesByALinkThatCanFail) {
  std::string name;
  {
    auto net = NetworkNamespaces::make();
    if (!net) GTEST_SKIP() << net.error().message;
    name = (*net)->inside(Side::Client, {})[3];
    EXPECT_TRUE(wait_until(5s, [&] { return connects(**net); }));

    ASSERT_TRUE((*net)->link(false));
    EXPECT_FALSE(connects(**net));
    ASSERT_TRUE((*net)->link(true));
    EXPECT_TRUE(wait_until(5s, [&] { return connects(**net); }));

    const auto lost = (*net)->lose(100);
    ASSERT_TRUE(lost) << lost.error().message;
    EXPECT_FALSE(connects(**net));
    ASSERT_TRUE((*net)->lose(0));
    EXPECT_TRUE(wait_until(5s, [&] { return connects(**net); }));
  }
  EXPECT_EQ(run_command({"ip", "netns", "list"}).out.find(name), std::string::npos);
}

}  // namespace
}  // namespace fedrk::test
