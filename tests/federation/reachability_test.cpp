// SPDX-License-Identifier: Apache-2.0

// A client and a server that do not find each other: one line says why, and each wait ends. And what a run tells of
// itself: whether it was protected, and no secret.

#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "pki/authority.hpp"
#include "pki/private_file.hpp"
#include "support/federation.hpp"
#include "support/tls_server.hpp"

namespace fedrk::test {
namespace {

namespace fs = std::filesystem;
using std::chrono::days;
using std::chrono_literals::operator""s;

const StartupKit& kit() {
  static const StartupKit kit({.table = FEDRK_SOURCE "/data/prostate.csv",
                               .generate = {},
                               .plan = "target = \"lpsa\"\nstandardize = true\nintercept = true\n"
                                       "method = \"fedrk\"\nparticipants = 2\nkeep = 5\nseed = 3\nrounds = 12\n",
                               .clients = 2});
  return kit;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t times = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++times;
  return times;
}

// Seconds, where waiting does not help: a client then ends at once, however slow the machine is.
constexpr const char* kPatient = "60";

class Reachability : public testing::Test {
 protected:
  std::string file(const std::string& name) const { return *security::read_text_file(federation_->path(name)); }

  void use(const Arguments& server, const Arguments& client) {
    Arguments flags = patient_limits();
    flags.insert(flags.end(), server.begin(), server.end());
    federation_.emplace(kit(), flags, client);
  }
  Outcome join(const std::string& server, const std::vector<std::string>& flags = {}, const char* wait = "0.3") {
    std::vector<std::string> words = {FEDRK_PROGRAM, "client", "client.toml", "--server", server, "--wait", wait};
    words.insert(words.end(), flags.begin(), flags.end());
    return run_command(words, 10s, federation_->path("site-1"));
  }
  std::string at(std::uint16_t port) { return "127.0.0.1:" + std::to_string(port); }
  std::string server_address() { return at(federation_->network(0).port()); }

  /// Waiting may help: it waits, says why once, and gives up.
  void expect_waited(const Outcome& ended, const std::string& words) {
    EXPECT_EQ(ended.exit_code, 1) << ended.err;
    EXPECT_EQ(count(ended.err, "connection.waiting"), 1U) << ended.err;
    EXPECT_EQ(count(ended.err, words), 2U) << "expected: " << words << "\nsaid: " << ended.err;
    EXPECT_TRUE(has(ended.err, "fedrk: gave up after 0.3 s without ")) << ended.err;
  }
  /// It will not.
  void expect_hopeless(const Outcome& ended, const std::string& words) {
    EXPECT_EQ(ended.exit_code, 2) << ended.err;
    EXPECT_TRUE(has(ended.err, "fedrk: " + words)) << "expected: " << words << "\nsaid: " << ended.err;
  }
  TlsServerOptions stranger(const security::Identity& identity) const {
    return {.certificate = identity.certificate, .key = identity.key, .ca = file("ca/ca.crt"), .crl = ""};
  }

