// SPDX-License-Identifier: Apache-2.0
#include "report/horizon_text.hpp"

#include <string>

#include <fmt/format.h>

#include "report/text.hpp"

namespace fedrk::api {
namespace {

// Contradictory equations and a direction that converges very slowly look alike to a server, so both are named.
std::string hovering_text(const Horizon& horizon, const io::Plan& plan) {
  std::string text = fmt::format(
      "The relative residual has hovered around {} since round {}. Most often the equations contradict each other "
      "(noisy "
      "data): the iterates then circle the least-squares solution at a distance, the horizon.",
      brief(horizon.level), horizon.since_round);
  if (horizon.level >= 1.0) text += " It is as far off as x = 0 would be.";
  if (plan.run.sparsity > 0) text += " Keeping few entries adds to it; more may be needed (--keep).";
  if (plan.run.sparsity == 0) text += " fedrk fit finds the least-squares solution itself.";
  text +=
      plan.run.noise_columns > 0
          ? " To come closer with this method, try another number of noise columns (--noise-columns) or fewer local "
            "steps."
          : " To come closer with this method, add noise columns (--noise-columns, up to about three times the "
            "unknowns), take fewer local steps (--local-steps) or the mean of the iterates (--average tail).";
  if (!plan.standardize) {
    text += " Columns of very different size look the same, as their part converges slowly: --standardize mends that.";
  }
  return text + " fedrk inspect tells whether the equations contradict each other.";
}

std::string falling_text(const io::Plan& plan) {
  std::string text = "The residual was still falling: more rounds (--rounds) bring it lower.";
  if (!plan.standardize) text += " Columns of very different size make it slow: --standardize mends that.";
  return text;
}

}  // namespace

io::Convergence convergence_of(const Horizon& horizon, const io::Plan& plan, bool ended_early) {
  io::Convergence convergence{
      .progress = "unknown", .level = horizon.level, .since_round = horizon.since_round, .message = ""};
  switch (horizon.progress) {
    case Progress::Unknown:
      break;
    case Progress::Falling:
      convergence.progress = "falling";
      if (ended_early) convergence.message = falling_text(plan);
      break;
    case Progress::AtRounding:
      convergence.progress = "at_rounding";
      convergence.message = fmt::format("Solved to rounding: the relative residual is {}.", brief(horizon.level));
      break;
    case Progress::AtRest:
      convergence.progress = "at_rest";
      convergence.message = fmt::format(
          "x has come to rest with a relative residual of {}: the equations contradict each other (noisy data), and "
          "more "
          "rounds change nothing.",
          brief(horizon.level));
      break;
    case Progress::Hovering:
      convergence.progress = "hovering";
      convergence.message = hovering_text(horizon, plan);
      break;
  }
  return convergence;
}

}  // namespace fedrk::api
