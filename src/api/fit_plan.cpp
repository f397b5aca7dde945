// SPDX-License-Identifier: Apache-2.0
#include "api/fit_plan.hpp"

#include <limits>
#include <utility>

#include "api/run_in_process.hpp"
#include "report/run_text.hpp"

namespace fedrk::api {
namespace {

MethodName name_of(FitMethod method) {
  switch (method) {
    case FitMethod::Gram:
      return MethodName::Gram;
    case FitMethod::ConjugateGradients:
      return MethodName::Cg;
    case FitMethod::Auto:
      break;
  }
  return MethodName::Auto;
}

std::vector<Coefficient> coefficients_of(const io::FinishedRun& run) {
  std::vector<Coefficient> coefficients;
  for (std::size_t j = 0; j < run.unknowns.size(); ++j) {
    const bool estimable = io::is_estimable(run, j);
    const double value = estimable ? run.coefficients[j] : std::numeric_limits<double>::quiet_NaN();
    coefficients.push_back({run.unknowns[j], value, estimable});
  }
  return coefficients;
}

}  // namespace

io::Plan fit_plan(const Formula& formula, const FitSettings& settings) {
  io::Plan plan;
  plan.set_job(io::Job::Fit);
  plan.target = formula.response;
  plan.intercept = formula.intercept;
  plan.default_intercept = false;
  plan.standardize = settings.standardize;
  plan.method.name = name_of(settings.method);
  put_into(settings, plan);
  return plan;
}

Fit fit_from(io::FinishedRun run) {
  Fit made(fit_text(run));
  made.coefficients = coefficients_of(run);
  made.converged = run.converged == true;
  made.status = status_of(run.result.termination, run.converged);
  made.stop_reason = io::stop_text(run);
  made.method = io::method_of(run);
  made.rows = run.rows;
  if (run.fit) {
    made.rank = run.fit->rank;
    made.df_residual = run.fit->df_residual;
    made.sigma = run.fit->sigma;
    made.r_squared = run.fit->r_squared;
  }
  made.warnings = std::move(run.warnings);
  made.rounds = run.result.history.size();
  made.history = std::move(run.result.history);
  return made;
}

}  // namespace fedrk::api
