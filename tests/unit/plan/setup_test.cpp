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
    asked.emplace_back(question.centre ? "squares" : "sums");
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
  EXPECT_EQ(made->preparation.scaling->centre, (std::vector<double>{0.0, 4.0}));
  EXPECT_DOUBLE_EQ(made->preparation.scaling->scale[1], std::sqrt(26.0 / 3.0));
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

TEST(TableSite, RefusesCentresAndScalesOfAnotherWidth) {
  const Plan plan = plan_for(Job::Fit, MethodName::Auto);
  std::vector<LinearSystem> systems = three_sites();
  TableSite site(plan, "a", std::move(systems.front()));
  EXPECT_EQ(site.sum_columns({4, {}, {{0.0}}}).error().message, "the server's centres do not fit the columns");
  std::vector<std::string> warnings;
  const auto client = std::move(site).prepare({4, {}, Scaling{{0.0}, {1.0}}}, {}, {ClientId{0}, 1}, warnings);
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().message, "the server's scales do not fit the columns");
}

}  // namespace
}  // namespace fedrk::io
