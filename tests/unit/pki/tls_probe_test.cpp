// SPDX-License-Identifier: Apache-2.0
#include "pki/tls_probe.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "pki/authority.hpp"
#include "support/tls_server.hpp"

namespace fedrk::security {
namespace {

using namespace std::chrono_literals;
using std::chrono::days;
using test::TlsServer;
using test::TlsServerOptions;
using Stage = Finding::Stage;

// A federation in which all is well; each test spoils something.
class TlsProbe : public testing::Test {
 protected:
  TlsProbe() {
    show(*authority_.issue_server({"localhost", "127.0.0.1"}, year_));
    offer(*authority_.issue_client("site-1", year_));
    server_.ca = ours_.ca = authority_.identity().certificate;
  }

  void show(const Identity& identity) {
    server_.certificate = identity.certificate;
    server_.key = identity.key;
  }
  void offer(const Identity& identity) {
    ours_.certificate = identity.certificate;
    ours_.key = identity.key;
  }
  Finding probe(const std::string& host = "127.0.0.1", std::chrono::milliseconds timeout = 5s) const {
    const TlsServer server(server_);
    return tls_probe(host, server.port(), ours_, timeout);
  }
  static void expect_refusal(const Finding& finding, Stage stage, const std::string& message) {
    EXPECT_FALSE(finding.ok);
    EXPECT_EQ(to_text(finding.stage), to_text(stage));
    EXPECT_EQ(finding.message, message);
    EXPECT_NE(finding.advice, "");
  }

