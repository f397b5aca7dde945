// SPDX-License-Identifier: Apache-2.0

// A federation of processes in which the server sees masked sums only: the same chaos, and servers and clients that
// want different things.

#include <csignal>

#include "federation/chaos.hpp"

namespace fedrk::test {
namespace {

constexpr auto npos = std::string::npos;

TEST_F(FederationTest, FindsTheSolutionFromMaskedSums) {
  begin(masked_sums()).start_all();

  expect_a_good_end();
  EXPECT_NE(federation_->client(0).err().find("masks.ready"), npos) << federation_->client(0).err();
  EXPECT_NE(federation_->client(0).err().find("site-1, site-2, site-3, site-4, site-5"), npos);
  EXPECT_EQ(federation_->result("result.json").find("single updates"), npos) << "nothing to warn of";
}

TEST_F(FederationTest, FitsAnewFromMaskedSums) {
  const StartupKit kit(prostate("sparse = \"soft:1\"\nrefit = true\nlocal-steps = 30\nrounds = 300\n", 5, true));
  begin(kit).start_all();

  EXPECT_EQ(federation_->server().wait(60s), kDone) << federation_->story();
  expect_clients_to_give(kDone);
  EXPECT_LT(distance_of_solutions(federation_->solution(), kit.expected()), 1e-7) << federation_->solution();
}

// ---- Processes that end, stop or are late.

TEST_F(FederationTest, GoesOnWithMaskedSumsAfterItsServerWasKilled) {
  Federation& federation = begin(masked_sums());
  federation.start_all();
  ASSERT_TRUE(reaches(15)) << federation.story();

  federation.server().kill();
  federation.start_server();

  expect_a_good_end();
}

// As a power cut leaves it: what was not synced is gone from the end of the journal, and clients have answered it.
TEST_F(FederationTest, GoesOnWithMaskedSumsAfterItsServerLostTheEndOfItsJournal) {
  Federation& federation = begin(masked_sums());
  const auto journal = federation.path("server/runs/federation/run.db-wal");
  federation.start_all();
  for (const std::uintmax_t part : {2U, 3U, 100U}) {
    ASSERT_TRUE(reaches(15 * (part % 7))) << federation.story();
    federation.server().kill();
    std::filesystem::resize_file(journal, std::filesystem::file_size(journal) / part);
    federation.start_server();
  }

  expect_a_good_end();
}

TEST_F(FederationTest, GoesOnWithMaskedSumsAfterAClientWasKilled) {
  Federation& federation = begin(masked_sums());
  federation.start_all();
  ASSERT_TRUE(reaches(15)) << federation.story();

  federation.client(2).kill();
  federation.start_client(2);

  expect_a_good_end();
  EXPECT_TRUE(absences_in(federation.history()).empty());
}

// A group does not shrink: it has no sum while one of it is away.
TEST_F(FederationTest, WaitsForAClientOfAMaskedGroupThatStopped) {
  Federation& federation = begin(masked_sums(), {"--heartbeat", "0.1", "--away-limit", "0.2"});
  federation.start_all();
  ASSERT_TRUE(reaches(15)) << federation.story();
  federation.client(1).signal(SIGSTOP);
  ASSERT_TRUE(wait_until(30s, [&] { return federation.server().err().find("client.lost") != npos; }));
  federation.client(1).signal(SIGCONT);

  expect_a_good_end();
}

// The other group goes on.
TEST_F(FederationTest, MakesMaskedSumsWithoutTheGroupOfAClientThatStopped) {
  const StartupKit kit(consistent("participants = 4\nrounds = 300\ntolerance = 1e-9\n", 8, true));
  Federation& federation = begin(kit, {"--heartbeat", "0.1", "--away-limit", "0.2", "--join-limit", "3"});
  federation.start_all();
  ASSERT_TRUE(reaches(15)) << federation.story();
  federation.client(1).signal(SIGSTOP);

  // Without its rows the tolerance is out of reach.
  EXPECT_EQ(federation.server().wait(60s), kStoppedEarly) << federation.story();
  const auto absences = absences_in(federation.history());
  ASSERT_FALSE(absences.empty());
  for (const auto& absence : absences) {
    EXPECT_EQ(absence.client, "site-2");
    EXPECT_EQ(absence.reason, "its connection was lost and it did not come back in time");
  }
}

TEST_F(FederationTest, MakesMaskedSumsWithoutAnAnswerThatComesLate) {
  Federation& federation = begin(masked_sums(), {"--heartbeat", "0.2", "--reply-limit", "0.25"});
  federation.start_all();
  ASSERT_TRUE(reaches(15)) << federation.story();
  federation.network(1).hold(ChaosProxy::Direction::ToServer, true);
  std::this_thread::sleep_for(500ms);
  federation.network(1).hold(ChaosProxy::Direction::ToServer, false);

  EXPECT_EQ(federation.server().wait(60s), kDone) << federation.story();
  EXPECT_LT(distance_of_solutions(federation.solution(), kit_->expected()), 1e-7);
}

TEST_F(FederationTest, EndsWhereTooFewAreLeftForAMaskedSumAndGoesOnWhenTheyAreBack) {
  Federation& federation = begin(masked_sums(), {"--heartbeat", "0.1", "--away-limit", "0.2", "--join-limit", "5"});
  federation.start_all();
  ASSERT_TRUE(reaches(15)) << federation.story();
  for (const std::size_t gone : {0U, 1U, 2U}) federation.client(gone).kill();

  EXPECT_EQ(federation.server().wait(30s), kRunFailed) << federation.story();
  EXPECT_EQ(federation.state(), "finished:failed");
  federation.start_server();
  for (std::size_t i = 0; i < federation.clients(); ++i) {
    if (!federation.client_runs(i)) federation.start_client(i);
  }

  expect_a_good_end();
}

// Its key is gone with its state, and with a new one nothing that it sends would cancel.
TEST_F(FederationTest, DoesNotTakeBackAClientThatLostItsMasks) {
  Federation& federation = begin(masked_sums(), {"--heartbeat", "0.1", "--away-limit", "0.2"});
  federation.start_all();
  ASSERT_TRUE(reaches(15)) << federation.story();
  federation.client(2).kill();
  std::filesystem::remove_all(federation.path("site-3/state"));
  federation.start_client(2);

  EXPECT_EQ(federation.client(2).wait(20s), kBadInput) << federation.story();
  EXPECT_NE(federation.client(2).err().find("its key for masks is not that with which the run began"), npos);
}

// ---- Differential privacy.

// 8000 rows of 3 columns are enough for an error of some percent. What was spent stays spent: a second run of the same
// clients is one too many.
TEST_F(FederationTest, SpendsDifferentialPrivacyOnce) {
  const StartupKit kit({.generate = {"gaussian", "--rows", "8000", "--cols", "3"},
                        .plan = "epsilon = 1.0\ndelta = 1e-5\nmechanism = \"passes\"\nseed = 3\n",
                        .clients = 4,
                        .masked = true});
  kit_ = &kit;
  federation_.emplace(kit, patient_limits(), Arguments{"--wait", "30", "--epsilon", "1.3", "--delta", "1e-5"});
  Federation& federation = *federation_;
  federation.start_all();

  EXPECT_EQ(federation.server().wait(60s), kDone) << federation.story();
  expect_clients_to_give(kDone);
  EXPECT_LT(distance_of_solutions(federation.solution(), kit.expected()), 0.1);
  EXPECT_NE(federation.server().err().find("forecast"), npos) << federation.server().err();

  Arguments again = patient_limits();
  again.insert(again.end(), {"--out", "runs/again"});
  federation.set_server_flags(again);
  federation.start_server();
  federation.start_client(0);
  EXPECT_EQ(federation.client(0).wait(20s), kBadInput) << federation.story();
  EXPECT_NE(federation.client(0).err().find("more of its rows than their owner allows"), npos) << federation.story();
}

TEST_F(FederationTest, FitsPrivatelyByOneNoisyGramSum) {
  const StartupKit kit({.generate = {"gaussian", "--rows", "8000", "--cols", "3"},
                        .plan = "epsilon = 1.0\ndelta = 1e-5\nmechanism = \"gram\"\nseed = 3\n",
                        .clients = 4,
                        .masked = true});
  kit_ = &kit;
  federation_.emplace(kit, patient_limits(), Arguments{"--wait", "30", "--epsilon", "1", "--delta", "1e-5"});
  Federation& federation = *federation_;
  federation.start_all();

  EXPECT_EQ(federation.server().wait(60s), kDone) << federation.story();
  expect_clients_to_give(kDone);
  EXPECT_LT(distance_of_solutions(federation.solution(), kit.expected()), 0.2);
}

// ---- Who wants what.

TEST_F(FederationTest, KeepsAClientFromRevealingItsUpdatesUnasked) {
  const StartupKit kit(consistent("reveal = \"updates\"\nrounds = 2000\ntolerance = 1e-9\n", 3, true));
  Federation& federation = begin(kit);
  federation.start_server();
  federation.start_client(0);

  EXPECT_EQ(federation.client(0).wait(20s), kBadInput) << federation.story();
  EXPECT_NE(federation.client(0).err().find("--reveal updates"), npos) << federation.client(0).err();
  EXPECT_NE(federation.server().err().find("reveal.updates"), npos) << "the server is told too";
}

TEST_F(FederationTest, RevealsUpdatesWhereBothSidesSaySo) {
  const StartupKit kit(consistent("reveal = \"updates\"\nrounds = 2000\ntolerance = 1e-9\n", 3, true));
  kit_ = &kit;
  federation_.emplace(kit, patient_limits(), Arguments{"--wait", "30", "--reveal", "updates"});
  federation_->start_all();

  expect_a_good_end();
  EXPECT_NE(federation_->client(0).err().find("the server sees every client's single updates"), npos);
  EXPECT_NE(federation_->result("result.json").find("the server sees every client's single updates"), npos);
}

class ServerRefusal : public FederationTest {
 protected:
  std::string text_of(const StartupKit& kit, const std::string& plan, const Arguments& flags = {}) {
    const Federation& federation = begin(kit);
    federation.change_plan(plan);
    Arguments arguments = {FEDRK_PROGRAM, "server", "server.toml", "--listen", "127.0.0.1:0"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const Outcome ended = run_command(arguments, 20s, federation.path("server"));
    EXPECT_EQ(ended.exit_code, kBadInput);
    return ended.err;
  }
};

TEST_F(ServerRefusal, IsOfPlansThatRevealWhatNobodyTyped) {
  const std::string message = text_of(masked_sums(), "method = \"fedrk\"\n");
  EXPECT_NE(message.find("write reveal = \"updates\" into the plan"), npos) << message;
}

TEST_F(ServerRefusal, IsOfPlansThatShowRowsOutright) {
  for (const std::string entry : {"local-steps = 1\n", "participants = 1\n", "server-steps = 1\n"}) {
    const std::string message = text_of(masked_sums(), "method = \"fedrk\"\nreveal = \"updates\"\n" + entry);
    EXPECT_NE(message.find("say --expose-rows here and at every client"), npos) << message;
  }
}

TEST_F(ServerRefusal, IsOfPlanEntriesAsFlags) {
  EXPECT_NE(text_of(masked_sums(), "", {"--rounds", "5"}).find("--rounds: an entry of the plan"), npos);
  EXPECT_NE(text_of(masked_sums(), "", {"--jion-limit", "5"}).find("did you mean --join-limit?"), npos);
}

TEST_F(ServerRefusal, IsOfSumsOverTooFew) {
  EXPECT_NE(text_of(masked_sums(), "participants = 2\n").find("2 clients a round are too few"), npos);
  EXPECT_NE(text_of(masked_sums(), "", {"--min-sum", "2"}).find("--min-sum"), npos);
  EXPECT_NE(text_of(masked_sums(), "", {"--min-sum", "5"}).find("4 clients a round are too few"), npos);
}

}  // namespace
}  // namespace fedrk::test
