// SPDX-License-Identifier: Apache-2.0
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
    if (each.name != "steps" && each.name != "auto_contradicted" && each.name != "ridge_by_sums") continue;
    InProcessEngine alone(test::clients_for(each), 1);

    test::LocalFederation federation(test::clients_for(each), {}, identities.server_files(), 5,
                                     [&](const std::string& name) { return identities.client_files(name); });

    EXPECT_TRUE(test::trace_of(federation.engine(), each) == test::trace_of(alone, each)) << each.name;
  }
}

}  // namespace
}  // namespace fedrk