  const Moment now_ = now();
  const Validity year_ = valid_for_days(now_, 365), past_{now_ - days(40), now_ - days(10)},
                 future_{now_ + days(10), now_ + days(40)};
  const Authority authority_ = *Authority::make({now_ - days(900), now_ + days(3650)});
  const Authority other_ = *Authority::make({now_ - days(900), now_ + days(3650)});
  TlsServerOptions server_;
  Credentials ours_;
};

TEST_F(TlsProbe, IsContentWhereAllIsWell) {
  for (const std::string host : {"127.0.0.1", "localhost"}) {
    const Finding finding = probe(host);

    EXPECT_TRUE(finding.ok) << finding.message;
    EXPECT_EQ(finding.stage, Stage::Done);
    EXPECT_EQ(finding.message, "TLSv1.3 with the server, its certificate is valid until " + moment_text(year_.until));
  }
}

TEST_F(TlsProbe, SpeaksNoOldTls) {
  server_.behaviour = TlsServerOptions::Old;
  expect_refusal(probe(), Stage::Handshake, "the server speaks no TLS version that is still safe (1.3)");
}

TEST_F(TlsProbe, TellsNameAndPortApart) {
  const std::string impossible(70, 'x');  // too long for any name server to be asked
  const Finding unknown = tls_probe(impossible, 7443, ours_, 1s);
  EXPECT_EQ(unknown.stage, Stage::Resolve);
  EXPECT_NE(unknown.message.find(impossible), std::string::npos);

  std::uint16_t free_port = 0;
  { free_port = TlsServer(server_).port(); }
  expect_refusal(tls_probe("127.0.0.1", free_port, ours_, 1s), Stage::Connect,
                 "127.0.0.1:" + std::to_string(free_port) + " refuses connections");
}

TEST_F(TlsProbe, NoticesOtherServices) {
  server_.behaviour = TlsServerOptions::Plain;
  expect_refusal(probe(), Stage::Handshake, "the other side does not speak TLS");
  server_.behaviour = TlsServerOptions::Web;
  expect_refusal(probe(), Stage::Handshake, "the server speaks TLS, but is no fedrk server");
}

TEST_F(TlsProbe, NoticesThatOneSideGoesWithoutTls) {
  server_.behaviour = TlsServerOptions::Clear;
  const Finding clear = probe();
  EXPECT_EQ(clear.message, "the server speaks without TLS: it was started with --insecure");
  EXPECT_TRUE(clear.lasting);
  {
    const TlsServer server(server_);
    EXPECT_TRUE(plain_probe("127.0.0.1", server.port(), 1s).ok);
  }
  server_.behaviour = TlsServerOptions::Plain;
  const TlsServer mail(server_);
  const Finding other = plain_probe("127.0.0.1", mail.port(), 1s);
  EXPECT_EQ(other.message, "the other side does not speak WebSocket");
  EXPECT_FALSE(other.lasting) << "a proxy may answer while the server is away";
}

TEST_F(TlsProbe, DoesNotWaitForEver) {
  server_.behaviour = TlsServerOptions::Silent;
  const auto start = std::chrono::steady_clock::now();

  expect_refusal(probe("127.0.0.1", 50ms), Stage::Handshake,
                 "the other side accepted the connection but did not answer in time");

  EXPECT_LT(std::chrono::steady_clock::now() - start, 2s);
}

TEST_F(TlsProbe, DoesNotBelieveAServerOfAnotherFederation) {
  const auto name = [](const Authority& authority) {
    return read_certificate(authority.identity().certificate)->common_name;
  };
  show(*other_.issue_server({"localhost", "127.0.0.1"}, year_));

  const Finding finding = probe();

  EXPECT_EQ(finding.stage, Stage::Certificate);
  EXPECT_EQ(finding.message.find("the server's certificate was issued by '" + name(other_) + "', not by '" +
                                 name(authority_) + "' as in our ca file"),
            0U)
      << finding.message;
}

TEST_F(TlsProbe, DoesNotBelieveAServerOutOfItsTime) {
  show(*authority_.issue_server({"127.0.0.1"}, past_));
  expect_refusal(probe(), Stage::Certificate, "the server's certificate expired on " + moment_text(past_.until));

  show(*authority_.issue_server({"127.0.0.1"}, future_));
  const Finding early = probe();
  EXPECT_EQ(early.message.find("the server's certificate is not valid before " + moment_text(future_.from)), 0U);
  EXPECT_EQ(early.advice, "look at this machine's clock");
}

TEST_F(TlsProbe, DoesNotBelieveAServerUnderAnotherName) {
  show(*authority_.issue_server({"a.example.org", "192.0.2.7"}, year_));
  expect_refusal(probe("localhost"), Stage::Certificate,
                 "the server's certificate is for a.example.org, 192.0.2.7, not for localhost");
  expect_refusal(probe("127.0.0.1"), Stage::Certificate,
                 "the server's certificate is for a.example.org, 192.0.2.7, not for 127.0.0.1");

  show(*authority_.issue_client("site-2", year_));
  expect_refusal(probe(), Stage::Certificate, "the server shows the certificate of 'site-2', which is not a server's");
}

TEST_F(TlsProbe, TellsWhyTheServerRefusesUs) {
  struct Case {
    Identity ours;
    std::string message;
  };
  const Identity lost = *authority_.issue_client("site-1", year_);
  server_.crl = *authority_.crl({{read_certificate(lost.certificate)->serial, now_}}, now_);
  const Case cases[] = {
      {*authority_.issue_client("site-1", past_), "the server refuses our certificate: it has expired"},
      {*authority_.issue_client("site-1", future_),
       "the server refuses our certificate: it finds it bad or not yet valid"},
      {*other_.issue_client("site-1", year_),
       "the server refuses our certificate: it does not know the authority that issued it"},
      {lost, "the server refuses our certificate: it has been revoked"},
      {*authority_.issue_server({"localhost"}, year_), "the server refuses our certificate: it is not a client's"},
      {{"", ""}, "the server asks for a certificate and got none from us"},
  };
  for (const auto& [ours, message] : cases) {
    for (const auto behaviour : {TlsServerOptions::Greets, TlsServerOptions::HangsUp}) {
      // A server that hangs up without a word leaves us with what our own files tell.
      if (ours.certificate == lost.certificate && behaviour == TlsServerOptions::HangsUp) continue;
      server_.behaviour = behaviour;
      offer(ours);
      expect_refusal(probe(), Stage::Certificate, message);
    }
  }
}

TEST_F(TlsProbe, SuspectsOurCertificateWhereTheServerHangsUpOnIt) {
  server_.behaviour = TlsServerOptions::HangsUp;

  const Finding finding = probe();

  expect_refusal(finding, Stage::Certificate,
                 "the server hung up when it had seen our certificate, and gave no reason");
  EXPECT_FALSE(finding.lasting) << "it may have been killed just then";
}

TEST_F(TlsProbe, SaysWhereOurOwnFilesAreNoGood) {
  ours_.key = authority_.identity().key;
  EXPECT_EQ(probe().stage, Stage::Certificate);
  ours_.ca = "";
  EXPECT_EQ(probe().message.find("not a certificate in PEM"), 0U);
}

TEST(HostAndPort, AreReadAsAPersonWritesThem) {
  const auto plain = parse_host_and_port("server.example.org:7443");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->host, "server.example.org");
  EXPECT_EQ(plain->port, 7443);
  EXPECT_EQ(parse_host_and_port("[::1]:80")->host, "::1");
  EXPECT_EQ(parse_host_and_port("127.0.0.1:0", 0)->port, 0);
  for (const char* bad : {"", "host", ":7443", "host:", "host:0", "host:65536", "host:http", "::1:80", "host:80 "}) {
    EXPECT_FALSE(parse_host_and_port(bad)) << bad;
  }
}

TEST(HostAndPort, AreNamedOnOneShortLineWhereTheyAreNone) {
  const auto none = parse_host_and_port("a\nb\x1B[2J" + std::string(1000, 'x'));

  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message.find("'a?b?[2Jxxx"), 0U) << none.error().message;
  EXPECT_LT(none.error().message.size(), 150U);
}

}  // namespace
}  // namespace fedrk::security
