// SPDX-License-Identifier: Apache-2.0
#include "round/task_cost.hpp"
#include "support/bare_owner.hpp"
#include "unit/secure_sum/masked_clients.hpp"

namespace fedrk::network {
namespace {

TEST(MaskedClients, AddUpToWhatTheySentInTheClear) {
  const std::vector<double> x(kUnknowns, 0.0);
  // The residual is the same whatever the draws are.
  LocalTask look{RoundIndex{0}, x, FixedSteps{0}, true};
  look.reveal = Reveal::Sums;
  MaskedFixture fixture(four_clients());
  fixture.distribute_keys();
  double expected = 0.0;
  for (Client& client : four_clients()) expected += *client.local_update(look).squared_residual;

  const auto sum = fixture.sum(MaskedFixture::task(0, look, kAll), look, kAll);

  ASSERT_TRUE(sum);
  EXPECT_DOUBLE_EQ(*sum->squared_residual, expected);
}

TEST(MaskedClients, GiveAHyperplaneThatHoldsTheSolution) {
  const auto problem = generate({.rows = 32, .cols = kUnknowns, .seed = 1});
  const std::vector<double> x(kUnknowns, 0.0);
  for (const StepBudget& budget : {StepBudget{FixedSteps{20}}, StepBudget{ExactProjection{}}}) {
    MaskedFixture fixture(four_clients());
    fixture.distribute_keys();
    std::uint64_t number = 0;
    const LocalTask task = cut_steps(x, budget);
    const auto sum = fixture.sum(MaskedFixture::task(number++, task, kAll), task, kAll);

    ASSERT_TRUE(sum);
    EXPECT_NEAR(dot(sum->values, problem.solution), *sum->gap, 1e-12 * std::abs(*sum->gap));
  }
}

// ---- What they do not answer.

TEST_F(MaskedClientRules, RepeatTheSameBytes) {
  const auto task = MaskedFixture::task(0, steps_, kAll);
  const auto first = fixture_.ask(0, task), again = fixture_.ask(0, task);
  ASSERT_TRUE(wire::holds<wire::Update>(first));
  EXPECT_EQ(bytes_of(first), bytes_of(again));
}

// Whatever a server numbers it by: a question is what it asks, and its answer is drawn once.
TEST_F(MaskedClientRules, RepeatTheSameNumbersToAQuestionThatIsAskedAgain) {
  const auto words = [&](const wire::Task& task) { return std::get<wire::Update>(fixture_.ask(0, task)).masked; };
  const auto first = words(MaskedFixture::task(5, steps_, kAll));
  EXPECT_EQ(words(MaskedFixture::task(4, steps_, kAll)), first);
  fixture_.restart(0);
  fixture_.say(0, masking_group_message(fixture_.masking_group(), 0));
  fixture_.say(0, fixture_.prepare(0));
  EXPECT_EQ(words(MaskedFixture::task(9, steps_, kAll)), first) << "from another process";
  std::vector<double> other = x_;
  other[3] += 1e-9;
  EXPECT_NE(words(MaskedFixture::task(5, cut_steps(other), kAll)), first);
}

// Masks of two grids have nothing in common; the displacement behind them has.
TEST_F(MaskedClientRules, GiveTheSameNumbersOnAnyGrid) {
  const auto wide = fixture_.sum(MaskedFixture::task(0, steps_, kAll), steps_, kAll);
  const auto fine = fixture_.sum(MaskedFixture::task(1, steps_, kAll, {-50}), steps_, kAll);
  ASSERT_TRUE(wide && fine);
  for (std::size_t j = 0; j < kUnknowns; ++j) EXPECT_NEAR(wide->values[j], fine->values[j], 4 * 0x1p-50);
}

TEST_F(MaskedClientRules, TakePartInNoOtherSumThanThoseOfTheRun) {
  for (const auto& who : {places({0, 1}), places({0}), places({0, 1, 7}), kWithoutLast}) {
    EXPECT_TRUE(
        refusal(MaskedFixture::task(0, steps_, who)).starts_with("it asks another group than those of the run"));
  }
}

TEST(MaskedClientGroupsOfARun, AreNotOfTwo) {
  MaskedFixture fixture(four_clients());
  fixture.masking_group().groups = {places({0, 1}), places({2, 3})};
  EXPECT_EQ(test::reason_in(fixture.say(0, masking_group_message(fixture.masking_group(), 0))),
            "a sum over 2 clients would show too much of each: 3 at least take part");
}

TEST(MaskedClientGroupsOfARun, HoldEveryClientOnce) {
  using Groups = std::vector<std::vector<ClientId>>;
  for (const Groups& groups : {Groups{places({0, 1, 2})}, Groups{places({0, 1, 2, 3}), places({1, 2, 3})},
                               Groups{places({0, 1, 2, 7})}, Groups{places({0, 2, 1, 3})}, Groups{}}) {
    MaskedFixture fixture(four_clients());
    fixture.masking_group().groups = groups;
    EXPECT_EQ(test::reason_in(fixture.say(0, masking_group_message(fixture.masking_group(), 0))),
              "the groups of the run make no sense");
  }
}

// Rows that nobody has would raise what sums may show of each.
TEST(MaskedClientGroupsOfARun, HaveNoMoreRowsThanTablesCanHave) {
  MaskedFixture fixture(four_clients());
  fixture.masking_group().members[2].membership.rows = std::uint64_t{1} << 60;

  EXPECT_EQ(test::reason_in(fixture.say(0, masking_group_message(fixture.masking_group(), 0))),
            "a client claims more rows than any table has");
}

TEST(MaskedClientSettings, MayAllowMoreThanAnybodyCounts) {
  MaskedFixture fixture(four_clients(),
                        [](ClientProtocolOptions& options) { options.consent.rules.max_share = 1e300; });

  fixture.distribute_keys();

  EXPECT_EQ(fixture.refusal(), "");
}

TEST_F(MaskedClientRules, ShowNoSingleUpdate) {
  LocalTask single = steps_;
  single.reveal = Reveal::Updates;
  EXPECT_EQ(refusal(MaskedFixture::task(0, single, kAll)), "it asks for a single update in a run of masked sums");
}

// ---- Groups.

/// Clients of a fit, and what it asks of them.
class MaskedClientGroups : public testing::Test {
 protected:
  MaskedClientGroups() { fixture_.distribute_keys(); }

