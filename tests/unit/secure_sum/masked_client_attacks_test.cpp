// SPDX-License-Identifier: Apache-2.0
#include "pki/authority.hpp"
#include "unit/secure_sum/masked_clients.hpp"

namespace fedrk::network {
namespace {

// ---- A server that pretends a client was late, and asks again without it.

class PretendedLate : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Budgets, PretendedLate, testing::Bool(),
                         [](const auto& test) { return test.param ? "ExactProjections" : "Steps"; });

// The server has the sum over all four at x, and asks the first three for theirs at the same x. Where they answered the
// same as before, the difference would be the update of the fourth. They do not: the difference is off by about as much
// as the others' updates are long.
TEST_P(PretendedLate, DoesNotLearnTheUpdateOfTheOneLeftOut) {
  const StepBudget budget = GetParam() ? StepBudget{ExactProjection{}} : StepBudget{FixedSteps{20}};
  const std::vector<double> x(kUnknowns, 0.0);
  const LocalTask task = cut_steps(x, budget);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    MaskedFixture fixture(four_clients(seed));
    fixture.distribute_keys();
    const auto all = fixture.sum(MaskedFixture::task(0, task, kAll), task, kAll);
    EXPECT_FALSE(fixture.sum(MaskedFixture::task(0, task, kWithoutLast), task, kWithoutLast)) << "the same number";
    const auto without = fixture.sum(MaskedFixture::task(0, task, kWithoutLast, 1), task, kWithoutLast);
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
  const LocalTask task = cut_steps(x, ExactProjection{});
  const auto five = [] { return test::clients_of(generate({.rows = 40, .cols = kUnknowns, .seed = 3}).system, 5, 3); };
  MaskedFixture fixture(five());
  fixture.distribute_keys();
  std::uint64_t number = 0;
  const auto basis_of_sums = [&](const std::vector<ClientId>& who) {
    std::vector<std::vector<double>> basis;
    for (int k = 0; k < 3; ++k) {
      const auto sum = fixture.sum(MaskedFixture::task(number++, task, who), task, who);
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

// ---- Keys.

class SignedKeys : public testing::Test {
 protected:
  SignedKeys()
      : fixture_(four_clients(), [this](ClientProtocolOptions& options) {
          const auto own = *authority_.issue_client(options.name, security::valid_for_days(security::now(), 5));
          options.credentials = security::Credentials{own.certificate, own.key, authority_.identity().certificate};
        }) {}

  /// What the first client says to the masking group as the server tells it.
  std::string refusal() {
    fixture_.masking_group().place = 0;
    return test::reason_in(fixture_.say(0, fixture_.masking_group()));
  }

  security::Authority authority_ = *security::Authority::make(security::valid_for_days(security::now(), 10));
  MaskedFixture fixture_;
};

TEST_F(SignedKeys, AreBelieved) {
  EXPECT_EQ(refusal(), "");
  fixture_.distribute_keys();
  const std::vector<double> x(kUnknowns, 0.25);
  const LocalTask task = cut_steps(x);
  EXPECT_TRUE(fixture_.sum(MaskedFixture::task(0, task, kAll), task, kAll));
}

// A signature on P-256 differs each time it is made: the group must not, or a client that is killed while a run begins
// ends it for everybody.
TEST_F(SignedKeys, MakeTheSameGroupWhereAClientSignsAgain) {
  EXPECT_EQ(refusal(), "");
  const auto first = fixture_.masking_group().members[2].key;
  fixture_.restart(2);
  ASSERT_NE(fixture_.masking_group().members[2].key.signature, first.signature);
  ASSERT_EQ(fixture_.masking_group().members[2].key.key, first.key);

  EXPECT_EQ(refusal(), "");
}

// The server puts a key of its own in the place of a client's, to know the masks of both sides.
TEST_F(SignedKeys, AreNotBelievedWhereTheServerPutsItsOwn) {
  const masking::Masker server(masking::random_key(), "run");
  fixture_.masking_group().members[2].key.key = wire::bytes_from(masking::text_of(server.public_key()));
  EXPECT_EQ(refusal(), "the key of 'site-3' for masks is not signed by it");
  fixture_.masking_group().members[2].key.key.clear();
  EXPECT_EQ(refusal(), "'site-3' has no key for masks");
}

TEST_F(SignedKeys, AreNotBelievedOfStrangersNorUnderAnotherName) {
  const auto elsewhere = *security::Authority::make(security::valid_for_days(security::now(), 10));
  const auto stranger = *elsewhere.issue_client("site-3", security::valid_for_days(security::now(), 5));
  auto& third = fixture_.masking_group().members[2];
  const wire::MaskKey honest = third.key;
  third.key.certificate = stranger.certificate;
  EXPECT_EQ(refusal(), "the certificate of 'site-3' was issued by another authority");
  third.key = fixture_.masking_group().members[1].key;
  EXPECT_EQ(refusal(), "the certificate of 'site-3' is that of 'site-2'");
  third.key = honest;
  third.name = "site-2";
  EXPECT_EQ(refusal(), "the certificate of 'site-2' is that of 'site-3'");
}

TEST_F(SignedKeys, AreOfOneRunOnly) {
  fixture_.masking_group().run = "another";
  EXPECT_EQ(refusal(), "a masking group of another run");
}

TEST_F(SignedKeys, MakeNoGroupOfTwoNorOneWithoutTheClient) {
  std::swap(fixture_.masking_group().members[0], fixture_.masking_group().members[1]);
  EXPECT_EQ(refusal(), "the server gives this client another place than its own");
  std::swap(fixture_.masking_group().members[0], fixture_.masking_group().members[1]);
  fixture_.masking_group().members.resize(2);
  EXPECT_EQ(refusal(), "a run of 2 clients, where each sum is to be over 3 at least");
}

}  // namespace
}  // namespace fedrk::network
