// SPDX-License-Identifier: Apache-2.0
#include "network/masked_client.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "fedrk/linalg/kernels.hpp"
#include "fedrk/security/authority.hpp"
#include "support/masked_circle.hpp"
#include "support/temp_folder.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk::network {
namespace {

using test::MaskedCircle;
using test::places;

constexpr std::size_t kUnknowns = 12;

std::vector<Client> four_clients(std::uint64_t seed = 1) {
  return test::clients_of(generate({.rows = 32, .cols = kUnknowns, .seed = seed}).system, 4, seed);
}

const std::vector<ClientId> kAll = places({0, 1, 2, 3}), kWithoutLast = places({0, 1, 2});

LocalTask valid_steps(std::span<const double> x, StepBudget budget = FixedSteps{20}) {
  LocalTask task{RoundIndex{0}, x, ValidSteps{budget}};
  task.reveal = Reveal::Sums;
  return task;
}

double length(std::span<const double> values) { return std::sqrt(squared_norm(values)); }

TEST(MaskedClients, AddUpToWhatTheySentInTheClear) {
  const std::vector<double> x(kUnknowns, 0.0);
  // The residual is the same whatever the draws are.
  LocalTask look{RoundIndex{0}, x, FixedSteps{0}, true};
  look.reveal = Reveal::Sums;
  MaskedCircle circle(four_clients());
  circle.introduce();
  double expected = 0.0;
  for (Client& client : four_clients()) expected += *client.local_update(look).squared_residual;

  const auto sum = circle.sum(MaskedCircle::task(0, look, kAll), look, kAll);

  ASSERT_TRUE(sum);
  EXPECT_DOUBLE_EQ(*sum->squared_residual, expected);
}

TEST(MaskedClients, GiveAHyperplaneThatHoldsTheSolution) {
  const auto problem = generate({.rows = 32, .cols = kUnknowns, .seed = 1});
  const std::vector<double> x(kUnknowns, 0.0);
  MaskedCircle circle(four_clients());
  circle.introduce();
  for (const StepBudget& budget : {StepBudget{FixedSteps{20}}, StepBudget{UntilProjected{}}}) {
    for (const auto& who : {kAll, kWithoutLast}) {
      static std::uint64_t number = 0;
      const LocalTask task = valid_steps(x, budget);
      const auto sum = circle.sum(MaskedCircle::task(number++, task, who), task, who);

      ASSERT_TRUE(sum);
      EXPECT_NEAR(dot(sum->values, problem.solution), *sum->gap, 1e-12 * std::abs(*sum->gap));
    }
  }
}

// ---- What they do not answer.

class MaskedClientRules : public testing::Test {
 protected:
  MaskedClientRules() { circle_.introduce(); }
  std::string refusal(const v1::Task& task, std::size_t client = 0) {
    return circle_.ask(client, task).refusal().reason();
  }

