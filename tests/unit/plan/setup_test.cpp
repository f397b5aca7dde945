// SPDX-License-Identifier: Apache-2.0
#include "plan/setup.hpp"

#include <gtest/gtest.h>

#include "fedrk/generate.hpp"
#include "plan/table_site.hpp"
#include "problem/partition.hpp"

namespace fedrk::io {
namespace {

/// Sites in one list, and what they were asked.
class ListedSites final : public SetupEngine {
 public:
  ListedSites(const Plan& plan, std::vector<LinearSystem> systems) {
    for (LinearSystem& system : systems) {
      sites.emplace_back(plan, "site-" + std::to_string(sites.size()), std::move(system));
    }
  }
  Result<std::vector<double>> sum_columns(const SumColumns& question) override {
    asked.emplace_back(question.of == SumColumns::Of::Squares   ? "squares"
                       : question.of == SumColumns::Of::Entries ? "sums"
                                                                : "counts");
    std::vector<double> sum;
    for (TableSite& site : sites) {
      const auto part = site.sum_columns(question);
      if (!part) return part.error();
      sum.resize(part->sums.size());
      for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += part->sums[j];
    }
    return sum;
  }
  Result<std::vector<PreparedRows>> prepare(const PrepareRows& question) override {
    asked.emplace_back("prepare");
    std::vector<PreparedRows> rows;
    for (TableSite& site : sites) {
      const ClientId place{static_cast<std::uint32_t>(rows.size())};
      auto client = std::move(site).prepare(question, {}, {place, 7}, warnings);
      if (!client) return client.error();
      rows.push_back({client->summary(), client->block().cols()});
    }
    return rows;
  }

  std::vector<TableSite> sites;
  std::vector<std::string> asked, warnings;
};

Plan plan_for(Job job, MethodName method) {
  Plan plan;
  plan.job = job;
  plan.method.name = method;
  plan.intercept = plan.method.fit = job == Job::Fit;
  return plan;
}

std::vector<LinearSystem> three_sites() {
  return split(generate({.rows = 31, .cols = 4, .seed = 8}).system, partition_contiguous(31, 3));
}

std::vector<std::string> questions_of(const Plan& plan) {
  ListedSites sites(plan, three_sites());
  const auto made = set_up(plan, {.columns = 4, .rows = 31}, sites);
  EXPECT_TRUE(made) << made.error().message;
  return sites.asked;
}

TEST(SetUp, AsksForNoMoreThanThePlanNeeds) {
  using Asked = std::vector<std::string>;
  EXPECT_EQ(questions_of(plan_for(Job::Solve, MethodName::Fedrk)), (Asked{"prepare"})) << "columns as they are";
  EXPECT_EQ(questions_of(plan_for(Job::Fit, MethodName::Auto)), (Asked{"sums", "squares", "prepare"}));
  EXPECT_EQ(questions_of(plan_for(Job::Solve, MethodName::Auto)), (Asked{"squares", "prepare"})) << "no centres";
}

// By hand: u = 1, 3, 8 has the mean 4 and the mean square (9 + 1 + 16)/3 around it; the intercept is left alone.
TEST(SetUp, MakesCentresAndScalesOfSumsOverAllSites) {
  Plan plan = plan_for(Job::Fit, MethodName::Auto);
  plan.standardize = true;
  std::vector<LinearSystem> systems;
  systems.push_back({Matrix{{1.0}, {3.0}}, {0.0, 1.0}});
  systems.push_back({Matrix{{8.0}}, {2.0}});
  ListedSites sites(plan, std::move(systems));

  const auto made = set_up(plan, {.columns = 1, .rows = 3}, sites);

  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->scaling->centre, (std::vector<double>{0.0, 4.0}));
  EXPECT_DOUBLE_EQ(made->scaling->scale[1], std::sqrt(26.0 / 3.0));
  ASSERT_EQ(made->clients.size(), 2U);
  EXPECT_EQ(made->clients[0].summary.rows, 2U);
  EXPECT_EQ(made->clients[1].unknowns, 2U) << "with the intercept";
}

TEST(SetUp, EndsWithTheWordsOfTheSiteThatCannotAnswer) {
  const Plan plan = plan_for(Job::Fit, MethodName::Auto);
  ListedSites sites(plan, three_sites());
  const auto made = set_up(plan, {.columns = 9, .rows = 31}, sites);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message, "the data have 4 columns, the server wants 9");
  EXPECT_EQ(sites.asked.size(), 1U) << "nothing more is asked";
}

TEST(TableSite, RefusesTotalsOfAnotherWidthAndThoseThatThePlanHasNoUseFor) {
  const Plan plan = plan_for(Job::Fit, MethodName::Auto);
  const auto refusal = [&](const ColumnTotals& totals) {
    std::vector<LinearSystem> systems = three_sites();
    TableSite site(plan, "a", std::move(systems.front()));
    std::vector<std::string> warnings;
    const auto client = std::move(site).prepare({4, {}, totals}, {}, {ClientId{0}, 1}, warnings);
    return client ? "" : client.error().message;
  };
  EXPECT_EQ(refusal({31, false, {0.0}, {1.0}}), "the sums of the columns do not fit the columns");
  const std::vector<double> five(5, 1.0);
  EXPECT_EQ(refusal({31, false, five, five}), "");
  EXPECT_EQ(refusal({31, false, {}, five}), "the sums of the columns are not those that the plan needs");
  EXPECT_EQ(refusal({31, false, five, {}}), "the sums of the columns are not those that the plan needs");
}

// A site makes centres and scales of the sums itself: there is no way to tell it others.
TEST(TableSite, MakesItsOwnScales) {
  Plan plan = plan_for(Job::Fit, MethodName::Auto);
  plan.standardize = true;
  TableSite site(plan, "a", {Matrix{{1.0}, {3.0}}, {0.0, 1.0}});
  std::vector<std::string> warnings;

  const auto client =
      std::move(site).prepare({1, {}, {4, false, {4.0, 8.0}, {0.0, 16.0}}}, {}, {ClientId{0}, 1}, warnings);

  ASSERT_TRUE(client) << client.error().message;
  const LocalTask products{.round = {}, .x = {}, .work = CrossProducts{}};
  Client asked = std::move(const_cast<Client&>(*client));
  const LocalReply reply = asked.local_update(products);
  // In the frame (1 - 2)/2, (3 - 2)/2: the sum of squares is 1/2.
  EXPECT_DOUBLE_EQ(reply.values[3], 0.5);
}

}  // namespace
}  // namespace fedrk::io
