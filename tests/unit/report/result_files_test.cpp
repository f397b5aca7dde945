// SPDX-License-Identifier: Apache-2.0
#include "report/result_files.hpp"

#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/temp_folder.hpp"

namespace fedrk::io {
namespace {

FinishedRun small_run() {
  FinishedRun run;
  run.title = "demo";
  run.plan.data = {"a.csv"};
  run.plan.target = "y";
  run.plan.run.sparsity = 1;
  run.resolved = resolve(run.plan);
  run.client_names = {"north", "so;uth"};
  run.client_rows = {3, 4};
  run.unknowns = {"u", "v,w"};
  run.coefficients = {0.5, 0.0};
  run.standardized = true;
  run.rows = 7;
  run.selection_counts = {1, 2};
  run.selection_order = {1, 0};
  run.result.bytes_up = 110;
  run.result.bytes_down = 220;
  run.errors = {0.5, 0.25};
  run.warnings = {"careful"};
  run.result.x = {2.0, 0.0};
  run.result.relative_residual = 0.125;
  run.result.history.resize(2);
  run.result.history[0] = {RoundIndex{0}, {ClientId{0}, ClientId{1}}, {}, 1.0, 0.75, 0.001, 100, 200};
  run.result.history[1] = {RoundIndex{1}, {ClientId{1}}, {{ClientId{0}, "late"}}, std::nullopt, 0.5, 0.001, 10, 20};
  return run;
}

// The keys that others build on. Removing or renaming one breaks them.
TEST(ResultJson, HasTheDocumentedKeys) {
  const auto document = nlohmann::json::parse(result_json(small_run()));

  for (const char* key : {"version",   "title",   "status",         "stop_reason",       "stop_words",  "method",
                          "problem",   "options", "rounds",         "relative_residual", "goal",        "converged",
                          "criterion", "fit",     "relative_error", "seconds",           "bytes_up",    "bytes_down",
                          "seed",      "clients", "coefficients",   "selection",         "convergence", "warnings"}) {
    EXPECT_TRUE(document.contains(key)) << key;
  }
  EXPECT_EQ(document["status"], "finished:completed");
  EXPECT_EQ(document["stop_reason"], "round_limit");
  EXPECT_EQ(document["rounds"], 2);
  EXPECT_EQ(document["bytes_up"], 110);
  EXPECT_EQ(document["bytes_down"], 220);
  EXPECT_EQ(document["relative_error"], 0.25);
  EXPECT_EQ(document["clients"][0], (nlohmann::json{{"name", "north"}, {"rows", 3}, {"rounds", 1}, {"absences", 1}}));
  EXPECT_EQ(document["coefficients"][0], (nlohmann::json{{"name", "u"}, {"coefficient", 0.5}, {"standardized", 2.0}}));
  EXPECT_EQ(document["selection"][0], (nlohmann::json{{"name", "v,w"}, {"count", 2}}));
}

TEST(ResultJson, HoldsNoNumberThatIsNotFinite) {
  FinishedRun run = small_run();
  run.result.relative_residual = std::numeric_limits<double>::infinity();
  run.coefficients[0] = std::numeric_limits<double>::quiet_NaN();
  run.errors.clear();

  const auto document = nlohmann::json::parse(result_json(run));

  EXPECT_TRUE(document["relative_residual"].is_null());
  EXPECT_TRUE(document["relative_error"].is_null());
  EXPECT_TRUE(document["coefficients"][0]["coefficient"].is_null());
}

TEST(ResultJson, ReplacesNamesThatAreNotUtf8) {
  FinishedRun run = small_run();
  run.unknowns[0] = "caf\xe9";

  EXPECT_TRUE(nlohmann::json::accept(result_json(run)));
}

TEST(ResultFiles, SayWhyARunEnded) {
  FinishedRun run = small_run();
  run.plan.tolerance = 1e-6;
  run.resolved = resolve(run.plan);
  const auto ended = [&](Termination termination) {
    run.result.termination = termination;
    return status_of(run) + " " + stop_reason_of(termination) + ": " + stop_text(run);
  };

  EXPECT_EQ(ended(Termination::RoundLimit), "finished:completed round_limit: all 2 rounds were made");
  EXPECT_EQ(ended(Termination::Tolerance),
            "finished:completed tolerance: the tolerance of 1e-06 was reached after 2 rounds");
  EXPECT_EQ(ended(Termination::Stagnation),
            "finished:completed stagnation: the residual had stopped falling by round 2");
  EXPECT_EQ(ended(Termination::Converged), "finished:completed converged: the method converged after 2 rounds");
  EXPECT_EQ(ended(Termination::Interrupted), "finished:stopped interrupted: the run was interrupted after 2 rounds");
  EXPECT_EQ(ended(Termination::Deadline),
            "finished:stopped deadline: the time limit of the run was reached after 2 rounds");
  EXPECT_EQ(ended(Termination::ClientsLost), "finished:failed clients_lost: too few clients were left in round 3");
  EXPECT_EQ(ended(Termination::Diverged), "finished:failed diverged: x left the range of numbers in round 2");
}

TEST(ResultFiles, SayWhetherARunConverged) {
  FinishedRun run = small_run();
  const auto told = [&](std::optional<bool> converged) {
    run.converged = converged;
    const auto document = nlohmann::json::parse(result_json(run));
    return document["status"].get<std::string>() + " " + document["converged"].dump();
  };

  EXPECT_EQ(told(true), "finished:completed true");
  EXPECT_EQ(told(std::nullopt), "finished:completed null");
  EXPECT_EQ(told(false), "finished:unconverged false");
  run.result.termination = Termination::Interrupted;
  EXPECT_EQ(told(false), "finished:stopped false");
  run.result.termination = Termination::ClientsLost;
  EXPECT_EQ(told(false), "finished:failed false");
}

// A fit of y by u and by v,w, which is a multiple of u.
FinishedRun small_fit() {
  FinishedRun run = small_run();
  run.plan.set_job(Job::Fit);
  run.plan.run.sparsity = 0;
  run.resolved = resolve(run.plan);
  run.selection_counts.clear();
  run.selection_order.clear();
  run.standardized = false;
  run.method = "gram";
  run.converged = true;
  run.fit = FitSummary{.rows = 7, .rank = 1, .df_residual = 6.0, .sigma = 0.5, .criterion = 1e-12};
  run.fit->not_estimable = {1};
  run.not_estimable = {"v,w"};
  return run;
}

TEST(ResultJson, OfAFitTellsTheModel) {
  const auto document = nlohmann::json::parse(result_json(small_fit()));

  EXPECT_EQ(document["goal"], "fit");
  EXPECT_EQ(document["method"], "gram");
  EXPECT_EQ(document["converged"], true);
  EXPECT_EQ(document["criterion"], 1e-12);
  EXPECT_EQ(document["model"], (nlohmann::json{{"family", "gaussian"},
                                               {"rows", 7},
                                               {"rank", 1},
                                               {"df_residual", 6.0},
                                               {"sigma", 0.5},
                                               {"r_squared", nullptr}}));
  EXPECT_EQ(document["coefficients"][0], (nlohmann::json{{"name", "u"}, {"coefficient", 0.5}}));
  EXPECT_EQ(document["coefficients"][1], (nlohmann::json{{"name", "v,w"}, {"coefficient", nullptr}}));
  EXPECT_FALSE(document["options"].contains("local_steps"));
}

TEST(ResultJson, OfAFitThatNothingIsKnownOfHasNulls) {
  FinishedRun run = small_fit();
  run.fit.reset();
  run.converged.reset();

  const auto document = nlohmann::json::parse(result_json(run));

  EXPECT_EQ(document["model"]["rows"], 7);
  EXPECT_TRUE(document["model"]["rank"].is_null());
  EXPECT_TRUE(document["criterion"].is_null());
  EXPECT_TRUE(document["converged"].is_null());
}

TEST(ResultFiles, LeaveACoefficientThatIsNotEstimableEmpty) {
  EXPECT_EQ(solution_csv(small_fit()), "name,coefficient\nu,0.5\n\"v,w\",\n");
}

TEST(ResultFiles, AreTablesThatOtherProgramsRead) {
  EXPECT_EQ(solution_csv(small_run()), "name,coefficient,standardized\nu,0.5,2\n\"v,w\",0,0\n");
  EXPECT_EQ(history_csv(small_run()),
            "round,participants,absent,residual,movement,seconds,bytes_up,bytes_down,error,reasons\n"
            "1,\"north;so,uth\",,1,0.75,0.001000,100,200,0.5,\n"
            "2,\"so,uth\",north,,0.5,0.001000,10,20,0.25,late\n");

  FinishedRun complete = small_run();
  complete.result.history.pop_back();
  EXPECT_TRUE(history_csv(complete).starts_with(
      "round,participants,absent,residual,movement,seconds,bytes_up,bytes_down,error\n"));
}

TEST(ResultFiles, AreAllWritten) {
  const test::TempFolder folder;

  ASSERT_TRUE(write_run_files(folder.path(), small_run()));

  EXPECT_EQ(folder.count(), 4);
  EXPECT_EQ(folder.read("result.json"), result_json(small_run()));
}

}  // namespace
}  // namespace fedrk::io