  const security::Moment now_ = security::now();
  std::optional<Federation> federation_{std::in_place, kit()};
};

TEST_F(Reachability, AWrongAddressIsSaidWhileTheClientWaits) {
  expect_waited(join("127.0.0.1:1"), "127.0.0.1:1 refuses connections; is the server running, and is this its port?");
  const std::string unknown(70, 'x');  // too long for a name: nobody is asked
  expect_waited(join(unknown + ":7443"), "no host is known by the name '" + unknown + "'");
  expect_hopeless(join("127.0.0.1"), "--server: '127.0.0.1': expected HOST:PORT");
  expect_hopeless(join("unix:/tmp/x"), "--server: 'unix:/tmp/x': expected HOST:PORT");
}

TEST_F(Reachability, SomethingElseAtThePortIsSaidWhileTheClientWaits) {
  TlsServerOptions options;
  options.behaviour = TlsServerOptions::Plain;
  {
    const TlsServer mail(options);
    expect_waited(join(at(mail.port())), "the other side does not speak TLS; is this the port of fedrk server");
    expect_waited(join(at(mail.port()), {"--insecure"}), "the other side does not speak WebSocket; is this the port");
  }
  options.behaviour = TlsServerOptions::Silent;
  const TlsServer hanging(options);
  const auto ended = join(at(hanging.port()));  // one attempt takes as long as it may wait
  EXPECT_EQ(ended.exit_code, 1) << ended.err;
  EXPECT_TRUE(has(ended.err, "the other side accepted the connection but did not answer in time")) << ended.err;
}

TEST_F(Reachability, AServerThatCannotBeBelievedIsLeftAtOnce) {
  const auto authority = *security::Authority::load({file("ca/ca.crt"), file("ca/ca.key")});
  const auto foreign = *security::Authority::make(security::valid_for_days(now_, 30));
  const auto good = security::valid_for_days(now_, 30);
  const auto met = [&](const security::Identity& identity) {
    const TlsServer server(stranger(identity));
    return join(at(server.port()), {}, kPatient);
  };
  expect_hopeless(met(*authority.issue_server({"example.org"}, good)),
                  "the server's certificate is for example.org, not for 127.0.0.1; write one of these names into");
  expect_hopeless(met(*foreign.issue_server({"127.0.0.1"}, good)), "the server's certificate was issued by '");
  expect_hopeless(met(*authority.issue_server({"127.0.0.1"}, {now_ - days(2), now_ - days(1)})),
                  "the server's certificate expired on " + security::moment_text(now_ - days(1)));
  expect_hopeless(met({file("site-2/client.crt"), file("site-2/client.key")}),
                  "the server shows the certificate of 'site-2', which is not a server's");
  federation_->start_server();
  expect_hopeless(join("localhost:" + std::to_string(federation_->network(0).port()), {}, kPatient),
                  "the server's certificate is for 127.0.0.1, not for localhost");
}

TEST_F(Reachability, AServerDoesNotStartWithACertificateThatNobodyWouldBelieve) {
  const auto authority = *security::Authority::load({file("ca/ca.crt"), file("ca/ca.key")});
  const auto start = [&](const security::Identity& identity) {
    std::ofstream(federation_->path("server/server.crt")) << identity.certificate;
    std::ofstream(federation_->path("server/server.key")) << identity.key;
    return run_command({FEDRK_PROGRAM, "server", "server.toml", "--listen", "127.0.0.1:0"}, 10s,
                       federation_->path("server"));
  };
  const security::Identity own{file("server/server.crt"), file("server/server.key")};
  const security::Identity site{file("site-1/client.crt"), file("site-1/client.key")};
  expect_hopeless(start(site), "certificate: server.crt is the certificate of client 'site-1', not a server's");
  expect_hopeless(start({own.certificate, site.key}), "key: server.key does not belong to server.crt");
  expect_hopeless(start(*authority.issue_server({"127.0.0.1"}, {now_ - days(2), now_ - days(1)})),
                  "certificate: of 'server' expired on ");
}

TEST_F(Reachability, OneSideWithoutTlsIsToldSo) {
  federation_->start_server();
  expect_hopeless(join(server_address(), {"--insecure"}, kPatient),
                  "the server speaks TLS, and we do not (--insecure); leave");
  EXPECT_TRUE(has(federation_->server().err(), "tls.refused reason=\"the peer does not speak TLS\""));
  use({"--insecure"}, {});
  federation_->start_server();
  expect_hopeless(join(server_address(), {}, kPatient),
                  "the server speaks without TLS: it was started with --insecure; have it");
}

TEST_F(Reachability, AClientThatWasThereFirstSaysItOnceAndTakesPart) {
  TlsServerOptions options;
  options.behaviour = TlsServerOptions::Plain;
  const std::string address = at(TlsServer(options).port());  // free again
  const TempFolder streams;
  const auto start = [&](const std::string& role, const std::string& folder, const std::string& flag) {
    return Process({FEDRK_PROGRAM, role, role + ".toml", flag, address}, federation_->path(folder), streams.path(),
                   folder);
  };
  Process first = start("client", "site-1", "--server"), second = start("client", "site-2", "--server");
  ASSERT_TRUE(wait_until(5s, [&] { return has(first.err(), "connection.waiting"); })) << first.err();
  Process server = start("server", "server", "--listen");

  EXPECT_EQ(server.wait(20s), 0) << server.err();
  EXPECT_EQ(federation_->solution(), kit().expected());
  EXPECT_EQ(first.wait(5s), 0) << first.err();
  EXPECT_EQ(count(first.err(), "connection.waiting"), 1U) << first.err();
}

TEST_F(Reachability, ARunWithoutTlsIsAnnouncedEverywhere) {
  use({}, {"--insecure"});
  const std::string settings = file("server/server.toml");
  std::ofstream(federation_->path("server/server.toml")) << "insecure = true\n" << settings;
  federation_->start_server();
  federation_->start_client(0);
  federation_->start_client(1);

  ASSERT_EQ(federation_->server().wait(20s), 0) << federation_->story();
  EXPECT_EQ(federation_->client(0).wait(5s), 0);
  EXPECT_EQ(federation_->solution(), kit().expected());
  EXPECT_TRUE(has(federation_->server().err(), "warn  insecure note=\"no TLS: anybody can join"))
      << federation_->story();
  EXPECT_TRUE(has(federation_->client(0).err(), "warn  insecure note=\"no TLS: anybody on the way"));
  const auto result = nlohmann::json::parse(file("server/runs/federation/result.json"));
  EXPECT_TRUE(has(result.at("warnings").dump(), "The run was insecure: without TLS anybody on the way could read"));
}

// Words of a file that nobody else should see: key material, and numbers that do not occur by chance.
std::set<std::string> private_text(const std::string& text) {
  std::set<std::string> words;
  std::string word;
  for (const char c : text + "\n") {
    if (c != '\n' && c != ',' && c != ' ' && c != '\r') {
      word += c;
      continue;
    }
    const bool number = word.find_first_not_of("-.0123456789") == std::string::npos;
    if (number ? word.size() > 5 && has(word, ".") : word.size() > 20 && !has(word, "--")) words.insert(word);
    word.clear();
  }
  return words;
}

TEST_F(Reachability, NoSecretAndNoNumberOfTheDataIsInAnyLog) {
  use({"--log-level", "debug"}, {"--log-level", "debug", "--log-format", "json", "--draws", "secret"});
  federation_->start_all();
  ASSERT_EQ(federation_->server().wait(20s), 0) << federation_->story();
  std::string said = federation_->server().err() + federation_->server().out();
  for (std::size_t i = 0; i < 2; ++i) {
    ASSERT_EQ(federation_->client(i).wait(5s), 0) << federation_->story();
    said += federation_->client(i).err() + federation_->client(i).out();
  }
  EXPECT_TRUE(has(said, "client.ready")) << "nothing to look at";
  std::size_t words = 0;
  for (const std::string name : {"site-1/client.key", "site-2/client.key", "server/server.key", "site-1/data.csv",
                                 "site-2/data.csv", "site-1/state/secret", "site-2/state/secret"}) {
    const std::string text = file(name);
    EXPECT_FALSE(text.empty()) << name;
    EXPECT_FALSE(has(said, text)) << name;
    for (const std::string& word : private_text(text)) {
      EXPECT_FALSE(has(said, word)) << name << " has " << word;
      ++words;
    }
  }
  EXPECT_GT(words, 300U);
}

}  // namespace
}  // namespace fedrk::test
