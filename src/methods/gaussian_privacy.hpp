// SPDX-License-Identifier: Apache-2.0
#pragma once

// What Gaussian noise costs, how costs add up, and which (epsilon, delta) they come to. Two sets of rows are neighbours
// where one row of one client is replaced by any other; how many rows each client has is public.
//
//   - A sum that one row moves by at most D, with Gaussian noise of standard deviation sigma, spends rho = mu^2/2 with
//     mu = D/sigma. Nobody tells neighbours apart better than a draw of N(0, 1) from one of N(mu, 1).
//   - Rounds add up: all together are as good as one with mu^2 = sum of (D_t/sigma_t)^2, also where each depends on
//     those before (Dong, Roth and Su, "Gaussian differential privacy", JRSS B 2022), and also where whoever asks
//     chooses D_t and sigma_t as it goes along, if somebody stops it at a fixed sum (Smith and Thakurta, "Fully
//     adaptive composition for Gaussian differential privacy", 2022). A client's ledger does that.
//   - That one is (epsilon, delta)-private exactly where (Balle and Wang, "Improving the Gaussian mechanism for
//     differential privacy", ICML 2018)
//
//         delta >= F(mu/2 - epsilon/mu) - e^epsilon F(-mu/2 - epsilon/mu),   F the normal distribution.
//
// rho is what zero-concentrated privacy counts in too (Bun and Steinke, TCC 2016). Its bound, epsilon = rho +
// 2 sqrt(rho ln(1/delta)), needs more noise for the same promise: 1.31 times as much at epsilon = 1, delta = 1e-5.
//
// For a clipped pass D = 2c in exact arithmetic (clipped_pass.hpp). On top of it come
//
//   - the grid: rounding moves each entry of either end by half a grid step q, together sqrt(n) q;
//   - the arithmetic: step s of a pass is off by less than ((n + 1) s + 6) 2^-53 c, as the pass has come no further
//     than s c. Over m steps and both ends that is less than 2c (n + 13) m^2 2^-53.
//
// For cross-products D = sqrt(2) c^2 (problem/clipped_products.hpp), and on top of it sqrt(N) q for the grid and
// sqrt(2) c^2 (2n + 32) 2^-53 for the arithmetic. Sums beyond what doubles hold exactly have no bound.

#include <cstddef>
#include <optional>

#include "fedrk/question.hpp"

namespace fedrk::privacy {

/// ln of the least delta for an epsilon, of Gaussian mechanisms whose squares add up to mu^2.
/// REQUIRES: mu > 0, epsilon >= 0.
double log_delta_of(double mu, double epsilon);

/// The most rho that (epsilon, delta) leaves. REQUIRES: epsilon > 0, 0 < delta < 1.
double rho_of(double epsilon, double delta);

/// The least epsilon that belongs to rho at that delta; zero where delta alone covers it.
/// REQUIRES: rho >= 0, 0 < delta < 1.
double epsilon_of(double rho, double delta);

/// D: how far one row of a client with that many rows can move its answer.
double sensitivity(const ClippedPass& pass, std::size_t rows, std::size_t unknowns);

/// What an answer spends that leaves the client only within a sum over at least `min_answers` participants, all with
/// the same share of the noise: that of `min_answers` - 1 of them counts, as one participant may know its own. Infinite
/// where the noise is none. REQUIRES: min_answers >= 2.
double rho_of_pass(const ClippedPass& pass, std::size_t rows, std::size_t unknowns, std::size_t min_answers);

/// The same of cross-products. Infinite too where sums over so many rows are not exact.
double sensitivity(const NoisyProducts& products, std::size_t rows, std::size_t unknowns);
double rho_of_products(const NoisyProducts& products, std::size_t rows, std::size_t unknowns, std::size_t min_answers);

/// Of any answer; nothing where its kind has no noise.
std::optional<double> rho_of_answer(const LocalWork& work, std::size_t rows, std::size_t unknowns,
                                    std::size_t min_answers);

}  // namespace fedrk::privacy
