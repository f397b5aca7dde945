// SPDX-License-Identifier: Apache-2.0
#include "methods/privacy_plan.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "fedrk/error.hpp"
#include "methods/gaussian_privacy.hpp"

namespace fedrk::privacy {
namespace {

constexpr double kLastClip = 1.0 / 12.0;  // of the first

double first_clip(const PrivacyOptions& options, const PublicShape& shape) {
  if (options.clip) return *options.clip;
  const double reach = 2.0 * std::sqrt(static_cast<double>(shape.unknowns));
  const double per_step = std::sqrt(2.0 / (std::numbers::pi * static_cast<double>(shape.unknowns)));
  const double steps = static_cast<double>(shape.rows) / static_cast<double>(shape.clients);
  return reach / (std::max(1.0, steps) * per_step);
}

double clip_of(std::uint32_t round, std::uint32_t rounds, double first) {
  if (rounds < 2) return first;
  return first * std::pow(kLastClip, static_cast<double>(round) / static_cast<double>(rounds - 1));
}

// The grid follows the noise that the clip alone asks for; what the grid and the arithmetic add to the sensitivity then
// makes the share a little larger, and the grid by comparison finer.
PrivateRound round_with(double clip, double rho, std::size_t min_answers, const PublicShape& shape) {
  PrivateRound made{.pass = {.clip = clip}, .rho = rho};
  const double shares = static_cast<double>(min_answers - 1);
  const double share = 2.0 * clip / std::sqrt(2.0 * rho * shares);
  made.pass.exponent = std::ilogb(share) - kGridBits;
  made.sigma = sensitivity(made.pass, shape.max_rows, shape.unknowns) / std::sqrt(2.0 * rho);
  made.pass.noise = made.sigma / std::sqrt(shares);
  return made;
}

}  // namespace

void PrivacyOptions::validate() const {
  if (!(epsilon >= 0.0) || epsilon > 1e3) throw InvalidArgument("epsilon is above 0 and at most 1000");
  if (!(delta > 0.0 && delta < 0.1)) {
    throw InvalidArgument(
        "delta is above 0 and below 0.1: it is the chance that epsilon does not hold, so well below one "
        "over the number of rows");
  }
  if (clip && !(*clip >= 0x1.0p-100 && *clip <= 0x1.0p100)) {
    throw InvalidArgument("the clip is a length in the units of x, above 0");
  }
  if (row_clip && !(*row_clip >= 0x1.0p-50 && *row_clip <= 0x1.0p50)) {
    throw InvalidArgument("the row clip is the length of a row in the units of the data, above 0");
  }
  if (clip && row_clip) {
    throw InvalidArgument("a clip is for passes and a row clip for the noisy Gram sum: give one of them");
  }
  if ((clip && mechanism == Mechanism::Gram) || (row_clip && mechanism == Mechanism::Passes)) {
    throw InvalidArgument("a clip is for passes, a row clip for the noisy Gram sum: the mechanism is the other one");
  }
}

namespace {

// Of every sum.
std::size_t least_answers(const PrivacyOptions& options, const PublicShape& shape) {
  options.validate();
  if (!options.on()) throw InvalidArgument("a plan for privacy needs an epsilon above 0");
  if (shape.participants < kMinParticipants) {
    throw InvalidArgument(
        "differential privacy needs at least 3 participants a round, not " + std::to_string(shape.participants) +
        ": each adds a share of the noise, and with fewer a participant that knows its own would know "
        "too much of the sum's");
  }
  const std::size_t min_answers = options.min_answers == 0 ? shape.participants : options.min_answers;
  if (min_answers < kMinParticipants || min_answers > shape.participants) {
    throw InvalidArgument("every sum is over at least 3 and at most " + std::to_string(shape.participants) +
                          " participants, so its least number of answers cannot be " + std::to_string(min_answers));
  }
  return min_answers;
}

// So that noise in A^T A and in A^T b, weighed by w, do the same harm: the least (1 + s)^2 (n + 1/s) over s = w^2.
double square_of_weight(double unknowns) { return (std::sqrt(1.0 + 8.0 * unknowns) - 1.0) / (4.0 * unknowns); }

// Of the columns' part of the mean n and variance 2n, and b with n standard Gaussian terms.
double row_clip_for(double unknowns) {
  constexpr double kDeviations = 1.0;
  const double of_rhs = square_of_weight(unknowns) * unknowns;
  return std::sqrt(unknowns + of_rhs + kDeviations * std::sqrt(2.0 * unknowns + 2.0 * of_rhs * of_rhs));
}

}  // namespace

PrivacyPlan make_privacy_plan(const PrivacyOptions& options, const PublicShape& shape, std::uint32_t rounds) {
  const std::size_t min_answers = least_answers(options, shape);
  if (rounds == 0) throw InvalidArgument("a run needs at least one round");
  PrivacyPlan plan{options.epsilon, options.delta, rho_of(options.epsilon, options.delta), min_answers, {}};
  const double each = plan.rho / static_cast<double>(rounds);
  const double first = first_clip(options, shape);
  for (std::uint32_t t = 0; t < rounds; ++t) {
    plan.rounds.push_back(round_with(clip_of(t, rounds, first), each, plan.min_answers, shape));
  }
  return plan;
}

// The grid as fine as for passes, unless there are so many rows that sums on it would not be exact.
GramPlan make_gram_plan(const PrivacyOptions& options, const PublicShape& shape) {
  const std::size_t min_answers = least_answers(options, shape);
  if (shape.participants != shape.clients) {
    throw InvalidArgument("a noisy Gram sum is one sum over all clients: leave the number of participants out");
  }
  const auto unknowns = static_cast<double>(shape.unknowns);
  GramPlan plan{options.epsilon, options.delta, rho_of(options.epsilon, options.delta), min_answers, {}};
  plan.work.bound = options.row_clip.value_or(row_clip_for(unknowns));
  plan.work.rhs_weight = std::sqrt(square_of_weight(unknowns));
  const double square = plan.work.bound * plan.work.bound, shares = static_cast<double>(min_answers - 1);
  const double share = std::sqrt(square * square / (plan.rho * shares));
  constexpr int kExactBits = 50;
  plan.work.exponent =
      std::max(std::ilogb(share) - kGridBits,
               std::ilogb(square * static_cast<double>(std::max<std::size_t>(1, shape.max_rows))) - kExactBits + 1);
  plan.sigma = sensitivity(plan.work, shape.max_rows, shape.unknowns) / std::sqrt(2.0 * plan.rho);
  plan.work.noise = plan.sigma / std::sqrt(shares);
  return plan;
}

}  // namespace fedrk::privacy
