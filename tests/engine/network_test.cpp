// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include <gtest/gtest.h>

#include "engine/engine_cases.hpp"
#include "fedrk/engine/in_process_engine.hpp"
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
    if (each.name != "steps" && each.name != "auto_contradicted" && each.name != "least_squares") continue;
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

network::FederationOptions masked() {
  network::FederationOptions options;
  options.masked = true;
  return options;
}

class MaskedNetwork : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Cases, MaskedNetwork,
                         testing::Values("sums_with_memory", "least_squares", "soft_thresholding", "auto",
                                         "auto_contradicted"),
                         [](const auto& test) { return test.param; });

// Clients with the same secrets send the same parts, and integers add up to the same in any order.
TEST_P(MaskedNetwork, GivesTheSameBitsWhateverTheOrderOfArrival) {
  const test::EngineCase& each = case_of(GetParam());
  test::MaskBooks books;
  std::optional<test::Trace> expected;
  for (const std::size_t first : {0U, 3U}) {
    network::FederationOptions options = masked();
    if (each.name == "soft_thresholding") options.plan.method.soft = 0.5;  // clients hold tasks against their plan
    test::LocalFederation federation(test::clients_for(each), options, {}, first, {}, &books);
    const test::Trace trace = test::trace_of(federation.engine(), each);
    if (!expected) expected = trace;
    EXPECT_TRUE(trace == *expected) << first;
  }
}

}  // namespace
}  // namespace fedrk
