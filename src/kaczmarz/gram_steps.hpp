// SPDX-License-Identifier: Apache-2.0
#pragma once

// Kaczmarz steps in coefficient space.
//
// Steps on rows a_1 .. a_m never leave x + sum_j y_j a_j. With the inner products G_ij = <a_i, a_j> and the gaps
// r_j = b_j - <a_j, x>, one step on row j is
//
//     c = r_j (1 / G_jj),      y_j += c,      r -= c G_j,
//
// of cost m in place of twice the length of a row. The server steps so over the few hyperplanes of a round, and a
// client over its own rows where it has few of them or many steps to make.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fedrk/matrix.hpp"
#include "fedrk/steps.hpp"
#include "linalg/random/rng_stream.hpp"
#include "linalg/random/row_sampler.hpp"

namespace fedrk {

/// Steps on the rows drawn[0], drawn[1], ...: moves `gaps` and adds to `coefficients`.
/// REQUIRES: `gram` is square, as large as `gaps` and `coefficients`, and at the rows drawn its diagonal is positive
/// with an inverse in the range of numbers.
void gram_steps(const Matrix& gram, std::span<const std::uint32_t> drawn, std::span<double> gaps,
                std::span<double> coefficients);

/// So many steps, each on the row whose hyperplane is farthest, that is of largest r_j^2 / G_jj; of equals the first.
/// REQUIRES: as for gram_steps. Rows without length are left alone.
void greedy_gram_steps(const Matrix& gram, std::uint64_t steps, std::span<double> gaps, std::span<double> coefficients);

/// A number of steps in coefficient space on rows that a sampler draws, or greedy ones. Few steps leave most rows
/// alone, so the draws are made first: then only the rows which they touch need a gap.
class GramSteps {
 public:
  /// On `rows` rows. REQUIRES: `sampler` is not empty and outlives this.
  GramSteps(const RowSampler& sampler, std::uint64_t steps, std::size_t rows, RngStream stream);

  /// The rows that the steps may use, ascending.
  std::span<const std::uint32_t> touched() const { return touched_; }

  /// From here on row k is touched()[k]: the others have no place in `run`.
  void leave_out_untouched();

  /// REQUIRES: as for gram_steps; called once.
  void run(const Matrix& gram, std::span<double> gaps, std::span<double> coefficients);

 private:
  RowDraws draws_;
  std::uint64_t steps_;
  bool greedy_;
  bool all_touched_;
  std::vector<std::uint32_t> drawn_;  // where not all are touched
  std::vector<std::uint32_t> touched_;
};

// Two ways to make the same Kaczmarz steps on a client's rows: on x itself (direct), or in coefficient space
// (gram_steps.hpp), which first needs the inner products of the rows. In exact arithmetic they agree; their rounding
// differs, so the choice must be the same wherever a plan runs. It depends on the sizes, the number of steps and the
// memory that the plan allows, on nothing of the machine.

/// The sizes that decide.
struct LocalShape {
  std::size_t rows = 0;          // m_i
  double entries_per_row = 0.0;  // n, or the mean number of non-zeros where the rows are sparse
  bool sparse = false;
};

/// Direct or Gram: the one of less estimated work in `passes` passes, for which the inner products are made once. These
/// take 8 m_i^2 bytes; where that exceeds `memory`, the form is direct. A client counts on a hundred passes: how often
/// it will be drawn it does not know.
LocalForm choose_form(const LocalShape& shape, std::uint64_t steps, std::size_t memory, double passes = 100.0);

}  // namespace fedrk