  std::vector<double> x_ = std::vector<double>(kUnknowns, 0.25);
  LocalTask steps_ = valid_steps(x_);
  MaskedCircle circle_{four_clients()};
  test::NoLog log_;
};

TEST_F(MaskedClientRules, RepeatTheSameBytes) {
  const auto task = MaskedCircle::task(0, steps_, kAll);
  const auto first = circle_.ask(0, task), again = circle_.ask(0, task);
  ASSERT_TRUE(first.has_update());
  EXPECT_EQ(first.SerializeAsString(), again.SerializeAsString());
}

TEST_F(MaskedClientRules, AnswerANumberOnce) {
  ASSERT_TRUE(circle_.ask(0, MaskedCircle::task(5, steps_, kAll)).has_update());
  constexpr const char* kAlready = "it has answered this question already, or a later one";
  EXPECT_EQ(refusal(MaskedCircle::task(5, steps_, kWithoutLast)), kAlready) << "without one of them";
  std::vector<double> other = x_;
  other[3] += 1e-9;
  EXPECT_EQ(refusal(MaskedCircle::task(5, valid_steps(other), kAll)), kAlready) << "at another x";
  EXPECT_EQ(refusal(MaskedCircle::task(5, steps_, kAll, 0, {-30})), kAlready) << "on another grid";
  EXPECT_EQ(refusal(MaskedCircle::task(4, steps_, kAll)), kAlready);
  EXPECT_FALSE(circle_.ask(0, MaskedCircle::task(4, steps_, kAll)).refusal().has_answered());
  EXPECT_TRUE(circle_.ask(0, MaskedCircle::task(5, steps_, kWithoutLast, 3)).has_update()) << "a new attempt";
  const auto back = circle_.ask(0, MaskedCircle::task(5, steps_, kAll, 1)).refusal();
  EXPECT_EQ(back.answered(), 3) << "so that a server that was started again knows where to go on";
  EXPECT_EQ(back.attempt(), 1);
}

TEST_F(MaskedClientRules, TakePartInNoSumOfTwo) {
  EXPECT_EQ(refusal(MaskedCircle::task(0, steps_, places({0, 1}))),
            "a sum over 2 clients would show too much of each: 3 at least take part");
  EXPECT_EQ(refusal(MaskedCircle::task(0, steps_, places({0}))),
            "a sum over 1 clients would show too much of each: 3 at least take part");
  EXPECT_EQ(refusal(MaskedCircle::task(0, steps_, places({0, 1, 7}))), "it names participants that are not there");
}

TEST_F(MaskedClientRules, ShowNoSingleUpdate) {
  LocalTask single = steps_;
  single.reveal = Reveal::Updates;
  EXPECT_EQ(refusal(MaskedCircle::task(0, single, kAll)), "it asks for a single update in a run of masked sums");
}

// What draws nothing is the same at each x: a sum over all but one would tell the last one's by the difference.
TEST_F(MaskedClientRules, GiveFixedFunctionsOfXOverAllOrNotAtAll) {
  LocalTask look{RoundIndex{0}, x_, FixedSteps{0}, true}, gradient = steps_, product = steps_;
  look.reveal = Reveal::Sums;
  gradient.work = Gradient{};
  product.work = NormalProduct{};
  std::uint64_t number = 0;
  for (const LocalTask& task : {look, gradient, product}) {
    EXPECT_TRUE(refusal(MaskedCircle::task(number, task, kWithoutLast)).starts_with("it asks some clients only"));
    EXPECT_TRUE(circle_.ask(0, MaskedCircle::task(number++, task, kAll)).has_update());
  }
}

// A run by sums has no use for these, whatever a server says.
TEST_F(MaskedClientRules, AnswerNothingThatTheirPlanHasNoUseFor) {
  const std::vector<std::uint32_t> one_column{3};
  const std::vector<double> one{0.5};
  LocalTask of_one_column = valid_steps(one);
  of_one_column.columns = one_column;
  std::vector<LocalTask> tasks{of_one_column};
  for (const LocalWork& work :
       {LocalWork(GramSum{}), LocalWork(Curvature{}), LocalWork(ColumnNorms{}), LocalWork(FixedSteps{20}),
        LocalWork(UntilProjected{}), LocalWork(GradientSteps{.count = 2, .step = 1.0, .batch = 1}),
        LocalWork(SparseSteps{FixedSteps{20}, 1.0})}) {
    tasks.push_back(steps_);
    tasks.back().work = work;
  }
  for (const LocalTask& task : tasks) {
    EXPECT_EQ(refusal(MaskedCircle::task(0, task, kAll)), "its plan has no use for this") << task.work.index();
  }
}

TEST_F(MaskedClientRules, WantAGridThatMakesSense) {
  EXPECT_EQ(refusal(MaskedCircle::task(0, steps_, kAll, 0, {-5000})), "its grid makes no sense");
}

// A server that tells two clients different things gets masks that do not cancel.
TEST_F(MaskedClientRules, AddUpToNothingWhereTheyWereToldDifferentThings) {
  std::vector<double> other = x_;
  other[0] = 17.0;
  const LocalTask elsewhere = valid_steps(other);
  const masking::PartLayout layout = masking::layout_of(steps_, kUnknowns, {});
  masking::Words total(layout.words(), 0);
  for (std::uint32_t i = 0; i < 4; ++i) {
    const auto answer = circle_.ask(i, MaskedCircle::task(0, i == 2 ? elsewhere : steps_, kAll));
    masking::add_part(layout, wire::words_of(answer.update().values()), total);
  }
  EXPECT_NE(masking::read_sum(layout, {}, total).parties, 4);
}

// ---- What a server may not change on its way.

v1::ServerMessage company_message(const v1::Company& company, std::uint32_t place) {
  v1::ServerMessage message;
  *message.mutable_company() = company;
  message.mutable_company()->set_place(place);
  return message;
}

// "All" must stay the same: with another company, a gradient over all but one could be had after all.
TEST_F(MaskedClientRules, StayWithTheirCompany) {
  v1::Company smaller = circle_.company();
  smaller.mutable_members()->RemoveLast();
  EXPECT_EQ(circle_.say(0, company_message(smaller, 0)).refusal().reason(), "this run had another company before");
  v1::Company reordered = circle_.company();
  reordered.mutable_members()->SwapElements(0, 1);
  EXPECT_EQ(circle_.say(0, company_message(reordered, 1)).refusal().reason(), "this run had another company before");
  EXPECT_FALSE(circle_.say(0, company_message(circle_.company(), 0)).has_refusal()) << "the same again";
}

// A server that tells each client another order would choose the signs of the masks, were they by place.
TEST(MaskedClientOrders, DoNotCancelWhereTheyDiffer) {
  MaskedCircle circle(four_clients());
  const int orders[4][4] = {{0, 1, 2, 3}, {1, 0, 2, 3}, {1, 2, 0, 3}, {0, 1, 2, 3}};
  const std::vector<double> x(kUnknowns, 0.25);
  const LocalTask task = valid_steps(x);
  const masking::PartLayout layout = masking::layout_of(task, kUnknowns, {});
  std::vector<masking::Words> words;
  for (std::uint32_t i = 0; i < 4; ++i) {
    v1::Company company;
    company.set_run("run");
    std::uint32_t place = 0;
    for (int p = 0; p < 4; ++p) {
      *company.add_members() = circle.company().members(orders[i][p]);
      if (orders[i][p] == static_cast<int>(i)) place = static_cast<std::uint32_t>(p);
    }
    circle.say(i, company_message(company, place));
    v1::ServerMessage prepare;
    prepare.mutable_prepare()->set_run("run");
    prepare.mutable_prepare()->set_columns(1);
    prepare.mutable_prepare()->set_place(place);
    circle.say(i, prepare);
    words.push_back(wire::words_of(circle.ask(i, MaskedCircle::task(0, task, kAll)).update().values()));
  }
  for (int signs = 0; signs < 8; ++signs) {
    masking::Words total = words[0];
    for (std::size_t i = 1; i < 4; ++i) {
      ((signs >> (i - 1)) & 1) == 0 ? masking::add_part(layout, words[i], total)
                                    : masking::subtract_part(layout, words[i], total);
    }
    EXPECT_GT(masking::read_sum(layout, {}, total).parties, 1000) << signs;
  }
}

// Rows that one client brings to another scale than the others would be all that is left of a sum.
TEST(MaskedClientPreparations, DoNotCancelWhereTheyDiffer) {
  MaskedCircle circle(four_clients());
  for (std::uint32_t i = 0; i < 4; ++i) {
    circle.say(i, company_message(circle.company(), i));
    v1::ServerMessage prepare;
    prepare.mutable_prepare()->set_run("run");
    prepare.mutable_prepare()->set_columns(i == 0 ? 1 : 2);  // stands for other scales
    prepare.mutable_prepare()->set_place(i);
    ASSERT_TRUE(circle.say(i, prepare).has_prepared());
  }
  const std::vector<double> x(kUnknowns, 0.25);
  const LocalTask task = valid_steps(x);
  EXPECT_FALSE(circle.sum(MaskedCircle::task(0, task, kAll), task, kAll));
}

TEST_F(MaskedClientRules, StayWithTheirPlanAndTheirRows) {
  v1::ServerMessage prepare;
  prepare.mutable_prepare()->set_run("run");
  prepare.mutable_prepare()->set_columns(2);
  EXPECT_EQ(circle_.say(0, prepare).refusal().reason(),
            "the server asks once more for sums, and for others than before");
  EXPECT_EQ(circle_.say(0, MaskedCircle::welcome({{"target", "b"}})).refusal().reason(),
            "it cannot make keys for masks; its own log says why");
}

// Without that, one number could be answered twice under the same mask: whatever has changed in between would show.
TEST_F(MaskedClientRules, SendNothingElseToAQuestionThatTheyAnswered) {
  MaskedClient client({.name = "site-1"}, log_);
  const auto key = client.begin("run", "plan");
  ASSERT_TRUE(key);
  v1::Company company;
  company.set_run("run");
  for (std::size_t i = 0; i < 3; ++i) {
    auto& member = *company.add_members();
    member.set_name(test::circle_name(i));
    if (i == 0) {
      *member.mutable_key() = *key;
    } else {
      const masking::Masker other(masking::random_key(), "run");
      member.mutable_key()->set_key(std::string(other.public_key().begin(), other.public_key().end()));
    }
  }
  ASSERT_TRUE(client.meet(company));
  const std::vector<double> sums{1.0, 2.0}, others{1.0, 3.0};
  const auto first = client.sum_over_all("columns", "all of them", sums);
  ASSERT_TRUE(first);
  EXPECT_EQ(*client.sum_over_all("columns", "all of them", sums), *first);
  const auto changed = client.sum_over_all("columns", "all of them", others);
  ASSERT_FALSE(changed);
  EXPECT_EQ(changed.error().message, "its data are not what they were when it answered this first");
}

// ---- Slack: what the server says of earlier rounds.

class MaskedSlack : public MaskedClientRules {
 protected:
  /// With what each participant is told.
  v1::Task told(std::uint64_t number, std::uint32_t round, std::vector<std::uint32_t> stored,
                const std::vector<SlackNews>& news) {
    ValidSteps steps{FixedSteps{10}, 1.0, std::move(stored)};
    LocalTask task{RoundIndex{round}, x_, steps};
    task.reveal = Reveal::Sums;
    own_.clear();
    for (const SlackNews& each : news) own_.push_back(each.packed());
    task.own = own_;
    return MaskedCircle::task(number, task, kAll);
  }

