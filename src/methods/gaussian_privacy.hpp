// SPDX-License-Identifier: Apache-2.0
#pragma once

// Zero-concentrated differential privacy, in which privacy is spent and added up (Bun and Steinke, "Concentrated
// differential privacy", TCC 2016). Two sets of rows are neighbours where one row of one client is replaced by any
// other; how many rows each client has is public.
//
//   - A sum that one row moves by at most D, with Gaussian noise of standard deviation sigma, spends rho = D^2 / (2
//     sigma^2); rounds add up, also where each depends on those before.
//   - Who has spent rho is (epsilon, delta)-private with epsilon = rho + 2 sqrt(rho ln(1/delta)), for every delta.
//
// For a clipped pass D = 2c in exact arithmetic (clipped_pass.hpp). On top of it come
//
//   - the grid: rounding moves each entry of either end by half a grid step q, together sqrt(n) q;
//   - the arithmetic: step s of a pass is off by less than ((n + 1) s + 6) 2^-53 c, as the pass has come no further
//     than s c. Over m steps and both ends that is less than 2c (n + 13) m^2 2^-53.

#include <cstddef>

#include "fedrk/question.hpp"

namespace fedrk::privacy {

/// rho that (epsilon, delta) leaves. REQUIRES: epsilon > 0, 0 < delta < 1.
double rho_of(double epsilon, double delta);

/// The epsilon that belongs to rho at that delta.
double epsilon_of(double rho, double delta);

/// D: how far one row of a client with that many rows can move its answer.
double sensitivity(const ClippedPass& pass, std::size_t rows, std::size_t unknowns);

/// What an answer spends that leaves the client only within a sum over at least `min_answers` participants, all with
/// the same share of the noise: that of `min_answers` - 1 of them counts, as one participant may know its own. Infinite
/// where the noise is none. REQUIRES: min_answers >= 2.
double rho_of_pass(const ClippedPass& pass, std::size_t rows, std::size_t unknowns, std::size_t min_answers);

}  // namespace fedrk::privacy
