// SPDX-License-Identifier: Apache-2.0
#include "report/privacy_forecast_text.hpp"

#include <fmt/format.h>

#include "analysis/privacy_forecast.hpp"
#include "fedrk/error.hpp"
#include "methods/private_mean.hpp"
#include "report/text.hpp"

namespace fedrk::api {

std::string privacy_forecast_text(const io::Plan& plan, std::span<const ClientSummary> roster, std::size_t unknowns) {
  const io::ResolvedPlan decided = io::resolve(plan, roster);
  if (!is<Private>(decided.goal)) return "";
  const RunOptions& run = decided.run;
  const privacy::PublicShape shape = public_shape(roster, unknowns, run.participants);
  const privacy::PrivacyPlan made = make_privacy_plan(plan.method.privacy, shape, run.rounds);
  const PrivacyForecast told = forecast(made, shape);
  const std::string promise = fmt::format("epsilon {:g} and delta {:g}", made.epsilon, made.delta);
  if (told.relative_error > kHopeless) {
    throw InvalidArgument(fmt::format(
        "{} rows of {} columns are too few for {}: the sum over {} participants needs noise of {} in every entry (the "
        "last of {} rounds), and the answer would have a relative error of about {}. What would help: more rows (the "
        "error falls as one over their number), fewer columns, a larger epsilon{}",
        shape.rows, shape.unknowns, promise, made.min_answers, brief(told.sigma), made.rounds.size(),
        brief(told.relative_error), plan.method.privacy.clip ? ", or --clip auto" : ""));
  }
  return fmt::format(
      "with {} a relative error of about {}, for {} rows of {} columns, {} participants and {} rounds, were "
      "columns and solution of unit scale",
      promise, brief(told.relative_error), shape.rows, shape.unknowns, shape.participants, made.rounds.size());
}

}  // namespace fedrk::api
