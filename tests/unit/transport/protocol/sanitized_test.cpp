// SPDX-License-Identifier: Apache-2.0
#include "transport/protocol/sanitized.hpp"

#include <gtest/gtest.h>

namespace fedrk::network {
namespace {

TEST(Words, OfOthersCannotSteerATerminal) {
  EXPECT_EQ(tamed("a\x1b[2Jb\nc\x7f"), "a [2Jb c ");
  EXPECT_EQ(tamed(std::string(300, 'x')).size(), 200U);
  EXPECT_EQ(tamed("abc", 2), "ab");
}

TEST(Words, OfTheTransportForAFailedHandshakeAreMadePlain) {
  EXPECT_EQ(handshake_words("peer did not return a certificate"), "the peer has shown no certificate");
  EXPECT_EQ(handshake_words("certificate verify failed"), "the peer's certificate is not to be believed");
  EXPECT_EQ(handshake_words("wrong version number"), "the peer does not speak TLS");
  EXPECT_EQ(handshake_words("http request"), "the peer does not speak TLS");
  EXPECT_EQ(handshake_words("unsupported protocol"), "the peer speaks no TLS version that is still safe (1.3)");
  EXPECT_EQ(handshake_words("tlsv1 alert unknown ca"),
            "the peer does not know the authority of the server's certificate");
  EXPECT_EQ(handshake_words("sslv3 alert certificate expired"), "the peer finds the server's certificate expired");
  EXPECT_EQ(handshake_words("sslv3 alert bad certificate"), "the peer refuses the server's certificate");
  EXPECT_EQ(handshake_words("no shared cipher"), "there is no cipher that both sides know");
  EXPECT_EQ(handshake_words("something new"), "the handshake failed");
}

}  // namespace
}  // namespace fedrk::network