  std::vector<std::vector<double>> own_;
  const SlackNews none_{}, one_{true, {{0, 1.0}}};
};

TEST_F(MaskedSlack, IsMovedAlikeForAll) {
  ASSERT_TRUE(circle_.ask(2, told(0, 0, {}, {none_, none_, none_, none_})).has_update());
  ASSERT_TRUE(circle_.ask(2, told(1, 1, {0}, {one_, one_, one_, one_})).has_update());
  const SlackNews far{true, {{0, 1e12}}}, other{true, {{0, 2.0}}};
  EXPECT_EQ(refusal(told(2, 2, {0}, {one_, one_, other, one_}), 2),
            "it tells participants different things of one round");
  EXPECT_EQ(refusal(told(2, 2, {0}, {far, far, far, far}), 2), "it claims to have gone further than it can have");
  const SlackNews ahead{true, {{2, 1.0}}};
  EXPECT_EQ(refusal(told(2, 2, {0}, {ahead, ahead, ahead, ahead}), 2), "it tells of rounds to come");
  EXPECT_NE(refusal(told(2, 2, {2}, {one_, one_, one_, one_}), 2).find("stored rounds are not before its own"),
            std::string::npos);
  v1::Task secretly = told(2, 2, {0}, {one_, one_, one_, one_});
  wire::set_vector(*secretly.mutable_own(), other.packed());
  EXPECT_EQ(refusal(secretly, 2), "it holds numbers that not all participants see");
}

TEST_F(MaskedSlack, RepeatsTheSameBytes) {
  ASSERT_TRUE(circle_.ask(2, told(0, 0, {}, {none_, none_, none_, none_})).has_update());
  const auto task = told(1, 1, {0}, {one_, one_, one_, one_});
  const auto first = circle_.ask(2, task), again = circle_.ask(2, task);
  ASSERT_TRUE(first.has_update());
  EXPECT_EQ(first.SerializeAsString(), again.SerializeAsString());
}

TEST(MaskedClientSettings, MayWantAllClientsInEverySum) {
  MaskedCircle circle(four_clients(), [](ParticipantOptions& options) { options.min_sum = 0; });
  circle.introduce();
  const std::vector<double> x(kUnknowns, 0.25);
  const LocalTask task = valid_steps(x);
  EXPECT_EQ(circle.ask(0, MaskedCircle::task(0, task, kWithoutLast)).refusal().reason(),
            "a sum over 3 clients would show too much of each: 4 at least take part");
  EXPECT_TRUE(circle.sum(MaskedCircle::task(0, task, kAll), task, kAll));
}

TEST(MaskedClientSettings, AreNotThoseOfKnownDraws) {
  test::ReadyOwner owner(std::move(four_clients().front()));
  test::NoLog log;
  Participant participant({.name = "site-1", .software = "", .known_draws = true, .reveal_updates = true}, owner, log);
  const auto answer = participant.on_message(MaskedCircle::welcome()).answer;
  EXPECT_NE(answer->refusal().reason().find("not in a private run"), std::string::npos);
}

TEST(MaskedClientSettings, KeepAClientFromShowingSingleUpdatesUnasked) {
  const auto words = [](bool reveal, bool expose, const std::string& entry, const std::string& value) {
    test::ReadyOwner owner(std::move(four_clients().front()));
    test::NoLog log;
    Participant participant({.name = "site-1", .software = "", .reveal_updates = reveal, .expose_rows = expose}, owner,
                            log);
    v1::ServerMessage message = MaskedCircle::welcome({{"method", "published"}, {entry, value}});
    message.mutable_welcome()->set_masked(false);
    return participant.on_message(message).answer->refusal().reason();
  };
  EXPECT_TRUE(words(false, false, "rounds", "5").starts_with("the server wants to see single updates"));
  EXPECT_EQ(words(true, false, "rounds", "5"), "");
  for (const char* entry : {"local-steps", "participants", "server-steps"}) {
    EXPECT_NE(words(true, false, entry, "1").find("--expose-rows"), std::string::npos) << entry;
    EXPECT_EQ(words(true, true, entry, "1"), "") << entry;
    EXPECT_EQ(words(true, false, entry, "2"), "") << entry;
  }
}

// ---- A server that pretends a client was late, and asks again without it.

class PretendedLate : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Budgets, PretendedLate, testing::Bool(),
                         [](const auto& test) { return test.param ? "ExactProjections" : "Steps"; });

