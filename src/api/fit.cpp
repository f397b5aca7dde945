// SPDX-License-Identifier: Apache-2.0
#include "fedrk/fit.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "api/fit_plan.hpp"
#include "api/model_rows.hpp"
#include "api/run_in_process.hpp"

namespace fedrk {

double Fit::operator[](std::string_view name) const {
  const auto found = std::ranges::find(coefficients, name, &Coefficient::name);
  if (found == coefficients.end()) throw InvalidArgument(fmt::format("the fit has no coefficient '{}'", name));
  return found->value;
}

Fit fit(const std::vector<Table>& sites, std::string_view formula, const FitSettings& settings) {
  if (sites.empty()) throw InvalidArgument("no tables: a fit needs one or more");
  const api::Formula parsed = api::parse_formula(formula);
  return api::fit_from(
      api::run_in_process(api::fit_plan(parsed, settings), api::model_rows(sites, parsed), settings.threads,
                          {.title = parsed.response, .stop = settings.stop, .data_observers = settings.observers}));
}

}  // namespace fedrk
