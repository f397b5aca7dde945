// SPDX-License-Identifier: Apache-2.0

// fedrk provision: folders that can be handed over as they are, and changes that can be repeated.

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

#include "pki/own_credentials.hpp"
#include "plan/plan.hpp"
#include "plan/settings.hpp"
#include "support/program.hpp"

namespace fedrk {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using security::Role;

const std::string kMake = "provision fed --name site-1 --name site-2 --host localhost --host 127.0.0.1";

class Provision : public testing::Test {
 protected:
  std::string read(const std::string& name) const { return program_.folder().read(name); }
  void make() const {
    const auto made = program_.run(kMake);
    ASSERT_EQ(made.exit_code, 0) << made.err;
  }
  Result<void> check(const std::string& name) const {
    const bool server = name == "server";
    const fs::path folder = program_.path("fed") / name;
    const std::string stem = server ? "server" : "client";
    return security::check_own({folder / (stem + ".crt"), folder / (stem + ".key"), folder / "ca.crt"},
                               server ? Role::Server : Role::Client, security::now());
  }
  bool is_revoked(const std::string& certificate) const {
    const auto since = security::revoked_since(certificate, read("fed/server/crl.pem"), read("fed/ca/ca.crt"));
    return since && since->has_value();
  }

  test::Program program_;
};

TEST_F(Provision, MakesAFolderForEachParticipant) {
  make();

  for (const std::string name : {"server", "site-1", "site-2"}) {
    const auto fine = check(name);
    EXPECT_TRUE(fine) << fine.error().message;
    EXPECT_EQ(fs::status(program_.path("fed/" + name)).permissions(), fs::perms(0700));
  }
  for (const std::string key : {"fed/ca/ca.key", "fed/server/server.key", "fed/site-1/client.key"}) {
    EXPECT_EQ(fs::status(program_.path(key)).permissions(), fs::perms(0600)) << key;
  }
  EXPECT_NE(read("fed/site-1/client.toml").find("server = \"localhost:7443\"\nname = \"site-1\"\n"), std::string::npos);
  EXPECT_NE(read("fed/server/server.toml").find("clients = [\"site-1\", \"site-2\"]\n"), std::string::npos);
  for (const std::string name : {"ca", "server", "site-1", "site-2"}) {
    const std::string text = read("fed/" + name + "/README");
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3) << text;
  }
  io::Plan sample;
  EXPECT_TRUE(io::read_plan(program_.path("fed/server/plan.toml"), sample));
  EXPECT_EQ(program_.folder().count(), 1U) << "nothing unfinished stayed behind";
}

// What is written is what servers and clients read, also what is only proposed.
TEST_F(Provision, WritesSettingsThatServersAndClientsKnow) {
  ASSERT_EQ(program_.run(kMake + " --draws plan").exit_code, 0);

  const auto client = network::read_client_settings(program_.path("fed/site-1/client.toml"));
  ASSERT_TRUE(client) << client.error().message;
  EXPECT_TRUE(network::check(*client));
  EXPECT_EQ(client->server, "localhost:7443");
  EXPECT_EQ(client->name, "site-1");
  EXPECT_EQ(client->files.data, program_.path("fed/site-1/data.csv").string());
  EXPECT_EQ(client->state, program_.path("fed/site-1/state").string());
  EXPECT_TRUE(client->known_draws);
  EXPECT_FALSE(client->insecure);
  const auto server = network::read_server_settings(program_.path("fed/server/server.toml"));
  ASSERT_TRUE(server) << server.error().message;
  EXPECT_TRUE(network::check(*server));
  EXPECT_EQ(server->clients, (std::vector<std::string>{"site-1", "site-2"}));
  EXPECT_EQ(server->crl, program_.path("fed/server/crl.pem").string());
  EXPECT_FALSE(server->insecure);

  std::string text = read("fed/site-1/client.toml");
  text.replace(text.find("data = "), 7, "#data = ");
  for (const char* proposed : {"# matrix", "# rhs"}) text.erase(text.find(proposed), 2);
  const auto matrices = network::read_client_settings(program_.folder().write("matrices.toml", text));
  ASSERT_TRUE(matrices) << matrices.error().message;
  EXPECT_TRUE(network::check(*matrices));
}

// Every entry that the sample plan proposes is one.
TEST_F(Provision, ProposesAPlanThatCanBeRead) {
  make();
  std::string text = read("fed/server/plan.toml");
  text = text.substr(text.find("\n\n"));
  for (std::size_t at = 0; (at = text.find("\n# ", at)) != std::string::npos;) text.erase(at + 1, 2);
  io::Plan plan;

  const auto done = io::read_plan(program_.folder().write("all.toml", text), plan);

  EXPECT_TRUE(done) << done.error().message;
  EXPECT_EQ(plan.target, "y");
}

