// SPDX-License-Identifier: Apache-2.0

// A federation of processes, in good and bad weather, one kind of weather at a time.

#include <csignal>

#include <gtest/gtest.h>

#include "support/federation.hpp"
#include "support/network_namespaces.hpp"

namespace fedrk::test {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

const StartupKit& kit() {
  static const StartupKit kit({.table = FEDRK_SOURCE "/data/prostate.csv",
                               .plan = "target = \"lpsa\"\nstandardize = true\nintercept = true\n"
                                       "method = \"published\"\nparticipants = 3\nkeep = 5\nseed = 3\nrounds = 200\n",
                               .clients = 7,
                               .hosts = {"127.0.0.1", NetworkNamespaces::address(Side::Server)}});
  return kit;
}

class FederationTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_federation()) GTEST_SKIP() << "this program has no command named server";
    federation_.emplace(kit());
  }

  void start_all() {
    federation_->start_server();
    for (std::size_t i = 0; i < kit().clients(); ++i) federation_->start_client(i);
  }
  bool reaches(std::size_t round) {
    return wait_until(20s, [&] { return federation_->round() >= round; });
  }
  void expect_a_good_end() {
    EXPECT_EQ(federation_->server().wait(60s), 0) << federation_->story();
    EXPECT_EQ(federation_->solution(), kit().expected());
  }

  std::optional<Federation> federation_;
};

TEST_F(FederationTest, FindsTheBitsOfOneProcess) {
  start_all();

  expect_a_good_end();
  for (std::size_t i = 0; i < kit().clients(); ++i) {
    EXPECT_EQ(federation_->client(i).wait(10s), 0) << federation_->story();
  }
}

TEST_F(FederationTest, GoesOnAfterItsServerWasKilled) {
  start_all();
  ASSERT_TRUE(reaches(20)) << federation_->story();

  federation_->server().kill();
  federation_->start_server();

  expect_a_good_end();
}

TEST_F(FederationTest, GoesOnAfterAClientWasKilled) {
  start_all();
  ASSERT_TRUE(reaches(20)) << federation_->story();

  federation_->client(2).kill();
  federation_->start_client(2);

  expect_a_good_end();
}

TEST_F(FederationTest, WaitsForAClientThatIsLate) {
  federation_->start_server();
  for (std::size_t i = 1; i < kit().clients(); ++i) federation_->start_client(i);
  EXPECT_EQ(federation_->server().wait(300ms), std::nullopt);
  federation_->start_client(0);

  expect_a_good_end();
}

TEST_F(FederationTest, LetsClientsWaitForTheirServer) {
  for (std::size_t i = 0; i < kit().clients(); ++i) federation_->start_client(i);
  std::this_thread::sleep_for(200ms);
  for (std::size_t i = 0; i < kit().clients(); ++i) EXPECT_TRUE(federation_->client_runs(i)) << federation_->story();
  federation_->start_server();

  expect_a_good_end();
}

// A real network stack: one packet of ten is lost each way, and the cable is out for a while.
TEST_F(FederationTest, BearsLossAndAPulledCable) {
  auto net = NetworkNamespaces::make();
  if (!net) GTEST_SKIP() << net.error().message;
  const std::string address = NetworkNamespaces::address(Side::Server);
  const TempFolder streams;
  Process server((*net)->inside(Side::Server, {FEDRK_PROGRAM, "server", "server.toml", "--listen", address + ":7443"}),
                 federation_->path("server"), streams.path(), "server");
  std::deque<Process> clients;
  for (std::size_t i = 0; i < kit().clients(); ++i) {
    clients.emplace_back(
        (*net)->inside(Side::Client, {FEDRK_PROGRAM, "client", "client.toml", "--server", address + ":7443"}),
        federation_->path(site_name(i)), streams.path(), site_name(i));
  }
  ASSERT_TRUE(wait_until(20s, [&] { return server.err().find("ound") != std::string::npos; })) << server.err();

  ASSERT_TRUE((*net)->lose(10));
  std::this_thread::sleep_for(300ms);
  ASSERT_TRUE((*net)->link(false));
  std::this_thread::sleep_for(300ms);
  ASSERT_TRUE((*net)->link(true));
  std::this_thread::sleep_for(300ms);
  ASSERT_TRUE((*net)->lose(0));

  EXPECT_EQ(server.wait(60s), 0) << server.err();
  EXPECT_EQ(federation_->solution(), kit().expected());
}

}  // namespace
}  // namespace fedrk::test
