// SPDX-License-Identifier: Apache-2.0
#pragma once

// The frame that a sum over rows uses: the one given, which may come from elsewhere and is looked at first, or the one
// that changes nothing.

#include <cstddef>
#include <string>
#include <vector>

#include "fedrk/error.hpp"
#include "problem/frame.hpp"

namespace fedrk {

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
