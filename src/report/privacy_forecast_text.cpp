// SPDX-License-Identifier: Apache-2.0
#include "report/privacy_forecast_text.hpp"

#include <fmt/format.h>

#include "fedrk/error.hpp"
#include "methods/private_mean.hpp"
#include "report/text.hpp"

namespace fedrk::api {

namespace {

privacy::PublicShape shape_of(const RunOptions& run, std::span<const ClientSummary> roster, std::size_t unknowns) {
  return public_shape(roster, unknowns, run.participants);
}

std::string promise_of(const privacy::PrivacyOptions& options) {
  return fmt::format("epsilon {:g} and delta {:g}", options.epsilon, options.delta);
}

std::string name_of(privacy::Mechanism mechanism, std::size_t rounds) {
  if (mechanism == privacy::Mechanism::Gram) return "one noisy Gram sum";
  return fmt::format("clipped passes in {} round{}", rounds, rounds == 1 ? "" : "s");
}

// Why it is this one.
std::string comparison(const MechanismChoice& choice, const privacy::PrivacyOptions& asked, bool one_sum) {
  const bool gram = choice.options.mechanism == privacy::Mechanism::Gram;
  if (choice.other) {
    return fmt::format(" (about {} by {})", brief(*choice.other), gram ? "clipped passes" : "a noisy Gram sum");
  }
  if (asked.mechanism != privacy::Mechanism::Auto || asked.clip || asked.row_clip) return " (as the plan says)";
  return one_sum ? "" : " (a noisy Gram sum would need all clients in one sum)";
}

}  // namespace

std::optional<MechanismChoice> mechanism_of(const io::Plan& plan, std::span<const ClientSummary> roster,
                                            std::size_t unknowns) {
  const io::ResolvedPlan decided = io::resolve(plan, roster);
  if (!is<Private>(decided.goal)) return std::nullopt;
  const privacy::PublicShape shape = shape_of(decided.run, roster, unknowns);
  MechanismChoice choice = choose_mechanism(plan.method.privacy, shape, decided.run.rounds);
  if (choice.forecast.relative_error <= kHopeless) return choice;
  const privacy::PrivacyOptions& asked = plan.method.privacy;
  const bool gram = choice.options.mechanism == privacy::Mechanism::Gram;
  throw InvalidArgument(fmt::format(
      "{} rows of {} columns are too few for {}: the sum over {} participants needs noise of {} in every entry ({}), "
      "and "
      "the answer would have a relative error of about {}{}. What would help: more rows (the error falls as one over "
      "their number), fewer columns, a larger epsilon{}",
      shape.rows, shape.unknowns, promise_of(asked), choice.min_answers, brief(choice.forecast.sigma),
      gram ? "one Gram sum" : fmt::format("the last of {} rounds", choice.rounds),
      brief(choice.forecast.relative_error), comparison(choice, asked, shape.participants == shape.clients),
      asked.clip       ? ", or --clip auto"
      : asked.row_clip ? ", or --row-clip auto"
                       : ""));
}

std::string privacy_forecast_text(const io::Plan& plan, std::span<const ClientSummary> roster, std::size_t unknowns) {
  const auto choice = mechanism_of(plan, roster, unknowns);
  if (!choice) return "";
  const privacy::PublicShape shape = shape_of(io::resolve(plan, roster).run, roster, unknowns);
  return fmt::format(
      "with {} a relative error of about {} by {}{}, for {} rows of {} columns and {} participants, were columns and "
      "solution of unit scale",
      promise_of(choice->options), brief(choice->forecast.relative_error),
      name_of(choice->options.mechanism, choice->rounds),
      comparison(*choice, plan.method.privacy, shape.participants == shape.clients), shape.rows, shape.unknowns,
      shape.participants);
}

}  // namespace fedrk::api
