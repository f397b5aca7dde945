// SPDX-License-Identifier: Apache-2.0
//
// Deadlines to the millisecond: the machine is told made-up times, and nothing here waits.
#include <gtest/gtest.h>

#include "support/server_harness.hpp"
#include "transport/protocol/server_protocol.hpp"

namespace fedrk::network {
namespace {

using test::kBoth, test::kFirst;
constexpr Clock::time_point kStart{std::chrono::hours(1)};
constexpr Milliseconds kMoment{1};

FederationOptions timed_options(std::vector<std::string> clients) {
  FederationOptions options = test::harness_options(std::move(clients));
  options.join_limit = Milliseconds(60'000);
  options.reply_limit = Milliseconds(10'000);
  options.away_limit = Milliseconds(3'000);
  options.heartbeat = Milliseconds(5'000);
  options.hello_limit = Milliseconds(2'000);
  return options;
}

/// A machine, and the time that it is told.
class TimedProtocol {
 public:
  explicit TimedProtocol(FederationOptions options) : machine(std::move(options), outbox, log_, kStart) {}

  ConnectionId open() {
    machine.on_open(++last_, {}, now);
    return last_;
  }
  ConnectionId join(const std::string& name) {
    const auto connection = open();
    say(connection, test::hello(name));
    say(connection, test::ready(3, 2));
    return connection;
  }
  void say(ConnectionId connection, const wire::ClientMessage& message) {
    machine.on_chunk(connection, test::chunk_of(message), now);
  }
  void close(ConnectionId connection) { machine.on_closed(connection, now); }
  void begin(std::span<const ClientId> clients) { machine.begin(question, clients, now); }
  std::optional<Clock::time_point> deadline() { return machine.next_deadline(now); }
  std::string last_words(ConnectionId connection) const {
    const auto closed = outbox.closed(connection);
    return closed.empty() ? "" : closed.back().message;
  }

  test::RecordingOutbox outbox;
  Clock::time_point now = kStart;
  ServerProtocol::Question question{.kind = wire::kAnswerKind<wire::Update>,
                                    .number = 1,
                                    .outgoing = [](ClientId) { return outgoing_of(wire::Task{.number = 1}); },
                                    .max_length = 2};

 private:
  test::NoLog log_;
  ConnectionId last_ = 0;

 public:
  ServerProtocol machine;
};

// ---- Questions.

TEST(TimeOfAQuestion, GivesUpOnALateClientExactlyAtItsDeadline) {
  TimedProtocol timed(timed_options({"a", "b"}));
  const auto a = timed.join("a");
  timed.join("b");
  timed.now += std::chrono::minutes(7);
  const auto until = timed.now + Milliseconds(10'000);
  timed.begin(kBoth);
  EXPECT_EQ(timed.deadline(), until);
  timed.now = until - kMoment;
  timed.say(a, test::update(1, {1.0, 1.0}));
  EXPECT_EQ(timed.deadline(), until) << "there is a moment left for b";
  EXPECT_FALSE(timed.machine.complete());
  timed.now = until;
  EXPECT_EQ(timed.deadline(), std::nullopt);
  ASSERT_TRUE(timed.machine.complete());
  const auto answers = timed.machine.take_answers();
  EXPECT_TRUE(answers[0].message);
  EXPECT_EQ(answers[1].absence, "no answer within 10 s");
  EXPECT_TRUE(answers[1].may_return);
  EXPECT_EQ(timed.machine.status()[1].counts.late, 1U);
}

TEST(TimeOfAQuestion, GivesUpOnOneWhoIsAwayAfterTheLimitSinceItLeft) {
  TimedProtocol timed(timed_options({"a", "b"}));
  const auto a = timed.join("a"), b = timed.join("b");
  timed.begin(kBoth);
  timed.now += Milliseconds(1'000);
  timed.close(a);
  timed.say(b, test::update(1, {1.0, 1.0}));
  const auto until = timed.now + Milliseconds(3'000);
  EXPECT_EQ(timed.deadline(), until);
  timed.now = until - kMoment;
  EXPECT_EQ(timed.deadline(), until);
  timed.now = until;
  EXPECT_EQ(timed.deadline(), std::nullopt);
  const auto answers = timed.machine.take_answers();
  EXPECT_EQ(answers[0].absence, "its connection was lost and it did not come back in time");
  EXPECT_EQ(timed.machine.status()[0].counts.lost, 1U);
}

TEST(TimeOfAQuestion, IsThatOfEveryoneForOneWhoCameBack) {
  TimedProtocol timed(timed_options({"a"}));
  timed.close(timed.join("a"));
  const auto until = timed.now + Milliseconds(10'000);
  timed.begin(kFirst);
  EXPECT_EQ(timed.deadline(), timed.now + Milliseconds(3'000));
  timed.now += Milliseconds(2'999);
  timed.join("a");
  EXPECT_EQ(timed.deadline(), until);
}

TEST(TimeOfAQuestion, CountsFromItsBeginningWhereTheQuestionSaysHowLong) {
  TimedProtocol timed(timed_options({"a"}));
  timed.question.away_limit = Milliseconds(30);
  timed.now += std::chrono::hours(1);  // never here
  const auto until = timed.now + Milliseconds(30);
  timed.begin(kFirst);
  EXPECT_EQ(timed.deadline(), until);
  timed.now = until;
  EXPECT_EQ(timed.deadline(), std::nullopt);
  EXPECT_TRUE(timed.machine.take_answers()[0].may_return);
}

TEST(TimeOfAQuestion, EndsWithTheTimeOfTheRun) {
  FederationOptions options = timed_options({"a"});
  options.run_limit = Milliseconds(4'000);
  TimedProtocol timed(options);
  timed.join("a");
  timed.begin(kFirst);
  EXPECT_EQ(timed.deadline(), kStart + Milliseconds(4'000)) << "before the answer's own";
  timed.now = kStart + Milliseconds(4'000);
  EXPECT_EQ(timed.deadline(), std::nullopt);
  EXPECT_THROW(timed.machine.take_answers(), RunAborted);
}

// A waiter that is woken for nothing costs each round a switch of threads.
TEST(TimeOfAQuestion, WakesNobodyBeforeTheLastAnswer) {
  TimedProtocol timed(timed_options({"a", "b"}));
  const auto a = timed.join("a"), b = timed.join("b");
  timed.begin(kBoth);
  timed.machine.take_changed();
  timed.say(a, wire::Heartbeat{});
  timed.say(a, test::update(0, {1.0, 1.0}));  // of another question
  timed.say(a, test::update(1, {1.0, 1.0}));
  timed.machine.on_tick(timed.now);
  EXPECT_FALSE(timed.machine.take_changed());
  timed.say(b, test::update(1, {1.0, 1.0}));
  EXPECT_TRUE(timed.machine.take_changed());
  EXPECT_FALSE(timed.machine.take_changed());
  timed.close(a);
  EXPECT_TRUE(timed.machine.take_changed()) << "its deadline comes sooner";
}

// ---- Gathering.

TEST(TimeOfGathering, EndsAtTheDeadlineOrWhenAllAreHere) {
  FederationOptions options = timed_options({"a", "b"});
  options.min_clients = 1;
  TimedProtocol late(options), timed(options);
  for (TimedProtocol* each : {&late, &timed}) {
    each->join("a");
    each->machine.begin_gathering(each->now);
    EXPECT_EQ(each->deadline(), kStart + Milliseconds(60'000));
    each->now = kStart + Milliseconds(60'000) - kMoment;
    EXPECT_EQ(each->deadline(), kStart + Milliseconds(60'000));
  }
  timed.join("b");
  EXPECT_EQ(timed.deadline(), std::nullopt);
  EXPECT_EQ(timed.machine.take_arrivals(timed.now)->size(), 2U);
  late.now += kMoment;
  EXPECT_EQ(late.deadline(), std::nullopt);
  EXPECT_FALSE(late.machine.complete());
  EXPECT_EQ(late.machine.take_arrivals(late.now)->size(), 1U);
}

// ---- Connections.

TEST(TimeOfAConnection, IsOverWhenNothingIsHeardForMoreThanFourHeartbeats) {
  TimedProtocol timed(timed_options({"a", "b"}));
  const auto a = timed.join("a"), b = timed.join("b");
  timed.now = kStart + Milliseconds(20'000);
  timed.say(b, wire::Heartbeat{});
  timed.machine.on_tick(timed.now);
  EXPECT_EQ(timed.last_words(a), "");
  timed.now += kMoment;
  timed.machine.on_tick(timed.now);
  EXPECT_EQ(timed.last_words(a), "nothing was heard of it for 20.0 s");
  EXPECT_EQ(timed.last_words(b), "");
  timed.now += Milliseconds(20'000);
  timed.machine.on_tick(timed.now);
  EXPECT_EQ(timed.outbox.closed(a).size(), 1U);
  timed.now += kMoment;
  timed.machine.on_tick(timed.now);
  EXPECT_EQ(timed.last_words(a), "it does not go");
}

TEST(TimeOfAConnection, WithoutHelloIsShort) {
  TimedProtocol timed(timed_options({"a"}));
  const auto stranger = timed.open();
  timed.now += Milliseconds(2'000);
  timed.machine.on_tick(timed.now);
  EXPECT_EQ(timed.last_words(stranger), "");
  timed.now += kMoment;
  timed.machine.on_tick(timed.now);
  EXPECT_EQ(timed.last_words(stranger), "it never said hello");
}

// ---- The end.

TEST(TimeOfTheEnd, IsWaitedForByWhoLeftAMomentAgoAlone) {
  TimedProtocol timed(timed_options({"a", "b"}));
  const auto a = timed.join("a"), b = timed.join("b");
  timed.now += Milliseconds(500);
  timed.close(b);
  timed.machine.end({.status = "finished:completed"}, timed.now);
  EXPECT_FALSE(timed.machine.is_empty(timed.now)) << "a has not hung up";
  timed.close(a);
  EXPECT_FALSE(timed.machine.is_empty(timed.now - kMoment)) << "b may still come";
  EXPECT_TRUE(timed.machine.is_empty(timed.now)) << "b has been gone for as long as that";
}

}  // namespace
}  // namespace fedrk::network