// The server has the sum over all four at x, and asks the first three for theirs at the same x. Where they answered the
// same as before, the difference would be the update of the fourth. They do not: the difference is off by about as much
// as the others' updates are long.
TEST_P(PretendedLate, DoesNotLearnTheUpdateOfTheOneLeftOut) {
  const StepBudget budget = GetParam() ? StepBudget{UntilProjected{}} : StepBudget{FixedSteps{20}};
  const std::vector<double> x(kUnknowns, 0.0);
  const LocalTask task = valid_steps(x, budget);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    MaskedCircle circle(four_clients(seed));
    circle.introduce();
    const auto all = circle.sum(MaskedCircle::task(0, task, kAll), task, kAll);
    EXPECT_FALSE(circle.sum(MaskedCircle::task(0, task, kWithoutLast), task, kWithoutLast)) << "the same number";
    const auto without = circle.sum(MaskedCircle::task(0, task, kWithoutLast, 1), task, kWithoutLast);
    ASSERT_TRUE(all && without);

    AlignedVector difference = all->values;
    axpy(-1.0, without->values, difference);
    // An exact projection would be the same each time but for a factor from 1/2 to 1: the nearest multiple counts.
    const LocalReply alone = four_clients(seed).back().local_update(task);
    const double along = dot(difference, alone.values) / squared_norm(alone.values);
    axpy(-along, alone.values, difference);
    EXPECT_GT(length(difference), 0.02 * length(alone.values)) << seed;
  }
}

