// SPDX-License-Identifier: Apache-2.0
//
// Joining, answers, and what becomes of those who break the rules.
#include "transport/protocol/server_protocol.hpp"

#include <gtest/gtest.h>

#include "support/server_harness.hpp"

namespace fedrk::network {
namespace {

using test::Desk;

const std::vector<ClientId> kBoth{ClientId{0}, ClientId{1}};
const std::vector<ClientId> kFirst{ClientId{0}};

void expect_closed(const Desk& desk, ConnectionId connection, Closing why, const std::string& words) {
  const auto closed = desk.outbox.closed(connection);
  ASSERT_EQ(closed.size(), 1U) << words;
  EXPECT_EQ(closed[0].why, why);
  EXPECT_EQ(closed[0].words, words);
}

// ---- Who may join.

TEST(Switchboard, WelcomesAListedClientWithRunAndPlan) {
  FederationOptions options = test::desk_options({"a"});
  options.plan.target = "y";
  options.heartbeat = Milliseconds(123);
  Desk desk(options);
  const auto connection = desk.open();
  desk.say(connection, test::hello("a"));
  const auto sent = desk.outbox.sent_to(connection);
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(std::get<wire::Welcome>(sent[0]).run, "test");
  EXPECT_EQ(std::get<wire::Welcome>(sent[0]).heartbeat_ms, 123U);
  EXPECT_GT(std::get<wire::Welcome>(sent[0]).plan.size(), 0U);
  EXPECT_EQ(desk.seat(0).presence, "joining");
  desk.say(connection, test::ready(3, 2));
  EXPECT_EQ(desk.seat(0).presence, "here");
}

TEST(Switchboard, RefusesWhoIsNotListed) {
  Desk desk(test::desk_options({"a"}));
  const auto connection = desk.open();
  desk.say(connection, test::hello("b\nforged line"));
  expect_closed(desk, connection, Closing::Denied,
                "'b forged line' is not on the server's list of clients; ask the operator to add it");
  desk.say(connection, test::hello("a"));
  EXPECT_EQ(desk.seat(0).presence, "away") << "who was told to go is not listened to";
}

TEST(Switchboard, RefusesANameThatIsNotThatOfTheCertificate) {
  Desk desk(test::desk_options({"a", "b"}));
  const auto connection = desk.open({"b", "", "there"});
  desk.say(connection, test::hello("a"));
  expect_closed(desk, connection, Closing::Denied,
                "the certificate is that of 'b', but the client calls itself 'a'; take certificate, key and settings "
                "from the same start-up folder");
}

TEST(Switchboard, RefusesACertificateWithoutAName) {
  Desk desk(test::desk_options({"a"}));
  const auto connection = desk.open({.identity = "", .certificate = "", .address = "there", .secured = true});
  desk.say(connection, test::hello("a"));
  ASSERT_EQ(desk.outbox.closed(connection).size(), 1U);
  EXPECT_EQ(desk.outbox.closed(connection)[0].why, Closing::Denied);
}

TEST(Switchboard, RefusesASecondConnectionOfOneName) {
  Desk desk(test::desk_options({"a"}));
  const auto first = desk.open({"", "", "here"});
  desk.say(first, test::hello("a"));
  const auto second = desk.open();
  desk.say(second, test::hello("a"));
  expect_closed(desk, second, Closing::Occupied, "'a' is connected already, from here");
  desk.board.on_closed(second);
  EXPECT_EQ(desk.seat(0).presence, "joining") << "the first is still here";
  desk.board.on_closed(first);
  EXPECT_EQ(desk.seat(0).presence, "away");
  desk.join("a");
  EXPECT_EQ(desk.seat(0).presence, "here");
  EXPECT_EQ(desk.seat(0).counts.joined, 2U);
}

TEST(Switchboard, RefusesAnotherProtocol) {
  Desk desk(test::desk_options({"a"}));
  const auto connection = desk.open();
  desk.say(connection, test::hello("a", 3));
  expect_closed(desk, connection, Closing::Unfit,
                "the server speaks protocol 5, the client 3: use the same version of fedrk on both sides");
}

// Those of protocols before 5 wrote messages with protobuf.
TEST(Switchboard, RefusesAProtobufClientByTheNumberOfItsProtocol) {
  const auto words = [](std::string_view hello) {
    Desk desk(test::desk_options({"a"}));
    const auto connection = desk.open();
    desk.board.on_chunk(connection, hello);
    const auto closed = desk.outbox.closed(connection);
    return closed.at(0).why == Closing::Unfit ? closed[0].words : "";
  };
  // hello { protocol: 4 software: "fedrk 1" name: "a" known_draws: true }
  EXPECT_EQ(words("\x0A\x10\x08\x04\x12\x07"
                  "fedrk 1\x1A\x01"
                  "a\x20\x01"),
            "the server speaks protocol 5, the client 4: use the same version of fedrk on both sides");
  EXPECT_EQ(words("\x0A\x82\x01\x08\x03\x1A\x7E" + std::string(126, 'n')),
            "the server speaks protocol 5, the client 3: use the same version of fedrk on both sides");
  for (const std::string_view cut : {"\x0A", "\x0A\x10", "\x0A\x10\x08", "\x0A\x10\x08\xFF\xFF\xFF\xFF"}) {
    EXPECT_EQ(words(cut), "") << "it is no hello";
  }
}

TEST(Switchboard, WantsHelloFirstAndOnce) {
  Desk desk(test::desk_options({"a"}));
  const auto early = desk.open();
  desk.say(early, test::ready(3, 2));
  expect_closed(desk, early, Closing::Broken, "a client says hello first, and once");
  const auto twice = desk.join("a");
  desk.say(twice, test::hello("a"));
  expect_closed(desk, twice, Closing::Broken, "a client says hello first, and once");
}

TEST(Switchboard, RefusesATableThatDoesNotFitItsOwnDescription) {
  Desk desk(test::desk_options({"a"}));
  const auto connection = desk.open();
  desk.say(connection, test::hello("a"));
  desk.say(connection, test::ready(3, 2, {"x", "y", "z"}));
  expect_closed(desk, connection, Closing::Unfit, "it names 3 columns, but has 2");
  desk.board.on_closed(connection);
  const auto many = desk.open();
  desk.say(many, test::hello("a"));
  desk.say(many, test::ready(~std::uint64_t{0}, 2));
  expect_closed(desk, many, Closing::Unfit, "it claims 18446744073709551615 rows");
}

TEST(Switchboard, LetsGoOfAClientThatCannotReadItsDataWithItsOwnWords) {
  Desk desk(test::desk_options({"a"}));
  const auto connection = desk.open();
  desk.say(connection, test::hello("a"));
  desk.say(connection, test::refusal("cannot open data.csv"));
  expect_closed(desk, connection, Closing::Unfit, "cannot open data.csv");
}

TEST(Switchboard, CutsLongWordsBetweenCharacters) {
  Desk desk(test::desk_options({"a"}));
  const auto connection = desk.open();
  desk.say(connection, test::hello("a"));
  std::string words = "x";  // then two bytes each, so that the 200th byte is within a character
  for (int k = 0; k < 1000; ++k) words += "\xC3\xA4";
  desk.say(connection, test::refusal(words));
  expect_closed(desk, connection, Closing::Unfit, words.substr(0, 199));
}

// ---- Answers.

TEST(Switchboard, BringsTheAnswersInOrderOfTheClients) {
  Desk desk(test::desk_options({"a", "b"}));
  const auto a = desk.join("a"), b = desk.join("b");
  const auto question = desk.task(4);
  desk.board.begin(question, kBoth);
  EXPECT_EQ(std::get<wire::Task>(desk.outbox.sent_to(a).back()).number, 4U);
  desk.say(b, test::update(4, {2.0, 2.0}));
  desk.say(a, test::update(4, {1.0, 1.0}));
  const auto answers = desk.board.wait();
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_EQ(std::get<wire::Update>(*answers[0].message).values[0], 1.0);
  EXPECT_EQ(std::get<wire::Update>(*answers[1].message).values[0], 2.0);
  EXPECT_EQ(desk.seat(1).counts.answers, 1U);
}

TEST(Switchboard, CountsStaleAndRepeatedAnswersAndThoseOfAnotherRunAndUsesNone) {
  Desk desk(test::desk_options({"a", "b"}));
  const auto a = desk.join("a"), b = desk.join("b");
  const auto question = desk.task(4);
  desk.board.begin(question, kBoth);
  desk.say(a, test::update(3, {9.0, 9.0}));
  desk.say(a, test::update(4, {9.0, 9.0}, "another run"));
  desk.say(a, test::prepared(3, 2));
  desk.say(a, test::update(4, {1.0, 1.0}));
  desk.say(a, test::update(4, {9.0, 9.0}));
  desk.say(b, test::update(4, {2.0, 2.0}));
  const auto answers = desk.board.wait();
  EXPECT_EQ(std::get<wire::Update>(*answers[0].message).values[0], 1.0);
  EXPECT_EQ(desk.seat(0).counts.stale, 3U);
  EXPECT_EQ(desk.seat(0).counts.duplicates, 1U);
  EXPECT_EQ(desk.seat(0).counts.wrong, 0U);
  desk.say(a, test::update(4, {9.0, 9.0}));
  EXPECT_EQ(desk.seat(0).counts.stale, 4U) << "nothing is at hand now";
}

TEST(Switchboard, NeverUsesALateAnswerForALaterQuestion) {
  FederationOptions options = test::desk_options({"a"});
  options.reply_limit = Milliseconds(5);
  Desk desk(options);
  const auto a = desk.join("a");
  const auto first = desk.task(1, 5), second = desk.task(2, 2);
  const auto late = desk.board.exchange(first, kFirst);
  EXPECT_FALSE(late[0].message);
  EXPECT_TRUE(late[0].may_return);
  EXPECT_EQ(late[0].absence, "no answer within 0.005 s");
  EXPECT_EQ(desk.seat(0).counts.late, 1U);
  desk.board.begin(second, kFirst);
  desk.say(a, test::update(1, {1.0, 1.0, 1.0, 1.0, 1.0}));
  EXPECT_EQ(desk.seat(0).counts.stale, 1U);
  EXPECT_EQ(desk.seat(0).counts.wrong, 0U) << "it is longer than answers may be now, but was not when it was asked for";
  desk.say(a, test::update(2, {2.0, 2.0}));
  EXPECT_EQ(std::get<wire::Update>(*desk.board.wait()[0].message).number, 2U);
}

TEST(Switchboard, TakesColumnSumsForTheQuestionThatTheyAnswer) {
  Desk desk(test::desk_options({"a"}));
  const auto a = desk.join("a");
  auto question = desk.task(0);
  question.kind = wire::kAnswerKind<wire::ColumnSums>;
  question.squared = true;
  desk.board.begin(question, kFirst);
  wire::ColumnSums sums{.run = "test"};
  desk.say(a, sums);
  EXPECT_EQ(desk.seat(0).counts.stale, 1U);
  sums.squared = true;
  desk.say(a, sums);
  EXPECT_TRUE(desk.board.wait()[0].message);
}

TEST(Switchboard, AsksAClientAgainThatComesBackInTime) {
  Desk desk(test::desk_options({"a"}));
  const auto before = desk.join("a");
  const auto question = desk.task(7);
  desk.board.begin(question, kFirst);
  desk.board.on_closed(before);
  desk.say(before, test::update(7, {9.0, 9.0}));  // from a connection that is gone
  const auto after = desk.join("a");
  EXPECT_EQ(std::get<wire::Task>(desk.outbox.sent_to(after).back()).number, 7U);
  desk.say(after, test::update(7, {1.0, 1.0}));
  EXPECT_EQ(std::get<wire::Update>(*desk.board.wait()[0].message).values[0], 1.0);
}

TEST(Switchboard, WaitsForOneWhoIsGoneNoLongerThanTheLimit) {
  FederationOptions options = test::desk_options({"a", "b"});
  options.away_limit = Milliseconds(20);
  Desk desk(options);
  const auto a = desk.join("a"), b = desk.join("b");
  const auto question = desk.task(1);
  desk.board.begin(question, kBoth);
  desk.say(b, test::update(1, {1.0, 1.0}));
  desk.board.on_closed(a);
  const auto begun = Clock::now();
  const auto answers = desk.board.wait();
  EXPECT_LT(Clock::now() - begun, options.reply_limit);
  EXPECT_EQ(answers[0].absence, "its connection was lost and it did not come back in time");
  EXPECT_TRUE(answers[0].may_return && answers[1].message);
  EXPECT_EQ(desk.seat(0).counts.lost, 1U);
}

TEST(Switchboard, WaitsAnewForOneWhoLeftLongAgoWhereAQuestionSaysHowLong) {
  Desk desk(test::desk_options({"a"}));
  auto question = desk.task(1);
  question.away_limit = Milliseconds(30);
  std::this_thread::sleep_for(Milliseconds(40));  // never here, for longer than that
  const auto begun = Clock::now();
  EXPECT_TRUE(desk.board.exchange(question, kFirst)[0].may_return);
  EXPECT_GE(Clock::now() - begun, Milliseconds(30));
}

TEST(Switchboard, TakesARefusalForTheAnswerOfTheTaskThatItNames) {
  Desk desk(test::desk_options({"a"}));
  const auto a = desk.join("a");
  const auto question = desk.task(3);
  desk.board.begin(question, kFirst);
  desk.say(a, test::refusal("too old", 2));
  desk.say(a, test::refusal("of no task"));
  desk.say(a, test::refusal("out of memory\n", 3));
  const auto answers = desk.board.wait();
  EXPECT_EQ(answers[0].absence, "it refused: out of memory ");
  EXPECT_FALSE(answers[0].may_return);
  EXPECT_EQ(desk.seat(0).presence, "here");
}

// ---- Wrong answers.

TEST(Switchboard, PutsAClientAsideAfterSomeWrongAnswers) {
  Desk desk(test::desk_options({"a", "b"}));
  const auto a = desk.join("a"), b = desk.join("b");
  desk.board.report_wrong(ClientId{0}, "not finite");
  desk.board.report_wrong(ClientId{0}, "not finite");
  const auto question = desk.task(1);
  desk.board.begin(question, kBoth);
  desk.say(a, test::ready(3, 2));  // which it has said already
  expect_closed(desk, a, Closing::Denied, "'a' was put aside after 3 wrong answers");
  desk.say(b, test::update(1, {1.0, 1.0}));
  const auto answers = desk.board.wait();
  EXPECT_EQ(answers[0].absence, "was put aside after 3 wrong answers");
  EXPECT_FALSE(answers[0].may_return);
  EXPECT_EQ(desk.seat(0).presence, "put aside");
  desk.board.on_closed(a);
  const auto again = desk.open();
  desk.say(again, test::hello("a"));
  expect_closed(desk, again, Closing::Denied, "'a' was put aside for wrong answers");
  const auto next = desk.task(2);
  desk.board.begin(next, kFirst);
  EXPECT_EQ(desk.board.wait()[0].absence, "was put aside for wrong answers");
}

TEST(Switchboard, ClosesAConnectionWhoseMessagesMakeNoSense) {
  Desk desk(test::desk_options({"a"}));
  const auto a = desk.join("a");
  const auto question = desk.task(1, 2);
  desk.board.begin(question, kFirst);
  desk.say(a, test::update(1, {1.0, 1.0, 1.0}));
  expect_closed(desk, a, Closing::Broken, "malformed message: a vector of 3 numbers");
  desk.board.on_closed(a);
  const auto again = desk.join("a");
  desk.say(again, test::update(1, {1.0, 1.0}));
  EXPECT_TRUE(desk.board.wait()[0].message) << "its next connection is asked again";
  EXPECT_EQ(desk.seat(0).counts.wrong, 1U);
}

TEST(Switchboard, TakesNoNumbersBeforeItAsksForAny) {
  Desk desk(test::desk_options({"a"}));
  const auto a = desk.join("a");
  desk.say(a, test::update(0, {1.0}));
  expect_closed(desk, a, Closing::Broken, "malformed message: a vector of 1 numbers");
}

TEST(Switchboard, ClosesAConnectionThatSaysMuchMoreThanItWasAsked) {
  Desk desk(test::desk_options({"a"}));
  const auto a = desk.join("a");
  for (int k = 0; k < 15; ++k) desk.say(a, test::update(9));
  EXPECT_TRUE(desk.outbox.closed(a).empty());
  desk.say(a, test::update(9));
  expect_closed(desk, a, Closing::Broken, "it says much more than it was asked");
  desk.board.on_closed(a);
  const auto diligent = desk.join("a");
  for (std::uint64_t k = 0; k < 100; ++k) {
    const auto question = desk.task(k);
    desk.board.begin(question, kFirst);
    desk.say(diligent, test::update(k));
    desk.board.wait();
  }
  EXPECT_TRUE(desk.outbox.closed(diligent).empty());
}

}  // namespace
}  // namespace fedrk::network
