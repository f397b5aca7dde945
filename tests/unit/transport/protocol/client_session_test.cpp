// SPDX-License-Identifier: Apache-2.0
#include "transport/protocol/client_session.hpp"

#include <atomic>
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "support/scripted_link.hpp"

namespace fedrk::network {
namespace {

using test::ScriptedLink;

class Sessions : public testing::Test {
 protected:
  SessionOutcome run(ScriptedLink::Server server) {
    ScriptedLink link(std::move(server));
    return run_session(link, participant, 10);
  }

  test::PatientOwner owner;
  test::NoLog log;
  ClientProtocol participant{{.name = "a", .software = "", .consent = {.reveal_updates = true}}, owner, log};
};

TEST_F(Sessions, BeatTheHeartDuringLongWork) {
  std::atomic<int> beats{0};
  owner.on_read = [&] {
    while (beats < 3) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  const auto outcome = run([&](ScriptedLink& link, const wire::ClientMessage& message) {
    if (wire::holds<wire::Hello>(message)) link.say(test::welcome());
    if (wire::holds<wire::Heartbeat>(message)) ++beats;
    if (wire::holds<wire::Ready>(message)) link.end({LinkEnd::Kind::Closed, ""});
  });
  EXPECT_TRUE(outcome.joined);
  EXPECT_GE(beats, 3);
}

TEST_F(Sessions, KeepTheLastWordThoughTheConnectionEndsDuringTheWork) {
  ScriptedLink* there = nullptr;
  owner.on_read = [&] {
    there->say(test::welcome());  // of no use any more once the connection is gone
    there->say(test::last_word("finished:completed"));
    there->end({LinkEnd::Kind::Closed, ""});
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  };
  const auto outcome = run([&](ScriptedLink& link, const wire::ClientMessage& message) {
    if (!wire::holds<wire::Hello>(message)) return;
    there = &link;
    link.say(test::welcome());
  });
  ASSERT_TRUE(outcome.end);
  EXPECT_EQ(outcome.end->status, "finished:completed");
}

TEST_F(Sessions, EndWithTheWordsOfTheConnection) {
  const auto outcome = run([](ScriptedLink& link, const wire::ClientMessage&) {
    link.end({LinkEnd::Kind::Denied, "not on the list"});
  });
  EXPECT_FALSE(outcome.joined || outcome.end);
  EXPECT_EQ(outcome.link.kind, LinkEnd::Kind::Denied);
  EXPECT_EQ(outcome.link.message, "not on the list");
}

TEST_F(Sessions, BreakOffWhereTheServerMakesNoSense) {
  const auto outcome = run([](ScriptedLink& link, const wire::ClientMessage& message) {
    if (wire::holds<wire::Hello>(message)) link.say_chunk(test::chunk_of({wire::ChunkKind::Last, "1"}));
  });
  EXPECT_EQ(outcome.link.kind, LinkEnd::Kind::Lost);
  EXPECT_EQ(outcome.link.message, "malformed message: the end of none");
}

TEST_F(Sessions, BreakOffWhereMessagesPileUp) {
  ScriptedLink* there = nullptr;
  owner.on_read = [&] {
    while (!there->ended()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  const auto outcome = run([&](ScriptedLink& link, const wire::ClientMessage& message) {
    if (!wire::holds<wire::Hello>(message)) return;
    there = &link;
    for (int k = 0; k < 40; ++k) link.say(test::welcome());
  });
  EXPECT_EQ(outcome.link.message, "the server says more than a client can listen to");
}

}  // namespace
}  // namespace fedrk::network
