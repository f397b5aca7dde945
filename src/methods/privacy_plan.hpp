// SPDX-License-Identifier: Apache-2.0
#pragma once

// What (epsilon, delta) makes of a run: how long the steps of each round may be, and how much noise each client adds.
//
// The noise. In each round the sum over k participants needs noise of standard deviation sigma = D / sqrt(2 rho_t),
// rho_t an equal part of all that may be spent. Each participant adds a share of variance sigma^2/(k - 1), so that the
// sum has enough even towards a participant that knows its own share, or a server that colludes with it. (Who knows the
// shares of j participants sees what k - j leave: rho grows by (k - 1)/(k - j).) A sum over fewer than k would have too
// little: whoever masks sums must let none pass over fewer. Where some may be missing, k is the least number of
// answers that a sum may have, and a complete sum then has more noise than it needs.
//
// The grid. Shares are rounded to multiples of q = 2^exponent, and s = share/q >= 2^20. Rounding a Gaussian share makes
// its density at a whole number that of the Gaussian plus a uniform number of (-1/2, 1/2). So the sum of k rounded
// shares is, up to 10 k exp(-pi^2 s^2) (Poisson summation), the rounding of a Gaussian and k - 1 such numbers added to
// the rows' part, which is whole: a function of a Gaussian mechanism's answer, and never less private than that. Beyond
// 8 s lie 1.2e-15 of all draws, where doubles thin out: part of any sensible delta.
//
// The clip. A pass over m rows that all pull the same way goes about m c sqrt(2/(pi n)). With `clip` left open the
// first round can go 2 sqrt(n), twice the length of a vector with entries of size one, and the clip falls to a twelfth
// until the last: early rounds arrive, the last ones settle, and the noise falls with them. From public numbers only.
// So columns and solution are taken to be of about unit scale.
//
// Instead of passes one sum of cross-products may be asked for, with all that may be spent
// (problem/clipped_products.hpp). With w^2 = (sqrt(1 + 8n) - 1)/(4n), noise in A^T A and in A^T b do the same harm to a
// solution with entries of size one; and with `row_clip` left open rows of such columns are shortened where ||(a, w
// b)||^2 is more than a standard deviation above its mean.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "fedrk/question.hpp"

namespace fedrk::privacy {

/// What the clients are asked for.
enum class Mechanism {
  Auto,    // what a forecast says is better (analysis/privacy_forecast.hpp); without one, passes
  Passes,  // clipped passes, round by round
  Gram     // one sum of cross-products
};

struct PrivacyOptions {
  double epsilon = 0.0;  // 0: no differential privacy
  double delta = 1e-6;
  Mechanism mechanism = Mechanism::Auto;
  std::optional<double> clip{};      // c of the first pass; unset: from the shape
  std::optional<double> row_clip{};  // c of cross-products; unset: from the shape
  std::size_t min_answers = 0;       // answers that every sum must have; 0: those of all participants

  bool on() const { return epsilon > 0.0; }
  /// Throws InvalidArgument where no plan can be made of them.
  void validate() const;
};

/// What everybody knows of a federation.
struct PublicShape {
  std::size_t rows = 0;  // of all clients
  std::size_t clients = 0;
  std::size_t max_rows = 0;  // of one client
  std::size_t unknowns = 0;
  std::size_t participants = 0;  // a round
};

struct PrivateRound {
  ClippedPass pass;
  double sigma = 0.0;  // of the sum over `min_answers`, without one share
  double rho = 0.0;
};

struct PrivacyPlan {
  double epsilon = 0.0, delta = 0.0;
  double rho = 0.0;             // of all rounds
  std::size_t min_answers = 0;  // participants that every sum must have
  std::vector<PrivateRound> rounds;
};

struct GramPlan {
  double epsilon = 0.0, delta = 0.0;
  double rho = 0.0;
  std::size_t min_answers = 0;
  NoisyProducts work;
  double sigma = 0.0;  // of the sum over `min_answers`, without one share
};

constexpr std::size_t kMinParticipants = 3;
constexpr std::uint32_t kUsualRounds = 6;
constexpr int kGridBits = 20;

/// Throws InvalidArgument where fewer than three would take part, or the options do not fit the shape.
PrivacyPlan make_privacy_plan(const PrivacyOptions& options, const PublicShape& shape, std::uint32_t rounds);

/// Likewise, and where not all clients are in one sum.
GramPlan make_gram_plan(const PrivacyOptions& options, const PublicShape& shape);

}  // namespace fedrk::privacy
