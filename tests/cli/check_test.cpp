// SPDX-License-Identifier: Apache-2.0

// fedrk check: each mistake gets a line of its own that says what to do, and the exit code says whether there was one.

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>

#include "pki/authority.hpp"
#include "pki/private_file.hpp"
#include "support/program.hpp"
#include "support/tls_server.hpp"

namespace fedrk {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using std::chrono::days;
using test::TlsServer;

constexpr const char* kTable = "x1,x2,y\n1,2,3\n4,5,6\n";

// A federation and a client with data, both as they should be; each test spoils something.
class Check : public testing::Test {
 protected:
  Check() {
    EXPECT_EQ(program_.run("provision fed --name site-1 --name site-2 --name site-3 --host localhost").exit_code, 0);
    write("fed/site-1/data.csv", kTable);
  }

  std::string read(const std::string& name) const { return program_.folder().read(name); }
  void write(const std::string& name, const std::string& content) const { program_.folder().write(name, content); }
  void set_entry(const std::string& file, const std::string& from, const std::string& to) const {
    std::string text = read(file);
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << text;
    write(file, text.replace(at, from.size(), to));
  }
  security::Authority authority() const {
    return *security::Authority::load({read("fed/ca/ca.crt"), read("fed/ca/ca.key")});
  }
  void give(const security::Identity& identity) const {
    write("fed/site-1/client.crt", identity.certificate);
    EXPECT_TRUE(security::write_private_file(program_.path("fed/site-1/client.key"), identity.key));
  }
  test::TlsServerOptions server() const {
    test::TlsServerOptions options;
    options.certificate = read("fed/server/server.crt");
    options.key = read("fed/server/server.key");
    options.ca = read("fed/ca/ca.crt");
    options.crl = read("fed/server/crl.pem");
    return options;
  }
  /// The line that starts so, or everything where there is none.
  static std::string line(const std::string& text, const std::string& start) {
    const std::size_t at = ("\n" + text).find("\n" + start);
    return at == std::string::npos ? "no line '" + start + "' in\n" + text : text.substr(at, text.find('\n', at) - at);
  }
  std::string offline(int exit_code, const std::string& arguments = "") const {
    const auto outcome = program_.run("check fed/site-1/client.toml --offline " + arguments);
    EXPECT_EQ(outcome.exit_code, exit_code) << outcome.out << outcome.err;
    return outcome.out;
  }
  std::string online(const TlsServer& running, int exit_code) const {
    const std::string port = std::to_string(running.port());
    set_entry("fed/site-1/client.toml", "localhost:7443", "localhost:" + port);
    const auto outcome = program_.run("check fed/site-1/client.toml");
    set_entry("fed/site-1/client.toml", "localhost:" + port, "localhost:7443");
    EXPECT_EQ(outcome.exit_code, exit_code) << outcome.out << outcome.err;
    return outcome.out;
  }

