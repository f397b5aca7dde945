// SPDX-License-Identifier: Apache-2.0

// The systemd units give the program no more of the machine than it needs, as `systemd-analyze security` counts it.

#include <cstdlib>
#include <regex>
#include <string>

#include <gtest/gtest.h>

#include "support/program.hpp"

namespace fedrk {
namespace {

// From 0, nothing, to 10, everything. What is left: the network (0.8), the root directory, the addresses, which every
// federation has its own of, and the clock's device, which systemd opens where the clock is protected.
constexpr double kMaxExposure = 1.1;
constexpr int kFirstVersionWithoutASystem = 250;  // before it only a running systemd could be asked

class Units : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const test::Outcome version = program_.shell("systemd-analyze --version");
    if (version.exit_code != 0) GTEST_SKIP() << "systemd-analyze is not installed";
    const std::string word = "systemd ";
    if (!version.out.starts_with(word) || std::atoi(version.out.c_str() + word.size()) < kFirstVersionWithoutASystem) {
      GTEST_SKIP() << "this systemd-analyze cannot look at a file: " << version.out;
    }
  }

  test::Program program_;
};

INSTANTIATE_TEST_SUITE_P(OfDeploy, Units, testing::Values("fedrk-server.service", "fedrk-client@.service"),
                         [](const auto& test) {
                           return std::string(test.param).find("server") == std::string::npos ? "Client" : "Server";
                         });

TEST_P(Units, ExposeLittleOfTheMachine) {
  const std::string unit = std::string("'") + FEDRK_SOURCE "/deploy/" + GetParam() + "'";

  const test::Outcome told =
      program_.shell("SYSTEMD_COLORS=0 systemd-analyze security --offline=true --no-pager " + unit);

  ASSERT_EQ(told.exit_code, 0) << told.err;
  std::smatch figure;
  ASSERT_TRUE(std::regex_search(told.out, figure, std::regex("Overall exposure level for [^:]*: ([0-9.]+)")))
      << told.out;
  EXPECT_LE(std::stod(figure[1]), kMaxExposure) << told.out;
}

}  // namespace
}  // namespace fedrk
