// SPDX-License-Identifier: Apache-2.0

// What whoever runs a server sees of it, and what it puts up with on its own machine.

#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "federation/chaos.hpp"
#include "support/http_get.hpp"

namespace fedrk::test {
namespace {

using Json = nlohmann::json;

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// Stands still while the network of one client does: three of four answer in a round, so that soon it is asked.
TEST_F(FederationTest, ShowsItsStatusWhileItRunsAndAfterwards) {
  Federation& federation = begin();
  federation.start_all();
  ASSERT_TRUE(reaches(10)) << federation.story();
  federation.network(0).partition(true);

  const Json during = Json::parse(federation.command("status", {"--format", "json"}).out);
  EXPECT_EQ(during["state"], "running");
  EXPECT_EQ(during["process"], federation.server().id());
  EXPECT_EQ(during["kind"], "server");
  EXPECT_GE(during["round"], 10);
  EXPECT_EQ(during["rounds"], 200);
  EXPECT_EQ(during["clients"][1]["name"], "site-2");
  const std::string message = federation.command("status").out;
  EXPECT_TRUE(has(message, "runs/federation: running, process ")) << message;
  EXPECT_TRUE(has(message, "run.begins: run=")) << message;
  federation.network(0).partition(false);

  expect_a_good_end();
  const Json afterwards = Json::parse(federation.command("status", {"--format", "json"}).out);
  EXPECT_EQ(afterwards["state"], "finished:completed");
  EXPECT_EQ(afterwards["alive"], false);
  EXPECT_EQ(afterwards["round"], 201) << "with that of the fit on what was selected";
}

TEST_F(FederationTest, ShowsHealthAndMetricsWhileItRuns) {
  Arguments flags = patient_limits();
  flags.insert(flags.end(), {"--metrics", "127.0.0.1:0"});
  Federation& federation = begin(by_fedrk(), flags);
  federation.start_server();
  const std::string said = "fedrk: health and metrics on port ";
  ASSERT_TRUE(wait_until(5s, [&] { return has(federation.server().err(), said); })) << federation.story();
  const std::string err = federation.server().err();
  const auto watched = static_cast<std::uint16_t>(std::stoi(err.substr(err.find(said) + said.size())));
  const auto metrics = [&] {
    const auto page = http_get(watched, "/metrics");
    return page ? page->body : "";
  };
  EXPECT_TRUE(has(metrics(), "fedrk_phase{phase=\"gathering\"} 1")) << metrics();

  for (std::size_t i = 0; i < federation.clients(); ++i) federation.start_client(i);
  ASSERT_TRUE(reaches(10)) << federation.story();
  federation.network(0).partition(true);
  const auto health = http_get(watched, "/healthz");
  ASSERT_TRUE(health);
  EXPECT_EQ(health->status, 200);
  const std::string page = metrics();
  EXPECT_TRUE(has(page, "fedrk_phase{phase=\"running\"} 1")) << page;
  EXPECT_TRUE(has(page, "fedrk_clients_listed 4")) << page;
  EXPECT_TRUE(has(page, "fedrk_client_joins_total{client=\"site-4\"} 1")) << page;
  federation.network(0).partition(false);

  expect_a_good_end();
}

TEST_F(FederationTest, KeepsItsFolderAndItsPortToItself) {
  Federation& federation = begin();
  federation.start_server();

  const Arguments again = {FEDRK_PROGRAM, "server", "server.toml", "--listen", "127.0.0.1:0"};
  const Outcome folder = run_command(again, 20s, federation.path("server"));
  EXPECT_EQ(folder.exit_code, kBadInput);
  EXPECT_TRUE(has(folder.err, "runs/federation is in use by process " + std::to_string(federation.server().id())))
      << folder.err;

  const std::string address = "127.0.0.1:" + std::to_string(federation.port());
  const Arguments elsewhere = {FEDRK_PROGRAM, "server", "server.toml", "--listen", address, "--out", "runs/other"};
  const Outcome port = run_command(elsewhere, 20s, federation.path("server"));
  EXPECT_EQ(port.exit_code, kBadInput);
  EXPECT_TRUE(has(port.err, "cannot listen on " + address)) << port.err;

  for (std::size_t i = 0; i < federation.clients(); ++i) federation.start_client(i);
  expect_a_good_end();
}

TEST_F(FederationTest, CanBeResumedAfterItsDiskWasFull) {
  Federation& federation = begin(sums());
  // Files of no more than 128 kB do for a full disk.
  federation.start_server(Federation::Start::SameCommand, {"sh", "-c", "ulimit -f 256; exec \"$0\" \"$@\""});
  for (std::size_t i = 0; i < federation.clients(); ++i) federation.start_client(i);

  EXPECT_EQ(federation.server().wait(30s), kRunFailed) << federation.story();
  const std::string err = federation.server().err();
  EXPECT_TRUE(has(err, "run.db")) << err;
  EXPECT_TRUE(has(err, "\"fedrk resume\" goes on from there")) << err;
  EXPECT_GE(federation.round(), 1) << federation.story();
  federation.start_server(Federation::Start::Resume);

  expect_a_good_end();
}

TEST_F(FederationTest, SaysThatItsRunCannotBeReadRatherThanThatItIsFinished) {
  Federation& federation = begin();
  federation.start_server();
  ASSERT_TRUE(wait_until(20s, [&] { return federation.state() == "pending"; }));
  federation.server().kill();
  const auto file = federation.path("server/runs/federation/run.db");
  const auto size = std::filesystem::file_size(file);
  std::fstream(file, std::ios::in | std::ios::out | std::ios::binary).seekp(100) << std::string(size - 100, '\xA5');

  const Outcome again = run_command({FEDRK_PROGRAM, "server", "server.toml"}, 20s, federation.path("server"));

  EXPECT_EQ(again.exit_code, kBadInput);
  EXPECT_TRUE(has(again.err, "run.db is damaged")) << again.err;
  EXPECT_TRUE(has(again.err, "put a copy of it back, or choose another --out")) << again.err;
}

TEST_F(FederationTest, LeavesAFinishedRunAlone) {
  Federation& federation = begin();
  federation.start_all();
  expect_a_good_end();

  const Outcome again = run_command({FEDRK_PROGRAM, "server", "server.toml"}, 20s, federation.path("server"));
  EXPECT_EQ(again.exit_code, kBadInput);
  EXPECT_TRUE(has(again.err, "already holds a run")) << again.err;
  EXPECT_EQ(federation.command("resume").exit_code, kBadInput);
  EXPECT_EQ(federation.solution(), kit_->expected());
}

}  // namespace
}  // namespace fedrk::test
