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
}

PrivacyPlan make_privacy_plan(const PrivacyOptions& options, const PublicShape& shape, std::uint32_t rounds) {
  options.validate();
  if (!options.on()) throw InvalidArgument("a plan for privacy needs an epsilon above 0");
  if (rounds == 0) throw InvalidArgument("a run needs at least one round");
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
  PrivacyPlan plan{options.epsilon, options.delta, rho_of(options.epsilon, options.delta), min_answers, {}};
  const double each = plan.rho / static_cast<double>(rounds);
  const double first = first_clip(options, shape);
  for (std::uint32_t t = 0; t < rounds; ++t) {
    plan.rounds.push_back(round_with(clip_of(t, rounds, first), each, plan.min_answers, shape));
  }
  return plan;
}

}  // namespace fedrk::privacy
