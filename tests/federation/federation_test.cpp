// SPDX-License-Identifier: Apache-2.0

// A federation of processes, undisturbed and in chaos, one kind of it at a time.

#include <csignal>
#include <fstream>

#include "federation/chaos.hpp"
#include "support/network_namespaces.hpp"

namespace fedrk::test {
namespace {

constexpr auto npos = std::string::npos;

// ---- Undisturbed.

std::string demonstration() {
  std::ifstream in(FEDRK_SOURCE "/data/prostate.toml");
  std::string plan;
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("data") && !line.starts_with("clients")) plan += line + "\n";
  }
  return plan;
}

TEST_F(FederationTest, FindsTheBitsOfOneProcess) {
  const StartupKit kit({.table = FEDRK_SOURCE "/data/prostate.csv", .plan = demonstration(), .clients = 7});
  begin(kit).start_all();

  expect_a_good_end();
}

TEST_F(FederationTest, WaitsForAClientThatIsLate) {
  Federation& federation = begin();
  federation.start_server();
  for (std::size_t i = 1; i < federation.clients(); ++i) federation.start_client(i);
  EXPECT_EQ(federation.server().wait(300ms), std::nullopt);
  federation.start_client(0);

  expect_a_good_end();
}

TEST_F(FederationTest, LetsClientsWaitForTheirServer) {
  Federation& federation = begin();
  for (std::size_t i = 0; i < federation.clients(); ++i) federation.start_client(i);
  std::this_thread::sleep_for(200ms);
  for (std::size_t i = 0; i < federation.clients(); ++i) EXPECT_TRUE(federation.client_runs(i)) << federation.story();
  federation.start_server();

  expect_a_good_end();
}

// The size of the paper's figures, by matrices, with a client on a thin line.
class LargeFederation : public FederationTest, public testing::WithParamInterface<const char*> {};

