// SPDX-License-Identifier: Apache-2.0
#include "fedrk/fit.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "api/fit_text.hpp"
#include "api/formula.hpp"
#include "api/model_rows.hpp"
#include "api/run_in_process.hpp"

namespace fedrk {
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

io::Plan plan_of(const api::Formula& formula, const FitSettings& settings) {
  io::Plan plan;
  plan.set_goal(io::Goal::Fit);
  plan.target = formula.response;
  plan.intercept = formula.intercept;
  plan.usual_intercept = false;
  plan.standardize = settings.standardize;
  plan.method.name = name_of(settings.method);
  api::put_into(settings, plan);
  return plan;
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

double Fit::operator[](std::string_view name) const {
  const auto found = std::ranges::find(coefficients, name, &Coefficient::name);
  if (found == coefficients.end()) throw InvalidArgument(fmt::format("the fit has no coefficient '{}'", name));
  return found->value;
}

Fit fit(const std::vector<Table>& sites, std::string_view formula, const FitSettings& settings) {
  if (sites.empty()) throw InvalidArgument("no tables: a fit needs one or more");
  const api::Formula parsed = api::parse_formula(formula);
  io::FinishedRun run =
      api::run_in_process(plan_of(parsed, settings), api::model_rows(sites, parsed), settings.threads,
                          {.title = parsed.response, .stop = settings.stop, .data_observers = settings.observers});
  Fit made;
  made.summary_ = api::fit_text(run);
  made.coefficients = coefficients_of(run);
  made.converged = run.converged == true;
  made.status = status_of(run.result.termination, run.converged);
  made.stop_reason = io::stop_words(run);
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

}  // namespace fedrk
