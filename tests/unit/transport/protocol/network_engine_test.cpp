// SPDX-License-Identifier: Apache-2.0
#include "transport/protocol/network_engine.hpp"

#include <atomic>
#include <cmath>

#include <gtest/gtest.h>

#include "round/run_aborted.hpp"
#include "support/server_harness.hpp"
#include "transport/protocol/wire.hpp"

namespace fedrk::network {
namespace {

using test::ServerHarness;

const std::vector<double> kX{1.0, 2.0};
const LocalTask kTask{RoundIndex{4}, kX, FixedSteps{3}};
const std::vector<ClientId> kAll{ClientId{0}, ClientId{1}, ClientId{2}};

std::vector<ClientSummary> roster() {
  return {{ClientId{0}, "a", 3, 1.0, 1.0}, {ClientId{1}, "b", 3, 1.0, 1.0}, {ClientId{2}, "c", 3, 1.0, 1.0}};
}

struct Federation {
  explicit Federation(FederationOptions wanted) : options(std::move(wanted)), harness(options) {
    for (const std::string& name : options.clients) connections.push_back(harness.join(name));
  }
  RoundReplies round(const LocalTask& task = kTask) {
    NetworkEngine engine(harness.protocol, options, roster(), kX.size(), 10);
    return engine.local_updates(task, kAll);
  }