// Two groups that share one client, three sums each at one x: were a client's exact projection always a multiple of the
// same vector, its line would be what the spans of the two groups have in common.
TEST(PretendedLateAgain, DoesNotFindOneClientInTheSpansOfGroups) {
  const std::vector<double> x(kUnknowns, 0.25);
  const LocalTask task = valid_steps(x, UntilProjected{});
  const auto five = [] { return test::clients_of(generate({.rows = 40, .cols = kUnknowns, .seed = 3}).system, 5, 3); };
  MaskedCircle circle(five());
  circle.introduce();
  std::uint64_t number = 0;
  const auto basis_of_sums = [&](const std::vector<ClientId>& who) {
    std::vector<std::vector<double>> basis;
    for (int k = 0; k < 3; ++k) {
      const auto sum = circle.sum(MaskedCircle::task(number++, task, who), task, who);
      std::vector<double> next(sum->values.begin(), sum->values.end());
      next.push_back(*sum->gap);
      for (int pass = 0; pass < 2; ++pass) {
        for (const auto& known : basis) axpy(-dot(known, next), known, next);
      }
      const double size = length(next);
      for (double& entry : next) entry /= size;
      basis.push_back(std::move(next));
    }
    return basis;
  };
  const auto first = basis_of_sums(places({0, 1, 2})), second = basis_of_sums(places({0, 3, 4}));
  std::vector<double> common = first.front();
  for (int pass = 0; pass < 2000; ++pass) {  // alternating projections end where the spans come closest
    for (const auto* basis : {&first, &second}) {
      std::vector<double> projected(common.size(), 0.0);
      for (const auto& known : *basis) axpy(dot(known, common), known, projected);
      const double size = length(projected);
      for (std::size_t j = 0; j < common.size(); ++j) common[j] = projected[j] / size;
    }
  }
  const LocalReply alone = five().front().local_update(task);
  std::vector<double> truth(alone.values.begin(), alone.values.end());
  truth.push_back(*alone.gap);
  const double cosine = std::abs(dot(truth, common)) / length(truth);
  EXPECT_GT(std::sqrt(1.0 - cosine * cosine), 0.05) << "the sine of the angle between them";
}

