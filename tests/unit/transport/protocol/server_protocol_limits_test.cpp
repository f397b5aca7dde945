// SPDX-License-Identifier: Apache-2.0
//
// Gathering, coming back, time, and the end.
#include <thread>

#include <gtest/gtest.h>

#include "support/server_harness.hpp"
#include "transport/protocol/server_protocol.hpp"

namespace fedrk::network {
namespace {

using test::kFirst;
using test::ServerHarness;

Closing last_closing(const ServerHarness& harness, ConnectionId connection) {
  const auto closed = harness.outbox.closed(connection);
  if (closed.empty()) throw std::runtime_error("it is still open");
  return closed.back().why;
}

void fix(ServerHarness& harness, std::size_t clients) {
  std::vector<wire::Prepare> messages(clients);
  std::vector<wire::Prepared> expected(clients, test::prepared(3, 2));
  for (auto& message : messages) message.run = "test";
  harness.protocol.fix_preparation(std::move(messages), std::move(expected));
}

// ---- Gathering.

TEST(Gathering, EndsWhenAllAreHere) {
  ServerHarness harness(test::harness_options({"a", "b"}));
  harness.join("b", 5, 2);
  std::thread later([&] { harness.join("a", 4, 2); });
  const auto arrivals = harness.protocol.gather();
  later.join();
  ASSERT_TRUE(arrivals);
  ASSERT_EQ(arrivals->size(), 2U);
  EXPECT_EQ((*arrivals)[0].name, "a");
  EXPECT_EQ((*arrivals)[1].ready.rows, 5U);
}

TEST(Gathering, NamesThoseWhoAreMissing) {
  FederationOptions options = test::harness_options({"a", "b", "c"});
  options.join_limit = Milliseconds(10);
  ServerHarness harness(options);
  harness.join("b");
  const auto arrivals = harness.protocol.gather();
  ASSERT_FALSE(arrivals);
  EXPECT_EQ(arrivals.error().message, "only 1 of 3 clients joined within 0.01 s; missing: a, c");
}

TEST(Gathering, GoesOnWithEnoughAndWithoutTheOthers) {
  FederationOptions options = test::harness_options({"a", "b", "c", "d"});
  options.join_limit = Milliseconds(10);
  options.min_clients = 2;
  ServerHarness harness(options);
  const auto b = harness.join("b");
  const auto d = harness.join("d");
  const auto c = harness.open();
  harness.say(c, test::hello("c"));  // still reads its data
  const auto arrivals = harness.protocol.gather();
  ASSERT_TRUE(arrivals);
  ASSERT_EQ(arrivals->size(), 2U);
  EXPECT_EQ((*arrivals)[1].name, "d");
  EXPECT_EQ(last_closing(harness, c), Closing::Unfit);
  harness.say(c, test::ready(3, 2));  // on its way when it was told to go
  harness.protocol.on_tick();
  harness.protocol.on_closed(c);
  const auto a = harness.open();
  harness.say(a, test::hello("a"));
  EXPECT_EQ(harness.outbox.closed(a)[0].message,
            "'a' is not on the server's list of clients of this run, which has begun; wait for the next");

  const std::vector<ClientId> all{ClientId{0}, ClientId{1}};
  const auto question = harness.task(0);
  harness.protocol.begin(question, all);
  harness.say(d, test::update(0, {4.0, 4.0}));
  harness.say(b, test::update(0, {2.0, 2.0}));
  const auto answers = harness.protocol.wait();
  EXPECT_EQ(std::get<wire::Update>(*answers[0].message).values[0], 2.0) << "b is the first now";
  EXPECT_EQ(std::get<wire::Update>(*answers[1].message).values[0], 4.0);
  harness.protocol.on_closed(d);
  EXPECT_EQ(harness.session(1).presence, "away");
}

TEST(Gathering, OfARunThatGoesOnKeepsThePlacesOfThoseWhoAreMissing) {
  FederationOptions options = test::harness_options({"a", "b"});
  options.join_limit = Milliseconds(10);
  options.min_clients = 1;
  ServerHarness harness(options);
  fix(harness, 2);
  const auto b = harness.join("b");
  harness.say(b, test::prepared(3, 2));
  const auto arrivals = harness.protocol.gather();
  ASSERT_TRUE(arrivals);
  EXPECT_EQ(arrivals->size(), 2U);
  const auto a = harness.join("a");
  harness.say(a, test::prepared(3, 2));
  EXPECT_EQ(harness.session(0).presence, "here");
}

// ---- Coming back to a run that has begun.

TEST(ComingBack, IsPreparedAgainAndMustHaveTheSameRows) {
  ServerHarness harness(test::harness_options({"a"}));
  const auto first = harness.join("a");
  ASSERT_TRUE(harness.protocol.gather());
  fix(harness, 1);
  harness.protocol.on_closed(first);
  const auto same = harness.join("a");
  EXPECT_TRUE(wire::holds<wire::Prepare>(harness.outbox.sent_to(same).back()));
  EXPECT_EQ(harness.session(0).presence, "joining");
  harness.say(same, test::prepared(3, 2));
  EXPECT_EQ(harness.session(0).presence, "here");
  harness.protocol.on_closed(same);
  const auto other = harness.join("a");
  harness.say(other, test::prepared(3, 2, 1.0 + 1e-15));
  ASSERT_EQ(last_closing(harness, other), Closing::Unfit);
  EXPECT_EQ(harness.outbox.closed(other)[0].message,
            "its data are not those with which the run began; restore them, or start a new run");
}

TEST(ComingBack, WithATableOfAnotherSizeIsRefusedAtOnce) {
  ServerHarness harness(test::harness_options({"a"}));
  harness.protocol.on_closed(harness.join("a", 3, 2));
  harness.protocol.on_closed(harness.join("a", 4, 2));  // before the run has begun it may
  const auto first = harness.join("a", 3, 2);
  ASSERT_TRUE(harness.protocol.gather());
  harness.protocol.on_closed(first);
  const auto other = harness.join("a", 4, 2);
  ASSERT_EQ(last_closing(harness, other), Closing::Unfit);
  EXPECT_EQ(harness.outbox.closed(other)[0].message, "its data are 4 x 2, but were 3 x 2 when the run began");
  harness.protocol.on_closed(other);
  const auto renamed = harness.open();
  harness.say(renamed, test::hello("a"));
  harness.say(renamed, test::ready(3, 2, {"x", "y"}));
  EXPECT_EQ(last_closing(harness, renamed), Closing::Unfit);
}

// A server that is started again knows what it stored, not whom it met.
TEST(ComingBack, ToAServerThatWasStartedAgainItMustBeWhatItWas) {
  ServerHarness harness(test::harness_options({"a"}));
  const wire::Ready began{.rows = 3, .columns = 2, .names = {"age", "weight"}};
  harness.protocol.expect({{"a", began, false}});
  fix(harness, 1);

  const auto swapped = harness.open();
  harness.say(swapped, test::hello("a"));
  harness.say(swapped, test::ready(3, 2, {"weight", "age"}));
  EXPECT_EQ(last_closing(harness, swapped), Closing::Unfit) << "its columns have changed places";
  harness.protocol.on_closed(swapped);

  const auto known = harness.open();
  wire::Hello hello = test::hello("a");
  hello.known_draws = true;
  harness.say(known, hello);
  EXPECT_EQ(last_closing(harness, known), Closing::Unfit) << "its draws were secret";
}

TEST(ComingBack, BetweenItsPreparationAndThatOfAllItIsPreparedOnceMore) {
  ServerHarness harness(test::harness_options({"a"}));
  const auto first = harness.join("a");
  ASSERT_TRUE(harness.protocol.gather());
  auto question = harness.task(0);
  question.kind = wire::kAnswerKind<wire::Prepared>;
  harness.protocol.begin(question, kFirst);
  harness.say(first, test::prepared(3, 2));
  ASSERT_TRUE(harness.protocol.wait()[0].message);
  harness.protocol.on_closed(first);
  const auto again = harness.join("a");  // perhaps a new process, that knows nothing
  EXPECT_EQ(harness.session(0).presence, "here");
  fix(harness, 1);
  EXPECT_TRUE(wire::holds<wire::Prepare>(harness.outbox.sent_to(again).back()));
  EXPECT_EQ(harness.session(0).presence, "joining");
  harness.say(again, test::prepared(3, 2));
  EXPECT_EQ(harness.session(0).presence, "here");
}

TEST(ComingBack, AndRefusingIsAnAbsenceAndEndsTheConnection) {
  ServerHarness harness(test::harness_options({"a"}));
  const auto first = harness.join("a");
  ASSERT_TRUE(harness.protocol.gather());
  fix(harness, 1);
  harness.protocol.on_closed(first);
  const auto question = harness.task(5);
  harness.protocol.begin(question, kFirst);
  const auto again = harness.join("a");
  harness.say(again, test::refusal("the disk is full"));
  EXPECT_EQ(harness.protocol.wait()[0].absence, "it refused: the disk is full");
  EXPECT_EQ(last_closing(harness, again), Closing::Unfit);
}

// ---- Time.

TEST(Limits, AnInterruptEndsEveryWait) {
  ServerHarness harness(test::harness_options({"a"}));
  std::thread later([&] { harness.protocol.interrupt(Termination::Interrupted, "somebody asked"); });
  EXPECT_THROW((void)harness.protocol.gather(), RunAborted);
  later.join();
  const auto question = harness.task(0);
  try {
    harness.protocol.exchange(question, kFirst);
    FAIL() << "it went on";
  } catch (const RunAborted& ended) {
    EXPECT_EQ(ended.why(), Termination::Interrupted);
    EXPECT_EQ(ended.reason(), "somebody asked");
  }
}

TEST(Limits, AnInterruptEndsTheWaitForAnswers) {
  ServerHarness harness(test::harness_options({"a"}));
  harness.join("a");
  const auto question = harness.task(0);
  harness.protocol.begin(question, kFirst);
  std::thread later([&] { harness.protocol.interrupt(Termination::Interrupted, ""); });
  EXPECT_THROW(harness.protocol.wait(), RunAborted);
  later.join();
}

TEST(Limits, ARunHasNoMoreTimeThanItWasGiven) {
  FederationOptions options = test::harness_options({"a"});
  options.run_limit = Milliseconds(20);
  ServerHarness harness(options);
  harness.join("a");
  const auto question = harness.task(0);
  try {
    harness.protocol.exchange(question, kFirst);
    FAIL() << "it went on";
  } catch (const RunAborted& ended) {
    EXPECT_EQ(ended.why(), Termination::Deadline);
    EXPECT_EQ(ended.reason(), "0.02 s were given");
  }
}

TEST(Limits, WhoIsSilentIsLetGo) {
  FederationOptions options = test::harness_options({"a", "b"});
  options.heartbeat = Milliseconds(25);
  options.hello_limit = Milliseconds(50);
  ServerHarness harness(options);
  const auto a = harness.join("a"), b = harness.join("b"), stranger = harness.open();
  std::this_thread::sleep_for(Milliseconds(110));
  harness.say(b, wire::Heartbeat{});
  harness.protocol.on_tick();
  EXPECT_EQ(last_closing(harness, a), Closing::Silent);
  EXPECT_TRUE(harness.outbox.closed(b).empty());
  EXPECT_EQ(harness.outbox.closed(stranger).at(0).message, "it never said hello");
}

TEST(Limits, WhoTalksAndNeverSaysHelloIsLetGo) {
  FederationOptions options = test::harness_options({"a"});
  options.hello_limit = Milliseconds(50);
  ServerHarness harness(options);
  const auto stranger = harness.open();
  std::this_thread::sleep_for(Milliseconds(60));
  harness.say(stranger, wire::Heartbeat{});
  harness.protocol.on_tick();
  EXPECT_EQ(last_closing(harness, stranger), Closing::Silent);
}

TEST(Limits, WhoSendsHeartbeatsWithoutEndIsLetGoAsWrong) {
  ServerHarness harness(test::harness_options({"a"}));
  const auto a = harness.join("a");
  for (int k = 0; k < 1000; ++k) harness.say(a, wire::Heartbeat{});
  EXPECT_TRUE(harness.outbox.closed(a).empty());
  harness.say(a, wire::Heartbeat{});
  EXPECT_EQ(last_closing(harness, a), Closing::Broken);
  EXPECT_EQ(harness.outbox.closed(a).at(0).message, "it sends heartbeats without end");
  EXPECT_EQ(harness.session(0).counts.wrong, 1U);
}

TEST(Limits, WhoWasToldToGoAndDoesNotIsCutOff) {
  FederationOptions options = test::harness_options({"a"});
  options.heartbeat = Milliseconds(25);
  ServerHarness harness(options);
  const auto stranger = harness.open();
  harness.say(stranger, test::hello("b"));
  harness.protocol.on_tick();
  EXPECT_EQ(last_closing(harness, stranger), Closing::Denied);
  std::this_thread::sleep_for(Milliseconds(110));
  harness.protocol.on_tick();
  harness.protocol.on_tick();
  ASSERT_EQ(harness.outbox.closed(stranger).size(), 2U);
  EXPECT_EQ(last_closing(harness, stranger), Closing::Silent);
}

TEST(Limits, ARevokedCertificateEndsAnOpenConnectionAtTheNextTick) {
  FederationOptions options = test::harness_options({"a"});
  std::string revoked;
  options.veto = [&](const std::string& certificate) {
    return certificate == revoked ? "the certificate was revoked" : "";
  };
  ServerHarness harness(options);
  const auto a = harness.open({"a", "certificate of a", ""});
  harness.say(a, test::hello("a"));
  harness.say(a, test::ready(3, 2));
  harness.protocol.on_tick();
  EXPECT_TRUE(harness.outbox.closed(a).empty());
  revoked = "certificate of a";
  harness.protocol.on_tick();
  EXPECT_EQ(last_closing(harness, a), Closing::Denied);
  harness.protocol.on_closed(a);
  const auto again = harness.open({"a", "certificate of a", ""});
  EXPECT_EQ(last_closing(harness, again), Closing::Denied);
}

TEST(Limits, NobodyWaitsForARevokedClientUntilItComesWithAnotherCertificate) {
  FederationOptions options = test::harness_options({"a"});
  std::string revoked;
  options.veto = [&](const std::string& certificate) { return certificate == revoked ? "revoked" : ""; };
  ServerHarness harness(options);
  const auto join = [&](const std::string& certificate) {
    const auto connection = harness.open({"a", certificate, ""});
    harness.say(connection, test::hello("a"));
    harness.say(connection, test::ready(3, 2));
    return connection;
  };
  const std::vector<ClientId> clients{ClientId{0}};
  const auto first = harness.task(0), second = harness.task(1), third = harness.task(2);
  const auto a = join("old");
  harness.protocol.begin(first, clients);
  revoked = "old";
  harness.protocol.on_tick();
  EXPECT_EQ(harness.protocol.wait()[0].absence, "its certificate was revoked") << "while it was asked";
  harness.protocol.on_closed(a);
  EXPECT_EQ(harness.protocol.exchange(second, clients)[0].absence, "its certificate was revoked") << "without a wait";
  const auto again = join("new");
  harness.protocol.begin(third, clients);
  harness.say(again, test::update(2, {1.0, 2.0}));
  EXPECT_TRUE(harness.protocol.wait()[0].message);
}

TEST(Limits, ThereAreOnlySoManyConnections) {
  FederationOptions options = test::harness_options({"a"});
  options.max_connections = 2;
  ServerHarness harness(options);
  const auto first = harness.open();
  harness.open();
  const auto third = harness.open();
  EXPECT_EQ(last_closing(harness, third), Closing::Full);
  harness.protocol.on_closed(third);
  harness.protocol.on_closed(first);
  EXPECT_TRUE(harness.outbox.closed(harness.open()).empty());
}

TEST(Limits, OneNameDoesNotTakeThePlacesOfOthers) {
  ServerHarness harness(test::harness_options({"a", "b"}));
  for (int k = 0; k < 8; ++k) EXPECT_TRUE(harness.outbox.closed(harness.open({"a", "", ""})).empty());
  EXPECT_EQ(last_closing(harness, harness.open({"a", "", ""})), Closing::Full);
  EXPECT_TRUE(harness.outbox.closed(harness.open({"b", "", ""})).empty());
}

// ---- The end.

TEST(TheEnd, IsToldToEveryoneAndToWhoComesBackForIt) {
  ServerHarness harness(test::harness_options({"a", "b"}));
  const auto a = harness.join("a"), stranger = harness.open();
  harness.protocol.end({.status = "finished:completed"});
  EXPECT_EQ(std::get<wire::End>(harness.outbox.sent_to(a).back()).status, "finished:completed");
  EXPECT_EQ(last_closing(harness, a), Closing::Ended);
  EXPECT_TRUE(harness.outbox.sent_to(stranger).empty());
  const auto b = harness.open();
  harness.say(b, test::hello("b"));
  EXPECT_EQ(std::get<wire::End>(harness.outbox.sent_to(b).back()).status, "finished:completed");
  EXPECT_EQ(last_closing(harness, b), Closing::Ended);
  const auto other = harness.open();
  harness.say(other, test::hello("x"));
  EXPECT_TRUE(harness.outbox.sent_to(other).empty()) << "the answer is for those of the list";
  for (const auto id : {a, stranger, b, other}) harness.protocol.on_closed(id);
  harness.protocol.wait_until_empty(Milliseconds(10'000));
  EXPECT_EQ(harness.protocol.connections(), 0U);
}

TEST(TheEnd, WaitsForOneThatLostItsConnectionAMomentAgo) {
  ServerHarness harness(test::harness_options({"a", "b"}));
  const auto a = harness.join("a"), b = harness.join("b");
  harness.protocol.on_closed(b);
  harness.protocol.end({.status = "finished:completed"});
  harness.protocol.on_closed(a);

  const auto start = Clock::now();
  harness.protocol.wait_until_empty(Milliseconds(30));
  EXPECT_GE(Clock::now() - start, Milliseconds(30)) << "b may still come";
  const auto again = harness.open();
  harness.say(again, test::hello("b"));
  harness.protocol.on_closed(again);
  harness.protocol.wait_until_empty(Milliseconds(10'000));
  EXPECT_LT(Clock::now() - start, Milliseconds(5'000));
}

}  // namespace
}  // namespace fedrk::network
