// SPDX-License-Identifier: Apache-2.0
#include "fedrk/fit.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/temp_folder.hpp"

namespace fedrk {
namespace {

// y = 1 + 2 u - v
Table north() { return Table({{"u", {0.0, 1.0, 2.0}}, {"v", {0.0, 1.0, 5.0}}, {"y", {1.0, 2.0, 0.0}}}, "north"); }
Table south() { return Table({{"y", {5.0, -1.0, 9.0}}, {"v", {0.0, 4.0, 0.0}}, {"u", {2.0, 1.0, 4.0}}}, "south"); }

template <class Failure>
std::string refusal(const std::vector<Table>& sites, const char* formula, const FitSettings& settings = {}) {
  try {
    (void)fit(sites, formula, settings);
  } catch (const Failure& error) {
    return error.what();
  }
  ADD_FAILURE() << formula;
  return "";
}

TEST(FitOfTables, MatchesColumnsByName) {
  const Fit made = fit({north(), south()}, "y ~ .");

  ASSERT_EQ(made.coefficients.size(), 3U);
  EXPECT_EQ(made.coefficients[0].name, "(Intercept)");
  EXPECT_EQ(made.coefficients[1].name, "u");
  EXPECT_NEAR(made["(Intercept)"], 1.0, 1e-12);
  EXPECT_NEAR(made["u"], 2.0, 1e-12);
  EXPECT_NEAR(made["v"], -1.0, 1e-12);
  EXPECT_TRUE(made.converged);
  EXPECT_EQ(made.status, RunStatus::Completed);
  EXPECT_EQ(made.rows, 6U);
  EXPECT_EQ(made.rank, 3U);
  EXPECT_EQ(made.df_residual, 3.0);
  EXPECT_EQ(made.rounds, made.history.size());
  EXPECT_NE(made.summary().find("y: 6 rows at 2 sites"), std::string::npos) << made.summary();
  EXPECT_THROW((void)made["w"], InvalidArgument);
}

TEST(FitOfTables, HasTheColumnsOfItsFormulaAlone) {
  Table east({{"y", {1.0, 2.0}}, {"u", {0.0, 1.0}}, {"note", {NAN, NAN}}}, "east");

  const Fit made = fit({north(), east}, "y ~ u - 1");

  ASSERT_EQ(made.coefficients.size(), 1U);
  EXPECT_NEAR(made["u"], 4.0 / 6.0, 1e-12);  // sum of u y over sum of u^2
}

TEST(FitOfTables, ToldOfEveryMissingColumnAtOnce) {
  const Table east({{"u", {1.0}}, {"w", {1.0}}}, "east");
  const Table west({{"v", {1.0}}, {"y", {1.0}}}, "west");

  const std::string of_all = refusal<InvalidData>({north(), east, west}, "y ~ .");
  const std::string of_named = refusal<InvalidData>({north(), east, west}, "y ~ u + v");

  for (const char* part : {"east lacks the target 'y'", "east lacks 'v'", "east has 'w'", "west lacks 'u'"}) {
    EXPECT_NE(of_all.find(part), std::string::npos) << part << '\n' << of_all;
  }
  EXPECT_EQ(of_named, "east lacks 'v', 'y'; west lacks 'u'");
}

TEST(FitOfTables, ToldOfEveryNumberThatIsNotFinite) {
  const Table east({{"u", {1.0, NAN}}, {"v", {1.0, 2.0}}, {"y", {INFINITY, 1.0}}}, "east");
  const Table other({{"u", {1.0, 2.0}}, {"v", {-INFINITY, 2.0}}, {"y", {1.0, 1.0}}});

  EXPECT_EQ(refusal<InvalidData>({east, other}, "y ~ ."),
            "east: column 'u', row 2: expected a finite number, found nan; "
            "east: column 'y', row 1: expected a finite number, found inf; "
            "site-2: column 'v', row 1: expected a finite number, found -inf");
}

TEST(FitOfTables, RefusesTablesWithoutRows) {
  const Table none({{"u", {}}, {"v", {}}, {"y", {}}}, "none");

  EXPECT_EQ(refusal<InvalidData>({north(), none, Table({})}, "y ~ ."), "none has no rows; site-3 has no rows");
  EXPECT_NE(refusal<InvalidArgument>({}, "y ~ .").find("no tables"), std::string::npos);
}

TEST(FitOfTables, RefusesSettingsThatCannotBe) {
  EXPECT_NE(refusal<InvalidArgument>({north()}, "y ~ .", {.ridge = -1.0}).find("ridge"), std::string::npos);
  EXPECT_NE(refusal<InvalidArgument>({north()}, "y ~ .", {.tolerance = NAN}).find("tolerance"), std::string::npos);
  EXPECT_NE(refusal<InvalidArgument>({north()}, "y ~ .", {.participants = 2}).find("participants"), std::string::npos);
}

TEST(FitOfTables, SaysWhichColumnIsACombinationOfOthers) {
  const Table site({{"a", {1.0, 2.0, 3.0, 5.0}}, {"b", {2.0, 4.0, 6.0, 10.0}}, {"y", {1.0, 2.0, 3.5, 5.0}}});

  const Fit made = fit({site}, "y ~ .");

  EXPECT_TRUE(made.coefficients[1].estimable);
  EXPECT_FALSE(made.coefficients[2].estimable);
  EXPECT_TRUE(std::isnan(made["b"]));
  ASSERT_EQ(made.warnings.size(), 1U);
  EXPECT_NE(made.warnings[0].find("'b' is a combination of a"), std::string::npos) << made.warnings[0];
}

TEST(FitOfTables, SaysInWarningsWhatDidNotConverge) {
  const Fit made =
      fit({north(), south()}, "y ~ .", {.method = FitMethod::ConjugateGradients, .rounds = 1, .tolerance = 0.0});

  EXPECT_FALSE(made.converged);
  EXPECT_EQ(made.status, RunStatus::Unconverged);
  ASSERT_FALSE(made.warnings.empty());
  EXPECT_TRUE(made.warnings[0].starts_with("Not converged: ")) << made.warnings[0];
  EXPECT_NE(made.summary().find("NOT CONVERGED"), std::string::npos);
}

TEST(FitOfTables, ShowsObserversTheCoefficientsAndStopsWhenAsked) {
  struct Watch final : RoundObserver {
    void on_round(const RoundRecord&, std::span<const double> x) override {
      last.assign(x.begin(), x.end());
      stop.request();
    }
    std::vector<double> last;
    StopSignal stop;
  } watch;

  const Fit made = fit({north(), south()}, "y ~ .",
                       {.method = FitMethod::ConjugateGradients, .observers = {&watch}, .stop = &watch.stop});

  EXPECT_EQ(made.rounds, 1U);
  EXPECT_EQ(made.status, RunStatus::Stopped);
  ASSERT_EQ(watch.last.size(), 3U);
  EXPECT_EQ(watch.last[1], made["u"]);
}

TEST(CsvTable, KeepsTextForThoseWhoLeaveItOut) {
  test::TempFolder folder;
  folder.write("a.csv", "name,u,y\nanna,1,2\n\"b, c\",2,4.5\nx,3,5.5\n");

  const Table table = read_csv(folder.path() / "a.csv");

  EXPECT_EQ(table.name(), "a");
  EXPECT_EQ(table.rows(), 3U);
  EXPECT_EQ(table.column_names(), (std::vector<std::string>{"name", "u", "y"}));
  EXPECT_EQ(table.column("y")[1], 4.5);
  EXPECT_NEAR(fit({table}, "y ~ . - name")["u"], 1.75, 1e-12);
  EXPECT_NE(refusal<InvalidData>({table}, "y ~ .").find("a.csv:2: column 'name': expected a number, found text"),
            std::string::npos);
}

TEST(CsvTable, RefusesWhatIsNoTable) {
  test::TempFolder folder;
  folder.write("ragged.csv", "u,y\n1,2\n3\n");
  folder.write("empty.csv", "u,y\n");
  const auto text_of = [&](const char* name) -> std::string {
    try {
      (void)read_csv(folder.path() / name);
    } catch (const InvalidData& error) {
      return error.what();
    }
    return "";
  };

  EXPECT_NE(text_of("ragged.csv").find("ragged.csv:3: expected 2 fields, found 1"), std::string::npos);
  EXPECT_NE(text_of("empty.csv").find("expected rows of numbers below the header, found none"), std::string::npos);
  EXPECT_NE(text_of("missing.csv").find("missing.csv"), std::string::npos);
}

TEST(TableInMemory, RefusesColumnsThatDoNotFitEachOther) {
  EXPECT_THROW(Table({{"a", {1.0}}, {"b", {1.0, 2.0}}}), InvalidArgument);
  EXPECT_THROW(Table({{"a", {1.0}}, {"a", {1.0}}}), InvalidArgument);
  EXPECT_THROW(Table({{"", {1.0}}}), InvalidArgument);
  EXPECT_THROW((void)north().column("w"), InvalidData);
}

}  // namespace
}  // namespace fedrk
