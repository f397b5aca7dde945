// SPDX-License-Identifier: Apache-2.0
#pragma once

// Columns centred and scaled without touching the rows: the entry a of column j counts as
//
//     (a - centre_j) inverse_scale_j.
//
// A client keeps its rows as they were read; every sum that a fit asks for takes the frame of the moment. Scales are
// powers of two, so scaling is exact; differences are rounded once, or kept exactly where sums are.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fedrk/error.hpp"
#include "problem/standardize.hpp"

namespace fedrk {

/// A column that is a power of another: computed to twice the precision where cross-products are.
struct PowerTerm {
  std::size_t column = 0, source = 0;
  unsigned exponent = 1;
};

struct Frame {
  std::vector<double> centre;         // one for each column of the rows, the intercept's is 0
  std::vector<double> inverse_scale;  // powers of two
  std::vector<PowerTerm> powers{};
};

/// The frame of columns with these means and spreads: the scales are the powers of two next to the spreads. A column
/// without spread is scaled by its size.
Frame frame_from(const Scaling& scaling, std::vector<PowerTerm> powers = {});

/// Of some of the columns. A power whose source is not among them counts as a column of its own.
Frame restrict_to(const Frame& frame, std::span<const std::uint32_t> columns);

/// For equations with a solution: powers of two that bring the columns to about the same length, where their lengths
/// spread over more than three decades; else all 1. With fewer rows than columns all 1, as the solution nearest to the
/// start is another one after scaling.
Scaling equilibration(std::span<const double> mean_squares, std::size_t rows);

// The frame that a sum over rows uses: the one given, which may come from elsewhere and is looked at first, or the one
// that changes nothing.

/// Throws InvalidArgument.
inline void expect_columns(const std::string& what, std::size_t has, std::size_t cols) {
  if (has == cols) return;
  throw InvalidArgument(what + " for " + std::to_string(has) + " columns does not fit rows with " +
                        std::to_string(cols));
}

/// Throws InvalidArgument where it does not fit rows with `cols` columns.
inline Frame frame_for(const Frame* frame, std::size_t cols) {
  if (frame == nullptr) return {std::vector<double>(cols, 0.0), std::vector<double>(cols, 1.0)};
  expect_columns("a centre", frame->centre.size(), cols);
  expect_columns("a scale", frame->inverse_scale.size(), cols);
  for (const PowerTerm& term : frame->powers) {
    if (term.column < cols && term.source < cols && term.exponent > 0) continue;
    throw InvalidArgument("column " + std::to_string(term.column + 1) + " as power " + std::to_string(term.exponent) +
                          " of column " + std::to_string(term.source + 1) + " does not fit rows with " +
                          std::to_string(cols) + " columns");
  }
  return *frame;
}

}  // namespace fedrk
