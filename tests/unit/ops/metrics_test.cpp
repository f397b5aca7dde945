// SPDX-License-Identifier: Apache-2.0
#include "ops/metrics.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace fedrk::operation {
namespace {

TEST(Exposition, SaysHelpAndTypeOnceForANameAndKeepsItsNumbersTogether) {
  const std::vector<Metric> metrics = {
      {"fedrk_replies_total", "Replies accepted.", MetricType::Counter, {{"client", "site-1"}}, 14},
      {"fedrk_round", "The round at hand.", MetricType::Gauge, {}, 3},
      {"fedrk_replies_total", "", MetricType::Gauge, {{"client", "site-2"}, {"kind", "late"}}, 0.5}};

  EXPECT_EQ(exposition(metrics),
            "# HELP fedrk_replies_total Replies accepted.\n"
            "# TYPE fedrk_replies_total counter\n"
            "fedrk_replies_total{client=\"site-1\"} 14\n"
            "fedrk_replies_total{client=\"site-2\",kind=\"late\"} 0.5\n"
            "# HELP fedrk_round The round at hand.\n"
            "# TYPE fedrk_round gauge\n"
            "fedrk_round 3\n");
}

TEST(Exposition, EscapesWhatAPeerMayHaveChosen) {
  const std::vector<Metric> metrics = {
      {"m", "a\\b\n\"c\"", MetricType::Gauge, {{"l", "x\"} 1\nforged 2\\"}, {"u", "\xc3\xa4\xff"}}, 1}};

  EXPECT_EQ(exposition(metrics),
            "# HELP m a\\\\b\\n\"c\"\n"
            "# TYPE m gauge\n"
            "m{l=\"x\\\"} 1\\nforged 2\\\\\",u=\"\xc3\xa4\xef\xbf\xbd\"} 1\n");
}

TEST(Exposition, SpellsWhatIsNotFinite) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::vector<Metric> metrics = {{"m", "", MetricType::Gauge, {}, kInfinity},
                                       {"m", "", MetricType::Gauge, {}, -kInfinity},
                                       {"m", "", MetricType::Gauge, {}, std::numeric_limits<double>::quiet_NaN()}};

  EXPECT_EQ(exposition(metrics), "# HELP m \n# TYPE m gauge\nm +Inf\nm -Inf\nm NaN\n");
}

TEST(Exposition, OfNothingIsEmpty) { EXPECT_EQ(exposition({}), ""); }

}  // namespace
}  // namespace fedrk::operation
