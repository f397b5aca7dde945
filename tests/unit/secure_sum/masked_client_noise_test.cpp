// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "data/record_hashes.hpp"
#include "methods/gaussian_privacy.hpp"
#include "support/temp_folder.hpp"
#include "unit/secure_sum/masked_clients.hpp"

namespace fedrk::network {
namespace {

const test::PlanEntries kNoisyPlan{{"epsilon", "1"}, {"delta", "1e-5"}};

class NoisyClients : public testing::Test {
 protected:
  /// Clients whose rows may give away so much, over all runs: their ledgers stay from one fixture to the next.
  MaskedFixture fixture_of(double epsilon, const test::PlanEntries& plan = kNoisyPlan, std::uint64_t rows = 1) {
    stores_.clear();
    MaskedFixture fixture(
        four_clients(rows),
        [&](ClientProtocolOptions& options) {
          auto& store = stores_.emplace_back(
              std::make_unique<store::ClientStore>(*store::ClientStore::open(folder_.path() / options.name)));
          options.consent.budget = {epsilon, 1e-5, epsilon > 0.0 ? store.get() : nullptr};
        },
        test::FixtureRun{.plan = plan});
    return fixture;
  }

  /// Noise so large that an answer costs about a seventieth of epsilon = 1.
  wire::Task pass(std::uint32_t round) const {
    LocalTask task = noisy_;
    task.round = RoundIndex{round};
    return MaskedFixture::task(round, task, kAll, {noisy_pass_.exponent});
  }

