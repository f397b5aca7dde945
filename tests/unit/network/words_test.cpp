// SPDX-License-Identifier: Apache-2.0
#include "network/words.hpp"

#include <gtest/gtest.h>

namespace fedrk::network {
namespace {

TEST(Words, OfOthersCannotSteerATerminal) {
  EXPECT_EQ(tamed("a\x1b[2Jb\nc\x7f"), "a [2Jb c ");
  EXPECT_EQ(tamed(std::string(300, 'x')).size(), 200U);
  EXPECT_EQ(tamed("abc", 2), "ab");
}

TEST(Words, OfTheTransportForAnAddressAreMadePlain) {
  EXPECT_EQ(plain_address("ipv4:127.0.0.1:4711"), "127.0.0.1:4711");
  EXPECT_EQ(plain_address("ipv6:%5B::1%5D:4711"), "[::1]:4711");
  EXPECT_EQ(plain_address("ipv6:[fe80::1%25eth0]:4711"), "[fe80::1%eth0]:4711");
  EXPECT_EQ(plain_address("unix:/run/x"), "unix:/run/x");
}

TEST(Words, OfTheTransportForAFailedHandshakeAreMadePlain) {
  const auto words = [](const std::string& reason) {
    return handshake_words("Handshake failed with fatal error SSL_ERROR_SSL: error:0A000086:SSL routines::" + reason +
                           ".");
  };
  EXPECT_EQ(words("peer did not return a certificate"), "the peer has shown no certificate");
  EXPECT_EQ(words("certificate verify failed"), "the peer's certificate is not to be believed");
  EXPECT_EQ(words("wrong version number"), "the peer does not speak TLS");
  EXPECT_EQ(words("http request"), "the peer does not speak TLS");
  EXPECT_EQ(words("unsupported protocol"), "the peer speaks no TLS version that is still safe (1.2 or 1.3)");
  EXPECT_EQ(words("tlsv1 alert unknown ca"), "the peer does not know the authority of the server's certificate");
  EXPECT_EQ(words("sslv3 alert certificate expired"), "the peer finds the server's certificate expired");
  EXPECT_EQ(words("sslv3 alert bad certificate"), "the peer refuses the server's certificate");
  EXPECT_EQ(words("no shared cipher"), "there is no cipher that both sides know");
  EXPECT_EQ(words("something new"), "the handshake failed");
  EXPECT_EQ(handshake_words("an assertion of another kind"), "");
}

}  // namespace
}  // namespace fedrk::network
