// SPDX-License-Identifier: Apache-2.0
#include "transport/protocol/client_protocol.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

#include <gtest/gtest.h>

#include "support/bare_owner.hpp"
#include "support/local_federation.hpp"
#include "support/messages.hpp"
#include "transport/protocol/wire.hpp"

namespace fedrk::network {
namespace {

/// Says what the test has put into it, and counts how often it is asked.
class ScriptedOwner final : public test::BareOwner {
 public:
  Result<TableShape> read(const std::string& run, const io::Plan& plan) override {
    ++reads;
    last_run = run;
    target = plan.target;
    if (!trouble.empty()) return Error{trouble};
    return TableShape{3, 2, names, false, false};
  }
  Result<ColumnSums> sum_columns(const io::SumColumns& question) override {
    order = question.names;
    if (!row_trouble.empty()) return Error{row_trouble};
    if (question.of == io::SumColumns::Of::Nothing) return ColumnSums{3, {}};
    return ColumnSums{3, std::vector(question.columns, question.of == io::SumColumns::Of::Squares ? 0.2 : 0.1)};
  }
  Result<std::vector<ColumnKind>> count_columns() override { return std::vector(3, ColumnKind::Varying); }
  Result<io::PreparedRows> prepare(const io::PrepareRows& question, ClientId place) override {
    ++preparations;
    order = question.names;
    if (!row_trouble.empty()) return Error{row_trouble};
    return io::PreparedRows{{place, "a", 3, 0.5, 0.25}, 2};
  }
  Result<LocalReply> answer(const LocalTask& task) override {
    if (out_of_memory) throw std::bad_alloc();
    if (!answer_trouble.empty()) return Error{answer_trouble};
    return LocalReply{ClientId{0}, aligned_copy(task.x)};
  }

  int reads = 0, preparations = 0;
  std::string last_run, target, trouble, row_trouble, answer_trouble;
  std::vector<std::string> order;
  bool out_of_memory = false;
  std::vector<std::string> names;
};

wire::Welcome welcome(const std::string& run, const std::string& target = "y") {
  // FedRK takes columns as they are.
  return {.run = run, .plan = {{"target", {target}}, {"method", {"published"}}}};
}

wire::Welcome scaled_welcome(const std::string& run) {
  wire::Welcome message = welcome(run);
  message.plan.push_back({"standardize", {"true"}});
  return message;
}

wire::Prepare prepare(const std::string& run, std::uint32_t place = 0) {
  return {.run = run, .question = {.columns = 2}, .place = place};
}

wire::ServerMessage task(const std::string& run, std::uint64_t number = 1) {
  static const std::vector<double> x{0.5, -0.0};
  static const std::vector<ClientId> all{ClientId{0}, ClientId{1}};
  return test::arrived(wire::task_message(run, number, {RoundIndex{2}, x, FixedSteps{1}}, all));
}

class Participants : public testing::Test {
 protected:
  wire::ClientMessage answer(const wire::ServerMessage& message) {
    return participant.on_message(message).answer.value_or(wire::ClientMessage());
  }
  std::string refusal(const wire::ServerMessage& message) { return test::reason_in(answer(message)); }

