// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "engine/engine_cases.hpp"
#include "fedrk/engine/in_process_engine.hpp"
#include "support/local_federation.hpp"

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

}  // namespace
}  // namespace fedrk
