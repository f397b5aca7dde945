// SPDX-License-Identifier: Apache-2.0

// <fedrk/fedrk.hpp> and the program do the same, to the bit.

#include <optional>
#include <regex>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "data/npy.hpp"
#include "fedrk/fedrk.hpp"
#include "fedrk/generate.hpp"
#include "problem/partition.hpp"
#include "support/program.hpp"

namespace fedrk {
namespace {

const std::string kProstate = FEDRK_SOURCE "/data/prostate.csv";

/// The table in so many, as `fedrk fit --clients` splits it.
std::vector<Table> split_table(const Table& table, std::size_t sites) {
  const Partition partition = partition_contiguous(table.rows(), sites);
  std::vector<Table> parts;
  std::size_t first = 0;
  for (const std::size_t count : partition.counts) {
    std::vector<Column> columns;
    for (const std::string& name : table.column_names()) {
      const auto values = table.column(name).subspan(first, count);
      columns.push_back({name, {values.begin(), values.end()}});
    }
    parts.emplace_back(std::move(columns));
    first += count;
  }
  return parts;
}

std::vector<double> coefficients_of(const nlohmann::json& result) {
  std::vector<double> values;
  for (const auto& entry : result["coefficients"]) values.push_back(entry["coefficient"]);
  return values;
}

nlohmann::json number_or_null(const std::optional<double>& number) {
  return number ? nlohmann::json(*number) : nlohmann::json(nullptr);
}

struct FitCase {
  std::string flags, formula;
  FitSettings settings;
};

TEST(FrontDoor, FitsTheBitsOfTheProgram) {
  const test::Program program;
  const auto sites = split_table(read_csv(kProstate), 7);
  const std::vector<FitCase> cases{
      {"", "lpsa ~ .", {}},
      {"--method cg", "lpsa ~ .", {.method = FitMethod::ConjugateGradients}},
      {"--ridge 2.5 --standardize --participants 3 --seed 5",
       "lpsa ~ .",
       {.ridge = 2.5, .standardize = true, .participants = 3, .seed = 5}},
      {"--ignore age --ignore svi --no-intercept", "lpsa ~ . - age - svi - 1", {}},
      {"--method cg --rounds 3", "lpsa ~ .", {.method = FitMethod::ConjugateGradients, .rounds = 3}}};
  for (const FitCase& each : cases) {
    const auto ended = program.run("fit " + kProstate + " --target lpsa --clients 7 --format json " + each.flags);
    const auto result = nlohmann::json::parse(ended.out);

    const Fit made = fit(sites, each.formula, each.settings);

    std::vector<double> values;
    for (const Coefficient& coefficient : made.coefficients) values.push_back(coefficient.value);
    EXPECT_EQ(values, coefficients_of(result)) << each.flags;
    EXPECT_EQ(made.converged, result["converged"]) << each.flags;
    EXPECT_EQ(made.rounds, result["rounds"]) << each.flags;
    EXPECT_EQ(made.method, result["method"]) << each.flags;
    EXPECT_EQ(made.stop_reason, result["stop_words"]) << each.flags;
    EXPECT_EQ(made.warnings, result["warnings"].get<std::vector<std::string>>()) << each.flags;
    EXPECT_EQ(number_or_null(made.sigma), result["model"]["sigma"]) << each.flags;
    EXPECT_EQ(number_or_null(made.r_squared), result["model"]["r_squared"]) << each.flags;
    EXPECT_EQ(number_or_null(made.df_residual), result["model"]["df_residual"]) << each.flags;
  }
}

TEST(FrontDoor, PrintsTheTableOfTheProgram) {
  const test::Program program;
  const std::regex seconds(R"(\([^()]* s\))");

  const std::string printed = program.run("fit " + kProstate + " --target lpsa --clients 7").out;
  const std::string summary = fit(split_table(read_csv(kProstate), 7), "lpsa ~ .").summary();

  EXPECT_EQ(std::regex_replace(summary, seconds, ""), std::regex_replace(printed, seconds, ""));
}

TEST(FrontDoor, SolvesToTheBitsOfTheProgram) {
  const test::Program program;
  const auto problem = generate({.rows = 240, .cols = 60, .seed = 11});
  const Matrix& A = std::get<Matrix>(problem.system.rows);
  const std::span<const double> b = problem.system.rhs;
  ASSERT_TRUE(io::write_npy(program.path("A.npy"), A, 0, A.rows()));
  ASSERT_TRUE(io::write_npy(program.path("b.npy"), b));
  std::vector<System> systems;
  for (std::size_t i = 0; i < 4; ++i) {
    systems.push_back({view(A.row(60 * i).data(), 60, 60, A.stride()), b.subspan(60 * i, 60)});
  }

  for (const std::size_t participants : {0U, 2U}) {
    for (const std::uint64_t seed : {1U, 7U}) {
      std::string flags = " --seed " + std::to_string(seed);
      if (participants > 0) flags += " --participants " + std::to_string(participants);
      const auto ended = program.run("solve A.npy --rhs b.npy --clients 4 --format json" + flags);
      const auto result = nlohmann::json::parse(ended.out);

      const Solution found = solve(systems, {.participants = participants, .seed = seed});

      EXPECT_EQ(found.x, coefficients_of(result)) << flags;
      EXPECT_EQ(found.converged, result["converged"]) << flags;
      EXPECT_EQ(found.rounds, result["rounds"]) << flags;
      EXPECT_EQ(found.relative_residual.value_or(-1.0), result["relative_residual"]) << flags;
      EXPECT_EQ(found.method, result["method"]) << flags;
      EXPECT_EQ(found.warnings, result["warnings"].get<std::vector<std::string>>()) << flags;
    }
  }
}

}  // namespace
}  // namespace fedrk
