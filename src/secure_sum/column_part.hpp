// SPDX-License-Identifier: Apache-2.0
#pragma once

// A client's answer to a question of the set-up as a part of a sum: the counts of the columns as whole numbers, the
// sums as wide ones.

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "plan/setup.hpp"
#include "secure_sum/part.hpp"
#include "transport/protocol/client_site.hpp"

namespace fedrk::network {

class ColumnPart {
 public:
  /// `fixed`: columns before those of the clients, an intercept.
  ColumnPart(const io::SumColumns& question, std::size_t fixed)
      : counted_(question.columns + 1),
        layout_{3 * counted_, question.of == io::SumColumns::Of::Nothing ? 0 : question.columns + fixed} {}

  const masking::PartLayout& layout() const { return layout_; }

  /// Nothing where the numbers do not fit.
  std::optional<masking::Words> part_of(const ColumnFacts& facts) const {
    std::vector<double> counts = facts.counts.varying;
    counts.insert(counts.end(), facts.counts.present.begin(), facts.counts.present.end());
    counts.insert(counts.end(), facts.counts.ones.begin(), facts.counts.ones.end());
    if (counts.size() != layout_.values || facts.sums.sums.size() != layout_.scalars) return std::nullopt;
    return masking::part_of(counts, facts.sums.sums, masking::Grid{0}, 1);
  }

  Result<ColumnFacts> read(const masking::Words& total, std::size_t clients) const {
    masking::SumOfParts sum = masking::read_sum(layout_, masking::Grid{0}, total);
    if (sum.parties != clients) return Error{"the masks of the clients do not cancel"};
    if (!sum.fits) return Error{"some client's numbers are too large to be added up (beyond 1e30), or none"};
    const auto whole = [clients](double count) { return count >= 0.0 && count <= static_cast<double>(clients); };
    if (!std::ranges::all_of(sum.values, whole)) return Error{"a column is counted at more sites than there are"};
    const auto varying = sum.values.begin(), present = varying + static_cast<std::ptrdiff_t>(counted_),
               ones = present + static_cast<std::ptrdiff_t>(counted_);
    return ColumnFacts{{0, std::move(sum.scalars)}, {{varying, present}, {present, ones}, {ones, sum.values.end()}}};
  }

 private:
  std::size_t counted_;  // columns, and the target
  masking::PartLayout layout_;
};

}  // namespace fedrk::network
