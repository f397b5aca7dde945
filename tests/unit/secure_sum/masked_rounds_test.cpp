// SPDX-License-Identifier: Apache-2.0
#include "secure_sum/masked_rounds.hpp"

#include <algorithm>
#include <atomic>
#include <map>

#include <gtest/gtest.h>

#include "fedrk/error.hpp"
#include "round/run_aborted.hpp"
#include "support/masked_fixture.hpp"
#include "support/server_harness.hpp"
#include "support/tiny_systems.hpp"
#include "transport/protocol/network_engine.hpp"
#include "transport/protocol/wire.hpp"

namespace fedrk::network {
namespace {

using test::MaskedFixture;
using test::places;

constexpr std::size_t kRoundUnknowns = 6;
constexpr std::uint32_t kRoundClients = 5;

/// A server over five clients, of whom a test may change what they say. They are those of a circle.
class MaskedServer : public testing::Test {
 protected:
  using Change = std::function<std::optional<wire::ClientMessage>(std::size_t client, const wire::Task& task,
                                                                  wire::ClientMessage honest)>;

  static FederationOptions options() {
    FederationOptions options = test::harness_options({});
    for (std::uint32_t i = 0; i < kRoundClients; ++i) options.clients.push_back(test::fixture_name(i));
    options.run = "run";
    options.masked = true;
    options.reply_limit = Milliseconds(100);
    options.join_limit = Milliseconds(400);
    return options;
  }

  explicit MaskedServer(const test::PlanEntries& plan = {})
      : fixture_(test::clients_of(generate({.rows = 20, .cols = kRoundUnknowns}).system, kRoundClients, 1), {},
                 {.plan = plan}) {
    fixture_.distribute_keys();
    std::vector<ClientSummary> roster;
    for (std::uint32_t i = 0; i < kRoundClients; ++i) {
      connections_[harness_.join(test::fixture_name(i), 4, kRoundUnknowns)] = i;
      roster.push_back({ClientId{i}, test::fixture_name(i), 4, 1.0, 1.0});
    }
    EXPECT_TRUE(harness_.protocol.gather());
    roster_ = roster;
    restart(0);
    task_.reveal = Reveal::Sums;
  }

  /// As a server that finds so many answers in its journal.
  void restart(std::uint64_t answers) {
    engine_.emplace(harness_.protocol, options(), roster_, kRoundUnknowns, answers);
  }

  RoundReplies ask(const std::vector<ClientId>& who, const Change& change = {}) { return ask(task_, who, change); }
  RoundReplies ask(const LocalTask& task, const std::vector<ClientId>& who, const Change& change = {}) {
    change_ = change;
    return engine_->local_updates(task, who);
  }

  std::optional<wire::ClientMessage> answer(ConnectionId id, const wire::ServerMessage& message) {
    if (!wire::holds<wire::Task>(message)) return std::nullopt;
    asked_.push_back(std::get<wire::Task>(message));
    const std::size_t client = connections_.at(id);
    auto honest = fixture_.ask(client, std::get<wire::Task>(message));
    return change_ ? change_(client, std::get<wire::Task>(message), std::move(honest)) : honest;
  }