  ScriptedOwner owner;
  test::NoLog log;
  ClientProtocol participant{{.name = "a",
                              .software = "fedrk 1",
                              .consent = {.known_draws = true, .reveal_updates = true, .expose_rows = true}},
                             owner,
                             log};
};

TEST_F(Participants, SayWhoTheyAre) {
  const wire::Hello hello = participant.hello();
  EXPECT_EQ(hello.name, "a");
  EXPECT_EQ(hello.protocol, wire::kProtocol);
  EXPECT_TRUE(hello.known_draws);
}

TEST_F(Participants, RefuseAServerOfAnotherProtocol) {
  wire::Welcome earlier = welcome("r");
  earlier.protocol = wire::kProtocol - 1;
  EXPECT_EQ(test::reason_in(answer(earlier)), "the server speaks another version of the protocol");
  EXPECT_EQ(owner.reads, 0);
}

TEST_F(Participants, ReadOnceForARunHoweverOftenTheyAreWelcomed) {
  EXPECT_EQ(std::get<wire::Ready>(answer(welcome("r"))).rows, 3U);
  EXPECT_EQ(std::get<wire::Ready>(answer(welcome("r"))).rows, 3U);
  EXPECT_EQ(owner.reads, 1);
  EXPECT_EQ(owner.target, "y");
  EXPECT_TRUE(wire::holds<wire::Ready>(answer(welcome("another"))));
  EXPECT_EQ(owner.reads, 2);
  EXPECT_TRUE(wire::holds<wire::Ready>(answer(welcome("another", "z"))));
  EXPECT_EQ(owner.target, "z") << "a server with another plan";
}

TEST_F(Participants, ReadAgainWhereTheyCouldNotBefore) {
  owner.trouble = "cannot open data.csv";
  EXPECT_EQ(refusal(welcome("r")), "its data do not fit this plan; its own log says why")
      << "what is wrong may quote the data";
  owner.trouble = "";
  EXPECT_TRUE(wire::holds<wire::Ready>(answer(welcome("r"))));
}

TEST_F(Participants, PrepareOnceForARunHoweverOftenTheyAreTold) {
  answer(welcome("r"));
  const auto prepared = answer(prepare("r"));
  EXPECT_EQ(std::get<wire::Prepared>(prepared).squared_rhs_norm, 0.5);
  EXPECT_EQ(bytes_of(answer(prepare("r"))), bytes_of(prepared));
  EXPECT_EQ(owner.preparations, 1);
  answer(prepare("r", 1));
  EXPECT_EQ(owner.preparations, 2) << "another place";
  answer(welcome("another"));
  EXPECT_EQ(refusal(task("another")), "a task of another run") << "the rows are not prepared for it";
}

TEST_F(Participants, AddUpColumns) {
  answer(scaled_welcome("r"));
  const wire::SumColumns question{.run = "r", .question = {.columns = 2}};
  EXPECT_EQ(std::get<wire::ColumnSums>(answer(question)).sums[1], 0.1);
  EXPECT_EQ(std::get<wire::ColumnSums>(answer(question)).of, io::SumColumns::Of::Entries);
  const wire::SumColumns squares{.run = "r", .question = {2, {}, io::SumColumns::Of::Squares, {3, false, {0.1, 0.2}}}};
  EXPECT_EQ(std::get<wire::ColumnSums>(answer(squares)).sums[1], 0.2);
  EXPECT_EQ(std::get<wire::ColumnSums>(answer(squares)).of, io::SumColumns::Of::Squares);
  answer(welcome("s"));
  EXPECT_EQ(refusal(wire::SumColumns{.run = "s", .question = {.columns = 2}}),
            "its plan has no use for sums of columns");
}

TEST_F(Participants, HearTheOrderOfTheColumnsWithEveryQuestion) {
  answer(scaled_welcome("r"));
  wire::SumColumns question{.run = "r", .question = {.columns = 2}};
  answer(question);
  EXPECT_TRUE(owner.order.empty()) << "they have it already";
  question.question.names = {"v", "u"};
  EXPECT_TRUE(wire::holds<wire::ColumnSums>(answer(question)));
  EXPECT_EQ(owner.order, (std::vector<std::string>{"v", "u"}));
  owner.row_trouble = "it has other columns, 'secret'";
  EXPECT_EQ(refusal(question), "its data do not fit this plan; its own log says why");
  auto prepared = prepare("r");
  prepared.question.totals = {3, false, {0.1, 0.2}, {0.1, 0.2}};
  prepared.question.names = {"w"};
  EXPECT_EQ(refusal(prepared), "its data do not fit this plan; its own log says why");
  EXPECT_EQ(owner.order, (std::vector<std::string>{"w"}));
}

TEST_F(Participants, AnswerTasksOfTheirRun) {
  answer(welcome("r"));
  answer(prepare("r"));
  const auto update = std::get<wire::Update>(answer(task("r", 5)));
  EXPECT_EQ(update.number, 5U);
  EXPECT_EQ(update.round, 2U);
  EXPECT_EQ(update.run, "r");
  EXPECT_TRUE(std::signbit(update.values[1])) << "the bits of -0.0";
}

TEST_F(Participants, RefuseWhatIsOfAnotherRunOrComesTooEarly) {
  EXPECT_EQ(refusal(task("r")), "a task of another run");
  EXPECT_EQ(refusal(prepare("")), "rows of another run were to be prepared");
  answer(welcome("r"));
  EXPECT_EQ(std::get<wire::Refusal>(answer(task("r", 9))).number, 9U) << "it is not prepared";
  answer(prepare("r"));
  EXPECT_EQ(refusal(task("x")), "a task of another run");
  EXPECT_EQ(refusal(prepare("x")), "rows of another run were to be prepared");
  EXPECT_EQ(refusal(wire::SumColumns{.run = "x"}), "sums of another run were asked for");
  EXPECT_EQ(refusal(wire::MaskingGroup{.run = "r"}), "keys for masks came out of turn");
}

TEST_F(Participants, RefuseAPlanThatNamesFiles) {
  auto message = welcome("r");
  message.plan.push_back({"data", {"/etc/passwd"}});
  EXPECT_NE(refusal(message), "");
  EXPECT_EQ(owner.reads, 0);
}

TEST_F(Participants, RefuseSizesThatTheyCannotBear) {
  answer(welcome("r"));
  EXPECT_EQ(refusal(prepare("r", std::numeric_limits<std::uint32_t>::max())),
            "the server counts more clients than there can be");
  auto wide = prepare("r");
  wide.question.columns = ~std::uint64_t{0};
  EXPECT_EQ(refusal(wide), "the server wants too many columns");
  EXPECT_EQ(refusal(wire::SumColumns{.run = "r", .question = {.columns = ~std::uint64_t{0}}}),
            "sums of too many columns");
  auto endless = prepare("r");
  endless.question.totals.squares = {std::numeric_limits<double>::infinity()};
  EXPECT_EQ(refusal(endless), "the sums of the columns are not finite");
  EXPECT_EQ(owner.preparations, 0);
}

// Whether rows can be used with certain scales tells something of them: a row that equals the centre becomes zero, say.
TEST_F(Participants, StandardiseOnlyWhereThePlanSaysSo) {
  answer(welcome("r"));
  auto scaled = prepare("r");
  scaled.question.totals.squares = {1.0, 1.0};
  EXPECT_EQ(refusal(scaled), "the plan says otherwise whether columns are scaled");
  EXPECT_EQ(owner.preparations, 0);
}

TEST(MaskedParticipants, LookAtTheirRowsForOnePreparationOnly) {
  std::vector<std::unique_ptr<ScriptedOwner>> owners;
  std::vector<std::unique_ptr<ClientProtocol>> participants;
  test::NoLog log;
  wire::Welcome hello = welcome("r");
  hello.masked = true;
  wire::MaskingGroup masking_group{.run = "r", .members = {}, .groups = {{ClientId{0}, ClientId{1}, ClientId{2}}}};
  for (const char* name : {"a", "b", "c"}) {
    owners.push_back(std::make_unique<ScriptedOwner>());
    participants.push_back(std::make_unique<ClientProtocol>(
        ClientProtocolOptions{.name = name, .software = "", .consent = {.rules = test::kNoRules}}, *owners.back(),
        log));
    const auto ready = participants.back()->on_message(hello).answer;
    masking_group.members.push_back({name, std::get<wire::Ready>(*ready).membership});
  }
  ScriptedOwner& owner = *owners[0];
  const auto refusal = [&](const wire::ServerMessage& message) {
    return test::reason_in(*participants[0]->on_message(message).answer);
  };
  EXPECT_EQ(refusal(prepare("r")), "the other clients of the run are not known yet");
  wire::Prepare counted = prepare("r");
  for (std::uint32_t i = 0; i < 3; ++i) {
    masking_group.place = i;
    EXPECT_FALSE(participants[i]->on_message(masking_group).answer);
    const wire::SumColumns counts{.run = "r", .question = {.columns = 2, .of = io::SumColumns::Of::Nothing}};
    counted.parts.last.push_back(std::get<wire::ColumnSums>(*participants[i]->on_message(counts).answer).part);
  }
  masking_group.place = 0;
  const auto prepare_at = [&](std::uint32_t place) {
    wire::Prepare message = counted;
    message.place = place;
    return message;
  };
  EXPECT_EQ(owner.preparations, 0);

  owner.row_trouble = "row 3 is zero but its right-hand side is not";
  EXPECT_EQ(refusal(prepare_at(0)), "its data do not fit this plan; its own log says why");
  auto other = prepare_at(0);
  other.question.columns = 3;
  EXPECT_NE(refusal(other), "");
  wire::Welcome another = hello;
  another.run = "s";
  EXPECT_EQ(refusal(another), "its data do not fit this plan; its own log says why") << "nor in another run";
  EXPECT_EQ(refusal(hello), "its data do not fit this plan; its own log says why") << "nor after a new connection";
  EXPECT_EQ(refusal(masking_group), "its data do not fit this plan; its own log says why");
  EXPECT_EQ(refusal(task("r")), "its data do not fit this plan; its own log says why");
  EXPECT_EQ(owner.preparations, 1);

  ASSERT_TRUE(wire::holds<wire::Prepared>(*participants[1]->on_message(prepare_at(1)).answer));
  auto elsewhere = prepare_at(1);
  elsewhere.question.totals.sparse = true;
  EXPECT_EQ(test::reason_in(*participants[1]->on_message(elsewhere).answer),
            "the server says of the tables that they are sparse, or dense, and they are not");
  EXPECT_EQ(owners[1]->preparations, 1) << "before anybody looked at the rows";

  wire::SumColumns sums{.run = "r", .question = {.columns = 2, .of = io::SumColumns::Of::Nothing}};
  ASSERT_TRUE(wire::holds<wire::ColumnSums>(*participants[1]->on_message(sums).answer));
  sums.question.names = {"v", "u"};
  EXPECT_EQ(test::reason_in(*participants[1]->on_message(sums).answer),
            "the server asks once more for sums, and of columns in another order than before");
  EXPECT_TRUE(owners[1]->order.empty()) << "the rows stay as they were prepared";
}

TEST_F(Participants, DoNotSendNamesThatNoMessageHolds) {
  owner.names.assign(2, std::string(3 << 20, 'n'));
  EXPECT_EQ(refusal(welcome("r")),
            "the names of the columns are longer than a message may be; leave them out, or shorten them");
}

TEST_F(Participants, TellWhatWentWrongAndStayForTheNext) {
  answer(welcome("r"));
  answer(prepare("r"));
  owner.out_of_memory = true;
  const auto thrown = std::get<wire::Refusal>(answer(task("r", 66)));
  EXPECT_EQ(thrown.number, 66U);
  EXPECT_EQ(thrown.run, "r");
  owner.out_of_memory = false;
  owner.answer_trouble = "the disk is full";
  EXPECT_EQ(refusal(task("r", 67)), "the disk is full");
  owner.answer_trouble.clear();
  EXPECT_TRUE(wire::holds<wire::Update>(answer(task("r", 68))));
}

TEST_F(Participants, TakeTheLastWordAndSayNothing) {
  const auto reaction = participant.on_message(wire::End{.status = "finished:completed"});
  EXPECT_FALSE(reaction.answer);
  EXPECT_EQ(reaction.end->status, "finished:completed");
}

}  // namespace
}  // namespace fedrk::network
