// SPDX-License-Identifier: Apache-2.0
#pragma once

// Servers that choose what they should not: the x that clients are asked at, or the centres and scales by which they
// prepare their rows. Both make one row outweigh all others in a sum of displacements.
//
// *A chosen x.* Where column j is zero but at one client, x = t e_j leaves the residuals b of all other clients as they
// are, and makes those of the client b - t. Displacements are in proportion to residuals, so with a large t the sum
// over everyone is that client's displacement to 1/t, and after one local step it is a row.
//
// *Chosen scales.* With column j centred at v and divided by a tiny scale h, a row (a, b) with a_j = v keeps its length
// and every other row becomes about 1/h times as long. A step moves x by (b - <a, x>)/||a||^2 a: along a long row by
// the order of h in column j, of h^2 in all others. So the sum is a combination of the rows with a_j = v, and the row
// where it is alone.

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "analysis/record_attack.hpp"
#include "problem/standardize.hpp"

namespace fedrk {

/// t e_j
std::vector<double> isolating_point(std::size_t unknowns, std::size_t column, double size = 1e8);

/// Takes every sum of single steps that tells its gap for a multiple of one row: (Delta, <Delta, x> + gamma).
std::vector<RecoveredRecord> recover_isolated(const Transcript& transcript, const AttackOptions& options = {});

/// A short run with the rows prepared as the server says, asked at these points; what the server sees of it.
using PreparedRun = std::function<Transcript(const Scaling& scaling, std::span<const std::vector<double>> points)>;

struct PreparationOptions {
  std::size_t ones = 0;        // the column that is 1 in every record, which tells the length of a row
  std::size_t listed = 0;      // a column whose values the server can list, such as ages
  std::vector<double> values;  // these
  /// A column of many values, and places in its range to begin at: parts rows that are alike in the first.
  std::size_t measured = 0;
  std::vector<double> starts{};
};

struct PreparationFindings {
  std::size_t runs = 0;
  std::vector<RecoveredRecord> records;  // in the units of the data
};

/// One run for each of the values. Where the sums of a group are combinations of several rows, further runs are centred
/// in the measured column at u too, with a scale h: the nearer a row is to u, the more of the sum is its own. So u
/// moves to where the sum is, h becomes smaller, and the sum ends at one of the rows.
PreparationFindings recover_by_preparation(const PreparedRun& run, std::size_t unknowns,
                                           const PreparationOptions& options);

}  // namespace fedrk
