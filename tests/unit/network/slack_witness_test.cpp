// SPDX-License-Identifier: Apache-2.0
#include "network/slack_witness.hpp"

#include <map>
#include <vector>

#include <gtest/gtest.h>

#include "fedrk/federated/private_slack.hpp"

namespace fedrk::network {
namespace {

constexpr ClientId kSelf{1};
constexpr std::size_t kUnknowns = 5;
constexpr const char* kNotAll = "it tells some of those who took part in a round of it, and not all";

/// What a client sees of a round: who is in it, and of which rounds each of them is told.
struct Round {
  std::uint32_t round;
  std::vector<std::uint32_t> stored;
  std::map<std::uint32_t, std::vector<std::uint32_t>> told;  // by client; all factors are 1
  std::vector<std::uint32_t> unknown{};                      // who is told that nothing of it was used
  std::vector<std::uint32_t> columns{};

  v1::Task message() const {
    v1::Task message;
    message.set_round(round);
    for (const auto& [client, rounds] : told) {
      message.add_participants(client);
      SlackNews news{std::ranges::find(unknown, client) == unknown.end(), {}};
      for (const std::uint32_t each : rounds) news.factors.push_back({each, 1.0});
      v1::Told& each_told = *message.add_told();
      for (const double number : news.packed()) each_told.add_values(number);
    }
    return message;
  }
};

class Witness : public testing::Test {
 protected:
  std::string wrong(const Round& round) {
    const v1::Task message = whole(round);
    return witness_.wrong(message, *wire::ReceivedTask::from(message, kSelf, kUnknowns), kSelf);
  }
  void answer(const Round& round) {
    const v1::Task message = whole(round);
    ASSERT_EQ(wrong(round), "");
    witness_.answered(message, *wire::ReceivedTask::from(message, kSelf, kUnknowns), kSelf);
  }

 private:
  static v1::Task whole(const Round& round) {
    const std::vector<double> x(round.columns.empty() ? kUnknowns : round.columns.size(), 0.0);
    LocalTask task{RoundIndex{round.round}, x, ValidSteps{FixedSteps{5}, 1.0, round.stored}};
    task.reveal = Reveal::Sums;
    task.columns = round.columns;
    v1::Task message = round.message();
    std::vector<ClientId> participants;
    for (const std::uint32_t client : message.participants()) participants.push_back(ClientId{client});
    v1::Task made = wire::task_message("run", round.round, task, participants);
    *made.mutable_told() = message.told();
    return made;
  }

  SlackWitness witness_;
};

const Round kFirst{0, {}, {{0, {}}, {1, {}}, {2, {}}, {3, {}}}, {0, 1, 2, 3}};

TEST_F(Witness, BelievesWhatIsToldToAllWhoWereInARound) {
  answer(kFirst);
  answer({1, {0}, {{0, {0}}, {1, {0}}, {2, {0}}, {3, {0}}}});
  answer({2, {0, 1}, {{0, {0, 1}}, {1, {0, 1}}, {3, {0, 1}}}});
  EXPECT_EQ(wrong({3, {1, 2}, {{0, {0, 1, 2}}, {1, {0, 1, 2}}, {2, {0, 1}}}}), "") << "who was not in one of them";
}

// A server that tells one client alone how far it went would see that client move, and no other.
TEST_F(Witness, SeesThatOthersAreNotTold) {
  answer(kFirst);
  EXPECT_EQ(wrong({1, {0}, {{0, {}}, {1, {0}}, {2, {}}, {3, {}}}}), kNotAll);
  EXPECT_EQ(wrong({1, {0}, {{0, {0}}, {1, {0}}, {2, {}}, {3, {0}}}}), kNotAll) << "or all but one";
  EXPECT_EQ(wrong({1, {}, {{0, {}}, {1, {0}}, {2, {}}, {3, {}}}}), kNotAll) << "also the last of a round";
  EXPECT_EQ(wrong({1, {0}, {{0, {0}}, {1, {}}, {2, {0}}, {3, {0}}}}), "")
      << "it may have been late itself: then the others' last question of that round was without it";
}

// Rounds 1 and 2 were without this client; in them client 0 has heard the last of round 0.
TEST_F(Witness, KnowsThatOthersMayHaveHeardTheLastOfARound) {
  answer(kFirst);
  const Round later{3, {1, 2}, {{0, {1, 2}}, {1, {0}}, {2, {0}}}};
  EXPECT_EQ(wrong(later), "");
  EXPECT_EQ(wrong({3, {0, 1, 2}, {{0, {1, 2}}, {1, {0}}, {2, {0}}}}), kNotAll) << "but not of one that is stored";
}

TEST_F(Witness, IsToldOfNoRoundWithoutIt) {
  answer(kFirst);
  EXPECT_EQ(wrong({2, {0, 1}, {{0, {0, 1}}, {1, {0, 1}}, {2, {0}}}}),
            "it tells of a round that this client did not answer");
}

TEST_F(Witness, IsNotToldThatItsAnswersWereNotUsedAfterAll) {
  answer(kFirst);
  answer({1, {0}, {{0, {0}}, {1, {0}}, {2, {0}}, {3, {0}}}});
  EXPECT_EQ(wrong({2, {0, 1}, {{0, {0, 1}}, {1, {}}, {2, {0, 1}}}, {1}}),
            "it says that nothing this client sent was used, and said otherwise before");
}

// A refit of some unknowns begins without slack. What was before it does not come back, or a server could have its
// rounds forgotten by a question in between.
TEST_F(Witness, KnowsThatFitsFollowEachOther) {
  answer(kFirst);
  answer({1, {0}, {{0, {0}}, {1, {0}}, {2, {0}}, {3, {0}}}});
  const std::map<std::uint32_t, std::vector<std::uint32_t>> nobody{{0, {}}, {1, {}}, {2, {}}, {3, {}}};
  EXPECT_EQ(wrong({2, {0, 1}, {{0, {0, 1}}, {1, {0, 1}}, {2, {0, 1}}, {3, {0, 1}}}, {}, {1, 2}}),
            "it tells of a fit that this client had no part in");
  answer({2, {}, nobody, {0, 1, 2, 3}, {1, 2}});
  EXPECT_EQ(wrong({3, {}, nobody, {0, 1, 2, 3}}), "that fit is over");
  answer({3, {2}, {{0, {2}}, {1, {2}}, {2, {2}}, {3, {2}}}, {}, {1, 2}});
  answer({4, {}, nobody, {0, 1, 2, 3}, {1}});
}

TEST_F(Witness, ForgetsNothingForAQuestionThatItDoesNotAnswer) {
  answer(kFirst);
  EXPECT_EQ(wrong({1, {}, {{0, {}}, {1, {}}, {2, {}}, {3, {}}}, {0, 1, 2, 3}, {1, 2}}), "");
  EXPECT_EQ(wrong({1, {0}, {{0, {}}, {1, {0}}, {2, {}}, {3, {}}}}), kNotAll);
}

// A client that was started again within a run has not seen the rounds before.
TEST_F(Witness, BelievesMoreWhereItHasNotSeenTheBeginning) {
  EXPECT_EQ(wrong({9, {7, 8}, {{0, {7, 8}}, {1, {7, 8}}, {2, {8}}}}), "");
}

}  // namespace
}  // namespace fedrk::network
