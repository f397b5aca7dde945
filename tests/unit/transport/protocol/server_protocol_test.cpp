// SPDX-License-Identifier: Apache-2.0
//
// Joining, answers, and what becomes of those who break the rules.
#include "transport/protocol/server_protocol.hpp"

#include <gtest/gtest.h>

#include "support/server_harness.hpp"

namespace fedrk::network {
namespace {

using test::kBoth, test::kFirst;
using test::ServerHarness;

void expect_closed(const ServerHarness& harness, ConnectionId connection, Closing why, const std::string& reason) {
  const auto closed = harness.outbox.closed(connection);
  ASSERT_EQ(closed.size(), 1U) << reason;
  EXPECT_EQ(closed[0].why, why);
  EXPECT_EQ(closed[0].message, reason);
}

// ---- Who may join.

TEST(ServerProtocol, WelcomesAListedClientWithRunAndPlan) {
  FederationOptions options = test::harness_options({"a"});
  options.plan.target = "y";
  options.heartbeat = Milliseconds(123);
  ServerHarness harness(options);
  const auto connection = harness.open();
  harness.say(connection, test::hello("a"));
  const auto sent = harness.outbox.sent_to(connection);
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(std::get<wire::Welcome>(sent[0]).run, "test");
  EXPECT_EQ(std::get<wire::Welcome>(sent[0]).heartbeat_ms, 123U);
  EXPECT_GT(std::get<wire::Welcome>(sent[0]).plan.size(), 0U);
  EXPECT_EQ(harness.session(0).presence, "joining");
  harness.say(connection, test::ready(3, 2));
  EXPECT_EQ(harness.session(0).presence, "here");
}

TEST(ServerProtocol, RefusesWhoIsNotListed) {
  ServerHarness harness(test::harness_options({"a"}));
  const auto connection = harness.open();
  harness.say(connection, test::hello("b\nforged line"));
  expect_closed(harness, connection, Closing::Denied,
                "'b forged line' is not on the server's list of clients; ask the operator to add it");
  harness.say(connection, test::hello("a"));
  EXPECT_EQ(harness.session(0).presence, "away") << "who was told to go is not listened to";
}

TEST(ServerProtocol, RefusesANameThatIsNotThatOfTheCertificate) {
  ServerHarness harness(test::harness_options({"a", "b"}));
  const auto connection = harness.open({"b", "", "there"});
  harness.say(connection, test::hello("a"));
  expect_closed(harness, connection, Closing::Denied,
                "the certificate is that of 'b', but the client calls itself 'a'; take certificate, key and settings "
                "from the same start-up folder");
}

TEST(ServerProtocol, RefusesACertificateWithoutAName) {
  ServerHarness harness(test::harness_options({"a"}));
  const auto connection = harness.open({.identity = "", .certificate = "", .address = "there", .secured = true});
  harness.say(connection, test::hello("a"));
  ASSERT_EQ(harness.outbox.closed(connection).size(), 1U);
  EXPECT_EQ(harness.outbox.closed(connection)[0].why, Closing::Denied);
}

TEST(ServerProtocol, RefusesASecondConnectionOfOneName) {
  ServerHarness harness(test::harness_options({"a"}));
  const auto first = harness.open({"", "", "here"});
  harness.say(first, test::hello("a"));
  const auto second = harness.open();
  harness.say(second, test::hello("a"));
  expect_closed(harness, second, Closing::Occupied, "'a' is connected already, from here");
  harness.protocol.on_closed(second);
  EXPECT_EQ(harness.session(0).presence, "joining") << "the first is still here";
  harness.protocol.on_closed(first);
  EXPECT_EQ(harness.session(0).presence, "away");
  harness.join("a");
  EXPECT_EQ(harness.session(0).presence, "here");
  EXPECT_EQ(harness.session(0).counts.joined, 2U);
}

TEST(ServerProtocol, RefusesAnotherProtocol) {
  ServerHarness harness(test::harness_options({"a"}));
  const auto connection = harness.open();
  harness.say(connection, test::hello("a", 3));
  expect_closed(harness, connection, Closing::Unfit,
                "the server speaks protocol 8, the client 3: use the same version of fedrk on both sides");
}

// Those of protocols before 5 wrote messages with protobuf.
TEST(ServerProtocol, RefusesAProtobufClientByTheNumberOfItsProtocol) {
  const auto reason = [](std::string_view hello) {
    ServerHarness harness(test::harness_options({"a"}));
    const auto connection = harness.open();
    harness.protocol.on_chunk(connection, hello);
    const auto closed = harness.outbox.closed(connection);
    return closed.at(0).why == Closing::Unfit ? closed[0].message : "";
  };
  // hello { protocol: 4 software: "fedrk 1" name: "a" known_draws: true }
  EXPECT_EQ(reason("\x0A\x10\x08\x04\x12\x07"
                   "fedrk 1\x1A\x01"
                   "a\x20\x01"),
            "the server speaks protocol 8, the client 4: use the same version of fedrk on both sides");
  EXPECT_EQ(reason("\x0A\x82\x01\x08\x03\x1A\x7E" + std::string(126, 'n')),
            "the server speaks protocol 8, the client 3: use the same version of fedrk on both sides");
  for (const std::string_view cut : {"\x0A", "\x0A\x10", "\x0A\x10\x08", "\x0A\x10\x08\xFF\xFF\xFF\xFF"}) {
    EXPECT_EQ(reason(cut), "") << "it is no hello";
  }
}

TEST(ServerProtocol, WantsHelloFirstAndOnce) {
  ServerHarness harness(test::harness_options({"a"}));
  const auto early = harness.open();
  harness.say(early, test::ready(3, 2));
  expect_closed(harness, early, Closing::Broken, "a client says hello first, and once");
  const auto twice = harness.join("a");
  harness.say(twice, test::hello("a"));
  expect_closed(harness, twice, Closing::Broken, "a client says hello first, and once");
}

TEST(ServerProtocol, RefusesATableThatDoesNotFitItsOwnDescription) {
  ServerHarness harness(test::harness_options({"a"}));
  const auto connection = harness.open();
  harness.say(connection, test::hello("a"));
  harness.say(connection, test::ready(3, 2, {"x", "y", "z"}));
  expect_closed(harness, connection, Closing::Unfit, "it names 3 columns, but has 2");
  harness.protocol.on_closed(connection);
  const auto many = harness.open();
  harness.say(many, test::hello("a"));
  harness.say(many, test::ready(~std::uint64_t{0}, 2));
  expect_closed(harness, many, Closing::Unfit, "it claims 18446744073709551615 rows");
}

TEST(ServerProtocol, LetsGoOfAClientThatCannotReadItsDataWithItsOwnWords) {
  ServerHarness harness(test::harness_options({"a"}));
  const auto connection = harness.open();
  harness.say(connection, test::hello("a"));
  harness.say(connection, test::refusal("cannot open data.csv"));
  expect_closed(harness, connection, Closing::Unfit, "cannot open data.csv");
}

TEST(ServerProtocol, CutsLongWordsBetweenCharacters) {
  ServerHarness harness(test::harness_options({"a"}));
  const auto connection = harness.open();
  harness.say(connection, test::hello("a"));
  std::string reason = "x";  // then two bytes each, so that the 200th byte is within a character
  for (int k = 0; k < 1000; ++k) reason += "\xC3\xA4";
  harness.say(connection, test::refusal(reason));
  expect_closed(harness, connection, Closing::Unfit, reason.substr(0, 199));
}

// ---- Answers.

TEST(ServerProtocol, BringsTheAnswersInOrderOfTheClients) {
  ServerHarness harness(test::harness_options({"a", "b"}));
  const auto a = harness.join("a"), b = harness.join("b");
  const auto question = harness.task(4);
  harness.protocol.begin(question, kBoth);
  EXPECT_EQ(std::get<wire::Task>(harness.outbox.sent_to(a).back()).number, 4U);
  harness.say(b, test::update(4, {2.0, 2.0}));
  harness.say(a, test::update(4, {1.0, 1.0}));
  const auto answers = harness.protocol.wait();
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_EQ(std::get<wire::Update>(*answers[0].message).values[0], 1.0);
  EXPECT_EQ(std::get<wire::Update>(*answers[1].message).values[0], 2.0);
  EXPECT_EQ(harness.session(1).counts.answers, 1U);
}

TEST(ServerProtocol, CountsStaleAndRepeatedAnswersAndThoseOfAnotherRunAndUsesNone) {
  ServerHarness harness(test::harness_options({"a", "b"}));
  const auto a = harness.join("a"), b = harness.join("b");
  const auto question = harness.task(4);
  harness.protocol.begin(question, kBoth);
  harness.say(a, test::update(3, {9.0, 9.0}));
  harness.say(a, test::update(4, {9.0, 9.0}, "another run"));
  harness.say(a, test::prepared(3, 2));
  harness.say(a, test::update(4, {1.0, 1.0}));
  harness.say(a, test::update(4, {9.0, 9.0}));
  harness.say(b, test::update(4, {2.0, 2.0}));
  const auto answers = harness.protocol.wait();
  EXPECT_EQ(std::get<wire::Update>(*answers[0].message).values[0], 1.0);
  EXPECT_EQ(harness.session(0).counts.stale, 3U);
  EXPECT_EQ(harness.session(0).counts.duplicates, 1U);
  EXPECT_EQ(harness.session(0).counts.wrong, 0U);
  harness.say(a, test::update(4, {9.0, 9.0}));
  EXPECT_EQ(harness.session(0).counts.stale, 4U) << "nothing is at hand now";
}

TEST(ServerProtocol, NeverUsesALateAnswerForALaterQuestion) {
  FederationOptions options = test::harness_options({"a"});
  options.reply_limit = Milliseconds(5);
  ServerHarness harness(options);
  const auto a = harness.join("a");
  const auto first = harness.task(1, 5), second = harness.task(2, 2);
  const auto late = harness.protocol.exchange(first, kFirst);
  EXPECT_FALSE(late[0].message);
  EXPECT_TRUE(late[0].may_return);
  EXPECT_EQ(late[0].absence, "no answer within 0.005 s");
  EXPECT_EQ(harness.session(0).counts.late, 1U);
  harness.protocol.begin(second, kFirst);
  harness.say(a, test::update(1, {1.0, 1.0, 1.0, 1.0, 1.0}));
  EXPECT_EQ(harness.session(0).counts.stale, 1U);
  EXPECT_EQ(harness.session(0).counts.wrong, 0U)
      << "it is longer than answers may be now, but was not when it was asked for";
  harness.say(a, test::update(2, {2.0, 2.0}));
  EXPECT_EQ(std::get<wire::Update>(*harness.protocol.wait()[0].message).number, 2U);
}

TEST(ServerProtocol, TakesColumnSumsForTheQuestionThatTheyAnswer) {
  ServerHarness harness(test::harness_options({"a"}));
  const auto a = harness.join("a");
  auto question = harness.task(0);
  question.kind = wire::kAnswerKind<wire::ColumnSums>;
  question.of = io::SumColumns::Of::Squares;
  harness.protocol.begin(question, kFirst);
  wire::ColumnSums sums{.run = "test"};
  harness.say(a, sums);
  EXPECT_EQ(harness.session(0).counts.stale, 1U);
  sums.of = io::SumColumns::Of::Squares;
  harness.say(a, sums);
  EXPECT_TRUE(harness.protocol.wait()[0].message);
}

TEST(ServerProtocol, AsksAClientAgainThatComesBackInTime) {
  ServerHarness harness(test::harness_options({"a"}));
  const auto before = harness.join("a");
  const auto question = harness.task(7);
  harness.protocol.begin(question, kFirst);
  harness.protocol.on_closed(before);
  harness.say(before, test::update(7, {9.0, 9.0}));  // from a connection that is gone
  const auto after = harness.join("a");
  EXPECT_EQ(std::get<wire::Task>(harness.outbox.sent_to(after).back()).number, 7U);
  harness.say(after, test::update(7, {1.0, 1.0}));
  EXPECT_EQ(std::get<wire::Update>(*harness.protocol.wait()[0].message).values[0], 1.0);
}

TEST(ServerProtocol, WaitsForOneWhoIsGoneNoLongerThanTheLimit) {
  FederationOptions options = test::harness_options({"a", "b"});
  options.away_limit = Milliseconds(20);
  ServerHarness harness(options);
  const auto a = harness.join("a"), b = harness.join("b");
  const auto question = harness.task(1);
  harness.protocol.begin(question, kBoth);
  harness.say(b, test::update(1, {1.0, 1.0}));
  harness.protocol.on_closed(a);
  const auto begun = Clock::now();
  const auto answers = harness.protocol.wait();
  EXPECT_LT(Clock::now() - begun, options.reply_limit);
  EXPECT_EQ(answers[0].absence, "its connection was lost and it did not come back in time");
  EXPECT_TRUE(answers[0].may_return && answers[1].message);
  EXPECT_EQ(harness.session(0).counts.lost, 1U);
}

TEST(ServerProtocol, WaitsAnewForOneWhoLeftLongAgoWhereAQuestionSaysHowLong) {
  ServerHarness harness(test::harness_options({"a"}));
  auto question = harness.task(1);
  question.away_limit = Milliseconds(30);
  std::this_thread::sleep_for(Milliseconds(40));  // never here, for longer than that
  const auto begun = Clock::now();
  EXPECT_TRUE(harness.protocol.exchange(question, kFirst)[0].may_return);
  EXPECT_GE(Clock::now() - begun, Milliseconds(30));
}

TEST(ServerProtocol, TakesARefusalForTheAnswerOfTheTaskThatItNames) {
  ServerHarness harness(test::harness_options({"a"}));
  const auto a = harness.join("a");
  const auto question = harness.task(3);
  harness.protocol.begin(question, kFirst);
  harness.say(a, test::refusal("too old", 2));
  harness.say(a, test::refusal("of no task"));
  harness.say(a, test::refusal("out of memory\n", 3));
  const auto answers = harness.protocol.wait();
  EXPECT_EQ(answers[0].absence, "it refused: out of memory ");
  EXPECT_FALSE(answers[0].may_return);
  EXPECT_EQ(harness.session(0).presence, "here");
}

// ---- Wrong answers.

TEST(ServerProtocol, PutsAClientAsideAfterSomeWrongAnswers) {
  ServerHarness harness(test::harness_options({"a", "b"}));
  const auto a = harness.join("a"), b = harness.join("b");
  harness.protocol.report_wrong(ClientId{0}, "not finite");
  harness.protocol.report_wrong(ClientId{0}, "not finite");
  const auto question = harness.task(1);
  harness.protocol.begin(question, kBoth);
  harness.say(a, test::ready(3, 2));  // which it has said already
  expect_closed(harness, a, Closing::Denied, "'a' was quarantined after 3 wrong answers");
  harness.say(b, test::update(1, {1.0, 1.0}));
  const auto answers = harness.protocol.wait();
  EXPECT_EQ(answers[0].absence, "was quarantined after 3 wrong answers");
  EXPECT_FALSE(answers[0].may_return);
  EXPECT_EQ(harness.session(0).presence, "quarantined");
  harness.protocol.on_closed(a);
  const auto again = harness.open();
  harness.say(again, test::hello("a"));
  expect_closed(harness, again, Closing::Denied, "'a' was quarantined for wrong answers");
  const auto next = harness.task(2);
  harness.protocol.begin(next, kFirst);
  EXPECT_EQ(harness.protocol.wait()[0].absence, "was quarantined for wrong answers");
}

TEST(ServerProtocol, ClosesAConnectionWhoseMessagesMakeNoSense) {
  ServerHarness harness(test::harness_options({"a"}));
  const auto a = harness.join("a");
  const auto question = harness.task(1, 2);
  harness.protocol.begin(question, kFirst);
  harness.say(a, test::update(1, {1.0, 1.0, 1.0}));
  expect_closed(harness, a, Closing::Broken, "malformed message: a vector of 3 numbers");
  harness.protocol.on_closed(a);
  const auto again = harness.join("a");
  harness.say(again, test::update(1, {1.0, 1.0}));
  EXPECT_TRUE(harness.protocol.wait()[0].message) << "its next connection is asked again";
  EXPECT_EQ(harness.session(0).counts.wrong, 1U);
}

TEST(ServerProtocol, TakesNoNumbersBeforeItAsksForAny) {
  ServerHarness harness(test::harness_options({"a"}));
  const auto a = harness.join("a");
  harness.say(a, test::update(0, {1.0}));
  expect_closed(harness, a, Closing::Broken, "malformed message: a vector of 1 numbers");
}

TEST(ServerProtocol, ClosesAConnectionThatSaysMuchMoreThanItWasAsked) {
  ServerHarness harness(test::harness_options({"a"}));
  const auto a = harness.join("a");
  for (int k = 0; k < 15; ++k) harness.say(a, test::update(9));
  EXPECT_TRUE(harness.outbox.closed(a).empty());
  harness.say(a, test::update(9));
  expect_closed(harness, a, Closing::Broken, "it says much more than it was asked");
  harness.protocol.on_closed(a);
  const auto diligent = harness.join("a");
  for (std::uint64_t k = 0; k < 100; ++k) {
    const auto question = harness.task(k);
    harness.protocol.begin(question, kFirst);
    harness.say(diligent, test::update(k));
    harness.protocol.wait();
  }
  EXPECT_TRUE(harness.outbox.closed(diligent).empty());
}

}  // namespace
}  // namespace fedrk::network