  test::ServerHarness harness_{options()};
  MaskedFixture fixture_;
  std::map<ConnectionId, std::size_t> connections_;
  std::vector<ClientSummary> roster_;
  std::optional<NetworkEngine> engine_;
  std::vector<double> x_ = std::vector<double>(kRoundUnknowns, 0.0);
  LocalTask task_{RoundIndex{0}, x_, CutSteps{FixedSteps{10}}, true};
  std::vector<wire::Task> asked_;
  std::vector<ClientId> all_ = places({0, 1, 2, 3, 4});
  Change change_;  // set while nobody is asked
  test::PlayedClients clients_{
      harness_, [this](ConnectionId id, const wire::ServerMessage& message) { return answer(id, message); }};
};

TEST_F(MaskedServer, GetsOneSum) {
  const RoundReplies round = ask(all_);
  EXPECT_EQ(round.answered, all_);
  ASSERT_EQ(round.replies.size(), 1);
  EXPECT_EQ(round.replies[0].values.size(), kRoundUnknowns);
  EXPECT_TRUE(round.replies[0].gap);
  EXPECT_TRUE(round.replies[0].squared_residual);
  EXPECT_TRUE(round.absences.empty());
}

TEST_F(MaskedServer, FollowsTheLastSumWithItsGrid) {
  ask(all_);
  EXPECT_FALSE(asked_.front().exponent.has_value()) << "no size is known yet";
  asked_.clear();
  ask(all_);
  EXPECT_TRUE(asked_.front().exponent.has_value());
}

// A server that was killed gets its grids from the answers that it kept.
TEST_F(MaskedServer, FollowsASumThatIsOnlyRepeated) {
  RoundReplies before{{{ClientId{}, AlignedVector(kRoundUnknowns, 0.5)}}, {}, all_};
  engine_->repeated(task_, before);
  ask(all_);
  EXPECT_EQ(asked_.front().exponent, masking::Grid{0 + 10 + 3 - 62}.exponent);
}

// After a tiny sum the numbers do not fit; with units that suit a sum of 1e7 they would be known to some eight digits.
TEST_F(MaskedServer, AsksOnceMoreWhereTheGridIsTooFineOrTooCoarse) {
  for (const double last : {1e-12, 1e7}) {
    RoundReplies before{{{ClientId{}, AlignedVector(kRoundUnknowns, last)}}, {}, all_};
    engine_->repeated(task_, before);
    asked_.clear();
    const RoundReplies round = ask(all_);
    EXPECT_EQ(round.answered, all_);
    ASSERT_EQ(asked_.size(), 10);
    EXPECT_TRUE(asked_.front().exponent.has_value());
    EXPECT_FALSE(asked_.back().exponent.has_value());
    EXPECT_NE(asked_.back().number, asked_.front().number) << "so that no late answer is taken for one to it";
  }
}

// Every answer under differential privacy is paid for: a client that sends nonsense must not have the others pay for
// ever.
TEST_F(MaskedServer, AsksOnceForPrivateAnswersThatDoNotFit) {
  LocalTask pass{RoundIndex{0}, x_, ClippedPass{.clip = 0.01, .noise = 0.36, .exponent = -22}};
  pass.reveal = Reveal::Sums;
  const RoundReplies round =
      ask(pass, all_, [](std::size_t client, const wire::Task& task, const wire::ClientMessage&) {
        masking::Words words(masking::PartLayout{.values = kRoundUnknowns}.words(), 0);
        words[0] = 1;
        words[1] = client == 3 ? 7 : 0;
        return wire::masked_update_message(task, wire::question_of(task)->task.round, words);
      });
  EXPECT_TRUE(round.replies.empty());
  EXPECT_EQ(round.absences.size(), kRoundClients);
  EXPECT_EQ(asked_.size(), kRoundClients) << "nobody was asked again";
}

// A sum over the others would tell its part by the difference to another one.
TEST_F(MaskedServer, HasNoSumWithoutEveryoneOfTheGroup) {
  const RoundReplies round = ask(all_, [](std::size_t client, const wire::Task&, wire::ClientMessage honest) {
    return client == 1 ? std::nullopt : std::optional(std::move(honest));
  });
  EXPECT_TRUE(round.replies.empty());
  EXPECT_TRUE(round.answered.empty());
  ASSERT_EQ(round.absences.size(), 1) << "those who answered are not missing";
  EXPECT_EQ(round.absences[0].client, ClientId{1});
  EXPECT_EQ(round.absences[0].reason, "no answer within 0.1 s");
  EXPECT_EQ(asked_.size(), kRoundClients) << "nobody was asked again";
}

TEST_F(MaskedServer, TellsWhyAClientRefused) {
  const RoundReplies round =
      ask(all_, [](std::size_t client, const wire::Task& task, wire::ClientMessage honest) -> wire::ClientMessage {
        if (client != 4) return honest;
        return wire::Refusal{"run", "its store is full", task.number};
      });
  EXPECT_TRUE(round.replies.empty());
  EXPECT_EQ(round.absences.at(0).reason, "it refused: its store is full");
}

// A server that was started again asks the same once more, and so gets the same.
TEST_F(MaskedServer, GetsWhatItLostOnceMore) {
  const auto first = ask(all_).replies.at(0).values;
  restart(7);
  EXPECT_EQ(ask(all_).replies.at(0).values, first);
}

// ---- Sums over kept groups, which all of the group are needed for.

class MaskedFit : public MaskedServer {
 protected:
  MaskedFit() : MaskedServer({{"least-squares", "true"}}) {
    gradient_.reveal = Reveal::Sums;
    patient_ = gradient_;
    patient_.patient = true;
  }
  LocalTask gradient_{RoundIndex{0}, x_, Gradient{}, true}, patient_;
};

TEST_F(MaskedFit, NamesOnlyThoseWhoAreMissing) {
  const RoundReplies round =
      ask(gradient_, all_, [](std::size_t client, const wire::Task&, wire::ClientMessage honest) {
        return client == 2 ? std::nullopt : std::optional(std::move(honest));
      });
  EXPECT_TRUE(round.replies.empty());
  ASSERT_EQ(round.absences.size(), 1);
  EXPECT_EQ(round.absences[0].client, ClientId{2});
  EXPECT_EQ(asked_.size(), kRoundClients) << "nobody was asked again";
}

TEST_F(MaskedFit, WaitsForAClientThatIsLateWhereItIsPatient) {
  std::atomic<int> silent = 2;
  const RoundReplies round =
      ask(patient_, all_, [&](std::size_t client, const wire::Task&, wire::ClientMessage honest) {
        return client == 2 && silent-- > 0 ? std::nullopt : std::optional(std::move(honest));
      });
  EXPECT_EQ(round.answered, all_);
  EXPECT_TRUE(round.absences.empty());
  EXPECT_EQ(asked_.back().number, asked_.front().number);
  EXPECT_EQ(asked_.size(), kRoundClients + 2) << "those who have answered are not asked again";
}

TEST_F(MaskedFit, EndsTheRunWhereAClientStaysAway) {
  const auto begun = Clock::now();
  try {
    ask(patient_, all_, [](std::size_t client, const wire::Task&, wire::ClientMessage honest) {
      return client == 2 ? std::nullopt : std::optional(std::move(honest));
    });
    FAIL() << "a sum without one of them";
  } catch (const RunAborted& ended) {
    EXPECT_EQ(ended.why(), Termination::ClientsLost);
    EXPECT_NE(ended.reason().find("site-3 stayed away"), std::string::npos) << ended.reason();
    EXPECT_NE(ended.reason().find("a masked run cannot go on without it, as the difference of two sums would show its "
                                  "part"),
              std::string::npos)
        << ended.reason();
  }
  EXPECT_GE(Clock::now() - begun, options().join_limit);
}

// A server that lost the end of its journal asks again what clients have answered, and they say the same.
TEST_F(MaskedFit, GoesOnWhereItsJournalLostWhatClientsAnswered) {
  std::vector<RoundReplies> sums;
  for (double& x : x_) {
    x = 0.25;
    sums.push_back(ask(gradient_, all_));
  }
  for (int life = 0; life < 3; ++life) {
    restart(2);
    for (std::size_t k = 0; k < 2; ++k) engine_->repeated(gradient_, sums[k]);  // as its journal does
    std::fill(x_.begin() + 2, x_.end(), 0.0);
    for (std::size_t k = 2; k < kRoundUnknowns; ++k) {
      x_[k] = 0.25;
      const RoundReplies again = ask(gradient_, all_);
      EXPECT_EQ(again.answered, all_);
      EXPECT_EQ(again.replies.at(0).values, sums[k].replies.at(0).values) << "to the bit";
    }
  }
}

// A group's grid follows its own sums, whenever another answered.
TEST_F(MaskedFit, KeepsTheGridsOfGroupsApart) {
  RoundReplies before{{{ClientId{}, AlignedVector(kRoundUnknowns, 0.5)}}, {}, places({1, 2, 3})};
  engine_->repeated(gradient_, before);
  ask(gradient_, all_);
  EXPECT_FALSE(asked_.front().exponent.has_value());
}

TEST_F(MaskedServer, NoticesMasksThatDoNotCancel) {
  const auto change = [](std::size_t client, const wire::Task&, wire::ClientMessage honest) {
    if (client == 3) {
      std::get<wire::Update>(honest).masked->front() += 1;
    }
    return honest;
  };
  EXPECT_THROW(ask(all_, change), RunAborted);
}

TEST_F(MaskedServer, CountsAnAnswerThatIsNoPartAgainstItsClient) {
  const RoundReplies round = ask(all_, [](std::size_t client, const wire::Task&, wire::ClientMessage honest) {
    if (client == 3) std::get<wire::Update>(honest).masked.reset();
    return honest;
  });
  EXPECT_TRUE(round.replies.empty());
  EXPECT_EQ(round.absences.at(0).reason, "its answer is not the part that was asked for");
  EXPECT_EQ(harness_.session(3).counts.wrong, 1);
}

// What comes to an earlier question is not taken for an answer to the next.
TEST_F(MaskedServer, TakesNoPartOfAnotherQuestion) {
  const RoundReplies round = ask(all_, [](std::size_t client, const wire::Task&, wire::ClientMessage honest) {
    if (client == 3) ++std::get<wire::Update>(honest).number;
    return honest;
  });
  EXPECT_TRUE(round.replies.empty());
  EXPECT_EQ(harness_.session(3).counts.stale, 1);
}

TEST_F(MaskedServer, AsksForNoSingleUpdate) {
  task_.reveal = Reveal::Updates;
  EXPECT_THROW(ask(all_), InvalidArgument);
}

}  // namespace
}  // namespace fedrk::network
