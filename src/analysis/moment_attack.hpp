// SPDX-License-Identifier: Apache-2.0
#pragma once

// Each client's own second moments, from sums over changing sets of clients, and the records of small clients from
// these.
//
// With Z_i = [A_i b_i] and M_i = Z_i^T Z_i, much of what clients answer is linear in M_i:
//
//     squared residual at x    ||b_i - A_i x||^2 = z^T M_i z,          z = (-x, 1)
//     gradient at x            A_i^T (b_i - A_i x) = (I 0) M_i z
//     normal product at p      A_i^T A_i p = (I 0) M_i (p, 0)
//     cross-products           M_i itself; column norms its diagonal.
//
// So a sum over the clients S is a linear equation in the M_i, i in S, and sums over ever new S, or over S and S
// without one client, determine them all. Least squares solves for those entries that are determined.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "analysis/record_attack.hpp"

namespace fedrk {

struct Moments {
  std::vector<ClientId> clients;   // whose rows they are
  std::vector<double> values;      // the upper triangle of M row after row, as cross_products.hpp has it
  std::vector<bool> determined{};  // which of them; others are the values of least norm

  bool complete() const;
};

/// A column that is zero but at one client, as the server can tell from its name.
struct Mark {
  std::size_t column = 0;
  ClientId client;
};

/// Each client's, ascending, from all sums together. Messages of other kinds do not count.
std::vector<Moments> recover_moments(const Transcript& transcript, std::span<const Mark> marks = {});

/// The same in two steps, where there are many clients and each sum is asked for often enough: the moments of each set
/// of clients from its own sums, then the clients' from these.
std::vector<Moments> recover_moments_by_sets(const Transcript& transcript);

struct SmallSiteOptions {
  std::size_t ones = 0;                 // the column that is 1 in every record
  std::vector<std::size_t> integers{};  // columns of whole numbers
};

/// The rows of a client of up to three. M = Z^T Z tells Z up to a rotation of its rows. That is a sign for one row. For
/// two the column of ones fixes it. For three it leaves one angle, which columns of whole numbers fix. Nothing where
/// several angles do.
std::vector<RecoveredRecord> records_from(const Moments& moments, const SmallSiteOptions& options);

}  // namespace fedrk
