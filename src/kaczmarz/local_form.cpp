// SPDX-License-Identifier: Apache-2.0
#include "kaczmarz/local_form.hpp"

#include <algorithm>

namespace fedrk {

LocalForm choose_form(const LocalShape& shape, std::uint64_t steps, std::size_t memory, double passes) {
  const auto m = static_cast<double>(shape.rows), tau = static_cast<double>(steps), e = shape.entries_per_row;
  const double gram_bytes = 8.0 * m * m;
  if (shape.rows == 0 || gram_bytes > static_cast<double>(memory)) return LocalForm::Direct;

  // Nanoseconds, as measured on a machine of 2023 (docs/performance.md); only their ratios matter. What exceeds a
  // megabyte is read from beyond a core's own cache.
  constexpr double kNear = 1e6;
  const double entry = shape.sparse ? 1.0 : 8.0 * m * e <= 1.5 * kNear ? 0.14 : 0.25;  // of a row, in a direct step
  const double product = shape.sparse ? 1.0 : 0.35;      // of a row, for its gap and its part of the displacement
  const double pair = shape.sparse ? 0.5 : 0.026;        // of an inner product in G
  const double gap = gram_bytes <= kNear ? 0.06 : 0.27;  // of a row of G, in a step in coefficient space
  const double touched = std::min(m, tau);

  const double direct = tau * (12.0 + entry * e);
  const double gram = touched * product * e + tau * (11.0 + gap * m) + m * m * e * pair / passes;
  return gram < direct ? LocalForm::Gram : LocalForm::Direct;
}

}  // namespace fedrk
