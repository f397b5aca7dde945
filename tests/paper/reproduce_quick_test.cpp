// SPDX-License-Identifier: Apache-2.0

// Every experiment at its reduced size: its verdicts hold and it leaves something to look at. And each kind of verdict
// can fail.

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "analysis/observers.hpp"
#include "experiments/experiment.hpp"
#include "experiments/judgements.hpp"
#include "experiments/judgements_beyond.hpp"
#include "experiments/judgements_fig1.hpp"
#include "experiments/prostate.hpp"
#include "experiments/prostate_lasso.hpp"
#include "fedrk/in_process_engine.hpp"
#include "plan/federation.hpp"
#include "plan/memory.hpp"
#include "report/plot/axis.hpp"

namespace fedrk::experiments {

void PrintTo(const Experiment& experiment, std::ostream* out) { *out << experiment.name; }

namespace {

class QuickRun : public testing::TestWithParam<Experiment> {};
INSTANTIATE_TEST_SUITE_P(All, QuickRun, testing::ValuesIn(all_experiments().begin(), all_experiments().end()),
                         [](const auto& test) {
                           std::string name(test.param.name);
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST_P(QuickRun, HoldsAndLeavesFiguresAndTables) {
  double last = 0.0;
  bool rising = true;

  const Findings found = GetParam().run({.quick = true, .seed = 1}, [&](double share, std::string_view) {
    rising = rising && share >= last - 1e-9 && share <= 1.0 + 1e-9;
    last = share;
  });

  EXPECT_EQ(found.name, GetParam().name);
  EXPECT_FALSE(found.title.empty() || found.set_up.empty());
  EXPECT_TRUE(found.holds());
  for (const Judgement& judgement : found.judgements) EXPECT_TRUE(judgement.holds) << judgement.message;
  EXPECT_TRUE(rising);
  EXPECT_NEAR(last, 1.0, 1e-9);
  EXPECT_FALSE(found.figures.empty() || found.tables.empty());
  for (const Figure& figure : found.figures) {
    EXPECT_FALSE(figure.caption.empty()) << figure.name;
    EXPECT_FALSE(std::visit([](const auto& plot) { return io::svg(plot); }, figure.plot).empty()) << figure.name;
  }
  for (const Table& table : found.tables) {
    EXPECT_FALSE(table.rows.empty()) << table.name;
    for (const auto& row : table.rows) ASSERT_EQ(row.size(), table.columns.size()) << table.name;
  }
}

TEST(ProstateSelection, IsThatOfThePlanBesideTheData) {
  io::Plan plan;
  ASSERT_TRUE(io::read_plan(FEDRK_SOURCE "/data/prostate.toml", plan));
  const Prostate data = prostate();
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    plan.run.seed = seed;
    auto federation = io::make_federation(plan);
    ASSERT_TRUE(federation) << federation.error().message;
    EXPECT_EQ(data.unknowns, federation->problem.unknowns);
    SelectionCounts counts;
    RoundObserver* const observers[] = {&counts};
    InProcessEngine engine(std::move(federation->clients), 1);
    (void)FederatedRun(io::resolve(plan).run).run(engine, {}, observers);

    EXPECT_EQ(prostate_selection(data, seed, 2), counts.counts());
  }
}

// 10 trials: of entries 2, 0.3, 0.01 in size, and of two others.
std::vector<EntryCount> entries(std::size_t large, std::size_t small, std::size_t tiny, std::size_t other) {
  return {{2.0, large}, {0.3, small}, {0.01, tiny}, {0.0, 0}, {0.0, other}};
}

TEST(SparseVerdict, FailsWhereATrueEntryIsMissedTooOftenOrAnotherOneTakenTooOften) {
  const FoundShares shares{.asked = 0.02, .large = 0.7, .of_large = 0.9, .of_small = 0.5, .of_others = 0.1};

  EXPECT_TRUE(true_entries_are_found(entries(9, 5, 0, 0), 10, shares).holds);
  EXPECT_FALSE(true_entries_are_found(entries(8, 5, 0, 0), 10, shares).holds);
  EXPECT_FALSE(true_entries_are_found(entries(9, 4, 0, 0), 10, shares).holds);
  EXPECT_FALSE(true_entries_are_found({}, 10, shares).holds);
  const std::vector<EntryCount> once{{2.0, 10}, {0.0, 1}}, twice{{2.0, 10}, {0.0, 2}};
  EXPECT_TRUE(other_entries_are_not(once, 10, shares).holds);
  EXPECT_FALSE(other_entries_are_not(twice, 10, shares).holds);
  EXPECT_TRUE(instances_are_recovered(7, 10, 5, 0.65).holds);
  EXPECT_FALSE(instances_are_recovered(6, 10, 5, 0.65).holds);
}

TEST(SparseVerdict, LetsAsManyOthersPassAsTrueEntriesDrown) {
  const FoundShares shares{.asked = 0.02, .large = 0.7, .of_large = 0.9, .of_small = 0.5, .of_others = 0.1};
  auto two = entries(9, 5, 0, 8);  // one takes the place of the entry that drowns
  const Judgement one_passes = other_entries_are_not(two, 10, shares);
  two[3].selected = 2;

  EXPECT_TRUE(one_passes.holds);
  EXPECT_NE(one_passes.message.find("none in more than 0 of 10 trials, but for what takes the place of true entries "
                                    "below 0.02, which drown in the noise (8 trials)"),
            std::string::npos)
      << one_passes.message;
  EXPECT_FALSE(other_entries_are_not(two, 10, shares).holds);  // a second one has no excuse
  const auto none = other_entries_are_not(std::vector<EntryCount>{{2.0, 10}, {0.0, 1}}, 10, shares);
  EXPECT_EQ(none.message.find("drown"), std::string::npos) << none.message;
}

TEST(SparseFigure, MarksItsAxisAtWholeNumbers) {
  const Findings found = fig2({.quick = true, .seed = 1}, [](double, std::string_view) {});

  const auto& plot = std::get<io::LinePlot>(found.figures.at(1).plot);
  const io::Axis axis = io::y_axis(plot);
  for (const auto& tick : axis.ticks()) EXPECT_EQ(tick.label.find('.'), std::string::npos) << tick.label;
}

TEST(HorizonVerdict, FailsWithoutTheValley) {
  const HorizonCurve valley{{1, 2, 3}, {1.0, 0.5, 0.8}}, falling{{1, 2, 3}, {1.0, 0.7, 0.5}},
      flat{{1, 2, 3}, {1.0, 0.9, 1.0}}, rising{{1, 2, 3}, {0.5, 0.8, 1.0}};

  EXPECT_TRUE(horizon_shrinks(valley, 0.6).holds);
  EXPECT_FALSE(horizon_shrinks(flat, 0.6).holds);
  EXPECT_TRUE(horizon_grows_again(valley, 1.35).holds);
  for (const auto& curve : {falling, flat, rising}) EXPECT_FALSE(horizon_grows_again(curve, 1.35).holds);
  EXPECT_TRUE(horizon_levels_agree(valley, std::vector{1.1, 0.45, 0.8}, 0.25).holds);
  EXPECT_FALSE(horizon_levels_agree(valley, std::vector{1.1, 0.39, 0.8}, 0.25).holds);
  EXPECT_FALSE(horizon_levels_agree(valley, std::vector{1.0, 0.5}, 0.25).holds);
}

TEST(SelectionVerdict, FailsWhereAnotherFeatureLeadsOrTheLeadIsWithinTheScatter) {
  const std::vector<std::string> names{"a", "b", "c"}, expected{"a", "b"}, swapped{"b", "a"}, other{"a", "c"};

  EXPECT_TRUE(most_selected_are({names, {{100, 60, 20}, {100, 62, 18}}}, expected).holds);
  EXPECT_FALSE(most_selected_are({names, {{100, 20, 60}, {100, 18, 62}}}, expected).holds);
  EXPECT_FALSE(most_selected_are({names, {{100, 60, 20}, {100, 30, 62}}}, expected).holds);
  EXPECT_TRUE(first_features_agree(expected, expected, 2).holds);
  EXPECT_FALSE(first_features_agree(swapped, expected, 2).holds);
  EXPECT_FALSE(first_features_agree(other, expected, 2).holds);
  EXPECT_TRUE(first_features_agree(other, expected, 1).holds);
  EXPECT_TRUE(first_features_agree(expected, expected, 2).message.ends_with("in the same order: a, b"));
  EXPECT_TRUE(first_features_agree(swapped, expected, 2).message.ends_with("in the same order: b, a against a, b"));
}

TEST(LargestCoefficientsVerdict, FailsForOtherFeaturesAndNarrowRanges) {
  const std::vector<std::string> paper(kPaperFeatures.begin(), kPaperFeatures.end());
  const std::vector<std::string> barely{"lcavol", "lweight", "svi", "pgg45"}, never{"lcavol", "lweight", "svi", "lcp"},
      nearly_unpenalised{"lcavol", "lweight", "age", "svi"};
  const std::vector<LambdaRange> wide{{0.9, 1.0}, {0.1, 0.2}}, narrow{{0.9, 1.0}, {0.1, 0.19}};

  EXPECT_TRUE(largest_coefficients_agree(paper, wide).holds);
  EXPECT_FALSE(largest_coefficients_agree(paper, narrow).holds);
  EXPECT_FALSE(largest_coefficients_agree(paper, {}).holds);
  const Prostate data = prostate();
  EXPECT_TRUE(largest_coefficients_agree(paper, lambdas_where_largest(data, paper)).holds);
  EXPECT_FALSE(largest_coefficients_agree(barely, lambdas_where_largest(data, barely)).holds);
  EXPECT_FALSE(largest_coefficients_agree(never, lambdas_where_largest(data, never)).holds);
  // Towards least squares age overtakes lbph, and stays ahead: that is not the Lasso's doing.
  EXPECT_FALSE(largest_coefficients_agree(nearly_unpenalised, lambdas_where_largest(data, nearly_unpenalised)).holds);
}

ErrorCurve curve(std::string label, std::vector<double> errors) { return {std::move(label), std::move(errors)}; }

// Falls by the factor 10^-1/per_decade in every round.
ErrorCurve line(double per_decade, std::size_t rounds) {
  ErrorCurve result{"line", {}};
  for (std::size_t t = 1; t <= rounds; ++t)
    result.errors.push_back(std::pow(10.0, -static_cast<double>(t) / per_decade));
  return result;
}

TEST(LocalStepsVerdict, FailsWhereMoreStepsAreNotFasterOrTheRoundsDiffer) {
  const std::vector<ErrorCurve> good{line(20, 200), line(10, 200)}, bad{line(10, 200), line(20, 200)},
      level{line(10, 200), line(10, 200)};

  EXPECT_TRUE(more_steps_are_faster(good, 100, 1.3).holds);
  EXPECT_FALSE(more_steps_are_faster(bad, 100, 1.3).holds);
  EXPECT_FALSE(more_steps_are_faster(level, 100, 1.3).holds);
  EXPECT_FALSE(more_steps_are_faster({}, 100, 1.3).holds);
  EXPECT_TRUE(rounds_agree(good, 1e-6, std::vector{122.0, 60.0}, 0.05).holds);
  EXPECT_FALSE(rounds_agree(good, 1e-6, std::vector{140.0, 60.0}, 0.05).holds);
  EXPECT_FALSE(rounds_agree(good, 1e-25, std::vector{500.0, 250.0}, 0.05).holds);  // never reached
  EXPECT_FALSE(rounds_agree(good, 1e-6, std::vector{120.0}, 0.05).holds);
}

TEST(LinearDecayVerdict, FailsOnABentLine) {
  std::vector<ErrorCurve> bent{line(20, 400)};
  for (std::size_t t = 90; t < bent[0].errors.size(); ++t) bent[0].errors[t] = std::pow(bent[0].errors[t], 0.5) * 1e-2;

  EXPECT_TRUE(error_falls_linearly(std::vector{line(20, 400)}, 0.1).holds);
  EXPECT_FALSE(error_falls_linearly(bent, 0.1).holds);
  EXPECT_FALSE(error_falls_linearly(std::vector{line(20, 20)}, 0.1).holds);
  EXPECT_FALSE(error_falls_linearly({}, 0.1).holds);
}

TEST(LinearDecayVerdict, FailsWhereOneOfSeveralDoesNotGetThere) {
  const Judgement judgement = error_falls_linearly(std::vector{line(20, 400), line(20, 100)}, 0.1);

  EXPECT_FALSE(judgement.holds);
  EXPECT_TRUE(judgement.message.ends_with("are 1.00, none for line, which does not get there")) << judgement.message;
}

TEST(BaselineVerdict, FailsWhereAnotherMethodIsAhead) {
  const ErrorCurve low = curve("low", {0.5, 0.01}), high = curve("high", {0.5, 0.2}), none = curve("none", {});

  EXPECT_TRUE(ends_below(low, std::vector{high}, 10.0).holds);
  EXPECT_FALSE(ends_below(low, std::vector{high}, 30.0).holds);
  EXPECT_FALSE(ends_below(low, std::vector{high, low}, 1.1).holds);
  EXPECT_FALSE(ends_below(none, std::vector{high}, 1.0).holds);
}

TEST(BaselineVerdict, JudgesOneStepByTheMeanOfSeveralInstances) {
  const std::vector<double> ahead{0.9, 1.1, 1.3}, behind{1.1, 0.9, 0.7};

  const Judgement judgement = keeps_up("A", "B", ahead, 1.0);

  EXPECT_TRUE(judgement.holds);  // though one instance is behind
  EXPECT_NE(judgement.message.find("1.100 +- 0.115 times its error (mean and standard error of 3 instances"),
            std::string::npos)
      << judgement.message;
  EXPECT_FALSE(keeps_up("A", "B", behind, 0.95).holds);
  EXPECT_FALSE(keeps_up("A", "B", std::vector{1.0}, 1.0).holds);
  EXPECT_FALSE(keeps_up("A", "B", std::vector{2.0, std::nan("")}, 1.0).holds);
  EXPECT_FALSE(keeps_up("A", "B", {}, 1.0).holds);
}

TEST(SteadyDecayVerdict, FailsWhereTheErrorRisesOrComesToRest) {
  ErrorCurve rising = line(20, 100), resting = line(20, 100);
  rising.errors[59] = 1.0;
  for (std::size_t t = 80; t < 100; ++t) resting.errors[t] = resting.errors[79] * (1.0 - 1e-6 * static_cast<double>(t));

  EXPECT_TRUE(decays_steadily(line(20, 100), 0.25).holds);
  EXPECT_FALSE(decays_steadily(rising, 0.25).holds);
  EXPECT_FALSE(decays_steadily(resting, 0.25).holds);
  EXPECT_FALSE(decays_steadily(curve("short", {0.5}), 0.25).holds);
}

TEST(SteadyDecayVerdict, LeavesOutWhatIsRounding) {
  ErrorCurve small = line(4, 80), resting = line(4, 80);
  for (std::size_t t = 60; t < 80; ++t) small.errors[t] = t % 2 == 0 ? 1e-16 : 2e-16;
  for (std::size_t t = 30; t < 47; ++t) resting.errors[t] = resting.errors[29];

  EXPECT_TRUE(decays_steadily(small, 0.25).holds);
  EXPECT_FALSE(decays_steadily(resting, 0.25).holds);  // before it gets there
  EXPECT_TRUE(decays_steadily(curve("at once", {0.5, 1e-16, 2e-16, 1e-16}), 0.25).holds);
}

TEST(LargeExperiment, HoldsAndTellsItsSizeWhereItIsTiny) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Findings found = fig1_large({.quick = true, .scale = 0.03, .seed = seed}, [](double, std::string_view) {});

    EXPECT_TRUE(found.holds()) << found.judgements.at(0).message;
    EXPECT_NE(found.set_up.find("client i holds 1 * 2^(i-1) rows"), std::string::npos) << found.set_up;
    EXPECT_EQ(found.set_up.find("GB"), std::string::npos) << found.set_up;
  }
}

TEST(LargeExperiment, SaysWhatItNeedsAndWhatWouldFit) {
  EXPECT_EQ(io::memory_complaint(32736, 20480, 6e9), "");
  EXPECT_EQ(io::memory_complaint(32736, 20480, 2e9),
            "the matrix of 32736x20480 needs 5.5 GB and 2.0 GB are free; --scale 0.54 would fit");
  EXPECT_EQ(io::memory_complaint(32736 * 54 / 100, 20480 * 54 / 100, 2e9), "");
}

TEST(BeyondVerdict, FailsWhereTheOtherMethodIsNotThatMuchSlower) {
  const ErrorCurve fast = line(5, 100), slow = line(12, 100), stuck = line(100, 50), none = curve("none", {});

  EXPECT_TRUE(takes_fewer_rounds(fast, slow, 1e-6, 2.0).holds);  // 30 against 72
  EXPECT_FALSE(takes_fewer_rounds(fast, slow, 1e-6, 2.5).holds);
  EXPECT_FALSE(takes_fewer_rounds(slow, fast, 1e-6, 1.0).holds);
  EXPECT_TRUE(takes_fewer_rounds(fast, fast, 1e-6, 1.0).holds);
  EXPECT_TRUE(takes_fewer_rounds(fast, stuck, 1e-6, 1.7).holds);  // more than 50
  EXPECT_FALSE(takes_fewer_rounds(fast, stuck, 1e-6, 1.71).holds);
  EXPECT_FALSE(takes_fewer_rounds(stuck, slow, 1e-6, 1.0).holds);
  EXPECT_FALSE(takes_fewer_rounds(fast, none, 1e-6, 0.01).holds);
  EXPECT_NE(takes_fewer_rounds(fast, stuck, 1e-6, 1.0)
                .message.find("no more rounds than line to 1e-06: 30 against more "
                              "than 50"),
            std::string::npos);
}

TEST(BeyondVerdict, FailsWhereOneArrivesLateOrNotAtAll) {
  const std::vector<ErrorCurve> two{line(5, 100), line(6, 100)};

  EXPECT_TRUE(arrives_within("", two, 1e-6, 36).holds);
  EXPECT_FALSE(arrives_within("", two, 1e-6, 35).holds);
  EXPECT_FALSE(arrives_within("", two, 1e-19, 100).holds);
  EXPECT_FALSE(arrives_within("", {}, 1e-6, 36).holds);
}

TEST(BeyondVerdict, FailsWhereAHorizonIsLeft) {
  const std::vector<ErrorCurve> hovering{curve("a", {0.01, 0.5, 0.4, 0.5}), curve("b", {0.3, 0.3})},
      falling{curve("a", {0.5, 0.5, 0.05, 0.5})}, not_numbers{curve("a", {0.5, std::nan("")})}, empty{curve("a", {})};

  EXPECT_TRUE(stays_above("", hovering, 0.1).holds);  // how it began does not count
  EXPECT_FALSE(stays_above("", hovering, 0.35).holds);
  for (const auto& curves : {falling, not_numbers, empty}) EXPECT_FALSE(stays_above("", curves, 0.1).holds);
  EXPECT_FALSE(stays_above("", {}, 0.1).holds);
}

TEST(BeyondVerdict, FailsWhereSupportsAreMissedOrRefitsAreFarOff) {
  EXPECT_TRUE(supports_are_found("", 18, 20, 18).holds);
  EXPECT_FALSE(supports_are_found("", 17, 20, 18).holds);
  EXPECT_TRUE(ratios_at_most("", std::vector{1.0, 1.1}, 1.1).holds);
  EXPECT_FALSE(ratios_at_most("", std::vector{1.0, 1.2}, 1.1).holds);
  EXPECT_FALSE(ratios_at_most("", std::vector{1.0, std::nan("")}, 1.1).holds);
  EXPECT_FALSE(ratios_at_most("", {}, 1.1).holds);
}

TEST(BeyondVerdict, FailsWhereScaledRowsTakeMoreRounds) {
  EXPECT_TRUE(scaling_hardly_matters(line(5, 100), line(6, 100), 1e-6, 1.2).holds);
  EXPECT_FALSE(scaling_hardly_matters(line(5, 100), line(7, 100), 1e-6, 1.2).holds);
  EXPECT_FALSE(scaling_hardly_matters(line(5, 100), line(100, 100), 1e-6, 1.2).holds);
  EXPECT_FALSE(scaling_hardly_matters(line(100, 100), line(5, 100), 1e-6, 1.2).holds);
}

TEST(TheoryVerdict, FailsBeyondFourStandardErrors) {
  const auto one = [](double mean) { return std::vector<Measured>{{"one", mean, 0.01, 0.5}}; };

  EXPECT_TRUE(stays_below("", one(0.1)).holds);
  EXPECT_TRUE(stays_below("", one(0.539)).holds);
  EXPECT_FALSE(stays_below("", one(0.541)).holds);
  EXPECT_TRUE(agrees("", one(0.461)).holds);
  EXPECT_FALSE(agrees("", one(0.459)).holds);
  EXPECT_FALSE(agrees("", one(0.541)).holds);
  EXPECT_FALSE(agrees("", one(std::nan(""))).holds);
  EXPECT_TRUE(all_within("", std::vector{1e-12, 1e-11}, 1e-10).holds);
  EXPECT_FALSE(all_within("", std::vector{1e-12, 1e-9}, 1e-10).holds);
  EXPECT_FALSE(all_within("", std::vector{std::nan("")}, 1e-10).holds);
}

}  // namespace
}  // namespace fedrk::experiments
