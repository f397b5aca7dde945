// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <optional>

#include <gtest/gtest.h>

#include "engine/column_squares.hpp"
#include "engine/engine_cases.hpp"
#include "fedrk/in_process_engine.hpp"
#include "support/identities.hpp"
#include "support/local_federation.hpp"
#include "support/temp_folder.hpp"

namespace fedrk {
namespace {

class Network : public testing::TestWithParam<test::EngineCase> {};
INSTANTIATE_TEST_SUITE_P(Cases, Network, testing::ValuesIn(test::engine_cases()),
                         [](const auto& test) { return test.param.name; });

TEST_P(Network, GivesTheBitsOfOneProcess) {
  InProcessEngine alone(test::clients_for(GetParam()), 1);
  const test::Trace expected = test::trace_of(alone, GetParam());

  test::LocalFederation federation(test::clients_for(GetParam()), {}, {}, 3);

  EXPECT_TRUE(test::trace_of(federation.engine(), GetParam()) == expected);
}

// Each with a certificate of its own; one method for each kind of message.
TEST(NetworkOverTls, GivesTheBitsOfOneProcess) {
  const test::TempFolder folder;
  const test::Identities identities(folder.path());
  for (const test::EngineCase& each : test::engine_cases()) {
    if (each.name != "steps" && each.name != "auto" && each.name != "gram_of_pairs") continue;
    InProcessEngine alone(test::clients_for(each), 1);

    test::LocalFederation federation(test::clients_for(each), {}, identities.server_files(), 5,
                                     [&](const std::string& name) { return identities.client_files(name); });

    EXPECT_TRUE(test::trace_of(federation.engine(), each) == test::trace_of(alone, each)) << each.name;
  }
}

// ---- Masked sums.

const test::EngineCase& case_of(const std::string& name) {
  static const auto cases = test::engine_cases();
  return *std::ranges::find(cases, name, &test::EngineCase::name);
}

bool is_fit(const std::string& name) {
  return name == "least_squares" || name == "conjugate_gradients" || name.starts_with("gram");
}

network::FederationOptions masked() {
  network::FederationOptions options;
  options.masked = true;
  return options;
}

// Clients hold tasks against their plan.
io::Plan plan_for(const std::string& name) {
  io::Plan plan;
  if (name == "soft_thresholding") plan.method.soft = 0.5;
  plan.method.least_squares = is_fit(name);
  return plan;
}

class MaskedNetwork : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Cases, MaskedNetwork,
                         testing::Values("sums_with_memory", "least_squares", "soft_thresholding", "auto",
                                         "auto_contradicted", "conjugate_gradients", "gram_of_pairs",
                                         "gram_of_doubles"),
                         [](const auto& test) { return test.param; });

// Clients with the same secrets send the same parts, and integers add up to the same in any order.
TEST_P(MaskedNetwork, GivesTheSameBitsWhateverTheOrderOfArrival) {
  const test::EngineCase& each = case_of(GetParam());
  test::ReplayGuards guards;
  std::optional<test::Trace> expected;
  for (const std::size_t first : {0U, 3U}) {
    network::FederationOptions options = masked();
    options.plan = plan_for(each.name);
    options.plan.run.participants = each.options.participants;
    test::LocalFederation federation(test::clients_for(each), options, {}, first, {}, &guards);
    const test::Trace trace = test::trace_of(federation.engine(), each);
    if (!expected) expected = trace;
    EXPECT_TRUE(trace == *expected) << first;
  }
}

TEST(ColumnSquaresOverANetwork, AreThoseOfOneProcess) {
  for (const bool sparse : {false, true}) {
    InProcessEngine alone(test::clients_with_columns(sparse), 1);
    test::LocalFederation federation(test::clients_with_columns(sparse));
    test::expect_same_column_squares(federation.engine(), alone);
  }
}

TEST(ColumnSquaresOverANetwork, AreMaskedWhereThePlanHasAUseForThem) {
  const LocalTask task = test::column_squares(2, Reveal::Sums);
  InProcessEngine alone(test::clients_with_columns(false), 1);
  const auto all = test::everyone_in(alone);
  const double expected = alone.local_updates(task, all).replies.front().values.front();
  network::FederationOptions options = masked();
  options.plan.method.soft = 0.5;
  options.plan.method.refit = true;

  test::LocalFederation federation(test::clients_with_columns(false), options);
  const RoundReplies sum = federation.engine().local_updates(task, all);

  ASSERT_EQ(sum.replies.size(), 1U);
  ASSERT_EQ(sum.replies[0].values.size(), 1U);
  EXPECT_NEAR(sum.replies[0].values[0], expected, 1e-12 * expected);
  EXPECT_EQ(sum.answered, all);
}

// Sums of wide integers are those of one process but for rounding, whatever groups they are made of.
TEST(MaskedFits, AreThoseOfOneProcess) {
  for (const test::EngineCase& each : test::engine_cases()) {
    if (!is_fit(each.name)) continue;
    InProcessEngine alone(test::clients_for(each), 1);
    const test::Trace expected = test::trace_of(alone, each);
    network::FederationOptions options = masked();
    options.plan = plan_for(each.name);
    options.plan.run.participants = each.options.participants;

    test::LocalFederation federation(test::clients_for(each), options);
    const test::Trace trace = test::trace_of(federation.engine(), each);

    EXPECT_EQ(trace.termination, Termination::Converged) << each.name;
    const auto& x = trace.iterates.back();
    const auto& known = expected.iterates.back();
    ASSERT_EQ(x.size(), known.size());
    for (std::size_t j = 0; j < x.size(); ++j)
      EXPECT_NEAR(x[j], known[j], 1e-7 * (1.0 + std::abs(known[j]))) << each.name;
  }
}

}  // namespace
}  // namespace fedrk
