// SPDX-License-Identifier: Apache-2.0
#include "pki/authority.hpp"
#include "unit/secure_sum/masked_clients.hpp"

namespace fedrk::network {
namespace {

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
  const auto first = fixture_.masking_group().members[2].membership;
  fixture_.restart(2);
  ASSERT_NE(fixture_.masking_group().members[2].membership.signature, first.signature);
  ASSERT_EQ(fixture_.masking_group().members[2].membership.key, first.key);

  EXPECT_EQ(refusal(), "");
}

// The server puts a key of its own in the place of a client's, to know the masks of both sides.
TEST_F(SignedKeys, AreNotBelievedWhereTheServerPutsItsOwn) {
  const masking::Masker server(masking::random_key(), "run");
  fixture_.masking_group().members[2].membership.key = wire::bytes_from(masking::text_of(server.public_key()));
  EXPECT_EQ(refusal(), "the key of 'site-3' for masks is not signed by it");
  fixture_.masking_group().members[2].membership.key.clear();
  EXPECT_EQ(refusal(), "'site-3' has no key for masks");
}

TEST_F(SignedKeys, AreNotBelievedOfStrangersNorUnderAnotherName) {
  const auto elsewhere = *security::Authority::make(security::valid_for_days(security::now(), 10));
  const auto stranger = *elsewhere.issue_client("site-3", security::valid_for_days(security::now(), 5));
  auto& third = fixture_.masking_group().members[2];
  const wire::Membership honest = third.membership;
  third.membership.certificate = stranger.certificate;
  EXPECT_EQ(refusal(), "the certificate of 'site-3' was issued by another authority");
  third.membership = fixture_.masking_group().members[1].membership;
  EXPECT_EQ(refusal(), "the certificate of 'site-3' is that of 'site-2'");
  third.membership = honest;
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
  fixture_.masking_group().groups = {places({0, 1})};
  EXPECT_EQ(refusal(), "a sum over 2 clients would show too much of each: 3 at least take part");
}

// ---- Centres and scales. A server that chose them could make one row outweigh all others.

TEST_F(SignedKeys, MakeTotalsThatTheServerCannotChoose) {
  fixture_.distribute_keys();
  ASSERT_EQ(fixture_.refusal(), "");
  const wire::Prepare honest = fixture_.prepare(0);
  ASSERT_EQ(honest.parts.last.size(), 4);
  const auto refused = [&](auto change) {
    wire::Prepare told = honest;
    change(told);
    return test::reason_in(fixture_.say(0, told));
  };

  EXPECT_EQ(refused([](wire::Prepare&) {}), "");
  EXPECT_EQ(refused([](wire::Prepare& told) { told.question.totals.squares.assign(kUnknowns, 1e-18); }),
            "the server says what the sums of the columns are, in place of the parts of all clients");
  EXPECT_NE(refused([](wire::Prepare& told) { ++told.parts.last[2].words[5]; }), "");
  EXPECT_NE(refused([](wire::Prepare& told) { std::swap(told.parts.last[1], told.parts.last[2]); }), "");
  EXPECT_NE(refused([](wire::Prepare& told) { told.parts.last[2] = told.parts.last[1]; }), "");
  EXPECT_EQ(refused([](wire::Prepare& told) { told.parts.last.pop_back(); }),
            "the sums of the columns are not those of all clients");
  EXPECT_EQ(refused([](wire::Prepare&) {}), "") << "the same again";
}

}  // namespace
}  // namespace fedrk::network
