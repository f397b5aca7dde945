// SPDX-License-Identifier: Apache-2.0
#include "pki/signature.hpp"

#include <gtest/gtest.h>

#include "pki/authority.hpp"

namespace fedrk::security {
namespace {

class Signatures : public testing::Test {
 protected:
  Moment at_ = now();
  Authority authority_ = *Authority::make(valid_for_days(at_, 10));
  Identity site_ = *authority_.issue_client("site-1", valid_for_days(at_, 5));
  Identity other_ = *authority_.issue_client("site-2", valid_for_days(at_, 5));
};

TEST_F(Signatures, AreThoseOfOneKeyUnderOneText) {
  const auto signature = sign(site_.key, "a text");
  ASSERT_TRUE(signature);
  EXPECT_TRUE(*is_signed(site_.certificate, "a text", *signature));
  EXPECT_FALSE(*is_signed(site_.certificate, "another text", *signature));
  EXPECT_FALSE(*is_signed(other_.certificate, "a text", *signature));
  std::string changed = *signature;
  changed.back() = static_cast<char>(changed.back() ^ 1);
  EXPECT_FALSE(*is_signed(site_.certificate, "a text", changed));
  EXPECT_FALSE(*is_signed(site_.certificate, "a text", ""));
  EXPECT_FALSE(*is_signed(site_.certificate, "a text", "no signature at all"));
}

TEST_F(Signatures, NeedAKeyAndACertificate) {
  EXPECT_FALSE(sign("no key", "a text"));
  EXPECT_FALSE(is_signed("no certificate", "a text", "x"));
}

TEST_F(Signatures, CountOnlyWithACertificateThatCounts) {
  const auto message = [&](const std::string& certificate, const std::string& name, Moment when) {
    const auto believed = believe_client(certificate, authority_.identity().certificate, name, when);
    return believed ? std::string() : believed.error().message;
  };
  EXPECT_EQ(message(site_.certificate, "site-1", at_), "");
  EXPECT_EQ(message(site_.certificate, "site-2", at_), "the certificate of 'site-2' is that of 'site-1'");
  EXPECT_EQ(message(site_.certificate, "site-1", at_ + std::chrono::hours(24 * 6)),
            "the certificate of 'site-1' is not valid now");
  const Identity server = *authority_.issue_server({"localhost"}, valid_for_days(at_, 5));
  EXPECT_EQ(message(server.certificate, "server", at_), "the certificate of 'server' is not a client's");
  const Authority elsewhere = *Authority::make(valid_for_days(at_, 10));
  const Identity stranger = *elsewhere.issue_client("site-1", valid_for_days(at_, 5));
  EXPECT_EQ(message(stranger.certificate, "site-1", at_),
            "the certificate of 'site-1' was issued by another authority");
  EXPECT_NE(message("no certificate", "site-1", at_), "");
}

}  // namespace
}  // namespace fedrk::security
