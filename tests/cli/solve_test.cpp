// SPDX-License-Identifier: Apache-2.0

// fedrk solve as a user runs it.

#include <algorithm>
#include <map>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "data/dataset.hpp"
#include "support/direct_solver.hpp"
#include "support/program.hpp"
#include "support/tiny_systems.hpp"

namespace fedrk {
namespace {

using nlohmann::json;
const std::string kProstate = FEDRK_SOURCE "/data/prostate.toml";

std::vector<std::string> most_selected(const json& result, std::size_t count) {
  std::vector<std::string> names;
  for (const auto& entry : result["selection"]) names.push_back(entry["name"]);
  names.resize(count);
  std::ranges::sort(names);
  return names;
}

// Figure 4 of the paper: the features that the Lasso selects, and the intercept.
TEST(Solve, SelectsTheFeaturesOfTheProstateData) {
  const test::Program program;
  for (int seed = 1; seed <= 5; ++seed) {
    const auto ended = program.run("solve " + kProstate + " --format json --seed " + std::to_string(seed));

    ASSERT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(most_selected(json::parse(ended.out), 5),
              (std::vector<std::string>{"(Intercept)", "lbph", "lcavol", "lweight", "svi"}))
        << "seed " << seed;
  }
}

TEST(Solve, LeavesTheFilesOfARun) {
  const test::Program program;

  const auto ended = program.run("solve " + kProstate + " --out runs/demo");

  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  for (const char* name : {"plan.toml", "result.json", "solution.csv", "history.csv", "report.html"}) {
    EXPECT_TRUE(std::filesystem::exists(program.path("runs/demo") / name)) << name;
  }
  EXPECT_NE(ended.out.find("Report: runs/demo/report.html"), std::string::npos);
  EXPECT_NE(ended.out.find("lcavol"), std::string::npos);
  EXPECT_NE(ended.err.find("[ROUND 2000/2000] 3 of 3 replied, residual "), std::string::npos) << ended.err;
  const json result = json::parse(program.folder().read("runs/demo/result.json"));
  EXPECT_EQ(result["status"], "finished:completed");
  EXPECT_EQ(result["clients"].size(), 7);
  EXPECT_EQ(result["clients"][6]["rows"], 13);
}

TEST(Solve, RepeatsARunFromItsPlanToTheBitWithAnyNumberOfThreads) {
  const test::Program program;
  ASSERT_EQ(program.run("generate gaussian --rows 300 --cols 120 --clients 6 --seed 5 --out p").exit_code, 0);
  ASSERT_EQ(
      program.run("solve p/plan.toml --participants 4 --local-steps 200 --rounds 40 --threads 1 --out one").exit_code,
      0);

  ASSERT_EQ(program.run("solve one/plan.toml --threads 2 --out two").exit_code, 0);
  ASSERT_EQ(program.run("solve one/plan.toml --seed 6 --out other").exit_code, 0);

  EXPECT_EQ(program.folder().read("one/solution.csv"), program.folder().read("two/solution.csv"));
  EXPECT_NE(program.folder().read("one/solution.csv"), program.folder().read("other/solution.csv"));
}

TEST(Solve, ReachesTheToleranceThatIsAskedFor) {
  const test::Program program;
  ASSERT_EQ(program.run("generate gaussian --rows 200 --cols 50 --as mtx --out p").exit_code, 0);

  const auto solved = program.run(
      "solve --matrix p/A.mtx --rhs p/b.mtx --truth p/x.mtx --clients 8 --participants 3 --local-steps inf "
      "--tolerance 1e-10 --format json");
  const auto too_short = program.run("solve p/plan.toml --clients 8 --tolerance 1e-10 --rounds 3 --format json");

  EXPECT_EQ(solved.exit_code, 0) << solved.err;
  const json result = json::parse(solved.out);
  EXPECT_EQ(result["stop_reason"], "tolerance");
  EXPECT_LE(result["relative_residual"].get<double>(), 1e-10);
  EXPECT_LE(result["relative_error"].get<double>(), 1e-9);
  EXPECT_EQ(too_short.exit_code, 3);
  EXPECT_EQ(json::parse(too_short.out)["stop_reason"], "round_limit");
}

TEST(Solve, GivesUpOnAnInconsistentSystemAndSaysWhatToDo) {
  const test::Program program;
  ASSERT_EQ(program.run("generate inconsistent --rows 200 --cols 20 --clients 4 --out p").exit_code, 0);

  const auto ended = program.run("solve p/plan.toml --method fedrk --rounds 100000 --tolerance 1e-6");

  EXPECT_EQ(ended.exit_code, 3);
  EXPECT_NE(ended.out.find("the residual had stopped falling"), std::string::npos);
  EXPECT_NE(ended.err.find("hovered around"), std::string::npos);
  EXPECT_NE(ended.err.find("fedrk fit"), std::string::npos);
  EXPECT_NE(ended.err.find("--noise-columns"), std::string::npos);
}

// Equations that contradict each other are nothing to guess about: least squares is what was asked for, or is not done.
TEST(Solve, GoesToTheLeastSquaresSolutionOnlyWhereAskedTo) {
  const test::Program program;
  ASSERT_EQ(program.run("generate inconsistent --rows 200 --cols 20 --clients 4 --out p").exit_code, 0);

  for (const char* participants : {"all", "2"}) {
    const std::string solve =
        "solve p/plan.toml --tolerance 1e-9 --format json --participants " + std::string(participants);
    const auto unasked = program.run(solve);
    const auto ended = program.run(solve + " --least-squares");

    EXPECT_EQ(unasked.exit_code, 3) << unasked.err;
    EXPECT_EQ(json::parse(unasked.out)["status"], "finished:unconverged");
    EXPECT_EQ(json::parse(unasked.out)["stop_reason"], "contradictory");
    ASSERT_EQ(ended.exit_code, 0) << ended.err;
    const json result = json::parse(ended.out);
    EXPECT_EQ(result["stop_reason"], "converged");
    EXPECT_EQ(result["convergence"]["progress"], "converged");
    EXPECT_EQ(result["method"], "cg");
    EXPECT_EQ(result["options"]["reveal"], "sums");
  }
}

TEST(Solve, SaysWhatItPickedForEquationsThatHaveASolution) {
  const test::Program program;
  ASSERT_EQ(program.run("generate gaussian --rows 200 --cols 60 --clients 4 --out p").exit_code, 0);

  const auto ended = program.run("solve p/plan.toml --tolerance 1e-9");
  const auto by_fedrk = program.run("solve p/plan.toml --tolerance 1e-9 --method fedrk --format json");
  const auto picked = program.run("solve p/plan.toml --tolerance 1e-9 --format json");

  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_NE(ended.out.find("4 clients, by hyperplanes;"), std::string::npos) << ended.out;
  EXPECT_EQ(json::parse(picked.out)["method"], "hyperplanes");
  EXPECT_EQ(json::parse(by_fedrk.out)["method"], "fedrk");
  EXPECT_LT(json::parse(picked.out)["rounds"], json::parse(by_fedrk.out)["rounds"]);
}

TEST(Solve, FindsTheEntriesOfASparseSolutionAndFitsThemAnew) {
  const test::Program program;
  ASSERT_EQ(program.run("generate sparse --rows 256 --cols 300 --clients 8 --out p").exit_code, 0);

  const auto ended =
      program.run("solve p/plan.toml --keep all --sparse soft:1 --refit --participants 4 --rounds 100 --format json");

  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const json result = json::parse(ended.out);
  int entries = 0;
  for (const json& entry : result["coefficients"]) entries += entry["coefficient"] != 0.0 ? 1 : 0;
  EXPECT_EQ(entries, 9);  // as many as the problem was made with
  EXPECT_LT(result["relative_error"], 0.005);
  EXPECT_NE(result["stop_words"].get<std::string>().find("more to refit"), std::string::npos);
  EXPECT_NE(ended.err.find("[ROUND 100/100]"), std::string::npos) << ended.err;
  EXPECT_NE(ended.err.find("[REFIT 1] "), std::string::npos) << ended.err;
}

// Patients contradict each other, so x never rests, and which entries are zero in the last round is up to the draws.
// What is fitted is not: the same as where nothing is left out before the fit.
TEST(Solve, SelectsTheSameFeaturesWhateverTheDraws) {
  const test::Program program;
  const auto selected = [&](const std::string& weight, int seed) {
    const auto ended =
        program.run("solve " + kProstate + " --method auto --keep all --server-steps 1 --participants 3" +
                    " --local-steps 30 --rounds 300 --refit --format json --sparse soft:" + weight + " --seed " +
                    std::to_string(seed));
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    const json result = json::parse(ended.out);
    std::string names;
    for (const json& entry : result["coefficients"]) {
      if (entry["coefficient"] != 0.0) names += entry["name"].get<std::string>() + " ";
    }
    return names;
  };
  const std::string all = selected("1e-6", 1);

  EXPECT_EQ(all, "(Intercept) lcavol ");
  for (int seed = 1; seed <= 12; ++seed) EXPECT_EQ(selected("1", seed), all) << "seed " << seed;
}

TEST(Solve, FindsTheLeastSquaresFitOfTheProstateData) {
  const test::Program program;
  auto table = io::read_table(FEDRK_SOURCE "/data/prostate.csv",
                              {.target = "lpsa", .ignore = {}, .group_by = "", .margins = {}});
  ASSERT_TRUE(table) << table.error().message;
  add_intercept(table->system);
  const auto expected = test::least_squares(table->system);

  const auto ended = program.run("solve " + kProstate +
                                 " --method auto --keep all --local-steps auto --least-squares "
                                 "--tolerance 0 --format json");

  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const json result = json::parse(ended.out);
  for (std::size_t j = 0; j < expected.size(); ++j) {
    // The run ends at rounding in standardised units; the intercept in those of the data loses three digits.
    EXPECT_NEAR(result["coefficients"][j]["coefficient"].get<double>(), expected[j], 1e-8);
  }
}

TEST(Solve, RefusesWhatDoesNotGoTogether) {
  const test::Program program;
  ASSERT_EQ(program.run("generate gaussian --rows 40 --cols 10 --clients 4 --out p").exit_code, 0);
  for (const char* flags : {"--ridge 1 --method fedrk", "--method fedrk --memory 5", "--method fedrk --reveal sums",
                            "--sparse soft:1 --local-steps inf", "--refit", "--hyperplanes published --memory 3",
                            "--row-sampling greedy --local-memory 0"}) {
    const auto ended = program.run("solve p/plan.toml " + std::string(flags));
    EXPECT_EQ(ended.exit_code, 2) << flags;
    EXPECT_EQ(std::ranges::count(ended.err, '\n'), 1) << ended.err;
  }
}

TEST(Solve, LetsAFlagWinOverThePlan) {
  const test::Program program;

  const auto ended = program.run("solve " + kProstate + " --rounds 10 --keep all --no-standardize --format json");

  ASSERT_EQ(ended.exit_code, 3) << ended.err;  // ten rounds are too few
  const json result = json::parse(ended.out);
  EXPECT_EQ(result["rounds"], 10);
  EXPECT_FALSE(result.contains("selection"));
  EXPECT_EQ(result["problem"]["standardized"], false);
}

TEST(Solve, LeavesAValidResultWhenItIsInterrupted) {
  const test::Program program;

  for (const std::string signal : {"INT", "TERM"}) {
    const auto ended = program.shell("'" FEDRK_PROGRAM "' solve " + kProstate +
                                     " --rounds 4000000000 --progress none --overwrite --out run & "
                                     "sleep 0.5; kill -" +
                                     signal + " $!; wait $!");

    EXPECT_EQ(ended.exit_code, 3) << ended.err;
    const json result = json::parse(program.folder().read("run/result.json"));
    EXPECT_EQ(result["status"], "finished:stopped");
    EXPECT_EQ(result["stop_reason"], "interrupted");
    EXPECT_GT(result["rounds"], 0);
    EXPECT_EQ(result["coefficients"].size(), 9);
  }
}

// Large arrays are used where they are on the disk. A run that would never end by itself meets the missing pages.
TEST(Solve, SaysThatAFileWasCutShortWhileItWasUsed) {
  const test::Program program;
  ASSERT_EQ(program.run("generate gaussian --rows 2048 --cols 4096 --out p").exit_code, 0);  // 64 MB

  const auto ended =
      program.shell("'" FEDRK_PROGRAM
                    "' solve p/plan.toml --rounds 4000000000 --progress none & "
                    "for k in $(seq 600); do grep -qs 'rw-p.*A.npy' /proc/$!/maps && break; sleep 0.05; done; "
                    "truncate -s 4096 p/A.npy; wait $!");

  EXPECT_EQ(ended.exit_code, 1);
  EXPECT_EQ(ended.err,
            "fedrk: a data file became shorter or unreadable while it was being used; run again with the whole file\n");
}

// Fewer equations than unknowns, so that the rounded ones have a solution too: the one nearest to zero is found.
TEST(Solve, WithRowsOfFloatsFindsTheSolutionOfTheRoundedSystem) {
  const test::Program program;
  ASSERT_EQ(program.run("generate gaussian --rows 30 --cols 80 --out p").exit_code, 0);
  ASSERT_EQ(program.run("generate gaussian --rows 30 --cols 80 --density 0.3 --as mtx --out q").exit_code, 0);
  for (const std::string files : {"p", "q"}) {
    const std::string ending = files == "p" ? ".npy" : ".mtx";
    const auto ended = program.run("solve " + files + "/plan.toml --clients 3 --local-steps 40 --rounds 20000 " +
                                   "--tolerance 1e-13 --storage float32 --out run-" + files + " --format json");

    ASSERT_EQ(ended.exit_code, 0) << ended.err;
    const json result = json::parse(ended.out);
    EXPECT_EQ(result["problem"]["storage"], "float32");
    EXPECT_NE(program.folder().read("run-" + files + "/plan.toml").find("storage = \"float32\""), std::string::npos);
    auto rows = io::read_matrix(program.path(files) / ("A" + ending));
    auto rhs = io::read_vector(program.path(files) / ("b" + ending));
    ASSERT_TRUE(rows && rhs);
    LinearSystem system{*std::move(rows), *std::move(rhs)};
    const std::vector<double> unrounded = test::least_squares(system);
    store_as_floats(system);
    std::vector<double> x;
    for (const auto& entry : result["coefficients"]) x.push_back(entry["coefficient"]);
    // The residual tells the error up to the condition number, some tens here; rounding moves x by some 1e-8.
    EXPECT_LT(test::relative_distance(x, test::least_squares(system)), 1e-11) << files;
    EXPECT_GT(test::relative_distance(x, unrounded), 1e-9) << files;
  }
}

TEST(Solve, PrintsOneJsonDocumentAndNothingElse) {
  const test::Program program;

  const auto ended = program.run("solve " + kProstate + " --format json --out run");

  EXPECT_TRUE(json::accept(ended.out));
  EXPECT_EQ(ended.out, program.folder().read("run/result.json"));
  EXPECT_NE(ended.err.find("Report: run/report.html"), std::string::npos);
}

TEST(Solve, DoesNotReplaceARunUnasked) {
  const test::Program program;
  ASSERT_EQ(program.run("solve " + kProstate + " --rounds 5 --out run").exit_code, 0);

  const auto refused = program.run("solve " + kProstate + " --rounds 6 --out run");

  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(refused.err, "fedrk: run already holds a run; choose another --out, or add --overwrite\n");
  EXPECT_EQ(program.run("solve " + kProstate + " --rounds 6 --out run --overwrite").exit_code, 0);
}

TEST(Solve, DoesNotReplaceAUsersPlanUnasked) {
  const test::Program program;
  const std::string own =
      "# mine\ndata = ['" FEDRK_SOURCE "/data/prostate.csv']\ntarget = 'lpsa'\nclients = 7\nrounds = 5\n";
  std::filesystem::create_directory(program.path("study"));
  program.folder().write("study/plan.toml", own);

  const auto refused = program.run("solve study/plan.toml --out study");

  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(refused.err,
            "fedrk: study already holds a file plan.toml, which the run would replace; choose another --out, or add "
            "--overwrite\n");
  EXPECT_EQ(program.folder().read("study/plan.toml"), own);
}

TEST(Solve, HelpsWithGroupsDefaultsAndAnExample) {
  const auto help = test::Program().run("solve --help");

  EXPECT_EQ(help.exit_code, 0);
  for (const char* part :
       {"Data:", "Method:", "Stopping:", "Output:", "--local-steps N|inf", "[auto]", "Examples:", "Exit codes:"}) {
    EXPECT_NE(help.out.find(part), std::string::npos) << part << "\n" << help.out;
  }
}

// ---- Differential privacy.

TEST(Solve, TriesDifferentialPrivacyAndSaysWhatToExpectAndWhatItDoesNotDo) {
  const test::Program program;
  ASSERT_EQ(program.run("generate gaussian --rows 8000 --cols 5 --noise 0.5 --clients 4 --out p").exit_code, 0);

  const auto ended =
      program.run("solve p/plan.toml --epsilon 1 --delta 1e-5 --mechanism passes --format json --out runs/private");

  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const json result = json::parse(ended.out);
  EXPECT_NE(ended.err.find("forecast: with epsilon 1 and delta 1e-05 a relative error of about 0.0"), std::string::npos)
      << ended.err;
  EXPECT_NE(ended.err.find("trial of differential privacy in one process"), std::string::npos) << ended.err;
  EXPECT_EQ(result["rounds"], 6);
  EXPECT_TRUE(result["relative_residual"].is_null());
  EXPECT_LT(result["relative_error"].get<double>(), 0.05);
  EXPECT_NE(result["method_notes"][0].get<std::string>().find("epsilon 1 and delta 1e-05"), std::string::npos);
  EXPECT_NE(result["method_notes"][1].get<std::string>().find("forecast"), std::string::npos);

  const auto again = program.run("solve runs/private/plan.toml --format json");  // as it was kept
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(json::parse(again.out)["coefficients"], result["coefficients"]);
}

// The iterates arrive, the mean of all of them has the first in it.
TEST(Solve, DoesNotCallAnUnconvergedMeanConverged) {
  const test::Program program;
  ASSERT_EQ(program.run("generate gaussian --rows 60 --cols 5 --clients 4 --out p").exit_code, 0);

  const auto ended = program.run(
      "solve p/plan.toml --method auto --participants 4 --average tail:1 --tolerance 1e-12 "
      "--out run");

  EXPECT_EQ(ended.exit_code, 3) << ended.err;
  EXPECT_EQ((ended.err + ended.out).find("the method converged"), std::string::npos) << ended.err << ended.out;
  EXPECT_NE(ended.err.find("Warning: not converged: the residual had stopped falling by round "), std::string::npos)
      << ended.err;
  EXPECT_NE(ended.err.find("leave --average out"), std::string::npos) << ended.err;
  const json result = json::parse(program.folder().read("run/result.json"));
  EXPECT_EQ(result["converged"], false);
  EXPECT_EQ(result["stop_reason"], "stagnation");
}

TEST(Solve, WarnsOfServerStepsThatTheMethodDoesNotMake) {
  const test::Program program;
  ASSERT_EQ(program.run("generate gaussian --rows 60 --cols 5 --clients 4 --out p").exit_code, 0);
  const auto warns = [&](const std::string& flags) {
    const auto ended = program.run("solve p/plan.toml --server-sampling squared-norm --server-steps inf " + flags);
    return ended.err.find("--server-steps and --server-sampling had no effect") != std::string::npos;
  };

  EXPECT_TRUE(warns("--method auto"));
  EXPECT_TRUE(warns("--method auto --least-squares --tolerance auto"));
  EXPECT_FALSE(warns("--method fedrk"));
  EXPECT_FALSE(warns("--method auto --reveal updates --memory 0"));
}

TEST(Solve, RefusesAHopelessPrivatePlanWithTheNumbers) {
  const test::Program program;

  const auto ended = program.run("solve --data " FEDRK_SOURCE
                                 "/data/prostate.csv --target lpsa --clients 7 --intercept --epsilon 1 "
                                 "--out runs/hopeless");

  EXPECT_EQ(ended.exit_code, 2) << ended.err;
  EXPECT_NE(ended.err.find("97 rows of 9 columns are too few for epsilon 1 and delta 1e-06"), std::string::npos)
      << ended.err;
  EXPECT_NE(ended.err.find("needs noise of "), std::string::npos);
  EXPECT_NE(ended.err.find("relative error of about "), std::string::npos);
  EXPECT_NE(ended.err.find("What would help: more rows"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(program.path("runs/hopeless/run.db")));
}

TEST(Solve, RefusesWhatDoesNotGoWithDifferentialPrivacy) {
  const test::Program program;
  ASSERT_EQ(program.run("generate gaussian --rows 4000 --cols 3 --noise 0.5 --clients 2 --as csv --out p").exit_code,
            0);

  EXPECT_NE(program.run("solve p/plan.toml --epsilon 1").err.find("at least 3 participants a round, not 2"),
            std::string::npos);
  const std::string prostate = "solve --data " FEDRK_SOURCE "/data/prostate.csv --target lpsa --clients 7 --epsilon 1";
  EXPECT_NE(program.run(prostate + " --standardize").err.find("--standardize tells the sums"), std::string::npos);
  EXPECT_NE(program.run("solve p/plan.toml --epsilon 1 --tolerance 0.1").err.find("residuals are not private"),
            std::string::npos);
  EXPECT_NE(program.run("solve p/plan.toml --clip 1").err.find("give an epsilon too"), std::string::npos);
}

}  // namespace
}  // namespace fedrk
