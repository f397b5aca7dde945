// SPDX-License-Identifier: Apache-2.0
#include "transport/protocol/agreement.hpp"

#include <cmath>
#include <functional>
#include <map>

#include <gtest/gtest.h>

#include "fedrk/generate.hpp"
#include "plan/table_site.hpp"
#include "problem/standardize.hpp"
#include "support/bare_owner.hpp"
#include "support/server_harness.hpp"
#include "support/tiny_systems.hpp"
#include "transport/protocol/client_protocol.hpp"

namespace fedrk::network {
namespace {

using test::ServerHarness;

struct Table {
  std::string name;
  std::uint64_t rows, columns;
  std::vector<std::string> names{};
  bool open_ended = false;
};

// The words, or the number of columns that all agree on.
std::string agreed(
    const std::vector<Table>& tables,
    const std::function<void(wire::ClientMessage&)>& spoil = [](wire::ClientMessage&) {},
    const std::function<void(const wire::Prepare&)>& look = [](const wire::Prepare&) {}) {
  FederationOptions options = test::harness_options({});
  options.plan.method.name = MethodName::Fedrk;  // which takes columns as they are
  for (const Table& table : tables) options.clients.push_back(table.name);
  ServerHarness harness(options);
  for (const Table& table : tables) {
    const auto connection = harness.open();
    harness.say(connection, test::hello(table.name));
    wire::Ready ready = test::ready(table.rows, table.columns, table.names);
    ready.open_ended = table.open_ended;
    harness.say(connection, ready);
  }
  const test::PlayedClients clients(
      harness, [&](ConnectionId, const wire::ServerMessage& message) -> std::optional<wire::ClientMessage> {
        if (!wire::holds<wire::Prepare>(message)) return std::nullopt;
        look(std::get<wire::Prepare>(message));
        wire::ClientMessage answer = test::prepared(1, std::get<wire::Prepare>(message).question.columns);
        spoil(answer);
        return answer;
      });
  const auto federation = agree(harness.protocol, options);
  if (!federation) return federation.error().message;
  const auto gathered = gathered_from(*federation, options.plan);
  return gathered ? std::to_string(federation->prepare.question.columns) : gathered.error().message;
}

TEST(Agreement, IsOnTheSameColumns) {
  EXPECT_EQ(agreed({{"a", 3, 2}, {"b", 4, 2}}), "2");
  EXPECT_EQ(agreed({{"a", 3, 2, {"x", "y"}}, {"b", 4, 2, {"x", "y"}}}), "2");
}

TEST(Agreement, NamesTheColumnThatDiffers) {
  EXPECT_EQ(agreed({{"a", 3, 2, {"x", "y"}}, {"b", 4, 2, {"x", "z"}}}),
            "b lacks 'y'; b has 'z', a has not; all clients need the same columns");
  EXPECT_EQ(agreed({{"a", 3, 2, {"x", "y"}}, {"b", 4, 1, {"x"}}}), "b lacks 'y'; all clients need the same columns");
  EXPECT_EQ(agreed({{"a", 3, 2, {"x", "y"}}, {"b", 4, std::uint64_t{1} << 40}}),
            "b has no column names; all clients need the same columns");
  EXPECT_EQ(agreed({{"a", 3, 2}, {"b", 4, 3}}), "a has 2 columns, another client 3; all clients need the same columns");
}

TEST(Agreement, NamesAllThatIsWrongAtOnce) {
  EXPECT_EQ(agreed({{"a", 3, 2, {"x", "y"}}, {"b", 4, 1, {"x"}}, {"c", 4, 3, {"y", "x", "z"}}}),
            "b lacks 'y'; c has 'z', a has not; all clients need the same columns");
}

// The first client's order is everyone's, and only those are told who need it.
// Else two columns of one name could stand for three of two.
TEST(Agreement, WantsEachNameOnce) {
  EXPECT_EQ(agreed({{"a", 3, 2, {"u", "v"}}, {"b", 3, 3, {"u", "v", "u"}}}),
            "b has two columns of one name; all clients need the same columns");
}

TEST(Agreement, ThatWasStoredHasANameForEachColumn) {
  wire::StoredFederation federation;
  federation.members.push_back(
      {.name = "a", .ready = test::ready(3, 1, {"u"}), .prepared = {.rows = 3, .unknowns = 2, .squared_norm = 1.0}});
  federation.prepare.question.columns = 2;
  federation.totals = {.rows = 3, .squares = {1.0, 1.0}};

  const auto gathered = gathered_from(federation, {});

  ASSERT_FALSE(gathered);
  EXPECT_EQ(gathered.error().message, "there are names of 1 columns, of 2");
}

TEST(Agreement, IsOnAnOrderOfTheColumns) {
  const auto told = [](const std::vector<std::string>& first, const std::vector<std::string>& second) {
    std::vector<std::string> names;
    EXPECT_EQ(agreed(
                  {{"a", 3, 2, first}, {"b", 4, 2, second}}, [](wire::ClientMessage&) {},
                  [&](const wire::Prepare& prepare) { names = prepare.question.names; }),
              "2");
    return names;
  };
  EXPECT_EQ(told({"u", "v"}, {"v", "u"}), (std::vector<std::string>{"u", "v"}));
  EXPECT_TRUE(told({"u", "v"}, {"u", "v"}).empty());
  EXPECT_EQ(told({}, {"x2", "x1"}), (std::vector<std::string>{"x1", "x2"})) << "which are the names of columns without";
}

TEST(Agreement, WidensTablesWhoseLastColumnsMayBeEmpty) {
  EXPECT_EQ(agreed({{"a", 3, 2, {}, true}, {"b", 4, 5, {}, true}}), "5");
  EXPECT_EQ(agreed({{"a", 3, 2, {}, true}, {"b", 4, 5}}), "5");
  EXPECT_EQ(agreed({{"a", 3, 2}, {"b", 4, 5, {}, true}}),
            "a has 2 columns, another client 5; all clients need the same columns");
}

TEST(Agreement, NeedsColumnsAndNotTooMany) {
  EXPECT_EQ(agreed({{"a", 3, 0}}), "the clients' data have no columns");
  EXPECT_EQ(agreed({{"a", 3, std::uint64_t{1} << 40}}), "1099511627776 columns are more than this server takes");
}

TEST(Agreement, NamesWhoPreparedWhatCannotBe) {
  const std::vector<Table> one{{"a", 3, 2}};
  EXPECT_EQ(agreed(one, [](auto& message) { std::get<wire::Prepared>(message).unknowns = 9; }),
            "a prepared 9 unknowns, not 2");
  EXPECT_EQ(agreed(one, [](auto& message) { std::get<wire::Prepared>(message).rows = 4; }),
            "a prepared 4 rows, but has 3");
  EXPECT_EQ(agreed(one, [](auto& message) { std::get<wire::Prepared>(message).squared_norm = std::nan(""); }),
            "a sent squared norms that are negative or not finite");
  EXPECT_EQ(agreed(one, [](auto& message) { message = test::refusal("out of memory"); }),
            "a: it refused: out of memory");
}

// ---- Standardising.

/// Rows in memory.
class RowsOwner final : public test::BareOwner {
 public:
  explicit RowsOwner(LinearSystem rows) : system_(std::move(rows)) {}
  Result<TableShape> read(const std::string&, const io::Plan& plan) override {
    const TableShape shape{row_count(system_.rows), column_count(system_.rows), {}, is_sparse(system_.rows), false};
    plan_ = plan;
    site_.emplace(plan_, "", std::move(system_));
    return shape;
  }
  Result<ColumnSums> sum_columns(const io::SumColumns& question) override { return site_->sum_columns(question); }
  Result<io::PreparedRows> prepare(const io::PrepareRows& question, ClientId place) override {
    std::vector<std::string> warnings;
    auto made = std::move(*site_).prepare(question, {}, {place, 1}, warnings);
    if (!made) return made.error();
    client = *std::move(made);
    return io::PreparedRows{client->summary(), client->block().cols()};
  }
  Result<LocalReply> answer(const LocalTask&) override { return Error{"not in this test"}; }

