// SPDX-License-Identifier: Apache-2.0
#include "show_run.hpp"

#include <string>
#include <utility>

#include "api/privacy_forecast_words.hpp"
#include "output.hpp"

namespace fedrk::app {

io::FinishedRun show_run(Engine& engine, const io::Plan& plan, io::Problem problem, api::RunPlanOptions options,
                         ProgressStyle style) {
  const std::string expected = api::privacy_forecast_words(plan, engine.roster(), engine.dimension());
  if (!expected.empty()) say("fedrk: forecast: " + expected + '\n');
  ProgressDisplay progress(style, api::most_rounds(io::resolve(plan, engine.roster())));
  options.observers.insert(options.observers.begin(), &progress);
  io::FinishedRun run = api::run_plan(engine, plan, std::move(problem), options);
  progress.finish();
  return run;
}

}  // namespace fedrk::app