TEST_P(LargeFederation, FindsTheBitsOfOneProcess) {
  const StartupKit kit({.generate = {"gaussian", "--rows", "2048", "--cols", "1024"},
                        .plan = std::string("participants = 5\nrounds = 12\nmethod = \"") + GetParam() + "\"\n",
                        .clients = 16});
  Federation& federation = begin(kit);
  federation.network(3).slow_to(200'000);
  for (std::size_t k = 0; k < kit.clients(); ++k) {
    if (k == 5) federation.start_server();
    federation.start_client((7 * k + 3) % kit.clients());
  }

  expect_a_good_end();
}

INSTANTIATE_TEST_SUITE_P(Methods, LargeFederation, testing::Values("fedrk", "auto"));

// ---- Processes that end.

TEST_F(FederationTest, GoesOnAfterItsServerWasKilled) {
  Federation& federation = begin();
  federation.start_all();
  ASSERT_TRUE(reaches(20)) << federation.story();

  federation.server().kill();
  federation.start_server();

  expect_a_good_end();
}

TEST_F(FederationTest, GoesOnAfterItsServerWasKilledWhileClientsJoined) {
  Federation& federation = begin();
  federation.start_server();
  for (std::size_t i = 1; i < federation.clients(); ++i) federation.start_client(i);
  ASSERT_TRUE(wait_until(10s, [&] { return federation.server().err().find("client.ready") != npos; }));
  federation.server().kill();
  federation.start_server(Federation::Start::Resume);
  federation.start_client(0);

  expect_a_good_end();
}

TEST_F(FederationTest, GoesOnWithSumsAfterAClientWasKilled) {
  Federation& federation = begin(sums());
  federation.start_all();
  ASSERT_TRUE(reaches(20)) << federation.story();

  federation.client(2).kill();
  federation.start_client(2);

  expect_a_good_end();
}

TEST_F(FederationTest, GoesOnAfterAClientWasTerminated) {
  Federation& federation = begin();
  federation.start_all();
  ASSERT_TRUE(reaches(20)) << federation.story();

  federation.client(2).signal(SIGTERM);
  EXPECT_EQ(federation.client(2).wait(5s), kStoppedEarly) << federation.story();
  federation.start_client(2);

  expect_a_good_end();
}

TEST_F(FederationTest, HasOneClientOfAName) {
  Federation& federation = begin();
  federation.start_server();
  for (std::size_t i = 1; i < federation.clients(); ++i) federation.start_client(i);
  ASSERT_TRUE(wait_until(10s, [&] { return federation.server().err().find("client.ready client=site-2") != npos; }));

  const Arguments second = {FEDRK_PROGRAM, "client", "client.toml", "--server", federation.address_for(1),
                            "--wait",      "0.5"};
  const Outcome ended = run_command(second, 20s, federation.path("site-2"));
  EXPECT_EQ(ended.exit_code, kRunFailed);
  EXPECT_NE(ended.err.find("'site-2' is connected already"), npos) << ended.err;
  federation.start_client(0);

  expect_a_good_end();
}

TEST_F(FederationTest, ComesBackAfterItsServerWasTerminated) {
  Federation& federation = begin();
  federation.start_all();
  ASSERT_TRUE(reaches(20)) << federation.story();

  federation.server().signal(SIGTERM);
  EXPECT_EQ(federation.server().wait(5s), kStoppedEarly) << federation.story();
  for (std::size_t i = 0; i < federation.clients(); ++i) EXPECT_TRUE(federation.client_runs(i)) << federation.story();
  federation.start_server();

  expect_a_good_end();
}

TEST_F(FederationTest, KeepsToItsPlanAfterTheFirstRound) {
  Federation& federation = begin();
  federation.start_all();
  ASSERT_TRUE(reaches(20)) << federation.story();
  federation.server().kill();
  const Arguments again = {FEDRK_PROGRAM, "server", "server.toml", "--listen", "127.0.0.1:0"};

  federation.change_plan("seed = 77\n");
  const Outcome refused = run_command(again, 20s, federation.path("server"));

  EXPECT_EQ(refused.exit_code, kBadInput);
  EXPECT_NE(refused.err.find("holds an unfinished run of another plan"), npos) << refused.err;
  federation.start_server(Federation::Start::Resume);
  expect_a_good_end();
}

TEST_F(FederationTest, CanBeResumedAfterItWasStoppedForAll) {
  Federation& federation = begin(sums());
  federation.start_all();
  ASSERT_TRUE(reaches(20)) << federation.story();

  EXPECT_EQ(federation.command("stop").exit_code, kDone);
  EXPECT_EQ(federation.server().wait(5s), kStoppedEarly) << federation.story();
  expect_clients_to_give(kStoppedEarly);
  EXPECT_EQ(federation.state(), "finished:stopped");
  federation.start_server(Federation::Start::Resume);
  for (std::size_t i = 0; i < federation.clients(); ++i) federation.start_client(i);

  expect_a_good_end();
}

TEST_F(FederationTest, GoesOnWhenClientsComeBackLaterThanItsServerWaited) {
  Federation& federation = begin();
  federation.start_all();
  ASSERT_TRUE(reaches(20)) << federation.story();
  federation.server().kill();
  federation.client(1).kill();
  federation.set_server_flags({"--heartbeat", "0.2", "--join-limit", "0.5"});
  federation.start_server();
  EXPECT_EQ(federation.server().wait(10s), kRunFailed);
  EXPECT_NE(federation.server().err().find("missing: "), npos) << federation.story();

  federation.set_server_flags(patient_limits());
  federation.start_server();
  for (std::size_t i = 0; i < federation.clients(); ++i) federation.start_client(i);

  expect_a_good_end();
}

// ---- Limits.

TEST_F(FederationTest, GoesOnWithoutAClientThatIsGoneForTooLong) {
  Federation& federation = begin(rounds_only(), {"--heartbeat", "0.1", "--away-limit", "0.2", "--quorum", "1"});
  federation.start_all();
  ASSERT_TRUE(reaches(20)) << federation.story();
  federation.client(1).signal(SIGSTOP);

  EXPECT_EQ(federation.server().wait(60s), rounds_only().code()) << federation.story();
  const auto absences = absences_in(federation.history());
  ASSERT_FALSE(absences.empty());
  EXPECT_EQ(absences.front().client, "site-2");
  EXPECT_EQ(absences.front().reason, "its connection was lost and it did not come back in time");
  EXPECT_EQ(federation.solution(), solution_without(rounds_only(), absences));
}

TEST_F(FederationTest, TakesNoAnswerThatComesLate) {
  Federation& federation = begin(rounds_only(), {"--heartbeat", "0.2", "--reply-limit", "0.25"});
  federation.start_all();
  ASSERT_TRUE(reaches(20)) << federation.story();
  federation.network(1).hold(ChaosProxy::Direction::ToServer, true);
  std::this_thread::sleep_for(500ms);
  federation.network(1).hold(ChaosProxy::Direction::ToServer, false);

  EXPECT_EQ(federation.server().wait(60s), rounds_only().code()) << federation.story();
  const auto absences = absences_in(federation.history());
  ASSERT_FALSE(absences.empty());
  EXPECT_EQ(absences.front().client, "site-2");
  EXPECT_EQ(absences.front().reason, "no answer within 0.25 s");
  EXPECT_EQ(federation.solution(), solution_without(rounds_only(), absences));
}

TEST_F(FederationTest, EndsWhereTooFewClientsAreLeftAndGoesOnWhenTheyAreBack) {
  Federation& federation =
      begin(by_fedrk(), {"--heartbeat", "0.1", "--away-limit", "0.2", "--join-limit", "5", "--quorum", "3"});
  federation.start_all();
  ASSERT_TRUE(reaches(20)) << federation.story();
  for (const std::size_t gone : {0U, 1U, 2U}) federation.client(gone).kill();

  EXPECT_EQ(federation.server().wait(20s), kRunFailed) << federation.story();
  EXPECT_EQ(federation.state(), "finished:failed");
  EXPECT_EQ(federation.client(3).wait(5s), kRunFailed) << federation.story();
  federation.start_server();
  for (std::size_t i = 0; i < federation.clients(); ++i) federation.start_client(i);

  expect_a_good_end();
}

// ---- A real network stack: one packet of ten is lost each way, the cable is out for a while, and at last the server
// is killed and comes back to the port where it was.

TEST_F(FederationTest, BearsLossAndAPulledCable) {
  auto net = NetworkNamespaces::make();
  if (!net) GTEST_SKIP() << net.error().message;
  const std::string address = NetworkNamespaces::address(Side::Server);
  KitSpec spec = prostate("method = \"fedrk\"\nkeep = 5\nrounds = 1000\n", 4);
  spec.hosts.push_back(address);
  const StartupKit kit(spec);
  const Federation folders(kit);
  const TempFolder streams;
  Arguments arguments = {FEDRK_PROGRAM, "server", "server.toml", "--listen", address + ":7443"};
  for (const std::string& flag : patient_limits()) arguments.push_back(flag);
  std::optional<Process> server;
  const auto start = [&] {
    server.emplace((*net)->inside(Side::Server, arguments), folders.path("server"), streams.path(), "server");
  };
  const auto reaches_round = [&](const std::string& round) {
    return wait_until(30s, [&] { return server->err().find("[ROUND " + round + "/") != npos; });
  };
  start();
  std::deque<Process> clients;
  for (std::size_t i = 0; i < kit.clients(); ++i) {
    clients.emplace_back(
        (*net)->inside(Side::Client, {FEDRK_PROGRAM, "client", "client.toml", "--server", address + ":7443"}),
        folders.path(site_name(i)), streams.path(), site_name(i));
  }
  ASSERT_TRUE(reaches_round("1")) << server->err();

  ASSERT_TRUE((*net)->lose(10));
  std::this_thread::sleep_for(300ms);
  ASSERT_TRUE((*net)->link(false));
  std::this_thread::sleep_for(300ms);
  ASSERT_TRUE((*net)->link(true));
  std::this_thread::sleep_for(300ms);
  ASSERT_TRUE((*net)->lose(0));
  ASSERT_TRUE(reaches_round("100")) << server->err();
  server->kill();
  start();

  EXPECT_EQ(server->wait(60s), kDone) << server->err();
  EXPECT_EQ(folders.solution(), kit.expected());
  for (Process& client : clients) EXPECT_EQ(client.wait(10s), kDone) << client.err();
}

}  // namespace
}  // namespace fedrk::test
