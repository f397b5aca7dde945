// SPDX-License-Identifier: Apache-2.0

// Whoever may not take part is told why, on both sides, and disturbs nobody.

#include <csignal>
#include <filesystem>
#include <vector>

#include <gtest/gtest.h>

#include "pki/authority.hpp"
#include "pki/private_file.hpp"
#include "pki/tls_probe.hpp"
#include "support/bare_owner.hpp"
#include "support/federation.hpp"
#include "transport/protocol/client_run.hpp"

namespace fedrk::test {
namespace {

namespace fs = std::filesystem;
using security::Identity;
using std::chrono::days;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

StartupKit make_kit() {
  return StartupKit({.table = FEDRK_SOURCE "/data/prostate.csv",
                     .generate = {},
                     .plan = "target = \"lpsa\"\nstandardize = true\nintercept = true\nmethod = \"fedrk\"\n"
                             "participants = 3\nkeep = 5\nseed = 3\nrounds = 12\n",
                     .clients = 3});
}
const StartupKit& kit() {
  static const StartupKit kit = make_kit();
  return kit;
}

// One that is never asked: the server refuses its client before.
class Nobody final : public test::BareOwner {
  Result<network::TableShape> read(const std::string&, const io::Plan&) override { return Error{"nobody"}; }
  Result<ColumnSums> sum_columns(const io::SumColumns&) override { return Error{"nobody"}; }
  Result<io::PreparedRows> prepare(const io::PrepareRows&, ClientId) override { return Error{"nobody"}; }
  Result<LocalReply> answer(const LocalTask&) override { return Error{"nobody"}; }
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// Nothing that only a programmer of the transport understands.
void expect_plain(const std::string& message) {
  for (const char* jargon :
       {"ocket closed", "grpc", "GRPC", "SSL_", "UNAVAILABLE", "ipv4:", "TSI_", ".cc:", "error:0A"}) {
    EXPECT_FALSE(has(message, jargon)) << message;
  }
}

class Certificates : public testing::Test {
 protected:
  Certificates() : federation_(kit()), authority_(*security::Authority::load({file("ca/ca.crt"), file("ca/ca.key")})) {}

  std::string file(const std::string& name) const { return *security::read_text_file(federation_.path(name)); }
  std::string address() { return "127.0.0.1:" + std::to_string(federation_.network(0).port()); }

  /// A start-up folder with data, as of a site, for somebody who should not have one.
  fs::path folder_of(const std::string& name, const Identity& identity, const std::string& ca) {
    const fs::path folder = federation_.path("x" + std::to_string(++folders_));
    fs::copy(federation_.path("site-1"), folder);
    for (const char* old : {"client.crt", "ca.crt"}) fs::remove(folder / old);
    std::ofstream(folder / "client.crt") << identity.certificate;
    std::ofstream(folder / "ca.crt") << ca;
    EXPECT_TRUE(security::write_private_file(folder / "client.key", identity.key));
    names_[folder] = name;
    return folder;
  }

  /// Runs `fedrk client` in the folder to its end.
  Outcome join(const fs::path& folder, const char* wait = "30") {
    std::vector<std::string> arguments = {FEDRK_PROGRAM, "client", "client.toml", "--server",
                                          address(),     "--wait", wait};
    if (names_.contains(folder)) arguments.insert(arguments.end(), {"--name", names_[folder]});
    return run_command(arguments, 10s, folder);
  }
  void expect_refused(const Outcome& ended, const std::string& message) {
    EXPECT_EQ(ended.exit_code, 2) << ended.err;
    EXPECT_TRUE(has(ended.err, message)) << "expected: " << message << "\nsaid: " << ended.err;
    expect_plain(ended.err);
  }

  /// The same without any look at one's own files: what reaches the server.
  network::ClientOutcome join_blindly(const std::string& name, const fs::path& folder) {
    Nobody owner;
    const auto log = operation::make_log(operation::LogFormat::Text, operation::LogLevel::Error, stderr);
    network::ClientRunOptions options;
    options.server = address();
    options.name = name;
    options.tls = {folder / "client.crt", folder / "client.key", folder / "ca.crt"};
    options.wait_limit = 0ms;
    options.consent.reveal_updates = true;
    return network::ClientRun(options, owner, *log).run();
  }
  security::Finding shake_hands(const Identity& identity) {
    const auto port = federation_.network(0).port();
    return security::tls_probe("127.0.0.1", port, {identity.certificate, identity.key, file("ca/ca.crt")}, 5s);
  }

  /// The server says so, once more than before.
  void expect_logged(const std::string& message) {
    const auto lines = [&] {
      std::size_t count = 0;
      const std::string log = federation_.server().err();
      for (std::size_t at = log.find(message); at != std::string::npos; at = log.find(message, at + 1)) ++count;
      return count;
    };
    std::size_t& before = logged_[message];
    EXPECT_TRUE(wait_until(2s, [&] { return lines() > before; })) << message << "\n" << federation_.story();
    before = lines();
  }

