// SPDX-License-Identifier: Apache-2.0
// Rows in memory that the caller owns are read and never written: they stand on pages without the right to write, on
// which a write ends the program.
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fedrk/error.hpp"
#include "fedrk/in_process_engine.hpp"
#include "linalg/random/rng_stream.hpp"
#include "plan/federation.hpp"
#include "support/read_only_pages.hpp"

namespace fedrk::io {
namespace {

constexpr std::size_t kClients = 3, kRows = 24, kColumns = 4, kNumbers = kClients * kRows * kColumns;

struct MemoryCase {
  std::string name;
  std::function<double(std::size_t i, std::size_t j)> factor;  // of the entries of row i, column j
  std::function<void(Plan&)> change;
};

double one(std::size_t, std::size_t) { return 1.0; }

std::vector<MemoryCase> cases() {
  const auto extreme = [](std::size_t i, std::size_t) { return i % 5 == 1 ? 1e200 : i % 5 == 3 ? 1e-200 : 1.0; };
  const auto tiny = [](std::size_t i, std::size_t) { return i % 5 == 1 ? 1e-35 : 1.0; };
  const auto spread = [](std::size_t, std::size_t j) { return std::ldexp(1.0, static_cast<int>(5 * j)); };
  const auto fit = [](Plan& plan) {
    plan.method.fit = true;
    plan.set_job(Job::Fit);
  };
  return {
      {"ordinary", one, [](Plan&) {}},
      {"extreme", extreme, [](Plan&) {}},
      {"intercept", one, [](Plan& plan) { plan.intercept = true; }},
      {"standardized", one, [](Plan& plan) { plan.intercept = plan.standardize = true; }},
      {"spread_columns", spread, [](Plan&) {}},
      {"noise_columns", one, [](Plan& plan) { plan.run.noise_columns = 2; }},
      {"floats_of_tiny_rows", tiny, [](Plan& plan) { plan.storage = Storage::Float32; }},
      {"fedrk", extreme, [](Plan& plan) { plan.method.name = MethodName::Fedrk; }},
      {"fit", one, fit},
      {"fit_without_intercept", one,
       [fit](Plan& plan) {
         fit(plan);
         plan.intercept = false;
       }},
      {"fit_of_spread_columns", spread, fit},
      {"fit_by_conjugate_gradients", one,
       [fit](Plan& plan) {
         fit(plan);
         plan.method.name = MethodName::Cg;
       }},
      {"ridge_on_standardized_columns", one,
       [fit](Plan& plan) {
         fit(plan);
         plan.method.ridge = 0.5;
         plan.standardize = true;
       }},
      {"private", extreme,
       [](Plan& plan) {
         plan.method.privacy.epsilon = 5.0;
         plan.rounds = 20;
       }},
  };
}

// All clients' rows, one after the other, of equations that x = (1, 2, 3, 4) solves.
struct Numbers {
  std::vector<double> rows;
  std::vector<std::vector<double>> rhs;
};

Numbers numbers_of(const MemoryCase& wanted) {
  RngStream stream = stream_for(7, Purpose::GeneratedMatrix);
  Numbers numbers{{}, std::vector<std::vector<double>>(kClients)};
  for (std::size_t i = 0; i < kClients * kRows; ++i) {
    double rhs = 0.0;
    for (std::size_t j = 0; j < kColumns; ++j) {
      numbers.rows.push_back(stream.gaussian() * wanted.factor(i, j));
      rhs += numbers.rows.back() * static_cast<double>(j + 1);
    }
    numbers.rhs[i / kRows].push_back(rhs);
  }
  return numbers;
}

Plan plan_of(const MemoryCase& wanted) {
  Plan plan;
  plan.rounds = 40;
  wanted.change(plan);
  return plan;
}

Federation federation_of(const MemoryCase& wanted, std::vector<LinearSystem> systems) {
  ClientTables tables{.columns = numbered_columns(kColumns)};
  for (std::size_t k = 0; k < kClients; ++k) tables.names.push_back("client-" + std::to_string(k + 1));
  tables.systems = std::move(systems);
  auto federation = make_federation(plan_of(wanted), std::move(tables));
  if (!federation) throw InvalidArgument(federation.error().message);
  return *std::move(federation);
}

RunResult result_of(const MemoryCase& wanted, std::vector<LinearSystem> systems) {
  Federation federation = federation_of(wanted, std::move(systems));
  Plan plan = plan_of(wanted);
  InProcessEngine engine(std::move(federation.clients), 2);
  const RunOptions options = resolve(plan, engine.roster()).run;
  const auto method = make_method(plan.method, options, engine, federation.problem.fit);
  return FederatedRun(options).run(engine, *method, federation.problem.start);
}

std::vector<LinearSystem> copies(const Numbers& numbers) {
  std::vector<LinearSystem> systems;
  for (std::size_t k = 0; k < kClients; ++k) {
    const double* const first = numbers.rows.data() + k * kRows * kColumns;
    systems.push_back({Matrix::view(first, kRows, kColumns).clone(), numbers.rhs[k]});
  }
  return systems;
}

std::vector<LinearSystem> views(const double* rows, const Numbers& numbers) {
  std::vector<LinearSystem> systems;
  for (std::size_t k = 0; k < kClients; ++k) {
    systems.push_back({Matrix::view(rows + k * kRows * kColumns, kRows, kColumns), numbers.rhs[k]});
  }
  return systems;
}

class CallersMemory : public testing::TestWithParam<MemoryCase> {};
INSTANTIATE_TEST_SUITE_P(Cases, CallersMemory, testing::ValuesIn(cases()),
                         [](const auto& test) { return test.param.name; });

TEST_P(CallersMemory, IsNeverWrittenAndGivesTheBitsOfACopy) {
  const Numbers numbers = numbers_of(GetParam());
  const test::ReadOnlyPages pages(numbers.rows);

  const RunResult viewed = result_of(GetParam(), views(pages.data(), numbers));
  const RunResult copied = result_of(GetParam(), copies(numbers));

  EXPECT_EQ(viewed.x, copied.x);
  EXPECT_EQ(viewed.history.size(), copied.history.size());
  EXPECT_EQ(std::memcmp(pages.data(), numbers.rows.data(), kNumbers * sizeof(double)), 0);
}

// Also by a fit, which centres and scales columns as it goes.
TEST(CallersRows, AreUsedWhereTheyAreIfNothingChangesThem) {
  for (const MemoryCase& each : cases()) {
    if (each.name != "ordinary" && each.name != "fit_without_intercept") continue;
    const Numbers numbers = numbers_of(each);
    const test::ReadOnlyPages pages(numbers.rows);

    const Federation federation = federation_of(each, views(pages.data(), numbers));

    for (std::size_t k = 0; k < kClients; ++k) {
      const auto& matrix = std::get<Matrix>(federation.clients[k].block().system().rows);
      EXPECT_TRUE(matrix.is_view()) << each.name;
      EXPECT_EQ(matrix.row(0).data(), pages.data() + k * kRows * kColumns) << each.name;
    }
  }
}

// Of three clients the second holds a row of 1e200.
TEST(CallersRows, AreCopiedOfTheBlockThatHoldsAnExtremeRowAndOfNoOther) {
  const MemoryCase one_row{"", [](std::size_t i, std::size_t) { return i == kRows + 3 ? 1e200 : 1.0; }, [](Plan&) {}};
  const Numbers numbers = numbers_of(one_row);
  const test::ReadOnlyPages pages(numbers.rows);

  const Federation federation = federation_of(one_row, views(pages.data(), numbers));

  for (std::size_t k = 0; k < kClients; ++k) {
    const RowBlock& block = federation.clients[k].block();
    EXPECT_EQ(block.rescaled_rows(), k == 1 ? 1 : 0);
    EXPECT_EQ(std::get<Matrix>(block.system().rows).is_view(), k != 1);
  }
}

}  // namespace
}  // namespace fedrk::io
