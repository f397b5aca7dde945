// SPDX-License-Identifier: Apache-2.0
//
// Gathering, coming back, time, and the end.
#include <thread>

#include <gtest/gtest.h>

#include "support/server_harness.hpp"
#include "transport/protocol/server_protocol.hpp"

namespace fedrk::network {
namespace {

using test::Desk;

const std::vector<ClientId> kFirst{ClientId{0}};

Closing last_closing(const Desk& desk, ConnectionId connection) {
  const auto closed = desk.outbox.closed(connection);
  if (closed.empty()) throw std::runtime_error("it is still open");
  return closed.back().why;
}

void fix(Desk& desk, std::size_t clients) {
  std::vector<wire::Prepare> messages(clients);
  std::vector<wire::Prepared> expected(clients, test::prepared(3, 2));
  for (auto& message : messages) message.run = "test";
  desk.board.fix_preparation(std::move(messages), std::move(expected));
}

// ---- Gathering.

TEST(Gathering, EndsWhenAllAreHere) {
  Desk desk(test::desk_options({"a", "b"}));
  desk.join("b", 5, 2);
  std::thread later([&] { desk.join("a", 4, 2); });
  const auto arrivals = desk.board.gather();
  later.join();
  ASSERT_TRUE(arrivals);
  ASSERT_EQ(arrivals->size(), 2U);
  EXPECT_EQ((*arrivals)[0].name, "a");
  EXPECT_EQ((*arrivals)[1].ready.rows, 5U);
}

TEST(Gathering, NamesThoseWhoAreMissing) {
  FederationOptions options = test::desk_options({"a", "b", "c"});
  options.join_limit = Milliseconds(10);
  Desk desk(options);
  desk.join("b");
  const auto arrivals = desk.board.gather();
  ASSERT_FALSE(arrivals);
  EXPECT_EQ(arrivals.error().message, "only 1 of 3 clients joined within 0.01 s; missing: a, c");
}

TEST(Gathering, GoesOnWithEnoughAndWithoutTheOthers) {
  FederationOptions options = test::desk_options({"a", "b", "c", "d"});
  options.join_limit = Milliseconds(10);
  options.enough = 2;
  Desk desk(options);
  const auto b = desk.join("b");
  const auto d = desk.join("d");
  const auto c = desk.open();
  desk.say(c, test::hello("c"));  // still reads its data
  const auto arrivals = desk.board.gather();
  ASSERT_TRUE(arrivals);
  ASSERT_EQ(arrivals->size(), 2U);
  EXPECT_EQ((*arrivals)[1].name, "d");
  EXPECT_EQ(last_closing(desk, c), Closing::Unfit);
  desk.say(c, test::ready(3, 2));  // on its way when it was told to go
  desk.board.on_tick();
  desk.board.on_closed(c);
  const auto a = desk.open();
  desk.say(a, test::hello("a"));
  EXPECT_EQ(desk.outbox.closed(a)[0].words,
            "'a' is not on the server's list of clients of this run, which has begun; wait for the next");

  const std::vector<ClientId> all{ClientId{0}, ClientId{1}};
  const auto question = desk.task(0);
  desk.board.begin(question, all);
  desk.say(d, test::update(0, {4.0, 4.0}));
  desk.say(b, test::update(0, {2.0, 2.0}));
  const auto answers = desk.board.wait();
  EXPECT_EQ(std::get<wire::Update>(*answers[0].message).values[0], 2.0) << "b is the first now";
  EXPECT_EQ(std::get<wire::Update>(*answers[1].message).values[0], 4.0);
  desk.board.on_closed(d);
  EXPECT_EQ(desk.seat(1).presence, "away");
}

TEST(Gathering, OfARunThatGoesOnKeepsThePlacesOfThoseWhoAreMissing) {
  FederationOptions options = test::desk_options({"a", "b"});
  options.join_limit = Milliseconds(10);
  options.enough = 1;
  Desk desk(options);
  fix(desk, 2);
  const auto b = desk.join("b");
  desk.say(b, test::prepared(3, 2));
  const auto arrivals = desk.board.gather();
  ASSERT_TRUE(arrivals);
  EXPECT_EQ(arrivals->size(), 2U);
  const auto a = desk.join("a");
  desk.say(a, test::prepared(3, 2));
  EXPECT_EQ(desk.seat(0).presence, "here");
}

// ---- Coming back to a run that has begun.

TEST(ComingBack, IsPreparedAgainAndMustHaveTheSameRows) {
  Desk desk(test::desk_options({"a"}));
  const auto first = desk.join("a");
  ASSERT_TRUE(desk.board.gather());
  fix(desk, 1);
  desk.board.on_closed(first);
  const auto same = desk.join("a");
  EXPECT_TRUE(wire::holds<wire::Prepare>(desk.outbox.sent_to(same).back()));
  EXPECT_EQ(desk.seat(0).presence, "joining");
  desk.say(same, test::prepared(3, 2));
  EXPECT_EQ(desk.seat(0).presence, "here");
  desk.board.on_closed(same);
  const auto other = desk.join("a");
  desk.say(other, test::prepared(3, 2, 1.0 + 1e-15));
  ASSERT_EQ(last_closing(desk, other), Closing::Unfit);
  EXPECT_EQ(desk.outbox.closed(other)[0].words,
            "its data are not those with which the run began; restore them, or start a new run");
}

TEST(ComingBack, WithATableOfAnotherSizeIsRefusedAtOnce) {
  Desk desk(test::desk_options({"a"}));
  desk.board.on_closed(desk.join("a", 3, 2));
  desk.board.on_closed(desk.join("a", 4, 2));  // before the run has begun it may
  const auto first = desk.join("a", 3, 2);
  ASSERT_TRUE(desk.board.gather());
  desk.board.on_closed(first);
  const auto other = desk.join("a", 4, 2);
  ASSERT_EQ(last_closing(desk, other), Closing::Unfit);
  EXPECT_EQ(desk.outbox.closed(other)[0].words, "its data are 4 x 2, but were 3 x 2 when the run began");
  desk.board.on_closed(other);
  const auto renamed = desk.open();
  desk.say(renamed, test::hello("a"));
  desk.say(renamed, test::ready(3, 2, {"x", "y"}));
  EXPECT_EQ(last_closing(desk, renamed), Closing::Unfit);
}

// A server that is started again knows what it stored, not whom it met.
TEST(ComingBack, ToAServerThatWasStartedAgainItMustBeWhatItWas) {
  Desk desk(test::desk_options({"a"}));
  const wire::Ready began{.rows = 3, .columns = 2, .names = {"age", "weight"}};
  desk.board.expect({{"a", began, false}});
  fix(desk, 1);

  const auto swapped = desk.open();
  desk.say(swapped, test::hello("a"));
  desk.say(swapped, test::ready(3, 2, {"weight", "age"}));
  EXPECT_EQ(last_closing(desk, swapped), Closing::Unfit) << "its columns have changed places";
  desk.board.on_closed(swapped);

  const auto known = desk.open();
  wire::Hello hello = test::hello("a");
  hello.known_draws = true;
  desk.say(known, hello);
  EXPECT_EQ(last_closing(desk, known), Closing::Unfit) << "its draws were secret";
}

TEST(ComingBack, BetweenItsPreparationAndThatOfAllItIsPreparedOnceMore) {
  Desk desk(test::desk_options({"a"}));
  const auto first = desk.join("a");
  ASSERT_TRUE(desk.board.gather());
  auto question = desk.task(0);
  question.kind = wire::kAnswerKind<wire::Prepared>;
  desk.board.begin(question, kFirst);
  desk.say(first, test::prepared(3, 2));
  ASSERT_TRUE(desk.board.wait()[0].message);
  desk.board.on_closed(first);
  const auto again = desk.join("a");  // perhaps a new process, that knows nothing
  EXPECT_EQ(desk.seat(0).presence, "here");
  fix(desk, 1);
  EXPECT_TRUE(wire::holds<wire::Prepare>(desk.outbox.sent_to(again).back()));
  EXPECT_EQ(desk.seat(0).presence, "joining");
  desk.say(again, test::prepared(3, 2));
  EXPECT_EQ(desk.seat(0).presence, "here");
}

TEST(ComingBack, AndRefusingIsAnAbsenceAndEndsTheConnection) {
  Desk desk(test::desk_options({"a"}));
  const auto first = desk.join("a");
  ASSERT_TRUE(desk.board.gather());
  fix(desk, 1);
  desk.board.on_closed(first);
  const auto question = desk.task(5);
  desk.board.begin(question, kFirst);
  const auto again = desk.join("a");
  desk.say(again, test::refusal("the disk is full"));
  EXPECT_EQ(desk.board.wait()[0].absence, "it refused: the disk is full");
  EXPECT_EQ(last_closing(desk, again), Closing::Unfit);
}

// ---- Time.

TEST(Limits, AnInterruptEndsEveryWait) {
  Desk desk(test::desk_options({"a"}));
  std::thread later([&] { desk.board.interrupt(Termination::Interrupted, "somebody asked"); });
  EXPECT_THROW((void)desk.board.gather(), RunEnded);
  later.join();
  const auto question = desk.task(0);
  try {
    desk.board.exchange(question, kFirst);
    FAIL() << "it went on";
  } catch (const RunEnded& ended) {
    EXPECT_EQ(ended.why(), Termination::Interrupted);
    EXPECT_EQ(ended.words(), "somebody asked");
  }
}

TEST(Limits, AnInterruptEndsTheWaitForAnswers) {
  Desk desk(test::desk_options({"a"}));
  desk.join("a");
  const auto question = desk.task(0);
  desk.board.begin(question, kFirst);
  std::thread later([&] { desk.board.interrupt(Termination::Interrupted, ""); });
  EXPECT_THROW(desk.board.wait(), RunEnded);
  later.join();
}

TEST(Limits, ARunHasNoMoreTimeThanItWasGiven) {
  FederationOptions options = test::desk_options({"a"});
  options.run_limit = Milliseconds(20);
  Desk desk(options);
  desk.join("a");
  const auto question = desk.task(0);
  try {
    desk.board.exchange(question, kFirst);
    FAIL() << "it went on";
  } catch (const RunEnded& ended) {
    EXPECT_EQ(ended.why(), Termination::Deadline);
    EXPECT_EQ(ended.words(), "0.02 s were given");
  }
}

TEST(Limits, WhoIsSilentIsLetGo) {
  FederationOptions options = test::desk_options({"a", "b"});
  options.heartbeat = Milliseconds(25);
  options.hello_limit = Milliseconds(50);
  Desk desk(options);
  const auto a = desk.join("a"), b = desk.join("b"), stranger = desk.open();
  std::this_thread::sleep_for(Milliseconds(110));
  desk.say(b, wire::Heartbeat{});
  desk.board.on_tick();
  EXPECT_EQ(last_closing(desk, a), Closing::Silent);
  EXPECT_TRUE(desk.outbox.closed(b).empty());
  EXPECT_EQ(desk.outbox.closed(stranger).at(0).words, "it never said hello");
}

TEST(Limits, WhoWasToldToGoAndDoesNotIsCutOff) {
  FederationOptions options = test::desk_options({"a"});
  options.heartbeat = Milliseconds(25);
  Desk desk(options);
  const auto stranger = desk.open();
  desk.say(stranger, test::hello("b"));
  desk.board.on_tick();
  EXPECT_EQ(last_closing(desk, stranger), Closing::Denied);
  std::this_thread::sleep_for(Milliseconds(110));
  desk.board.on_tick();
  desk.board.on_tick();
  ASSERT_EQ(desk.outbox.closed(stranger).size(), 2U);
  EXPECT_EQ(last_closing(desk, stranger), Closing::Silent);
}

TEST(Limits, ARevokedCertificateEndsAnOpenConnectionAtTheNextTick) {
  FederationOptions options = test::desk_options({"a"});
  std::string revoked;
  options.veto = [&](const std::string& certificate) {
    return certificate == revoked ? "the certificate was revoked" : "";
  };
  Desk desk(options);
  const auto a = desk.open({"a", "certificate of a", ""});
  desk.say(a, test::hello("a"));
  desk.say(a, test::ready(3, 2));
  desk.board.on_tick();
  EXPECT_TRUE(desk.outbox.closed(a).empty());
  revoked = "certificate of a";
  desk.board.on_tick();
  EXPECT_EQ(last_closing(desk, a), Closing::Denied);
  desk.board.on_closed(a);
  const auto again = desk.open({"a", "certificate of a", ""});
  EXPECT_EQ(last_closing(desk, again), Closing::Denied);
}

TEST(Limits, NobodyWaitsForARevokedClientUntilItComesWithAnotherCertificate) {
  FederationOptions options = test::desk_options({"a"});
  std::string revoked;
  options.veto = [&](const std::string& certificate) { return certificate == revoked ? "revoked" : ""; };
  Desk desk(options);
  const auto join = [&](const std::string& certificate) {
    const auto connection = desk.open({"a", certificate, ""});
    desk.say(connection, test::hello("a"));
    desk.say(connection, test::ready(3, 2));
    return connection;
  };
  const std::vector<ClientId> clients{ClientId{0}};
  const auto first = desk.task(0), second = desk.task(1), third = desk.task(2);
  const auto a = join("old");
  desk.board.begin(first, clients);
  revoked = "old";
  desk.board.on_tick();
  EXPECT_EQ(desk.board.wait()[0].absence, "its certificate was revoked") << "while it was asked";
  desk.board.on_closed(a);
  EXPECT_EQ(desk.board.exchange(second, clients)[0].absence, "its certificate was revoked") << "without a wait";
  const auto again = join("new");
  desk.board.begin(third, clients);
  desk.say(again, test::update(2, {1.0, 2.0}));
  EXPECT_TRUE(desk.board.wait()[0].message);
}

TEST(Limits, ThereAreOnlySoManyConnections) {
  FederationOptions options = test::desk_options({"a"});
  options.most_connections = 2;
  Desk desk(options);
  const auto first = desk.open();
  desk.open();
  const auto third = desk.open();
  EXPECT_EQ(last_closing(desk, third), Closing::Full);
  desk.board.on_closed(third);
  desk.board.on_closed(first);
  EXPECT_TRUE(desk.outbox.closed(desk.open()).empty());
}

TEST(Limits, OneNameDoesNotTakeThePlacesOfOthers) {
  Desk desk(test::desk_options({"a", "b"}));
  for (int k = 0; k < 8; ++k) EXPECT_TRUE(desk.outbox.closed(desk.open({"a", "", ""})).empty());
  EXPECT_EQ(last_closing(desk, desk.open({"a", "", ""})), Closing::Full);
  EXPECT_TRUE(desk.outbox.closed(desk.open({"b", "", ""})).empty());
}

// ---- The end.

TEST(TheEnd, IsToldToEveryoneAndToWhoComesBackForIt) {
  Desk desk(test::desk_options({"a", "b"}));
  const auto a = desk.join("a"), stranger = desk.open();
  desk.board.end({.status = "finished:completed"});
  EXPECT_EQ(std::get<wire::End>(desk.outbox.sent_to(a).back()).status, "finished:completed");
  EXPECT_EQ(last_closing(desk, a), Closing::Ended);
  EXPECT_TRUE(desk.outbox.sent_to(stranger).empty());
  const auto b = desk.open();
  desk.say(b, test::hello("b"));
  EXPECT_EQ(std::get<wire::End>(desk.outbox.sent_to(b).back()).status, "finished:completed");
  EXPECT_EQ(last_closing(desk, b), Closing::Ended);
  const auto other = desk.open();
  desk.say(other, test::hello("x"));
  EXPECT_TRUE(desk.outbox.sent_to(other).empty()) << "the answer is for those of the list";
  for (const auto id : {a, stranger, b, other}) desk.board.on_closed(id);
  desk.board.wait_until_empty(Milliseconds(10'000));
  EXPECT_EQ(desk.board.connections(), 0U);
}

TEST(TheEnd, WaitsForOneThatLostItsConnectionAMomentAgo) {
  Desk desk(test::desk_options({"a", "b"}));
  const auto a = desk.join("a"), b = desk.join("b");
  desk.board.on_closed(b);
  desk.board.end({.status = "finished:completed"});
  desk.board.on_closed(a);

  const auto start = Clock::now();
  desk.board.wait_until_empty(Milliseconds(30));
  EXPECT_GE(Clock::now() - start, Milliseconds(30)) << "b may still come";
  const auto again = desk.open();
  desk.say(again, test::hello("b"));
  desk.board.on_closed(again);
  desk.board.wait_until_empty(Milliseconds(10'000));
  EXPECT_LT(Clock::now() - start, Milliseconds(5'000));
}

}  // namespace
}  // namespace fedrk::network