// ---- Differential privacy.

const MaskedCircle::Entries kNoisyPlan{{"epsilon", "1"}, {"delta", "1e-5"}};

class NoisyClients : public testing::Test {
 protected:
  /// Clients whose rows may give away so much, over all runs: their ledgers stay from one circle to the next.
  MaskedCircle circle_of(double epsilon, const MaskedCircle::Entries& plan = kNoisyPlan) {
    stores_.clear();
    MaskedCircle circle(
        four_clients(),
        [&](ParticipantOptions& options) {
          auto& store = stores_.emplace_back(
              std::make_unique<store::ClientStore>(*store::ClientStore::open(folder_.path() / options.name)));
          options.budget = {epsilon, 1e-5, epsilon > 0.0 ? store.get() : nullptr};
        },
        plan);
    return circle;
  }

  /// Noise so large that an answer costs about a twentieth of epsilon = 1.
  v1::Task pass(std::uint64_t number, std::uint32_t attempt = 0) const {
    return MaskedCircle::task(number, noisy_, kAll, attempt, {noisy_pass_.exponent});
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
  MaskedCircle circle = circle_of(5.0);
  circle.introduce();
  const auto first = circle.sum(pass(0), noisy_, kAll), second = circle.sum(pass(1), noisy_, kAll);

  ASSERT_TRUE(first && second);
  AlignedVector difference = first->values;
  axpy(-1.0, second->values, difference);
  // Twelve entries of variance 2 * 4 * 0.36^2: chi-square with 12 degrees of freedom, within its middle 1 - 1e-6.
  const double chi_square = squared_norm(difference) / (8.0 * 0.36 * 0.36);
  EXPECT_GT(chi_square, 0.4);
  EXPECT_LT(chi_square, 55.0);
  EXPECT_EQ(circle.ask(2, pass(1)).SerializeAsString(), circle.ask(2, pass(1)).SerializeAsString());
}

TEST_F(NoisyClients, SpendNoMoreThanTheirOwnersAllowAlsoAfterARestart) {
  MaskedCircle circle = circle_of(1.0);
  circle.introduce();
  std::uint64_t number = 0;
  while (circle.ask(0, pass(number)).has_update()) ASSERT_LT(++number, 1000);
  EXPECT_GT(number, 3);
  const double spent = *stores_[0]->spent();
  EXPECT_LE(spent, privacy::rho_of(1.0, 1e-5) * (1.0 + 1e-9));
  const std::string words = circle.ask(0, pass(number)).refusal().reason();
  EXPECT_NE(words.find("more of the rows than their owner allows"), std::string::npos) << words;

  MaskedCircle later = circle_of(1.0);  // another process
  EXPECT_EQ(*stores_[0]->spent(), spent);
  later.introduce();
  EXPECT_FALSE(later.ask(0, pass(number + 1)).has_update()) << "the same run";
  v1::ServerMessage other_run = MaskedCircle::welcome(kNoisyPlan);
  other_run.mutable_welcome()->set_run("another");
  const auto refused = later.say(0, other_run).refusal().reason();
  EXPECT_NE(refused.find("the plan would tell more of its rows than their owner allows"), std::string::npos) << refused;
}

// A server may say that an attempt gave nothing, and have it all the same.
TEST_F(NoisyClients, PayForEveryAttempt) {
  MaskedCircle circle = circle_of(5.0);
  circle.introduce();
  ASSERT_TRUE(circle.ask(0, pass(0)).has_update());
  const double once = *stores_[0]->spent();
  EXPECT_GT(once, 0.0);
  ASSERT_TRUE(circle.ask(0, pass(0)).has_update());
  EXPECT_EQ(*stores_[0]->spent(), once) << "the same bytes again are free";
  ASSERT_TRUE(circle.ask(0, pass(0, 1)).has_update());
  EXPECT_DOUBLE_EQ(*stores_[0]->spent(), 2.0 * once);
}

TEST_F(NoisyClients, ComeBackToTheirRunWithWhatItHasSpent) {
  {
    MaskedCircle circle = circle_of(1.0);
    circle.introduce();
    ASSERT_TRUE(circle.ask(0, pass(0)).has_update());
  }
  MaskedCircle again = circle_of(1.0);  // all that they have is for this run
  EXPECT_TRUE(again.heard().front().second.has_ready()) << again.heard().front().second.DebugString();
}

// On a coarser grid each client's noise would be rounded away by itself.
TEST_F(NoisyClients, AddUpOnTheGridOfTheirNoise) {
  MaskedCircle circle = circle_of(5.0);
  circle.introduce();
  for (const int exponent : {3, -21, -62}) {
    EXPECT_EQ(circle.ask(0, MaskedCircle::task(0, noisy_, kAll, 0, {exponent})).refusal().reason(),
              "its noise is on another grid than its sum");
  }
  EXPECT_TRUE(circle.ask(0, MaskedCircle::task(0, noisy_, kAll)).has_update()) << "as it is";
}

TEST_F(NoisyClients, GiveNothingWithoutNoise) {
  MaskedCircle circle = circle_of(5.0);
  circle.introduce();
  LocalTask look{RoundIndex{0}, x_, FixedSteps{0}, true};
  look.reveal = Reveal::Sums;
  std::uint64_t number = 9;
  for (const LocalTask& task : {look, valid_steps(x_)}) {
    EXPECT_EQ(circle.ask(0, MaskedCircle::task(number++, task, kAll)).refusal().reason(),
              "its plan has no use for this");
  }
  v1::ServerMessage sums;
  sums.mutable_sum_columns()->set_run("run");
  sums.mutable_sum_columns()->set_columns(kUnknowns);
  EXPECT_TRUE(circle.say(0, sums).has_refusal());
}

TEST_F(NoisyClients, TakePartOnlyWhereTheirOwnersHaveSaidHowMuch) {
  const auto first_words = [](const MaskedCircle& circle) { return circle.heard().front().second.refusal().reason(); };
  EXPECT_NE(first_words(circle_of(0.0)).find("say how much these rows may ever give away"), std::string::npos);
  EXPECT_NE(first_words(circle_of(1.0, {})).find("for runs with differential privacy only"), std::string::npos);
}

// ---- Keys.

class SignedKeys : public testing::Test {
 protected:
  SignedKeys()
      : circle_(four_clients(), [this](ParticipantOptions& options) {
          const auto own = *authority_.issue_client(options.name, security::valid_for_days(security::now(), 5));
          options.credentials = security::Credentials{own.certificate, own.key, authority_.identity().certificate};
        }) {}

