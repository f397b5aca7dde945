// SPDX-License-Identifier: Apache-2.0
#include "methods/private_gram.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "fedrk/error.hpp"
#include "linalg/dense.hpp"
#include "round/state_stream.hpp"

namespace fedrk {
namespace {

std::string short_text(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", number);
  return text;
}

struct NormalEquations {
  std::vector<double> products, rhs;  // A^T A, row after row, and A^T b
};

// From the upper triangle of [A wb], row after row, whose entries beside the diagonal count sqrt(2) times.
NormalEquations normal_equations(std::span<const double> triangle, std::size_t n, double rhs_weight) {
  NormalEquations made{std::vector<double>(n * n), std::vector<double>(n)};
  std::size_t at = 0;
  for (std::size_t i = 0; i < n; ++i) {
    made.products[i * n + i] = triangle[at++];
    for (std::size_t j = i + 1; j < n; ++j) {
      made.products[i * n + j] = made.products[j * n + i] = triangle[at++] / std::numbers::sqrt2;
    }
    made.rhs[i] = triangle[at++] / (std::numbers::sqrt2 * rhs_weight);
  }
  return made;
}

}  // namespace

Request PrivateGram::request(RoundIndex, std::span<const double>) {
  if (asked_) throw InvalidArgument("all that this run may tell of its rows has been told");
  return {plan_.work, {}, {}, Reveal::Sums, Audience::Turn};
}

void PrivateGram::update(RoundIndex, RoundReplies& round, std::span<double> x) {
  asked_ = true;  // and is spent whether or not it was answered
  if (round.answered.size() < plan_.min_answers || round.replies.empty()) return;
  const NormalEquations normal = normal_equations(round.replies.front().values, x.size(), plan_.work.rhs_weight);
  const double sigma = plan_.work.noise * std::sqrt(static_cast<double>(round.answered.size()));
  const double noise = sigma * std::sqrt(2.0 * static_cast<double>(x.size()));
  const FlooredSolution found = solve_floored(normal.products, normal.rhs, noise);
  std::ranges::copy(found.x, x.begin());
  raised_ = found.raised;
  solved_ = true;
}

bool PrivateGram::state(StateStream& stream) {
  stream(asked_, solved_, raised_);
  return true;
}

std::vector<std::string> PrivateGram::notes() const {
  std::vector<std::string> notes{"Differential privacy with epsilon " + short_text(plan_.epsilon) + " and delta " +
                                 short_text(plan_.delta) + " (rho " + short_text(plan_.rho) +
                                 ") for each row: one sum of cross-products over all clients, of rows shortened to " +
                                 short_text(plan_.work.bound) + " where they are longer (the right-hand side counts " +
                                 short_text(plan_.work.rhs_weight) + " times), with noise of " +
                                 short_text(plan_.sigma) + " in sums over at least " +
                                 std::to_string(plan_.min_answers) + " participants."};
  if (asked_ && !solved_) {
    notes.push_back(
        "Fewer than " + std::to_string(plan_.min_answers) +
        " participants answered: their sum was not used, as it has less noise than planned, and there is no "
        "other.");
  } else if (raised_ > 0) {
    notes.push_back("In " + std::to_string(raised_) +
                    " directions the rows say less than the noise: there the answer is shortened.");
  }
  return notes;
}

}  // namespace fedrk
