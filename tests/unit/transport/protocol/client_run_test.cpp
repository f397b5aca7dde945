// SPDX-License-Identifier: Apache-2.0
#include "transport/protocol/client_run.hpp"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "support/scripted_link.hpp"

namespace fedrk::network {
namespace {

using test::ScriptedLink;

/// Each connection is served by the next of these, the last by all that follow.
ClientRunOptions served_by(std::vector<ScriptedLink::Server> servers, std::atomic<std::size_t>& connections) {
  ClientRunOptions options;
  options.server = "server:7443";
  options.name = "a";
  options.max_retry = Milliseconds(5);
  options.wait_limit = Milliseconds(10'000);
  options.consent.reveal_updates = true;
  options.connector = [servers = std::move(servers), &connections]() -> Result<std::unique_ptr<ServerLink>> {
    const std::size_t index = std::min(connections++, servers.size() - 1);
    return std::unique_ptr<ServerLink>(std::make_unique<ScriptedLink>(servers[index]));
  };
  return options;
}

ScriptedLink::Server ending(LinkEnd end) {
  return [end](ScriptedLink& link, const wire::ClientMessage&) { link.end(end); };
}

ScriptedLink::Server welcoming(std::vector<wire::ServerMessage> then, LinkEnd end) {
  return [then = std::move(then), end = std::move(end)](ScriptedLink& link, const wire::ClientMessage& message) {
    if (wire::holds<wire::Hello>(message)) link.say(test::welcome(1'000));
    if (!wire::holds<wire::Ready>(message)) return;
    for (const auto& word : then) link.say(word);
    link.end(end);
  };
}

const LinkEnd kClosed{LinkEnd::Kind::Closed, ""}, kLost{LinkEnd::Kind::Lost, "it broke"};

class ClientRuns : public testing::Test {
 protected:
  ClientOutcome run(const ClientRunOptions& options) { return ClientRun(options, owner, log).run(); }

  test::PatientOwner owner;
  test::NoLog log;
  std::atomic<std::size_t> connections{0};
};

TEST_F(ClientRuns, ComeBackUntilTheRunEnds) {
  int reads = 0;
  owner.on_read = [&] { ++reads; };
  wire::End end = test::last_word("finished:completed");
  end.names = {"x"};
  end.coefficients = {0.1};
  const auto outcome =
      run(served_by({welcoming({}, kLost), ending({LinkEnd::Kind::Unreachable, "no route"}),
                     welcoming({test::last_word("stopped", false)}, kClosed), welcoming({end}, kClosed)},
                    connections));
  EXPECT_EQ(outcome.kind, ClientOutcome::Kind::Ended);
  EXPECT_EQ(outcome.status, "finished:completed");
  EXPECT_EQ(outcome.names, (std::vector<std::string>{"x"}));
  EXPECT_EQ(outcome.coefficients, (std::vector<double>{0.1}));
  EXPECT_EQ(connections, 4U);
  EXPECT_EQ(reads, 1) << "what was read serves again";
}

TEST_F(ClientRuns, EndAtOnceWhereTheyAreDenied) {
  const auto outcome = run(served_by({ending({LinkEnd::Kind::Denied, "not on the list"})}, connections));
  EXPECT_EQ(outcome.kind, ClientOutcome::Kind::Refused);
  EXPECT_EQ(outcome.message, "not on the list");
  EXPECT_EQ(connections, 1U);
}

TEST_F(ClientRuns, GiveUpAfterTheWaitLimit) {
  ClientRunOptions options = served_by({ending({LinkEnd::Kind::Unreachable, "no route"})}, connections);
  options.wait_limit = Milliseconds(20);
  const auto outcome = run(options);
  EXPECT_EQ(outcome.kind, ClientOutcome::Kind::GaveUp);
  EXPECT_EQ(outcome.message, "gave up after 0.02 s without server:7443: no route");
  EXPECT_GE(connections, 2U);
}

TEST_F(ClientRuns, DoNotWaitWhereADiagnosisLeavesNoHope) {
  ClientRunOptions options = served_by({ending({LinkEnd::Kind::Unreachable, "handshake failed"})}, connections);
  options.diagnose = [] { return Diagnosis{"the certificate has expired", true}; };
  const auto outcome = run(options);
  EXPECT_EQ(outcome.kind, ClientOutcome::Kind::Refused);
  EXPECT_EQ(outcome.message, "the certificate has expired");
}

TEST_F(ClientRuns, StopWhenTheyAreToldTo) {
  ClientRunOptions options = served_by({[](ScriptedLink& link, const wire::ClientMessage& message) {
                                         if (wire::holds<wire::Hello>(message)) link.say(test::welcome(1'000));
                                       }},
                                       connections);
  ClientRun waiting(options, owner, log);
  std::thread later([&] {
    while (connections == 0) std::this_thread::yield();
    waiting.stop();
  });
  EXPECT_EQ(waiting.run().kind, ClientOutcome::Kind::Stopped);
  later.join();
}

}  // namespace
}  // namespace fedrk::network
