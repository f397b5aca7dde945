// SPDX-License-Identifier: Apache-2.0
#include "pki/authority.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "fedrk/error.hpp"
#include "pki/certificate.hpp"
#include "support/temp_folder.hpp"

namespace fedrk::security {
namespace {

using std::chrono::days;
using std::chrono::minutes;

const Moment kNow = now();

Authority an_authority() { return *Authority::make(valid_for_days(kNow, 3650)); }

TEST(Authority, SignsItselfAndMaySignOthers) {
  const Authority authority = an_authority();
  const std::string& own = authority.identity().certificate;

  const auto facts = read_certificate(own);

  ASSERT_TRUE(facts) << facts.error().message;
  EXPECT_TRUE(facts->is_authority);
  EXPECT_FALSE(facts->for_server || facts->for_client);
  EXPECT_EQ(facts->common_name.find("fedrk federation CA "), 0U);
  EXPECT_EQ(facts->issuer, facts->common_name);
  EXPECT_TRUE(*signed_by(own, own));
  EXPECT_NE(facts->common_name, read_certificate(an_authority().identity().certificate)->common_name);
}

TEST(Authority, MakesAServersCertificateForItsHosts) {
  const Authority authority = an_authority();

  const auto made =
      authority.issue_server({"server.example.org", "192.0.2.7", "2001:db8::1"}, valid_for_days(kNow, 30));

  ASSERT_TRUE(made) << made.error().message;
  const auto facts = *read_certificate(made->certificate);
  EXPECT_EQ(facts.common_name, "server");
  EXPECT_TRUE(facts.for_server);
  EXPECT_FALSE(facts.for_client);
  EXPECT_EQ(facts.names, (std::vector<std::string>{"server.example.org", "192.0.2.7", "2001:db8::1"}));
  EXPECT_EQ(facts.not_before, kNow - minutes(5));
  EXPECT_EQ(facts.not_after, kNow + days(30));
  EXPECT_TRUE(*key_belongs(made->certificate, made->key));
  EXPECT_TRUE(*signed_by(made->certificate, authority.identity().certificate));
}

TEST(Authority, MakesAClientsCertificateInItsName) {
  const Authority authority = an_authority();

  const auto plain = *authority.issue_client("site-1", valid_for_days(kNow, 30));
  const auto with_uri = *authority.issue_client("site-2", valid_for_days(kNow, 30), "fedrk:site-2");

  const auto facts = *read_certificate(plain.certificate);
  EXPECT_EQ(facts.common_name, "site-1");
  EXPECT_TRUE(facts.for_client);
  EXPECT_FALSE(facts.for_server);
  EXPECT_TRUE(facts.names.empty());
  EXPECT_EQ(read_certificate(with_uri.certificate)->names, std::vector<std::string>{"fedrk:site-2"});
  EXPECT_NE(facts.serial, read_certificate(with_uri.certificate)->serial);
  EXPECT_FALSE(*key_belongs(plain.certificate, with_uri.key));
}

TEST(Authority, GivesNothingThatOutlivesIt) {
  const Authority authority = *Authority::make({kNow - days(2), kNow + days(3)});

  const auto made = *authority.issue_client("site-1", valid_for_days(kNow, 365));

  EXPECT_EQ(read_certificate(made.certificate)->not_after, kNow + days(3));
}

TEST(Authority, CanBeLoadedAgainWithItsKeyOnly) {
  const Authority authority = an_authority(), other = an_authority();

  const auto again = Authority::load(authority.identity());

  ASSERT_TRUE(again);
  const auto made = *again->issue_client("site-1", valid_for_days(kNow, 1));
  EXPECT_TRUE(*signed_by(made.certificate, authority.identity().certificate));
  EXPECT_FALSE(*signed_by(made.certificate, other.identity().certificate));
  EXPECT_FALSE(Authority::load({authority.identity().certificate, other.identity().key}));
  EXPECT_FALSE(Authority::load({"nonsense", "nonsense"}));
}

TEST(Authority, ListsWhatIsRevoked) {
  const Authority authority = an_authority(), other = an_authority();
  const std::string ca = authority.identity().certificate;
  const auto lost = *authority.issue_client("site-1", valid_for_days(kNow, 30));
  const auto kept = *authority.issue_client("site-2", valid_for_days(kNow, 30));

  const auto nobody = *authority.crl({}, kNow);
  const auto one = *authority.crl({{read_certificate(lost.certificate)->serial, kNow}}, kNow);

  EXPECT_TRUE(read_crl(nobody, ca)->empty());
  EXPECT_EQ(*revoked_since(lost.certificate, nobody, ca), std::nullopt);
  EXPECT_EQ(*revoked_since(lost.certificate, one, ca), kNow);
  EXPECT_EQ(*revoked_since(kept.certificate, one, ca), std::nullopt);
  EXPECT_FALSE(revoked_since(lost.certificate, one, other.identity().certificate)) << "signed by somebody else";
  EXPECT_FALSE(revoked_since(lost.certificate, "", ca));
  EXPECT_FALSE(authority.crl({{"no number", kNow}}, kNow));
}

TEST(Authority, RefusesHostsThatAreNone) {
  for (const char* host : {"localhost", "a.example.org", "10.0.0.1", "::1", "under_score", "a.example.org."}) {
    EXPECT_TRUE(is_host(host)) << host;
  }
  for (const char* host :
       {"", "a b", "a,DNS:b", "*.example.org", "-a", "a..b", ".a", "10.0.0.999", "http://a", "a:1"}) {
    EXPECT_FALSE(is_host(host)) << host;
  }
  EXPECT_THROW(static_cast<void>(an_authority().issue_server({}, valid_for_days(kNow, 1))), InvalidArgument);
  EXPECT_THROW(static_cast<void>(an_authority().issue_client("", valid_for_days(kNow, 1))), InvalidArgument);
}

TEST(Moment, IsWrittenForPeopleAndForPrograms) {
  const Moment moment(std::chrono::seconds(1'794'850'222));

  EXPECT_EQ(moment_text(moment), "2026-11-16 17:30 UTC");
  EXPECT_EQ(iso_text(moment), "2026-11-16T17:30:22Z");
  EXPECT_EQ(parse_iso(iso_text(moment)), moment);
  EXPECT_EQ(parse_iso("yesterday"), std::nullopt);
  EXPECT_EQ(days_between(moment, moment + days(3) - minutes(1)), 2);
}

// An independent reader and verifier.
TEST(Authority, IsBelievedByTheOpensslProgram) {
  const test::TempFolder folder;
  const Authority authority = an_authority();
  const auto server = *authority.issue_server({"server.example.org", "192.0.2.7"}, valid_for_days(kNow, 30));
  const auto client = *authority.issue_client("site-1", valid_for_days(kNow, 30));
  folder.write("ca.crt", authority.identity().certificate);
  folder.write("server.crt", server.certificate);
  folder.write("client.crt", client.certificate);
  folder.write("crl.pem", *authority.crl({{read_certificate(client.certificate)->serial, kNow}}, kNow));
  const auto succeeds = [&](const std::string& command) {
    return std::system(("cd '" + folder.path().string() + "' && openssl " + command + " >out 2>&1").c_str()) == 0;
  };

  EXPECT_TRUE(
      succeeds("verify -x509_strict -CAfile ca.crt -purpose sslserver -verify_hostname server.example.org server.crt"))
      << folder.read("out");
  EXPECT_TRUE(succeeds("verify -x509_strict -CAfile ca.crt -purpose sslserver -verify_ip 192.0.2.7 server.crt"));
  EXPECT_TRUE(succeeds("verify -x509_strict -CAfile ca.crt -purpose sslclient client.crt")) << folder.read("out");
  EXPECT_FALSE(succeeds("verify -CAfile ca.crt -purpose sslclient server.crt"));
  EXPECT_FALSE(succeeds("verify -CAfile ca.crt -purpose sslserver client.crt"));
  EXPECT_TRUE(succeeds("verify -CAfile ca.crt -CRLfile crl.pem -crl_check server.crt")) << folder.read("out");
  EXPECT_FALSE(succeeds("verify -CAfile ca.crt -CRLfile crl.pem -crl_check client.crt"));
  EXPECT_NE(folder.read("out").find("revoked"), std::string::npos) << folder.read("out");
  ASSERT_TRUE(succeeds("x509 -noout -text -in ca.crt"));
  const std::string text = folder.read("out");
  for (const char* said :
       {"CA:TRUE, pathlen:0", "Certificate Sign, CRL Sign", "ecdsa-with-SHA256", "NIST CURVE: P-256"}) {
    EXPECT_NE(text.find(said), std::string::npos) << said << "\n" << text;
  }
}

}  // namespace
}  // namespace fedrk::security