  FederationOptions options;
  ServerHarness harness;
  std::vector<ConnectionId> connections;
};

FederationOptions three() { return test::harness_options({"a", "b", "c"}); }

wire::Update answer_to(const wire::Task& task, const std::vector<double>& values) {
  wire::Update update = test::update(task.number, values);
  const LocalTask asked = wire::question_of(task)->task;
  update.round = asked.round.value;
  update.part = asked.reveal == Reveal::Sums;
  return update;
}

TEST(NetworkEngine, BringsWhatClientsAnswer) {
  Federation federation(three());
  const test::PlayedClients clients(federation.harness, [](ConnectionId id, const wire::ServerMessage& message) {
    return wire::holds<wire::Task>(message)
               ? std::optional(answer_to(std::get<wire::Task>(message), {static_cast<double>(id), 0.5}))
               : std::nullopt;
  });
  const RoundReplies round = federation.round();
  ASSERT_EQ(round.replies.size(), 3U);
  EXPECT_EQ(round.replies[2].values, (AlignedVector{3.0, 0.5}));
  EXPECT_EQ(round.answered, kAll);
}

// However many participants there are, and however often one is asked again.
TEST(NetworkEngine, SerialisesXOnceARound) {
  Federation federation(three());
  const test::PlayedClients clients(
      federation.harness, [](ConnectionId, const wire::ServerMessage& message) -> std::optional<wire::ClientMessage> {
        if (!wire::holds<wire::Task>(message)) return std::nullopt;
        return answer_to(std::get<wire::Task>(message), {0.0, 0.0});
      });
  federation.round();
  const auto sent = federation.harness.outbox.outgoing<wire::Task>();
  ASSERT_EQ(sent.size(), 3U);
  EXPECT_TRUE(sent[0] == sent[1] && sent[1] == sent[2]) << "the same bytes in memory";
}

TEST(NetworkEngine, ASumIsOfThoseWhoSentWhatWasAskedFor) {
  Federation federation(three());
  const test::PlayedClients clients(
      federation.harness,
      [](ConnectionId id, const wire::ServerMessage& message) -> std::optional<wire::ClientMessage> {
        if (!wire::holds<wire::Task>(message)) return std::nullopt;
        wire::Update answer = answer_to(std::get<wire::Task>(message), {1.0, static_cast<double>(id)});
        if (id == 1) answer.gap = 1.0;  // which nobody asked for and which must not be added
        if (id == 3) answer.part = false;
        return answer;
      });
  LocalTask task = kTask;
  task.reveal = Reveal::Sums;
  const RoundReplies round = federation.round(task);
  ASSERT_EQ(round.replies.size(), 1U);
  EXPECT_EQ(round.replies[0].values, (AlignedVector{2.0, 3.0}));
  EXPECT_FALSE(round.replies[0].gap);
  EXPECT_EQ(round.answered, (std::vector<ClientId>{ClientId{0}, ClientId{1}}));
  EXPECT_EQ(federation.harness.session(2).counts.wrong, 1U);
}

TEST(NetworkEngine, AWrongAnswerIsAnAbsenceAndIsHeldAgainstItsClient) {
  Federation federation(three());
  const test::PlayedClients clients(
      federation.harness,
      [](ConnectionId id, const wire::ServerMessage& message) -> std::optional<wire::ClientMessage> {
        if (!wire::holds<wire::Task>(message)) return std::nullopt;
        wire::Update answer = answer_to(std::get<wire::Task>(message), {1.0, id == 2 ? std::nan("") : 1.0});
        if (id == 3) answer.round = 3;
        return answer;
      });
  federation.options.quorum = 1;
  const RoundReplies round = federation.round();
  EXPECT_EQ(round.answered, (std::vector<ClientId>{ClientId{0}}));
  ASSERT_EQ(round.absences.size(), 2U);
  EXPECT_EQ(round.absences[0].reason, "its update holds a number that is not finite");
  EXPECT_EQ(round.absences[1].reason, "its update is of another round");
  EXPECT_EQ(federation.harness.session(1).counts.wrong, 1U);
}

TEST(NetworkEngine, GoesOnWithHalfOfThoseAsked) {
  FederationOptions options = three();
  options.reply_limit = Milliseconds(20);
  Federation federation(options);
  const test::PlayedClients clients(federation.harness, [](ConnectionId id, const wire::ServerMessage& message) {
    return wire::holds<wire::Task>(message) && id != 2
               ? std::optional(answer_to(std::get<wire::Task>(message), {1.0, 1.0}))
               : std::nullopt;
  });
  const RoundReplies round = federation.round();
  EXPECT_EQ(round.replies.size(), 2U);
  ASSERT_EQ(round.absences.size(), 1U);
  EXPECT_EQ(round.absences[0].reason, "no answer within 0.02 s");
}

TEST(NetworkEngine, WhereTooFewAnswerItAsksTheOthersAgainWithTheSameNumber) {
  FederationOptions options = three();
  options.reply_limit = Milliseconds(20);
  Federation federation(options);
  std::atomic<int> asked{0};
  const test::PlayedClients clients(
      federation.harness,
      [&](ConnectionId id, const wire::ServerMessage& message) -> std::optional<wire::ClientMessage> {
        if (!wire::holds<wire::Task>(message)) return std::nullopt;
        EXPECT_EQ(std::get<wire::Task>(message).number, 10U);
        if (id != 1 && ++asked <= 2) return std::nullopt;  // busy the first time
        return answer_to(std::get<wire::Task>(message), {1.0, 1.0});
      });
  EXPECT_GE(federation.round().replies.size(), 2U);
  EXPECT_GE(asked, 3);
}

// ---- Sums of a sweep, which asks again who is missing.

LocalTask swept(bool patient) {
  LocalTask task{RoundIndex{4}, kX, Gradient{}};
  task.reveal = Reveal::Sums;
  task.patient = patient;
  return task;
}

TEST(NetworkSweeps, DoNotEndTheRunWhereMostAreMissing) {
  FederationOptions options = three();
  options.reply_limit = Milliseconds(20);
  options.join_limit = Milliseconds(5'000);
  Federation federation(options);
  const test::PlayedClients clients(federation.harness, [](ConnectionId id, const wire::ServerMessage& message) {
    return wire::holds<wire::Task>(message) && id == 2
               ? std::optional(answer_to(std::get<wire::Task>(message), {1.0, 1.0}))
               : std::nullopt;
  });
  const auto begun = Clock::now();
  const RoundReplies round = federation.round(swept(false));
  EXPECT_LT(Clock::now() - begun, Milliseconds(4'000)) << "it does not wait: the sweep asks again";
  EXPECT_EQ(round.answered, (std::vector<ClientId>{ClientId{1}}));
  ASSERT_EQ(round.absences.size(), 2U);
  EXPECT_EQ(round.absences[0].client, ClientId{0});
  EXPECT_EQ(round.absences[1].client, ClientId{2});
}

TEST(NetworkSweeps, WaitForEveryoneWhereTheyArePatient) {
  FederationOptions options = three();
  options.reply_limit = Milliseconds(20);
  options.join_limit = Milliseconds(20'000);
  Federation federation(options);
  std::atomic<int> silent{3};
  const test::PlayedClients clients(federation.harness, [&](ConnectionId id, const wire::ServerMessage& message) {
    const bool busy = wire::holds<wire::Task>(message) && id == 2 && silent-- > 0;
    return wire::holds<wire::Task>(message) && !busy
               ? std::optional(answer_to(std::get<wire::Task>(message), {1.0, 1.0}))
               : std::nullopt;
  });
  const RoundReplies round = federation.round(swept(true));
  EXPECT_EQ(round.answered, kAll);
  EXPECT_TRUE(round.absences.empty());
  EXPECT_EQ(round.replies.at(0).values, (AlignedVector{3.0, 3.0}));
}

TEST(NetworkSweeps, GoOnWithoutWhoIsLostButNotWithNobody) {
  for (const bool anybody : {true, false}) {
    FederationOptions options = three();
    options.reply_limit = Milliseconds(20);
    options.join_limit = Milliseconds(100);
    Federation federation(options);
    const test::PlayedClients clients(federation.harness, [&](ConnectionId id, const wire::ServerMessage& message) {
      return wire::holds<wire::Task>(message) && id == 2 && anybody
                 ? std::optional(answer_to(std::get<wire::Task>(message), {1.0, 1.0}))
                 : std::nullopt;
    });
    if (anybody) {
      EXPECT_EQ(federation.round(swept(true)).answered, (std::vector<ClientId>{ClientId{1}}));
    } else {
      EXPECT_THROW(federation.round(swept(true)), RunAborted);
    }
  }
}

TEST(NetworkEngine, EndsTheRunWhereTooFewAreLeftButNotBeforeTheTimeForJoining) {
  FederationOptions options = three();
  options.join_limit = Milliseconds(150);
  options.reply_limit = Milliseconds(60);
  Federation federation(options);
  for (const std::size_t gone : {1U, 2U}) federation.harness.protocol.on_closed(federation.connections[gone]);
  const test::PlayedClients clients(federation.harness, [](ConnectionId, const wire::ServerMessage& message) {
    return wire::holds<wire::Task>(message) ? std::optional(answer_to(std::get<wire::Task>(message), {1.0, 1.0}))
                                            : std::nullopt;
  });
  std::this_thread::sleep_for(Milliseconds(160));  // gone for longer than the time for joining
  const auto begun = Clock::now();
  try {
    federation.round();
    FAIL() << "it went on";
  } catch (const RunAborted& ended) {
    EXPECT_EQ(ended.why(), Termination::ClientsLost);
    EXPECT_EQ(ended.reason(),
              "round 5: 1 of 3 clients answered, 2 are needed; b: its connection was lost and it did not come back in "
              "time");
  }
  EXPECT_GE(Clock::now() - begun, Milliseconds(150));
  EXPECT_LE(federation.harness.session(1).counts.lost, 6U) << "it waits, and does not spin";
}

}  // namespace
}  // namespace fedrk::network
