// SPDX-License-Identifier: Apache-2.0
#include "plan/plan.hpp"

#include <gtest/gtest.h>

#include "plan/plan_options.hpp"
#include "support/temp_folder.hpp"

namespace fedrk::io {
namespace {

std::string refusal(const test::TempFolder& folder, std::string_view content) {
  Plan plan;
  const auto read = read_plan(folder.write("plan.toml", content), plan);
  return read ? "" : folder.local(read.error().message);
}

TEST(Plan, ReadsEveryKindOfEntry) {
  const test::TempFolder folder;
  Plan plan;

  const auto read = read_plan(folder.write("plan.toml", R"(
    data = ["a.csv", "/elsewhere/b.csv"]
    target = "y"
    ignore = "id"
    standardize = true
    participants = 3
    local-steps = inf
    server-steps = 7
    server-sampling = "squared-norm"
    local-form = "gram"
    local-memory = 64
    keep = "all"
    tolerance = 1e-8
    patience = "endless"
  )"),
                              plan);

  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(plan.data, (std::vector<std::string>{(folder.path() / "a.csv").string(), "/elsewhere/b.csv"}));
  EXPECT_EQ(plan.ignore, std::vector<std::string>{"id"});
  EXPECT_TRUE(plan.standardize);
  EXPECT_EQ(plan.run.participants, 3);
  EXPECT_EQ(plan.local_steps, StepBudget{ExactProjection{}});
  EXPECT_EQ(plan.run.server_budget, StepBudget{FixedSteps{7}});
  EXPECT_EQ(plan.run.server_sampling, RowSampling::SquaredNorm);
  EXPECT_EQ(plan.steps.form, LocalForm::Gram);
  EXPECT_EQ(plan.steps.gram_memory, std::size_t{64} << 20);
  EXPECT_EQ(plan.run.sparsity, 0);
  EXPECT_EQ(plan.tolerance, 1e-8);
  EXPECT_EQ(resolve(plan).run.patience, 0);
}

TEST(Plan, IsWrittenSoThatItReadsBackTheSame) {
  const test::TempFolder folder;
  Plan plan;
  plan.data = {(folder.path() / "od\"d.csv").string()};
  plan.target = "y \\ z";
  plan.partition = "by:site";
  plan.intercept = true;
  plan.storage = Storage::Float32;
  plan.run = {.seed = 18446744073709551615ULL, .participants = 2, .sparsity = 4, .noise_columns = 3};
  plan.tolerance = 1e-9;
  plan.powers = {"dose:3", "a:b:2"};
  plan.round_trip = 12.5;
  plan.bandwidth = 1000.0;
  plan.patience = 12;
  plan.rounds = 7;
  plan.local_steps = ExactProjection{};
  plan.row_sampling = RowSampling::Shuffled;
  plan.steps = {.form = LocalForm::Direct, .gram_memory = std::size_t{7} << 20};
  plan.method = {.name = MethodName::Fedrk,
                 .hyperplanes = HyperplaneKind::Valid,
                 .memory = HyperplaneMemory::kAll,
                 .reveal = Reveal::Updates,
                 .memory_limit = std::size_t{3} << 20,
                 .ridge = 0.25,
                 .least_squares = true,
                 .soft = 1.5,
                 .refit = true,
                 .average = TailBurnIn{7},
                 .privacy = {.epsilon = 0.5, .delta = 1e-7, .clip = 0.125, .min_answers = 4}};

  const std::string text = plan_text(plan, folder.path());
  Plan again;
  const auto read = read_plan(folder.write("plan.toml", text), again);

  ASSERT_TRUE(read) << read.error().message << '\n' << text;
  for (const PlanOption& option : plan_options()) EXPECT_EQ(option.get(again), option.get(plan)) << option.name;
  EXPECT_EQ(again.local_steps, plan.local_steps);
  EXPECT_EQ(again.row_sampling, plan.row_sampling);
  EXPECT_EQ(again.method.memory, plan.method.memory);
  EXPECT_EQ(again.method.soft, plan.method.soft);
  EXPECT_EQ(again.powers, plan.powers);
  EXPECT_EQ(again.tolerance, 1e-9);
  EXPECT_EQ(resolve(again).run.tolerance, 0.0) << "no residuals under differential privacy";
}

TEST(Plan, WithADeleteCharacterOrAWholeNumberBeyond64BitsReadsBack) {
  const test::TempFolder folder;
  Plan plan;
  plan.target = "y\x7F";
  plan.bandwidth = 18446744073709551616.0;

  Plan again;
  const auto read = read_plan(folder.write("plan.toml", plan_text(plan, folder.path())), again);

  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(again.target, plan.target);
  EXPECT_EQ(again.bandwidth, plan.bandwidth);
}

TEST(Plan, OfAFitIsWrittenWithItsOwnEntriesAlone) {
  const test::TempFolder folder;
  Plan plan;
  plan.set_job(Job::Fit);
  plan.data = {(folder.path() / "a.csv").string()};
  plan.target = "y";
  plan.powers = {"u:2"};
  plan.method.name = MethodName::Cg;
  plan.method.ridge = 0.5;

  const std::string text = plan_text(plan, folder.path());
  Plan again;
  const auto read = read_plan(folder.write("plan.toml", text), again);

  ASSERT_TRUE(read) << read.error().message << '\n' << text;
  for (const PlanOption& option : plan_options()) EXPECT_EQ(option.get(again), option.get(plan)) << option.name;
  EXPECT_TRUE(check(again));
  EXPECT_NE(text.find("fedrk fit plan.toml repeats it"), std::string::npos);
  EXPECT_EQ(text.find("local-steps"), std::string::npos) << text;
  EXPECT_EQ(text.find("epsilon"), std::string::npos) << text;
}

TEST(Plan, OfAFitHasAnInterceptUnlessItSaysOtherwise) {
  const test::TempFolder folder;
  const auto intercept = [&](std::string_view content) {
    Plan plan;
    EXPECT_TRUE(read_plan(folder.write("plan.toml", content), plan));
    return plan.intercept;
  };

  EXPECT_FALSE(intercept("seed = 1"));
  EXPECT_TRUE(intercept("goal = 'fit'"));
  EXPECT_FALSE(intercept("goal = 'fit'\nintercept = false"));
  EXPECT_TRUE(intercept("goal = 'solve'\nintercept = true"));
}

TEST(Plan, IsSolvedToTheUsualToleranceUnlessItSaysOne) {
  const test::TempFolder folder;
  Plan open, to_rounding;
  ASSERT_TRUE(read_plan(folder.write("plan.toml", "tolerance = 'auto'"), open));
  ASSERT_TRUE(read_plan(folder.write("plan.toml", "tolerance = 0"), to_rounding));

  EXPECT_EQ(resolve(Plan()).run.tolerance, 1e-8);
  EXPECT_EQ(resolve(open).run.tolerance, 1e-8);
  EXPECT_EQ(resolve(to_rounding).run.tolerance, 0.0);
}

TEST(Plan, GivesUpAfterSomePatienceOnlyWhereAToleranceIsAskedFor) {
  Plan plan;
  plan.method.name = MethodName::Fedrk;
  EXPECT_EQ(resolve(plan).run.patience, 0);
  plan.tolerance = 1e-6;
  EXPECT_EQ(resolve(plan).run.patience, 100);
  plan.method.name = MethodName::Auto;  // knows itself when it has arrived
  EXPECT_EQ(resolve(plan).run.patience, 0);
}

TEST(Plan, LeavesStepsAndOrderOfRowsToTheMethod) {
  const std::vector<ClientSummary> roster{{ClientId{0}, "a", 10, 1.0, 1.0}, {ClientId{1}, "b", 30, 1.0, 1.0}};
  Plan plan;
  EXPECT_EQ(resolve(plan, roster).run.local_budget, StepBudget{FixedSteps{240}});  // eight passes of the larger client
  EXPECT_EQ(resolve(plan).steps.sampling, RowSampling::Shuffled);

  plan.run.sparsity = 3;  // hard thresholding is the paper's
  EXPECT_EQ(resolve(plan, roster).run.local_budget, StepBudget{FixedSteps{20}});
  EXPECT_EQ(resolve(plan).steps.sampling, RowSampling::SquaredNorm);

  const test::TempFolder folder;
  ASSERT_TRUE(read_plan(folder.write("plan.toml", "local-steps = 5\nrow-sampling = 'greedy'"), plan));
  EXPECT_EQ(resolve(plan, roster).run.local_budget, StepBudget{FixedSteps{5}});
  EXPECT_EQ(resolve(plan).steps.sampling, RowSampling::Greedy);
}

TEST(Plan, LeavesTheNumberOfRoundsToDifferentialPrivacyUnlessItSaysOne) {
  const test::TempFolder folder;
  Plan open, fixed, plain;
  ASSERT_TRUE(read_plan(folder.write("plan.toml", "epsilon = 1\ndelta = 1e-5"), open));
  ASSERT_TRUE(read_plan(folder.write("plan.toml", "epsilon = 1\nrounds = 9"), fixed));
  ASSERT_TRUE(read_plan(folder.write("plan.toml", "epsilon = 'none'\nrounds = 'auto'"), plain));

  EXPECT_EQ(resolve(open).run.rounds, 6);
  EXPECT_EQ(resolve(fixed).run.rounds, 9);
  EXPECT_EQ(resolve(plain).run.rounds, 1000);
  EXPECT_EQ(resolve(open).run.residual_every, RunOptions::kNever);

  Plan again;  // and a plan that was written down leaves them as open as it was
  ASSERT_TRUE(read_plan(folder.write("plan.toml", plan_text(open, folder.path())), again));
  EXPECT_EQ(resolve(again).run.rounds, 6);
  EXPECT_EQ(again.method.privacy.delta, 1e-5);
}

TEST(Plan, SaysWhereAFileIsWrong) {
  const test::TempFolder folder;
  EXPECT_EQ(refusal(folder, "seed = 1\nroundz = 5\n"), "plan.toml:2: roundz: no such entry in a plan");
  EXPECT_EQ(refusal(folder, "rounds = 0"),
            "plan.toml:1: rounds: expected a whole number from 1 to 4294967295, found '0'");
  EXPECT_EQ(refusal(folder, "rounds = 1.5"),
            "plan.toml:1: rounds: expected a whole number from 1 to 4294967295, found '1.5'");
  EXPECT_EQ(refusal(folder, "rounds = 4294967296"),
            "plan.toml:1: rounds: expected a whole number from 1 to 4294967295, found '4294967296'");
  EXPECT_EQ(refusal(folder, "local-steps = 'many'"),
            "plan.toml:1: local-steps: expected 'auto' or a whole number from 1 or 'inf', found 'many'");
  EXPECT_EQ(refusal(folder, "standardize = 'yes'"), "plan.toml:1: standardize: expected true or false, found 'yes'");
  EXPECT_EQ(refusal(folder, "partition = 'random'"),
            "plan.toml:1: partition: expected 'contiguous', 'shuffled' or 'by:COLUMN', found 'random'");
  EXPECT_EQ(refusal(folder, "tolerance = -1"),
            "plan.toml:1: tolerance: expected 'auto' or a number from 0 (none), found '-1'");
  EXPECT_EQ(refusal(folder, "seed = [1, 2]"), "plan.toml:1: seed: expected one value");
  EXPECT_EQ(refusal(folder, "data = [[1]]"), "plan.toml:1: data: expected a list of texts");
  EXPECT_EQ(refusal(folder, "method = 'best'"),
            "plan.toml:1: method: expected 'auto', 'fedrk', 'published', 'gram' or 'cg', found 'best'");
  EXPECT_EQ(refusal(folder, "goal = 'predict'"), "plan.toml:1: goal: expected 'solve' or 'fit', found 'predict'");
  for (const std::string entry : {"dose", "dose:", ":2", "dose:1", "dose:33", "dose:2.5"}) {
    EXPECT_EQ(refusal(folder, "powers = ['" + entry + "']"),
              "plan.toml:1: powers: expected COLUMN:K with a power K from 2 to 32, found '" + entry + "'");
  }
  EXPECT_EQ(refusal(folder, "bandwidth = 0"), "plan.toml:1: bandwidth: expected a number above 0, found '0'");
  EXPECT_EQ(refusal(folder, "row-sampling = 'random'"),
            "plan.toml:1: row-sampling: expected 'auto' or 'squared-norm', 'norm', 'uniform', 'shuffled' or 'greedy', "
            "found 'random'");
  EXPECT_EQ(refusal(folder, "server-sampling = 'greedy'"),
            "plan.toml:1: server-sampling: expected 'uniform' or 'squared-norm', found 'greedy'");
  EXPECT_EQ(refusal(folder, "reveal = 'nothing'"),
            "plan.toml:1: reveal: expected 'auto' or 'sums' or 'updates', found 'nothing'");
  EXPECT_EQ(refusal(folder, "memory = 'most'"),
            "plan.toml:1: memory: expected 'auto' or a whole number from 0 or 'all', found 'most'");
  EXPECT_EQ(refusal(folder, "ridge = -2"), "plan.toml:1: ridge: expected a number from 0 (none), found '-2'");
  EXPECT_EQ(refusal(folder, "sparse = 'soft'"),
            "plan.toml:1: sparse: expected 'none' or 'soft:LAMBDA' with a number above 0, found 'soft'");
  EXPECT_EQ(refusal(folder, "sparse = 'soft:-1'"),
            "plan.toml:1: sparse: expected 'none' or 'soft:LAMBDA' with a number above 0, found 'soft:-1'");
  EXPECT_EQ(refusal(folder, "average = 'tail:x'"),
            "plan.toml:1: average: expected 'none', 'tail' or 'tail:ROUNDS', found 'tail:x'");
  EXPECT_EQ(refusal(folder, "storage = 'half'"), "plan.toml:1: storage: expected 'float64' or 'float32', found 'half'");
  EXPECT_EQ(refusal(folder, "patience = 0"),
            "plan.toml:1: patience: expected 'auto', 'endless' or a whole number from 1, found '0'");
  EXPECT_NE(refusal(folder, "seed = = 1").find("plan.toml:1: "), std::string::npos);
}

TEST(Plan, IsCheckedBeforeAnyFileIsRead) {
  const auto complaint = [](auto change) {
    Plan plan;
    change(plan);
    const auto fine = check(plan);
    return fine ? std::string() : fine.error().message;
  };

  EXPECT_NE(complaint([](Plan&) {}).find("no data"), std::string::npos);
  EXPECT_NE(complaint([](Plan& p) { p.data = {"a.csv"}, p.matrix = {"A.mtx"}, p.rhs = {"b"}; }).find("cannot be mixed"),
            std::string::npos);
  EXPECT_EQ(complaint([](Plan& p) { p.matrix = {"A.mtx"}; }),
            "1 --matrix but 0 --rhs: each matrix needs its right-hand side");
  EXPECT_NE(complaint([](Plan& p) {
              p.data = {"a", "b"}, p.clients = 3;
            }).find("--clients splits one file"),
            std::string::npos);
  EXPECT_NE(complaint([](Plan& p) {
              p.data = {"a", "b"}, p.partition = "shuffled";
            }).find("--partition and --site split one file"),
            std::string::npos);
  EXPECT_NE(complaint([](Plan& p) { p.data = {"a"}, p.partition = "by:x", p.clients = 2; }).find("leave --clients out"),
            std::string::npos);
  EXPECT_NE(complaint([](Plan& p) { p.data = {"a"}, p.truth = "x", p.intercept = true; }).find("--truth"),
            std::string::npos);
  EXPECT_NE(complaint([](Plan& p) {
              p.data = {"a"}, p.method.privacy.epsilon = 1.0, p.standardize = true;
            }).find("by bounds that are known without the data"),
            std::string::npos);
  EXPECT_NE(complaint([](Plan& p) {
              p.data = {"a"}, p.method.privacy.epsilon = 1.0, p.local_steps = FixedSteps{20};
            }).find("every row is used once a round"),
            std::string::npos);
  EXPECT_NE(complaint([](Plan& p) {
              p.data = {"a"}, p.method.privacy.epsilon = 1.0, p.patience = 5;
            }).find("--patience waits for residuals"),
            std::string::npos);
  EXPECT_EQ(complaint([](Plan& p) { p.data = {"a"}, p.method.privacy.epsilon = 1.0; }), "");
  EXPECT_EQ(complaint([](Plan& p) { p.data = {"a.csv"}; }), "");
  EXPECT_EQ(complaint([](Plan& p) { p.data = {"a.csv"}, p.powers = {"u"}; }),
            "powers: expected COLUMN:K with a power K from 2 to 32, found 'u'");
}

TEST(Plan, OfAFitTakesNothingThatIsAboutEquations) {
  const auto complaint = [](auto change) {
    Plan plan;
    plan.data = {"a.csv"};
    plan.set_job(Job::Fit);
    change(plan);
    const auto fine = check(plan);
    return fine ? std::string() : fine.error().message;
  };

  EXPECT_EQ(complaint([](Plan& p) { p.run.sparsity = 3; }),
            "keep is for fedrk solve: a fit has no such entry, so leave it out");
  EXPECT_EQ(complaint([](Plan& p) { p.local_steps = FixedSteps{20}; }),
            "local-steps is for fedrk solve: a fit has no such entry, so leave it out");
  EXPECT_EQ(complaint([](Plan& p) { p.method.privacy.epsilon = 1.0; }),
            "epsilon is for fedrk solve: a fit has no such entry, so leave it out");
  EXPECT_EQ(complaint([](Plan& p) { p.method.name = MethodName::Fedrk; }),
            "FedRK solves equations: a fit takes --method auto, gram or cg");
  EXPECT_NE(complaint([](Plan& p) { p.truth = "x.npy"; }).find("--no-intercept"), std::string::npos);
  EXPECT_EQ(complaint([](Plan& p) {
              p.method.name = MethodName::Gram, p.method.ridge = 1.0, p.standardize = true, p.run.participants = 3;
            }),
            "");
}

TEST(Plan, OfEquationsTakesTheMethodsOfFitsForLeastSquaresOnly) {
  Plan plan;
  plan.data = {"a.csv"};
  plan.method.name = MethodName::Cg;
  EXPECT_EQ(check(plan).error().message, "--method cg is for fits: fedrk fit, or --least-squares");
  plan.method.least_squares = true;
  EXPECT_TRUE(check(plan));
}

}  // namespace
}  // namespace fedrk::io