  LocalTask task(const LocalWork& work) const {
    LocalTask task{RoundIndex{0}, needs_x(work) ? std::span<const double>(x_) : std::span<const double>(), work};
    task.reveal = Reveal::Sums;
    task.report_residual = is_look(work);
    return task;
  }
  std::string refusal(const LocalWork& work, const std::vector<ClientId>& group) {
    return test::reason_in(fixture_.ask(0, MaskedFixture::task(number_++, task(work), group)));
  }

  std::vector<double> x_ = std::vector<double>(kUnknowns, 0.25);
  MaskedFixture fixture_{four_clients(), {}, {.plan = {{"least-squares", "true"}}}};
  std::uint64_t number_ = 0;
};

constexpr const char* kOtherGroup = "it asks another group than those of the run";

// A sum over all but one would tell the last one's part by the difference. So a server that says that one of them is
// lost gets nothing from the others.
TEST_F(MaskedClientGroups, NeverShrink) {
  const std::vector<LocalWork> kinds{Gradient{}, NormalProduct{}, CrossProducts{}, CrossProducts{true}, FixedSteps{0}};
  for (const LocalWork& work : kinds) EXPECT_EQ(refusal(work, kAll), "");
  for (const LocalWork& work : kinds) {
    EXPECT_TRUE(refusal(work, kWithoutLast).starts_with(kOtherGroup)) << work.index();
    EXPECT_EQ(refusal(work, kAll), "");
  }
}

// To the last bit of both halves, though each part was masked.
TEST_F(MaskedClientGroups, AddUpPairsExactly) {
  const LocalTask products = task(CrossProducts{true});
  std::vector<LocalReply> parts;
  for (Client& client : four_clients()) parts.push_back(client.local_update(products));
  const std::size_t length = parts.front().values.size();
  const masking::PartLayout layout = masking::layout_of(products, length, {});
  masking::Words total(layout.words(), 0), expected(layout.words(), 0);
  for (std::uint32_t i = 0; i < 4; ++i) {
    const auto answer = fixture_.ask(i, MaskedFixture::task(0, products, kAll));
    ASSERT_TRUE(wire::holds<wire::Update>(answer)) << test::reason_in(answer);
    masking::add_part(layout, *std::get<wire::Update>(answer).masked, total);
    masking::add_part(layout, *masking::part_of_pairs(parts[i].values, {}), expected);
  }
  EXPECT_EQ(total, expected);
  const LocalReply sum = masking::reply_from(products, masking::read_sum(layout, {}, total));
  const LocalReply in_order = sum_of(products.work, std::move(parts));
  for (std::size_t k = 0; k < length; k += 2) {
    EXPECT_NEAR((sum.values[k] - in_order.values[k]) + (sum.values[k + 1] - in_order.values[k + 1]), 0.0,
                1e-29 * std::max(1.0, std::abs(sum.values[k])));
  }
}

// A run by sums has no use for these, whatever a server says.
TEST_F(MaskedClientRules, AnswerNothingThatTheirPlanHasNoUseFor) {
  const std::vector<std::uint32_t> one_column{3};
  const std::vector<double> one{0.5};
  LocalTask of_one_column = cut_steps(one);
  of_one_column.columns = one_column;
  std::vector<LocalTask> tasks{of_one_column};
  for (const LocalWork& work :
       {LocalWork(CrossProducts{true}), LocalWork(Curvature{}), LocalWork(ColumnNorms{}), LocalWork(FixedSteps{20}),
        LocalWork(ExactProjection{}), LocalWork(GradientSteps{.count = 2, .step = 1.0, .batch = 1}),
        LocalWork(SparseSteps{FixedSteps{20}, 1.0})}) {
    tasks.push_back(steps_);
    tasks.back().work = work;
  }
  for (const LocalTask& task : tasks) {
    EXPECT_EQ(refusal(MaskedFixture::task(0, task, kAll)), "its plan has no use for this") << task.work.index();
  }
}

TEST_F(MaskedClientRules, WantAGridThatMakesSense) {
  EXPECT_EQ(refusal(MaskedFixture::task(0, steps_, kAll, {-5000})), "its grid makes no sense");
}

// A server that tells two clients different things gets masks that do not cancel.
TEST_F(MaskedClientRules, AddUpToNothingWhereTheyWereToldDifferentThings) {
  std::vector<double> other = x_;
  other[0] = 17.0;
  const LocalTask elsewhere = cut_steps(other);
  const masking::PartLayout layout = masking::layout_of(steps_, kUnknowns, {});
  masking::Words total(layout.words(), 0);
  for (std::uint32_t i = 0; i < 4; ++i) {
    const auto answer = fixture_.ask(i, MaskedFixture::task(0, i == 2 ? elsewhere : steps_, kAll));
    masking::add_part(layout, *std::get<wire::Update>(answer).masked, total);
  }
  EXPECT_NE(masking::read_sum(layout, {}, total).parties, 4);
}

// One step would send multiples of rows, and very many steps what is nearly a function of x alone.
TEST_F(MaskedClientRules, StayWithTheirNumberOfSteps) {
  EXPECT_EQ(refusal(MaskedFixture::task(0, cut_steps(x_, FixedSteps{1}), kAll)), "its plan has no use for this");
  ASSERT_TRUE(wire::holds<wire::Update>(fixture_.ask(0, MaskedFixture::task(0, steps_, kAll))));
  for (const StepBudget& other : {StepBudget{FixedSteps{21}}, StepBudget{ExactProjection{}}}) {
    EXPECT_EQ(refusal(MaskedFixture::task(1, cut_steps(x_, other), kAll)),
              "it had another number of local steps before");
  }
  MaskedFixture planned(four_clients(), {}, {.plan = {{"local-steps", "7"}}});
  planned.distribute_keys();
  EXPECT_EQ(test::reason_in(planned.ask(0, MaskedFixture::task(0, steps_, kAll))), "its plan has no use for this");
  EXPECT_TRUE(wire::holds<wire::Update>(planned.ask(0, MaskedFixture::task(0, cut_steps(x_, FixedSteps{7}), kAll))));
}

// ---- What a server may not change on its way.

// "All" must stay the same: with another masking group, a gradient over all but one could be had after all.
TEST_F(MaskedClientRules, StayWithTheirMaskingGroup) {
  wire::MaskingGroup smaller = fixture_.masking_group();
  smaller.members.pop_back();
  smaller.groups = {kWithoutLast};
  EXPECT_EQ(test::reason_in(fixture_.say(0, masking_group_message(smaller, 0))),
            "this run began with another group of clients");
  wire::MaskingGroup reordered = fixture_.masking_group();
  std::swap(reordered.members[0], reordered.members[1]);
  EXPECT_EQ(test::reason_in(fixture_.say(0, masking_group_message(reordered, 1))),
            "this run began with another group of clients");
  EXPECT_FALSE(wire::holds<wire::Refusal>(fixture_.say(0, masking_group_message(fixture_.masking_group(), 0))))
      << "the same again";
}

// A server that tells each client another order would choose the signs of the masks, were they by place. It gets no
// further than the first sum.
TEST(MaskedClientOrders, DoNotCancelWhereTheyDiffer) {
  MaskedFixture fixture(four_clients());
  const std::uint32_t orders[4][4] = {{0, 1, 2, 3}, {1, 0, 2, 3}, {1, 2, 0, 3}, {0, 1, 2, 3}};
  for (std::uint32_t i = 0; i < 4; ++i) {
    wire::MaskingGroup masking_group{.run = "run", .members = {}, .groups = {kAll}};
    std::uint32_t place = 0;
    for (std::uint32_t p = 0; p < 4; ++p) {
      masking_group.members.push_back(fixture.masking_group().members[orders[i][p]]);
      if (orders[i][p] == i) place = p;
    }
    fixture.say(i, masking_group_message(masking_group, place));
  }
  fixture.set_up();

  EXPECT_EQ(fixture.refusal(), "the masks of the clients do not cancel");
  std::vector<masking::Words> words;
  for (const auto& [client, message] : fixture.heard()) {
    if (const auto* sums = std::get_if<wire::ColumnSums>(&message)) words.push_back(sums->part.words);
  }
  ASSERT_EQ(words.size(), 4);
  const masking::PartLayout layout{words[0].size() - masking::PartLayout::kHead, 0};  // as words alone
  for (int signs = 0; signs < 8; ++signs) {
    masking::Words total = words[0];
    for (std::size_t i = 1; i < 4; ++i) {
      ((signs >> (i - 1)) & 1) == 0 ? masking::add_part(layout, words[i], total)
                                    : masking::subtract_part(layout, words[i], total);
    }
    EXPECT_GT(masking::read_sum(layout, masking::Grid{0}, total).parties, 1000) << signs;
  }
}

TEST_F(MaskedClientRules, StayWithTheirPlanAndTheirRows) {
  wire::Prepare other = fixture_.prepare(0);
  other.question.columns = 0;
  EXPECT_NE(test::reason_in(fixture_.say(0, other)), "");
  other = fixture_.prepare(0);
  other.question.totals.sparse = true;
  EXPECT_EQ(test::reason_in(fixture_.say(0, other)),
            "the server says of the tables that they are sparse, or dense, and they are not");
  EXPECT_EQ(test::reason_in(fixture_.say(0, MaskedFixture::welcome({{"target", "b"}}))),
            "this run had another plan before");
}

// By these the owner's rules tell whether a column is that of one table alone.
TEST_F(MaskedClientRules, WantTheCountsOfTheColumns) {
  wire::Prepare without = fixture_.prepare(0);
  without.parts.last.clear();

  EXPECT_EQ(test::reason_in(fixture_.say(0, without)), "the server leaves out in how many tables the columns vary");
}

// Then columns stay as they are, whatever the plan does with them elsewhere.
TEST(MaskedClients, AgreeOnLeastSquaresOfFewerRowsThanColumns) {
  MaskedFixture fixture(test::clients_of(generate({.rows = 6, .cols = 9, .seed = 1}).system, 3, 1), {},
                        {.plan = {{"least-squares", "true"}}});

  fixture.distribute_keys();

  EXPECT_EQ(fixture.refusal(), "");
}

/// Its column sums change when the test says so, as those of a table that was edited do.
class EditedOwner final : public test::BareOwner {
 public:
  Result<TableShape> read(const std::string&, const io::Plan&) override { return TableShape{3, 2, {}, false, false}; }
  Result<ColumnSums> sum_columns(const io::SumColumns&) override { return ColumnSums{3, sums}; }
  Result<std::vector<ColumnKind>> count_columns() override { return std::vector(3, ColumnKind::Varying); }
  Result<io::PreparedRows> prepare(const io::PrepareRows&, ClientId) override { return Error{"not here"}; }
  Result<LocalReply> answer(const LocalTask&) override { return Error{"not here"}; }

