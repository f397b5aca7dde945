// SPDX-License-Identifier: Apache-2.0

// A client that says things twice, says old things again, or talks nonsense, among others that do not. TCP keeps order
// and drops repetitions; programs need not.

#include <limits>
#include <ostream>
#include <thread>

#include "federation/chaos.hpp"
#include "support/local_federation.hpp"  // NoLog
#include "support/messages.hpp"
#include "transport/protocol/client_session.hpp"
#include "transport/protocol/file_owner.hpp"

namespace fedrk::test {
namespace {

using network::ServerLink;
using wire::ClientMessage;

enum class Manner {
  SaysTwice,      // each answer
  RepeatsOldest,  // the first answer of the run, before each other
  RepeatsLast,    // the answer before, after a heartbeat
  AnswersAhead,   // a task that was not set yet, before each answer
  TalksNonsense   // numbers that are none
};

void PrintTo(Manner manner, std::ostream* out) {  // NOLINT: so named by GoogleTest
  constexpr const char* kNames[] = {"says twice", "repeats oldest", "repeats last", "answers ahead", "talks nonsense"};
  *out << kNames[static_cast<std::size_t>(manner)];
}

/// A connection on which a client's answers are changed on their way out: the first ten, as a server hangs up on who
/// says much more than it was asked.
class OddLink final : public ServerLink {
 public:
  OddLink(std::unique_ptr<ServerLink> inner, Manner manner) : inner_(std::move(inner)), manner_(manner) {}

  bool write(const wire::Chunk& chunk) override {
    const auto message = message_from<ClientMessage>(chunk.bytes);
    // Sums over columns are said twice in every manner.
    if (wire::holds<wire::ColumnSums>(message)) return say(message) && say(message);
    const auto* update = std::get_if<wire::Update>(&message);
    if (update == nullptr) return say(message);
    const auto last = std::exchange(last_, *update);
    if (!first_) first_ = *update;
    if (manner_ != Manner::TalksNonsense && ++oddities_ > 10) return say(message);
    wire::Update odd = *update;
    switch (manner_) {
      case Manner::SaysTwice:
        return say(message) && say(message);
      case Manner::RepeatsOldest:
        return say(*first_) && say(message);
      case Manner::RepeatsLast:
        return say(wire::Heartbeat{}) && (!last || say(*last)) && say(message);
      case Manner::AnswersAhead:
        ++odd.number;
        return say(odd) && say(message);
      case Manner::TalksNonsense:
        odd.values.at(0) = std::numeric_limits<double>::quiet_NaN();
        return say(odd);
    }
    return false;
  }
  std::optional<std::string_view> read() override { return inner_->read(); }
  void cancel() override { inner_->cancel(); }
  network::LinkEnd finish() override { return inner_->finish(); }

 private:
  bool say(const ClientMessage& message) { return inner_->write({wire::ChunkKind::Whole, bytes_of(message)}); }

  std::unique_ptr<ServerLink> inner_;
  Manner manner_;
  std::optional<wire::Update> first_, last_;
  int oddities_ = 0;
};

/// Takes the place of the first client, in this process.
network::SessionOutcome misbehave(const Federation& federation, Manner manner, bool masked) {
  const std::string folder = federation.path(site_name(0)).string();
  const network::OwnFiles table{.data = folder + "/data.csv", .matrix = "", .rhs = ""},
      matrix{.data = "", .matrix = folder + "/A.npy", .rhs = folder + "/b.npy"};
  NoLog log;
  network::FileOwner owner(site_name(0), std::filesystem::exists(table.data) ? table : matrix, {}, log);
  network::ClientProtocolOptions own{.name = site_name(0), .software = "odd"};
  own.consent.known_draws = own.consent.reveal_updates = !masked;
  own.consent.rules = kNoRules;  // as of the others (kUnlimited)
  if (masked) {
    own.credentials = *security::read_credentials({folder + "/client.crt", folder + "/client.key", folder + "/ca.crt"});
  }
  network::ClientProtocol participant(std::move(own), owner, log);
  network::LinkOptions options;
  options.server = federation.address_for(0);
  options.tls = network::TlsFiles{folder + "/client.crt", folder + "/client.key", folder + "/ca.crt"};
  auto link = network::connect(options);
  if (!link) throw std::runtime_error(link.error().message);
  OddLink odd(*std::move(link), manner);
  return run_session(odd, participant, 1'000'000);
}

class MisbehavingClient : public FederationTest {
 protected:
  network::SessionOutcome play(Manner manner, const StartupKit& kit = by_fedrk()) {
    Federation& federation = begin(kit);
    federation.start_server();
    for (std::size_t i = 1; i < kit.clients(); ++i) federation.start_client(i);
    return misbehave(federation, manner, kit.masked());
  }
};

class HarmlessClient : public MisbehavingClient, public testing::WithParamInterface<Manner> {};

TEST_P(HarmlessClient, ChangesNoBits) {
  const auto outcome = play(GetParam());

  ASSERT_TRUE(outcome.end) << outcome.link.message << "\n" << federation_->story();
  expect_a_good_end();
  EXPECT_EQ(outcome.end->status, "finished:completed");
  EXPECT_NE(federation_->server().err().find("answer.refused client=site-1"), std::string::npos);
}

TEST_P(HarmlessClient, ChangesNoBitsOfSums) {
  play(GetParam(), sums());

  expect_a_good_end();
}

TEST_P(HarmlessClient, ChangesNothingOfMaskedSums) {
  play(GetParam(), masked_sums());

  expect_a_good_end();
  EXPECT_NE(federation_->server().err().find("answer.refused client=site-1"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Manners, HarmlessClient,
                         testing::Values(Manner::SaysTwice, Manner::RepeatsOldest, Manner::RepeatsLast,
                                         Manner::AnswersAhead));

TEST_F(MisbehavingClient, IsPutAsideAndTheRunGoesOnWithoutIt) {
  const auto outcome = play(Manner::TalksNonsense, rounds_only());

  EXPECT_EQ(outcome.link.kind, network::LinkEnd::Kind::Denied) << outcome.link.message;
  EXPECT_EQ(federation_->server().wait(60s), rounds_only().code()) << federation_->story();
  const auto absences = absences_in(federation_->history());
  ASSERT_GT(absences.size(), 3);
  for (const auto& absence : absences) EXPECT_EQ(absence.client, "site-1");
  EXPECT_EQ(absences[2].reason, "its update holds a number that is not finite");
  EXPECT_EQ(absences[3].reason, "was quarantined for wrong answers");
  EXPECT_EQ(federation_->solution(), solution_without(rounds_only(), absences));
  expect_clients_to_give(rounds_only().code());
}

}  // namespace
}  // namespace fedrk::test