TEST_F(Provision, TakesNamesFromAFileAndAPlan) {
  program_.folder().write("names.txt", "# the sites\n\n  alpha\nbeta # late\r\n");
  program_.folder().write("p.toml", "# ours\nrounds = 7\n");

  const auto made = program_.run(
      "provision fed --names names.txt --host ::1 --port 99 --days 20 --plan p.toml --draws plan "
      "--format json");

  ASSERT_EQ(made.exit_code, 0) << made.err;
  const json told = json::parse(made.out);
  ASSERT_EQ(told["steps"].size(), 3U);
  EXPECT_EQ(told["steps"][2]["name"], "beta");
  EXPECT_EQ(told["steps"][2]["folder"], "fed/beta");
  EXPECT_EQ(read("fed/server/plan.toml"), "# ours\nrounds = 7\n");
  const std::string settings = read("fed/alpha/client.toml");
  EXPECT_NE(settings.find("server = \"[::1]:99\""), std::string::npos) << settings;
  EXPECT_NE(settings.find("draws = \"plan\""), std::string::npos) << settings;
}

TEST_F(Provision, RefusesWhatItCannotMake) {
  const auto complaint = [&](const std::string& arguments) {
    const auto outcome = program_.run("provision fed " + arguments);
    EXPECT_EQ(outcome.exit_code, 2) << arguments;
    return outcome.err;
  };
  for (const std::string& name :
       std::vector<std::string>{"../a", "a/b", ".a", "-a", "server", "ca", "''", "'a b'", std::string(65, 'x')}) {
    complaint("--host h --name=" + name);
  }
  EXPECT_EQ(complaint("--host h --name a --name a"), "fedrk: 'a' is named twice; each client needs its own name\n");
  EXPECT_EQ(complaint("--host h"), "fedrk: no clients: give --name NAME for each, or --names FILE\n");
  EXPECT_EQ(complaint("--name a").find("fedrk: no host"), 0U);
  EXPECT_EQ(complaint("--name a --host h:7443"),
            "fedrk: --host h:7443: expected a host name or an IP address, without a port\n");
  EXPECT_EQ(complaint("--name a --host h --plan missing.toml").find("fedrk: missing.toml"), 0U);
  EXPECT_EQ(complaint("--renew a"), "fedrk: fed holds no federation; make one with --name NAME ... --host HOST\n");
  complaint("--name a --host h --days 0");
  EXPECT_EQ(program_.run("provision . --name a --host h").exit_code, 2);
  EXPECT_EQ(program_.folder().count(), 0U);
}

TEST_F(Provision, NeverReplacesAFederation) {
  make();
  const std::string before = read("fed/ca/ca.crt");

  EXPECT_EQ(program_.run(kMake).exit_code, 2);
  fs::create_directory(program_.path("other"));
  program_.folder().write("other/file", "mine");
  EXPECT_EQ(program_.run("provision other --name a --host h").err,
            "fedrk: other is not empty; choose another folder\n");

  EXPECT_EQ(read("fed/ca/ca.crt"), before);
}

TEST_F(Provision, LetsOneOfTwoAtOnceWin) {
  const std::string one = "'" FEDRK_PROGRAM "' " + kMake;
  const auto both = program_.shell("(" + one + " && echo WON) & (" + one + " && echo WON) & wait");

  const std::size_t first = both.out.find("WON");
  EXPECT_NE(first, std::string::npos) << both.err;
  EXPECT_EQ(both.out.find("WON", first + 1), std::string::npos) << both.out;
  EXPECT_EQ(program_.folder().count(), 1U) << both.err;
  EXPECT_TRUE(check("server") && check("site-1") && check("site-2"));
  const auto held = program_.shell("flock fed/ca/lock '" FEDRK_PROGRAM "' provision fed --add site-3");
  EXPECT_EQ(held.exit_code, 2);
  EXPECT_EQ(held.err, "fedrk: another fedrk provision is at work in fed; try again when it is done\n");
}

TEST_F(Provision, AddsAClient) {
  make();
  const std::string before = read("fed/site-1/client.crt");

  const auto added = program_.run("provision fed --add site-3 --add site-4");

  ASSERT_EQ(added.exit_code, 0) << added.err;
  EXPECT_TRUE(check("site-3") && check("site-4"));
  EXPECT_EQ(read("fed/site-1/client.crt"), before);
  EXPECT_NE(read("fed/server/server.toml").find("clients = [\"site-1\", \"site-2\", \"site-3\", \"site-4\"]\n"),
            std::string::npos);
  EXPECT_EQ(program_.run("provision fed --add site-3").err,
            "fedrk: 'site-3' is in the federation already; --renew site-3 makes a new certificate\n");
}