  std::vector<double> sums{1.0, 2.0};
};

// Without that, one number could be answered twice under the same mask: whatever has changed in between would show.
TEST(EditedTables, SendNothingElseToAQuestionThatWasAnswered) {
  EditedOwner owner;
  test::NoLog log;
  ClientProtocol client({.name = test::fixture_name(0), .software = "", .consent = {.rules = test::kNoRules}}, owner,
                        log);
  const auto ready = client.on_message(MaskedFixture::welcome()).answer;
  wire::MaskingGroup masking_group{.run = "run", .members = {}, .groups = {places({0, 1, 2})}};
  for (std::size_t i = 0; i < 3; ++i) {
    const masking::Masker other(masking::random_key(), "run");
    wire::Membership shown = std::get<wire::Ready>(*ready).membership;
    if (i > 0) shown.key = wire::bytes_from(masking::text_of(other.public_key()));
    masking_group.members.push_back({test::fixture_name(i), shown});
  }
  ASSERT_FALSE(client.on_message(masking_group).answer);
  const wire::SumColumns question{.run = "run", .question = {.columns = 2, .of = io::SumColumns::Of::Squares}};
  const auto first = client.on_message(question).answer;
  ASSERT_TRUE(wire::holds<wire::ColumnSums>(*first)) << test::reason_in(*first);
  EXPECT_TRUE(std::get<wire::ColumnSums>(*first).sums.empty()) << "no numbers beside their masked words";
  EXPECT_EQ(bytes_of(*client.on_message(question).answer), bytes_of(*first));
  owner.sums[1] = 3.0;
  EXPECT_EQ(
      test::reason_in(*client.on_message(question).answer),
      "its answer is not what it was when it answered this first: its data have changed, or another process has the "
      "same state folder");
}

TEST_F(MaskedClientRules, RefuseNumbersThatOthersDoNotSee) {
  LocalTask steps{RoundIndex{0}, x_, GradientSteps{.count = 2, .step = 0.1}};
  steps.reveal = Reveal::Sums;
  wire::Task secretly = MaskedFixture::task(0, steps, kAll);
  secretly.own = aligned_copy(x_);
  EXPECT_EQ(refusal(secretly, 2), "it holds numbers that not all participants see");
}

TEST(MaskedClientSettings, MayWantAllClientsInEverySum) {
  const auto six = [] { return test::clients_of(generate({.rows = 40, .cols = kUnknowns, .seed = 3}).system, 6, 3); };
  for (const bool whole : {false, true}) {
    MaskedFixture fixture(six(), [&](ClientProtocolOptions& options) { options.consent.whole_run = whole; });
    fixture.form_groups(3);
    EXPECT_EQ(test::reason_in(fixture.say(0, masking_group_message(fixture.masking_group(), 0))),
              whole ? "sums over 3 of 6 clients, where its owner wants all of them in each" : "");
    fixture.form_groups(0);
  }
}

TEST(MaskedClientSettings, AreNotThoseOfKnownDraws) {
  test::ReadyOwner owner(std::move(four_clients().front()));
  test::NoLog log;
  ClientProtocol participant(
      {.name = "site-1", .software = "", .consent = {.known_draws = true, .reveal_updates = true}}, owner, log);
  const auto answer = participant.on_message(MaskedFixture::welcome()).answer;
  EXPECT_NE(test::reason_in(*answer).find("not in a private run"), std::string::npos);
}

TEST(MaskedClientSettings, KeepAClientFromShowingSingleUpdatesUnasked) {
  const auto words = [](bool reveal, bool expose, const std::string& entry, const std::string& value) {
    test::ReadyOwner owner(std::move(four_clients().front()));
    test::NoLog log;
    ClientProtocol participant(
        {.name = "site-1", .software = "", .consent = {.reveal_updates = reveal, .expose_rows = expose}}, owner, log);
    wire::Welcome message = MaskedFixture::welcome({{"method", "fedrk"}, {entry, value}});
    message.masked = false;
    return test::reason_in(*participant.on_message(message).answer);
  };
  EXPECT_TRUE(words(false, false, "rounds", "5").starts_with("the server wants to see single updates"));
  EXPECT_EQ(words(true, false, "rounds", "5"), "");
  for (const char* entry : {"local-steps", "participants", "server-steps"}) {
    EXPECT_NE(words(true, false, entry, "1").find("--expose-rows"), std::string::npos) << entry;
    EXPECT_EQ(words(true, true, entry, "1"), "") << entry;
    EXPECT_EQ(words(true, false, entry, "2"), "") << entry;
  }
}

}  // namespace
}  // namespace fedrk::network