  test::Program program_;
};

TEST_F(Check, FindsNothingWrongWithAClientThatIsReady) {
  const TlsServer running(server());
  std::string table = "x1,x2,y\n";
  for (int i = 0; i < 15; ++i) table += "1,2,3\n";
  write("fed/site-1/data.csv", table);

  const std::string said = online(running, 0);

  EXPECT_EQ(said.find("BAD"), std::string::npos) << said;
  EXPECT_EQ(said.find("warn"), std::string::npos) << said;
  EXPECT_EQ(line(said, "ok   data.csv"), "ok   data.csv: 15 rows, 3 columns, the target among them");
  EXPECT_NE(line(said, "ok   rules").find("over 3 tables of this size shows at most 6 directions"), std::string::npos);
  EXPECT_EQ(line(said, "ok   tls").find("ok   tls: TLSv1.3 with the server"), 0U) << said;
  EXPECT_FALSE(fs::exists(program_.path("fed/site-1/state"))) << "it leaves nothing behind";
}

TEST_F(Check, TellsWhatTheRulesOfTheOwnerMakeOfTheTable) {
  EXPECT_EQ(line(offline(0), "warn rules").find("warn rules: 2 rows are fewer than min-rows (10)"), 0U);
  set_entry("fed/site-1/client.toml", "data = \"data.csv\"", "data = \"data.csv\"\nmin-rows = 2\nmax-share = 0.5");
  EXPECT_NE(line(offline(0), "ok   rules").find("at most 2 directions"), std::string::npos);
}

TEST_F(Check, LooksAtTheDataWithThePlan) {
  write("plan.toml", "target = \"y\"\nignore = [\"note\"]\n");
  EXPECT_EQ(line(offline(0, "--target x2"), "ok   data.csv"), "ok   data.csv: 2 rows, 2 columns beside the target x2");
  EXPECT_EQ(line(offline(2, "--plan plan.toml"), "BAD")
                .find("BAD  fed/site-1/data.csv: no column 'note' to ignore; the columns are x1, x2, y; "),
            0U);

  write("fed/site-1/data.csv", "x1,note,y\n1,good,3\n4,fair,6\n");
  EXPECT_EQ(line(offline(0, "--plan plan.toml"), "ok   data.csv"),
            "ok   data.csv: 2 rows, 1 column beside the target y");
  EXPECT_EQ(line(offline(0), "warn").find("warn fed/site-1/data.csv:2: "), 0U) << "the plan may leave the column out";
  EXPECT_NE(line(offline(2, "--plan missing.toml"), "BAD").find("missing.toml"), std::string::npos);
}

TEST_F(Check, LooksAtMatricesAsWell) {
  ASSERT_EQ(program_.run("generate gaussian --rows 7 --cols 3 --out fed/site-1/p").exit_code, 0);
  set_entry("fed/site-1/client.toml", "data = \"data.csv\"", "matrix = \"p/A.npy\"\nrhs = \"p/b.npy\"");
  EXPECT_EQ(line(offline(0), "ok   A.npy"), "ok   A.npy: 7 rows, 3 columns");
  fs::remove(program_.path("fed/site-1/p/b.npy"));
  EXPECT_NE(line(offline(2), "BAD").find("b.npy"), std::string::npos);
}

TEST_F(Check, SaysWhatIsWrongWithTheData) {
  fs::remove(program_.path("fed/site-1/data.csv"));
  EXPECT_EQ(
      line(offline(2), "BAD"),
      "BAD  fed/site-1/data.csv: cannot be read: No such file or directory; put your data there, or name the file in "
      "the settings");
  write("fed/site-1/data.csv", "x1,x2,y\n1,2,3\n4,,6\n");
  EXPECT_EQ(line(offline(2, "--target y"), "BAD").find("BAD  fed/site-1/data.csv:3: "), 0U);
  write("fed/site-1/data.csv", "x1,x2,y\n0,0,3\n4,1,6\n");
  EXPECT_NE(line(offline(2, "--target y"), "BAD").find("every entry is zero"), std::string::npos);
}

TEST_F(Check, SaysWhatIsWrongWithTheCertificate) {
  const security::Moment now = security::now();
  give(*authority().issue_client("site-1", {now - days(2), now - days(1)}));
  EXPECT_EQ(line(offline(2), "BAD"), "BAD  certificate: of 'site-1' expired on " +
                                         security::moment_text(now - days(1)) +
                                         "; ask the operator for a renewal (fedrk provision DIR --renew site-1)");
  give(*authority().issue_client("site-1", {now - days(2), now + days(3)}));
  EXPECT_EQ(line(offline(0), "warn certificate").find("warn certificate: of 'site-1' is valid until"), 0U);
  give(*authority().issue_client("site-2", security::valid_for_days(now, 30)));
  EXPECT_EQ(line(offline(2), "BAD").find("BAD  certificate: fed/site-1/client.crt is that of 'site-2'"), 0U);
  give(*authority().issue_client("site-1", security::valid_for_days(now, 30)));
  fs::permissions(program_.path("fed/site-1/client.key"), fs::perms(0644));
  EXPECT_EQ(line(offline(0), "warn key"),
            "warn key: fed/site-1/client.key can be read by other users of this machine; chmod 600 "
            "fed/site-1/client.key");
}

TEST_F(Check, NoticesAClockThatWasSetBack) {
  fs::last_write_time(program_.path("fed/site-1/client.crt"), fs::file_time_type::clock::now() + days(2));

  EXPECT_NE(line(offline(0), "warn clock").find("fed/site-1/client.crt was written later"), std::string::npos);
}

TEST_F(Check, SaysHowFarTheConnectionCame) {
  {
    const TlsServer running(server());
    give(*authority().issue_client("site-1", security::valid_for_days(security::now(), 30)));
    EXPECT_EQ(line(online(running, 0), "ok   port").find("ok   port: localhost:"), 0U);
  }
  std::uint16_t free_port = 0;
  { free_port = TlsServer(server()).port(); }
  set_entry("fed/site-1/client.toml", ":7443", ":" + std::to_string(free_port));
  const auto refused = program_.run("check fed/site-1/client.toml");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(line(refused.out, "BAD"), "BAD  port: localhost:" + std::to_string(free_port) +
                                          " refuses connections; is the server running, and is this its port?");
  set_entry("fed/site-1/client.toml", "localhost:", "localhost/");
  EXPECT_EQ(line(offline(2), "BAD").find("BAD  server: 'localhost/"), 0U);
}

TEST_F(Check, LearnsFromTheServerThatItIsRevoked) {
  ASSERT_EQ(program_.run("provision fed --revoke site-1").exit_code, 0);
  const TlsServer running(server());

  EXPECT_EQ(
      line(online(running, 2), "BAD"),
      "BAD  tls: the server refuses our certificate: it has been revoked; ask the operator why, and for a new one "
      "(fedrk provision DIR --renew NAME)");
}

TEST_F(Check, LooksAtAServerToo) {
  const TlsServer other(server());  // keeps a port busy
  const auto check = [&](int exit_code) {
    const auto outcome = program_.run("check fed/server/server.toml");
    EXPECT_EQ(outcome.exit_code, exit_code) << outcome.out << outcome.err;
    return outcome.out;
  };
  const std::string port = "127.0.0.1:" + std::to_string(other.port());
  set_entry("fed/server/server.toml", "0.0.0.0:7443", port);
  EXPECT_EQ(line(check(0), "warn").find("warn listen: " + port + " is in use"), 0U);
  EXPECT_EQ(line(check(0), "ok   clients"), "ok   clients: site-1, site-2, site-3");
  EXPECT_EQ(line(check(0), "ok   privacy"), "ok   privacy: sums are masked");
  write("fed/server/plan.toml", "method = \"fedrk\"\n");
  EXPECT_NE(line(check(2), "BAD").find("write reveal = \"updates\" into the plan"), std::string::npos);
  write("fed/server/plan.toml", "method = \"fedrk\"\nreveal = \"updates\"\n");
  EXPECT_EQ(line(check(0), "warn privacy").find("warn privacy: the server sees every client's single updates"), 0U);
  write("fed/server/plan.toml", "data = ['all.csv']\npartition = 'shuffled'\n");
  EXPECT_EQ(line(check(0), "warn plan"),
            "warn plan: data, partition have no effect in a federation, where each client names its own file in its "
            "settings; take these entries out");
  write("fed/server/plan.toml", "rounds = 7\n");
  EXPECT_EQ(line(check(0), "ok   crl"), "ok   crl: fed/server/crl.pem: 0 certificates revoked");
  write("fed/server/crl.pem", "nothing");
  EXPECT_NE(line(check(2), "BAD").find("crl.pem: not a revocation list in PEM"), std::string::npos);
  write("fed/server/plan.toml", "rouds = 7\n");
  EXPECT_NE(line(check(2), "BAD").find("rouds: no such entry in a plan"), std::string::npos);
  set_entry("fed/server/server.toml", "\"site-2\"", "\"site-1\"");
  EXPECT_NE(check(2).find("BAD  settings: 'site-1' is listed twice among the clients"), std::string::npos);
  set_entry("fed/server/server.toml", "server.crt", "../site-1/client.crt");
  EXPECT_NE(check(2).find("is the certificate of client 'site-1', not a server's"), std::string::npos);
}

TEST_F(Check, LooksAtTheAddressOfMetrics) {
  const TlsServer other(server());
  const std::string busy = "127.0.0.1:" + std::to_string(other.port());
  const auto check = [&](const std::string& address, int exit_code) {
    set_entry("fed/server/server.toml", "plan =", "metrics = \"" + address + "\"\nplan =");
    const auto outcome = program_.run("check fed/server/server.toml");
    set_entry("fed/server/server.toml", "metrics = \"" + address + "\"\n", "");
    EXPECT_EQ(outcome.exit_code, exit_code) << outcome.out << outcome.err;
    return outcome.out;
  };

  EXPECT_EQ(line(check("x", 2), "BAD"),
            "BAD  metrics: 'x': expected HOST:PORT, as in server.example.org:7443 or [::1]:7443; mend it in the "
            "settings");
  EXPECT_EQ(line(check("127.0.0.1:0", 0), "ok   metrics"), "ok   metrics: 127.0.0.1:0 is free");
  EXPECT_EQ(line(check(busy, 0), "warn metrics").find("warn metrics: " + busy + " is in use"), 0U);
  EXPECT_EQ(line(check("0.0.0.0:7443", 2), "BAD"),
            "BAD  metrics: 0.0.0.0:7443 is the address of listen too; choose another port");
}

TEST_F(Check, FindsOutBeforeTheServerMakesAFolder) {
  const auto ended = program_.run("server fed/server/server.toml --metrics x");

  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_EQ(ended.err.find("fedrk: --metrics: 'x': expected HOST:PORT"), 0U) << ended.err;
  EXPECT_FALSE(fs::exists(program_.path("fed/server/runs")));
}

TEST_F(Check, SaysWhatIsWrongWithTheSettings) {
  const auto complaint = [&](const std::string& text) {
    write("bad.toml", text);
    const auto outcome = program_.run("check bad.toml");
    EXPECT_EQ(outcome.exit_code, 2);
    return outcome.out;
  };
  EXPECT_EQ(complaint("name = \"a\"\n").find("BAD  settings: no server: give --server HOST:PORT"), 0U);
  EXPECT_EQ(complaint("server = [3]\n").find("BAD  settings: bad.toml:1: server: expected one value"), 0U);
  EXPECT_EQ(complaint("sever = \"h:1\"\n").find("BAD  settings: bad.toml:1: sever: no such entry in a client's"), 0U);
  EXPECT_EQ(complaint("crl = \"c\"\nnme = 1\n").find("BAD  settings: bad.toml:2: nme: no such entry in a server's"),
            0U);
  EXPECT_EQ(complaint("server = \n").find("BAD  settings: bad.toml:1: "), 0U);
  EXPECT_NE(complaint("server='h:1'\nname='a'\ncertificate='c'\nkey='k'\nca='a'\n").find("give this client's rows"),
            std::string::npos);
  EXPECT_EQ(program_.run("check missing.toml").exit_code, 2);
}

TEST_F(Check, LooksAtWhatGoesWithoutTls) {
  test::TlsServerOptions options = server();
  options.behaviour = test::TlsServerOptions::Clear;
  {
    const TlsServer clear(options);
    set_entry("fed/site-1/client.toml", "data =", "insecure = true\ndata =");
    const std::string said = online(clear, 0);
    EXPECT_EQ(line(said, "warn insecure").find("warn insecure: no TLS: anybody may read along, and be anybody; "), 0U);
    EXPECT_EQ(line(said, "ok   tls"), "ok   tls: the server answers without TLS");
  }
  options.behaviour = test::TlsServerOptions::Plain;
  const TlsServer mail(options);
  EXPECT_EQ(line(online(mail, 2), "BAD").find("BAD  tls: the other side does not speak WebSocket; "), 0U);
  set_entry("fed/server/server.toml", "plan =", "insecure = true\nplan =");
  const auto outcome = program_.run("check fed/server/server.toml");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
  EXPECT_NE(outcome.out.find("warn insecure: no TLS"), std::string::npos) << outcome.out;
}

TEST_F(Check, TellsProgramsTheSame) {
  const auto outcome = program_.run("check fed/site-1/client.toml --offline --format json");

  const json told = json::parse(outcome.out);
  EXPECT_EQ(told["fine"], true);
  EXPECT_EQ(told["findings"][1]["level"], "ok");
  EXPECT_EQ(told["findings"][1]["about"], "data.csv");
}

}  // namespace
}  // namespace fedrk