  void start_others() {
    federation_.start_server();
    federation_.start_client(1);
    federation_.start_client(2);
    EXPECT_TRUE(wait_until(10s, [&] {
      const std::string log = federation_.server().err();
      return has(log, "client.ready client=site-2") && has(log, "client.ready client=site-3");
    })) << federation_.story();
  }
  void expect_a_good_end() {
    EXPECT_EQ(federation_.server().wait(30s), 0) << federation_.story();
    EXPECT_EQ(federation_.solution(), kit().expected());
    for (std::size_t i = 0; i < kit().clients(); ++i) {
      EXPECT_EQ(federation_.client(i).wait(10s), 0) << federation_.story();
    }
    expect_plain(federation_.server().err());
  }

  const security::Moment now_ = security::now();
  const security::Validity good_ = security::valid_for_days(now_, 30);
  Federation federation_;
  security::Authority authority_;

 private:
  int folders_ = 0;
  std::map<fs::path, std::string> names_;
  std::map<std::string, std::size_t> logged_;
};

TEST_F(Certificates, ThatNobodyShouldBelieveAreRefusedByTheServerItself) {
  start_others();
  const auto foreign = *security::Authority::make(good_);
  struct Row {
    Identity identity;
    std::string told, logged;
  };
  const Row rows[] = {
      {{}, "the server asks for a certificate and got none from us", "the peer has shown no certificate"},
      {*foreign.issue_client("site-1", good_), "it does not know the authority that issued it",
       "the peer's certificate was issued by another authority"},
      {foreign.identity(), "it does not know the authority", "the peer's certificate was issued by another authority"},
      {*authority_.issue_client("site-1", {now_ - days(2), now_ - days(1)}), "it has expired",
       "the peer's certificate has expired"},
      {*authority_.issue_client("site-1", {now_ + days(1), now_ + days(2)}), "bad or not yet valid",
       "the peer's certificate is not yet valid"},
      {{file("server/server.crt"), file("server/server.key")},
       "it is not a client's",
       "the peer's certificate is for another use"},
  };
  for (const Row& row : rows) {
    const auto finding = shake_hands(row.identity);
    EXPECT_FALSE(finding.ok);
    EXPECT_TRUE(has(finding.message, row.told)) << finding.message;
    EXPECT_TRUE(finding.lasting) << finding.message;
    expect_logged("tls.refused reason=\"" + row.logged + "\"");
  }
  federation_.start_client(0);
  expect_a_good_end();
}

TEST_F(Certificates, ThatAreWrongAreNoticedByTheClientBeforeItConnects) {
  const auto foreign = *security::Authority::make(good_);
  const std::string ca = file("ca/ca.crt");
  const Identity mine{file("site-1/client.crt"), file("site-1/client.key")};
  const Identity other{file("site-2/client.crt"), file("site-2/client.key")};
  const auto refused = [&](const Identity& identity, const std::string& message) {
    expect_refused(join(folder_of("site-1", identity, ca)), message);
  };
  refused(*foreign.issue_client("site-1", good_), "take both from the same federation");
  refused(*authority_.issue_client("site-1", {now_ - days(2), now_ - days(1)}),
          "ask the operator for a renewal (fedrk provision DIR --renew site-1)");
  refused(*authority_.issue_client("site-1", {now_ + days(1), now_ + days(2)}), "look at this machine's clock");
  refused(other, "client.crt is that of 'site-2', but this is 'site-1'; take certificate, key and settings from");
  refused({mine.certificate, other.key}, "client.key does not belong to client.crt; take both from the same");
  refused({file("server/server.crt"), file("server/server.key")}, "the server's certificate, not a client's");
  refused({"", mine.key}, "client.crt");
  const fs::path folder = folder_of("site-1", mine, ca);
  fs::remove(folder / "client.key");
  expect_refused(join(folder), "key: cannot read client.key: No such file or directory; it came with the start-up");
  const auto none = run_command(
      {FEDRK_PROGRAM, "client", "--server", address(), "--name", "site-1", "--data", "data.csv"}, 10s, folder);
  expect_refused(none, "certificate, key and ca are needed (fedrk provision makes them)");
}

TEST_F(Certificates, OfAnotherThanTheNameSaysAreRefusedAfterTheHandshake) {
  const std::string settings = file("server/server.toml");
  for (const char* flag : {"--add", "--revoke"}) {
    ASSERT_EQ(run_command({FEDRK_PROGRAM, "provision", ".", flag, "site-4"}, 10s, federation_.path("")).exit_code, 0);
  }
  std::ofstream(federation_.path("server/server.toml")) << settings;
  start_others();
  const std::string ca = file("ca/ca.crt");

  auto blind = join_blindly("site-1", federation_.path("site-2"));
  EXPECT_EQ(blind.kind, network::ClientOutcome::Kind::Refused);
  EXPECT_EQ(blind.message,
            "the certificate is that of 'site-2', but the client calls itself 'site-1'; take certificate, key and "
            "settings from the same start-up folder");
  expect_logged("but the client calls itself 'site-1'");

  expect_refused(join(folder_of("site-9", *authority_.issue_client("site-9", good_), ca)),
                 "'site-9' is not on the server's list of clients; ask the operator to add it");
  expect_logged("'site-9' is not on the server's list of clients");

  fs::copy_file(federation_.path("site-1/data.csv"), federation_.path("site-4/data.csv"));
  expect_refused(join(federation_.path("site-4")), "the server refuses our certificate: it has been revoked; ask the");
  expect_logged("tls.refused reason=\"the certificate of 'site-4' was revoked (");

  // Signed by the right authority, but without a name; and in the chain of a client that plays authority.
  const fs::path odd = folder_of("site-1", *authority_.issue_client("site-1", good_), ca);
  const auto openssl = [&](const std::string& signer, const std::string& subject) {
    const std::string line =
        "printf 'extendedKeyUsage=clientAuth\\nbasicConstraints=CA:FALSE\\n' >ext && "
        "openssl req -new -key client.key -subj '" +
        subject +
        "' -out csr && "
        "openssl x509 -req -in csr -CA " +
        signer + ".crt -CAkey " + signer + ".key -set_serial 77 -days 30 -extfile ext -out client.crt";
    const auto made = run_command({"sh", "-c", line}, 10s, odd);
    ASSERT_EQ(made.exit_code, 0) << made.err;
  };
  openssl("../ca/ca", "/O=somebody");
  blind = join_blindly("site-1", odd);
  EXPECT_EQ(blind.kind, network::ClientOutcome::Kind::Refused) << blind.message;
  EXPECT_TRUE(has(blind.message, "the certificate is that of ''")) << blind.message;
  openssl("../site-2/client", "/CN=site-1");
  std::ofstream(odd / "client.crt", std::ios::app) << file("site-2/client.crt");
  blind = join_blindly("site-1", odd);
  EXPECT_EQ(blind.kind, network::ClientOutcome::Kind::GaveUp) << blind.message;
  expect_plain(blind.message);
  expect_logged("tls.refused");

  federation_.start_client(0);
  expect_a_good_end();
}

TEST_F(Certificates, MakeOneConnectionAtATime) {
  start_others();
  fs::copy(federation_.path("site-2"), federation_.path("second"), fs::copy_options::recursive);

  const auto second = join(federation_.path("second"), "0.3");

  EXPECT_EQ(second.exit_code, 1);
  EXPECT_TRUE(has(second.err, "'site-2' is connected already, from 127.0.0.1:")) << second.err;
  expect_plain(second.err);
  expect_logged("'site-2' is connected already");
  federation_.start_client(0);
  expect_a_good_end();
}

TEST_F(Certificates, MayHaveAKeyThatOthersCanReadButThatIsSaid) {
  fs::permissions(federation_.path("site-1/client.key"), fs::perms(0644));
  fs::permissions(federation_.path("server/server.key"), fs::perms(0640));
  start_others();
  federation_.start_client(0);

  expect_a_good_end();
  const std::string message = " can be read by other users of this machine\" advice=\"chmod 600 ";
  EXPECT_TRUE(has(federation_.client(0).err(), "own.key note=\"client.key" + message)) << federation_.client(0).err();
  EXPECT_TRUE(has(federation_.server().err(), "own.key note=\"server.key" + message)) << federation_.server().err();
}

class LongRun : public Certificates {
 protected:
  LongRun() { federation_.change_plan("rounds = 1000000\n"); }
};

TEST_F(LongRun, GoesOnWithoutAClientThatIsRevoked) {
  federation_.start_server();
  for (std::size_t i = 0; i < 3; ++i) federation_.start_client(i);
  ASSERT_TRUE(wait_until(20s, [&] { return federation_.round() >= 1; })) << federation_.story();

  ASSERT_EQ(run_command({FEDRK_PROGRAM, "provision", ".", "--revoke", "site-3"}, 10s, federation_.path("")).exit_code,
            0);

  EXPECT_EQ(federation_.client(2).wait(2500ms), 2) << federation_.story();
  EXPECT_TRUE(has(federation_.client(2).err(), "the certificate of 'site-3' was revoked (")) << federation_.story();
  EXPECT_TRUE(has(federation_.client(2).err(), "ask the operator of the federation for another"));
  expect_logged("connection.refused address=127.0.0.1:");
  const std::size_t round = federation_.round();
  EXPECT_TRUE(wait_until(5s, [&] { return federation_.round() >= round + 10; })) << federation_.story();
  federation_.server().signal(SIGUSR1);
  EXPECT_EQ(federation_.server().wait(10s), 3) << federation_.story();
  EXPECT_EQ(federation_.client(0).wait(10s), 3) << federation_.story();
  EXPECT_EQ(federation_.client(1).wait(10s), 3) << federation_.story();
}

}  // namespace
}  // namespace fedrk::test