  /// What the first client says to the company as the server tells it.
  std::string refusal() {
    v1::ServerMessage message;
    *message.mutable_company() = circle_.company();
    message.mutable_company()->set_place(0);
    return circle_.say(0, message).refusal().reason();
  }

  security::Authority authority_ = *security::Authority::make(security::valid_for_days(security::now(), 10));
  MaskedCircle circle_;
};

TEST_F(SignedKeys, AreBelieved) {
  EXPECT_EQ(refusal(), "");
  circle_.introduce();
  const std::vector<double> x(kUnknowns, 0.25);
  const LocalTask task = valid_steps(x);
  EXPECT_TRUE(circle_.sum(MaskedCircle::task(0, task, kAll), task, kAll));
}

// The server puts a key of its own in the place of a client's, to know the masks of both sides.
TEST_F(SignedKeys, AreNotBelievedWhereTheServerPutsItsOwn) {
  const masking::Masker server(masking::random_key(), "run");
  circle_.company().mutable_members(2)->mutable_key()->set_key(
      std::string(server.public_key().begin(), server.public_key().end()));
  EXPECT_EQ(refusal(), "the key of 'site-3' for masks is not signed by it");
  circle_.company().mutable_members(2)->mutable_key()->clear_key();
  EXPECT_EQ(refusal(), "'site-3' has no key for masks");
}

TEST_F(SignedKeys, AreNotBelievedOfStrangersNorUnderAnotherName) {
  const auto elsewhere = *security::Authority::make(security::valid_for_days(security::now(), 10));
  const auto stranger = *elsewhere.issue_client("site-3", security::valid_for_days(security::now(), 5));
  auto& third = *circle_.company().mutable_members(2);
  const v1::MaskKey honest = third.key();
  third.mutable_key()->set_certificate(stranger.certificate);
  EXPECT_EQ(refusal(), "the certificate of 'site-3' was issued by another authority");
  *third.mutable_key() = circle_.company().members(1).key();
  EXPECT_EQ(refusal(), "the certificate of 'site-3' is that of 'site-2'");
  *third.mutable_key() = honest;
  third.set_name("site-2");
  EXPECT_EQ(refusal(), "the certificate of 'site-2' is that of 'site-3'");
}

TEST_F(SignedKeys, AreOfOneRunOnly) {
  circle_.company().set_run("another");
  EXPECT_EQ(refusal(), "a company of another run");
}

TEST_F(SignedKeys, MakeNoCompanyOfTwoNorOneWithoutTheClient) {
  circle_.company().mutable_members()->SwapElements(0, 1);
  EXPECT_EQ(refusal(), "the server gives this client another place than its own");
  circle_.company().mutable_members()->SwapElements(0, 1);
  circle_.company().mutable_members()->DeleteSubrange(2, 2);
  EXPECT_EQ(refusal(), "a run of 2 clients, where each sum is to be over 3 at least");
}

}  // namespace
}  // namespace fedrk::network