TEST_F(Provision, KeepsTheOperatorsHandInTheSettings) {
  make();
  const std::string settings =
      "# mine\nlisten = \"10.0.0.1:7443\"\nclients = [\n  \"site-2\", # slow\n  \"site-1\",\n]\n";
  program_.folder().write("fed/server/server.toml", settings);

  ASSERT_EQ(program_.run("provision fed --add site-3").exit_code, 0);

  const std::string changed = read("fed/server/server.toml");
  EXPECT_EQ(changed,
            "# mine\nlisten = \"10.0.0.1:7443\"\nclients = [\n  \"site-2\", # slow\n  \"site-1\",\n \"site-3\"]\n");
  program_.folder().write("fed/server/server.toml", "nonsense [");
  const auto told = program_.run("provision fed --add site-4");
  EXPECT_EQ(told.exit_code, 0);
  EXPECT_NE(told.out.find("note: add \"site-4\" to the clients in the server's server.toml"), std::string::npos);
  EXPECT_EQ(read("fed/server/server.toml"), "nonsense [");
}

TEST_F(Provision, RenewsOneFolderOnly) {
  make();
  const std::string old = read("fed/site-2/client.crt"), old_key = read("fed/site-2/client.key"),
                    other = read("fed/site-1/client.crt"), settings = read("fed/site-2/client.toml");

  ASSERT_EQ(program_.run("provision fed --renew site-2 --renew server --days 30").exit_code, 0);

  EXPECT_TRUE(check("site-2") && check("server"));
  EXPECT_NE(read("fed/site-2/client.crt"), old);
  EXPECT_NE(read("fed/site-2/client.key"), old_key);
  EXPECT_EQ(read("fed/site-2/client.toml"), settings);
  EXPECT_EQ(read("fed/site-1/client.crt"), other);
  EXPECT_FALSE(is_revoked(old)) << "the client may go on until the new one arrives";
  EXPECT_EQ(json::parse(read("fed/ca/issued.json"))["days"], 365) << "--days was for this time";
  EXPECT_EQ(program_.run("provision fed --renew site-5").exit_code, 2);
}

TEST_F(Provision, RenewsWhatWasHandedOverAndIsGone) {
  make();
  fs::remove_all(program_.path("fed/site-1"));
  fs::remove_all(program_.path("fed/server"));

  ASSERT_EQ(program_.run("provision fed --renew site-1 --renew server --host example.org").exit_code, 0);

  EXPECT_TRUE(check("site-1") && check("server"));
  EXPECT_NE(read("fed/site-1/client.toml").find("server = \"example.org:7443\""), std::string::npos);
  EXPECT_NE(read("fed/server/server.toml").find("clients = [\"site-1\", \"site-2\"]"), std::string::npos);
}

TEST_F(Provision, RevokesAllThatAClientHas) {
  make();
  const std::string first = read("fed/site-2/client.crt");
  ASSERT_EQ(program_.run("provision fed --renew site-2").exit_code, 0);
  const std::string second = read("fed/site-2/client.crt");

  const auto revoked = program_.run("provision fed --revoke site-2");

  ASSERT_EQ(revoked.exit_code, 0) << revoked.err;
  EXPECT_NE(revoked.out.find("takes the new list up by itself"), std::string::npos);
  EXPECT_TRUE(is_revoked(first) && is_revoked(second));
  EXPECT_FALSE(is_revoked(read("fed/site-1/client.crt")));
  EXPECT_EQ(read("fed/ca/crl.pem"), read("fed/server/crl.pem"));
  const std::string since = json::parse(read("fed/ca/issued.json"))["certificates"][2]["revoked"];
  EXPECT_EQ(program_.run("provision fed --revoke site-2").exit_code, 0) << "repeatable";
  EXPECT_EQ(json::parse(read("fed/ca/issued.json"))["certificates"][2]["revoked"], since);
  ASSERT_EQ(program_.run("provision fed --renew site-2").exit_code, 0);
  EXPECT_FALSE(is_revoked(read("fed/site-2/client.crt"))) << "renewed, it is let in again";
  EXPECT_TRUE(is_revoked(second));
  EXPECT_EQ(program_.run("provision fed --revoke server").exit_code, 2);
}

}  // namespace
}  // namespace fedrk
