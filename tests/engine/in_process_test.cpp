// SPDX-License-Identifier: Apache-2.0
#include "fedrk/engine/in_process_engine.hpp"

#include <gtest/gtest.h>

#include "engine/engine_cases.hpp"

namespace fedrk {
namespace {

class InProcess : public testing::TestWithParam<test::EngineCase> {};
INSTANTIATE_TEST_SUITE_P(Cases, InProcess, testing::ValuesIn(test::engine_cases()),
                         [](const auto& test) { return test.param.name; });

TEST_P(InProcess, GivesTheSameBitsForAnyNumberOfThreads) {
  InProcessEngine alone(test::clients_for(GetParam()), 1);
  const test::Trace expected = test::trace_of(alone, GetParam());

  for (const std::size_t threads : {2U, 3U, 8U}) {
    InProcessEngine engine(test::clients_for(GetParam()), threads);
    EXPECT_TRUE(test::trace_of(engine, GetParam()) == expected) << threads << " threads";
  }
}

TEST_P(InProcess, GivesOtherIteratesForAnotherSeed) {
  const bool exact = GetParam().options.local_budget == StepBudget{UntilProjected{}} &&
                     GetParam().options.server_budget == StepBudget{UntilProjected{}};
  const bool draws_nothing = GetParam().options.participants == 0 && (exact || GetParam().method);
  test::EngineCase other = GetParam();
  other.options.seed += 100;
  InProcessEngine engine(test::clients_for(GetParam()), 2), other_engine(test::clients_for(other), 2);

  const bool same = test::trace_of(engine, GetParam()) == test::trace_of(other_engine, other);

  EXPECT_EQ(same, draws_nothing);
}

}  // namespace
}  // namespace fedrk