  std::optional<Client> client;

 private:
  LinearSystem system_;
  io::Plan plan_;
  std::optional<io::TableSite> site_;
};

TEST(Agreement, StandardisesLikeOneProcessToTheBit) {
  for (const double density : {1.0, 0.3}) {
    const auto made = [&] {
      return split(generate({.rows = 31, .cols = 5, .density = density, .seed = 8}).system,
                   partition_contiguous(31, 3));
    };
    auto parts = made(), owned = made();
    FederationOptions options = test::harness_options({"a", "b", "c"});
    options.plan.intercept = options.plan.standardize = true;
    ServerHarness harness(options);
    test::NoLog log;
    std::vector<std::unique_ptr<RowsOwner>> owners;
    std::map<ConnectionId, ClientProtocol> participants;
    for (std::size_t i = 0; i < 3; ++i) {
      owners.push_back(std::make_unique<RowsOwner>(std::move(owned[i])));
      const auto connection = harness.open();
      participants.try_emplace(
          connection,
          ClientProtocolOptions{.name = options.clients[i], .software = "", .consent = {.reveal_updates = true}},
          *owners[i], log);
      harness.say(connection, participants.at(connection).hello());
    }
    std::optional<wire::StoredFederation> federation;
    {
      const test::PlayedClients clients(harness, [&](ConnectionId id, const wire::ServerMessage& message) {
        return participants.at(id).on_message(message).answer;
      });
      auto agreed = agree(harness.protocol, options);
      ASSERT_TRUE(agreed) << agreed.error().message;
      federation = *std::move(agreed);
    }
    std::ranges::for_each(parts, add_intercept);
    const Scaling expected = standardize(parts, density < 1.0 ? Centring::None : Centring::ByMean, 1);
    const auto scaling = io::scaling_of(options.plan, federation->totals, 6);
    EXPECT_EQ(scaling->centre, expected.centre);
    EXPECT_EQ(scaling->scale, expected.scale);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(test::written_out(owners[i]->client->block().system().rows), test::written_out(parts[i].rows));
    }
  }
}

TEST(Agreement, NamesWhoSentSumsThatCannotBe) {
  const auto reason = [](const std::function<void(wire::ColumnSums&)>& spoil) {
    FederationOptions options = test::harness_options({"a"});
    options.plan.standardize = true;
    options.plan.method.name = MethodName::Fedrk;
    ServerHarness harness(options);
    harness.join("a", 3, 2);
    const test::PlayedClients clients(
        harness, [&](ConnectionId, const wire::ServerMessage& message) -> std::optional<wire::ClientMessage> {
          if (!wire::holds<wire::SumColumns>(message)) return std::nullopt;
          wire::ColumnSums answer{.run = "test", .rows = 3, .sums = {1.0, 2.0}};
          spoil(answer);
          return answer;
        });
    const auto federation = agree(harness.protocol, options);
    return federation ? "agreed" : federation.error().message;
  };
  EXPECT_EQ(reason([](auto& sums) { sums.sums[0] = std::nan(""); }), "a sent column sums that are not finite");
  EXPECT_EQ(reason([](auto& sums) { sums.rows = ~std::uint64_t{0}; }),
            "a sent the sums of 18446744073709551615 rows, but has 3");
  EXPECT_EQ(reason([](auto& sums) { sums.sums = {1.0}; }), "a sent 1 column sums, not 2");
}

}  // namespace
}  // namespace fedrk::network
