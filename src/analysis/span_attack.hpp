// SPDX-License-Identifier: Apache-2.0
#pragma once

// Records of a wide table with few levels (0/1, or genotypes 0/1/2) from sums alone.
//
// Whatever a client answers to a question about its rows is a combination of these, A_i^T y, and so is a sum over
// clients. After as many answers as there are rows their span is that of the rows. With fewer rows than columns it is
// a thin slice of the space, in which the records are the only points with all entries on the levels: to be found, and
// known when found.
//
// The search is independent component analysis. In coordinates in which the columns are white, each column is a point
// z_j and a record is a direction w with
//
//     <w, z_j> = s_j,  of mean 0 and variance 1, and bounded: |s_j| <= c, c = sqrt(levels - 1) where levels are
//     binomial.
//
// Along most directions s is a sum of many records, which looks Gaussian and goes beyond c. The steps
//
//     w <- w - mu / n sum_j e(s_j) z_j,  ||w|| = 1,  e(s) = s - min(c, max(-c, s)),
//
// reduce sum_j e(s_j)^2, whose minima are the records. They start in random directions, away from the records that are
// known already. What they end at is rounded to the levels and counts where the rounded point is in the span, by many
// more entries than it could be by chance.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/record_attack.hpp"

namespace fedrk {

/// What was shown of the span of some clients' rows.
struct ShownSpan {
  std::vector<ClientId> clients;
  /// Each a combination of rows, and the same combination of right-hand sides where the message tells it; else NaN.
  std::vector<std::vector<double>> vectors;
};

/// One for each set of clients that a sum was over, and one of all together where there are several. Displacements,
/// gradients, products, and the columns of cross-products count.
std::vector<ShownSpan> spans_of(const Transcript& transcript);

struct SpanAttackOptions {
  unsigned levels = 2;                // entries are 0, 1, ... levels - 1
  std::optional<std::size_t> ones{};  // the column that is known to be 1 in every record
  std::uint64_t seed = 1;             // of the attacker's own draws
  std::size_t patience = 1000;        // so many starts without a new record, and the search ends
};

/// A span is searched where it leaves so many entries of a record that are not free: a wrong point passes with a chance
/// of 2^-40.
inline constexpr std::size_t kSpanChecks = 40;

/// The dimension of what was shown, to rounding.
std::size_t dimension_of(const ShownSpan& span);

/// The same of some columns alone; `columns` ascend.
ShownSpan restrict_to(const ShownSpan& span, std::span<const std::size_t> columns);

/// Which of these rows lie in the span, to 1e-4 of their length. Nothing but a row that is there does, so that whoever
/// has a record can tell whether it is among the clients'. None where the span leaves fewer than kSpanChecks entries.
std::vector<bool> lie_in(const ShownSpan& span, std::span<const std::vector<double>> rows);

/// The records in one span. Their right-hand sides are NaN where no message told any.
std::vector<RecoveredRecord> recover_discrete(const ShownSpan& span, const SpanAttackOptions& options = {});

/// The records in each of the spans of a transcript; the last, of all together, is searched where the others gave
/// nothing.
std::vector<RecoveredRecord> recover_discrete(std::span<const ShownSpan> spans, const SpanAttackOptions& options = {});
std::vector<RecoveredRecord> recover_discrete(const Transcript& transcript, const SpanAttackOptions& options = {});

}  // namespace fedrk
