// SPDX-License-Identifier: Apache-2.0
#include "transport/protocol/sanitized.hpp"

#include <gtest/gtest.h>

namespace fedrk::network {
namespace {

TEST(Sanitized, OfOthersCannotSteerATerminal) {
  EXPECT_EQ(sanitized("a\x1b[2Jb\nc\x7f"), "a [2Jb c ");
  EXPECT_EQ(sanitized(std::string(300, 'x')).size(), 200U);
  EXPECT_EQ(sanitized("abc", 2), "ab");
}

TEST(Sanitized, OfTheTransportForAFailedHandshakeAreMadePlain) {
  EXPECT_EQ(handshake_reason("peer did not return a certificate"), "the peer has shown no certificate");
  EXPECT_EQ(handshake_reason("certificate verify failed"), "the peer's certificate is not to be believed");
  EXPECT_EQ(handshake_reason("wrong version number"), "the peer does not speak TLS");
  EXPECT_EQ(handshake_reason("http request"), "the peer does not speak TLS");
  EXPECT_EQ(handshake_reason("unsupported protocol"), "the peer speaks no TLS version that is still safe (1.3)");
  EXPECT_EQ(handshake_reason("tlsv1 alert unknown ca"),
            "the peer does not know the authority of the server's certificate");
  EXPECT_EQ(handshake_reason("sslv3 alert certificate expired"), "the peer finds the server's certificate expired");
  EXPECT_EQ(handshake_reason("sslv3 alert bad certificate"), "the peer refuses the server's certificate");
  EXPECT_EQ(handshake_reason("no shared cipher"), "there is no cipher that both sides know");
  EXPECT_EQ(handshake_reason("something new"), "the handshake failed");
}

}  // namespace
}  // namespace fedrk::network