  test::TempFolder folder_;
  std::vector<std::unique_ptr<store::ClientStore>> stores_;
  std::vector<double> x_ = std::vector<double>(kUnknowns, 0.0);
  ClippedPass noisy_pass_{.steps = 0, .clip = 0.01, .noise = 0.36, .exponent = -22};
  LocalTask noisy_ = [this] {
    LocalTask task{RoundIndex{0}, x_, noisy_pass_};
    task.reveal = Reveal::Sums;
    return task;
  }();
};

TEST_F(NoisyClients, AddTheirSharesOfTheNoise) {
  MaskedFixture fixture = fixture_of(5.0);
  fixture.distribute_keys();
  const auto first = fixture.sum(pass(0), noisy_, kAll), second = fixture.sum(pass(1), noisy_, kAll);

  ASSERT_TRUE(first && second);
  AlignedVector difference = first->values;
  axpy(-1.0, second->values, difference);
  // Twelve entries of variance 2 * 4 * 0.36^2: chi-square with 12 degrees of freedom, within its middle 1 - 1e-6.
  const double chi_square = squared_norm(difference) / (8.0 * 0.36 * 0.36);
  EXPECT_GT(chi_square, 0.4);
  EXPECT_LT(chi_square, 55.0);
  EXPECT_EQ(bytes_of(fixture.ask(2, pass(1))), bytes_of(fixture.ask(2, pass(1))));
}

TEST_F(NoisyClients, SpendNoMoreThanTheirOwnersAllowAlsoAfterARestart) {
  MaskedFixture fixture = fixture_of(1.0);
  fixture.distribute_keys();
  std::uint32_t number = 0;
  while (wire::holds<wire::Update>(fixture.ask(0, pass(number)))) ASSERT_LT(++number, 1000);
  EXPECT_GT(number, 3);
  const double spent = *stores_[0]->spent();
  EXPECT_LE(spent, privacy::rho_of(1.0, 1e-5) * (1.0 + 1e-9));
  EXPECT_EQ(test::reason_in(fixture.ask(0, pass(number))),
            "its owner allows no further answer: what its rows may give away is spent");

  MaskedFixture later = fixture_of(1.0);  // another process
  EXPECT_EQ(*stores_[0]->spent(), spent);
  later.distribute_keys();
  EXPECT_FALSE(wire::holds<wire::Update>(later.ask(0, pass(number + 1)))) << "the same run";
  wire::Welcome other_run = MaskedFixture::welcome(kNoisyPlan);
  other_run.run = "another";
  const auto refused = test::reason_in(later.say(0, other_run));
  EXPECT_NE(refused.find("the plan would tell more of its rows than their owner allows"), std::string::npos) << refused;
}

TEST_F(NoisyClients, SpendOfTheRecordsThatTheyHave) {
  const std::vector<Client> others = four_clients(2);
  const LinearSystem& rows = others.front().block().system();
  std::vector<std::string> columns = io::record_columns(kUnknowns);
  std::ranges::sort(columns);
  const auto hashes = [&](std::uint64_t salt, std::span<const std::string> names) {
    return Result(io::record_hashes(rows, salt, names));
  };
  {
    auto store = store::ClientStore::open(folder_.path() / "site-1");
    const auto table = store->table_of("earlier", {columns, hashes});
    ASSERT_TRUE(*store->spend({"earlier", 0, privacy::rho_of(1.0, 1e-5), *table}, 1.0));
  }

  const auto answer = [](const MaskedFixture& fixture) { return fixture.heard().front().second; };
  EXPECT_TRUE(wire::holds<wire::Ready>(answer(fixture_of(1.0)))) << "other rows in the same folder";
  EXPECT_FALSE(wire::holds<wire::Ready>(answer(fixture_of(1.0, kNoisyPlan, 2))));
}

// A plan of little epsilon is not to be a way to all that an owner would ever give.
TEST_F(NoisyClients, SpendNoMoreThanTwiceThePlan) {
  MaskedFixture fixture = fixture_of(5.0);
  fixture.distribute_keys();
  std::uint32_t number = 0;
  while (wire::holds<wire::Update>(fixture.ask(0, pass(number)))) ASSERT_LT(++number, 1000);
  const double spent = *stores_[0]->spent(), plan = privacy::rho_of(1.0, 1e-5);
  EXPECT_LE(spent, 2.0 * plan * (1.0 + 1e-9));
  EXPECT_GT(spent, 1.5 * plan);
}

TEST_F(NoisyClients, PayForEveryAnswerOnce) {
  MaskedFixture fixture = fixture_of(5.0);
  fixture.distribute_keys();
  ASSERT_TRUE(wire::holds<wire::Update>(fixture.ask(0, pass(0))));
  const double once = *stores_[0]->spent();
  EXPECT_GT(once, 0.0);
  ASSERT_TRUE(wire::holds<wire::Update>(fixture.ask(0, pass(0))));
  EXPECT_EQ(*stores_[0]->spent(), once) << "the same bytes again are free";
  ASSERT_TRUE(wire::holds<wire::Update>(fixture.ask(0, pass(1))));
  EXPECT_DOUBLE_EQ(*stores_[0]->spent(), 2.0 * once);
}

TEST_F(NoisyClients, ComeBackToTheirRunWithWhatItHasSpent) {
  {
    MaskedFixture fixture = fixture_of(1.0);
    fixture.distribute_keys();
    ASSERT_TRUE(wire::holds<wire::Update>(fixture.ask(0, pass(0))));
  }
  MaskedFixture again = fixture_of(1.0);  // all that they have is for this run
  EXPECT_TRUE(wire::holds<wire::Ready>(again.heard().front().second)) << test::reason_in(again.heard().front().second);
}

TEST_F(NoisyClients, AnswerWithNoisyProductsAndPayForThem) {
  const NoisyProducts products{.bound = 4.0, .rhs_weight = 0.5, .noise = 400.0, .exponent = -12};
  LocalTask task{RoundIndex{0}, {}, products};
  task.reveal = Reveal::Sums;
  MaskedFixture fixture = fixture_of(5.0);
  fixture.distribute_keys();

  EXPECT_EQ(test::reason_in(fixture.ask(0, MaskedFixture::task(0, task, kAll, {3}))),
            "its noise is on another grid than its sum");
  const auto answer = fixture.ask(0, MaskedFixture::task(0, task, kAll, {products.exponent}));

  EXPECT_TRUE(wire::holds<wire::Update>(answer)) << test::reason_in(answer);
  EXPECT_DOUBLE_EQ(*stores_[0]->spent(), privacy::rho_of_products(products, 8, kUnknowns, 4));
  LocalTask bare = task;
  bare.work = CrossProducts{};
  EXPECT_EQ(test::reason_in(fixture.ask(0, MaskedFixture::task(1, bare, kAll))), "its plan has no use for this");

  MaskedFixture passes = fixture_of(5.0, {{"epsilon", "1"}, {"delta", "1e-5"}, {"mechanism", "passes"}});
  passes.distribute_keys();
  EXPECT_EQ(test::reason_in(passes.ask(0, MaskedFixture::task(0, task, kAll, {products.exponent}))),
            "its plan has no use for this");
}

// On a coarser grid each client's noise would be rounded away by itself.
TEST_F(NoisyClients, AddUpOnTheGridOfTheirNoise) {
  MaskedFixture fixture = fixture_of(5.0);
  fixture.distribute_keys();
  for (const int exponent : {3, -21, -62}) {
    EXPECT_EQ(test::reason_in(fixture.ask(0, MaskedFixture::task(0, noisy_, kAll, {exponent}))),
              "its noise is on another grid than its sum");
  }
  EXPECT_TRUE(wire::holds<wire::Update>(fixture.ask(0, MaskedFixture::task(0, noisy_, kAll)))) << "as it is";
}

TEST_F(NoisyClients, GiveNothingWithoutNoise) {
  MaskedFixture fixture = fixture_of(5.0);
  fixture.distribute_keys();
  LocalTask look{RoundIndex{0}, x_, FixedSteps{0}, true};
  look.reveal = Reveal::Sums;
  std::uint64_t number = 9;
  for (const LocalTask& task : {look, cut_steps(x_)}) {
    EXPECT_EQ(test::reason_in(fixture.ask(0, MaskedFixture::task(number++, task, kAll))),
              "its plan has no use for this");
  }
  const wire::SumColumns sums{.run = "run", .question = {.columns = kUnknowns}};
  EXPECT_TRUE(wire::holds<wire::Refusal>(fixture.say(0, sums)));
}

TEST_F(NoisyClients, TakePartOnlyWhereTheirOwnersHaveSaidHowMuch) {
  const auto first_words = [](const MaskedFixture& fixture) { return test::reason_in(fixture.heard().front().second); };
  EXPECT_NE(first_words(fixture_of(0.0)).find("say how much these rows may ever give away"), std::string::npos);
  EXPECT_NE(first_words(fixture_of(1.0, {})).find("for runs with differential privacy only"), std::string::npos);
}

}  // namespace
}  // namespace fedrk::network
