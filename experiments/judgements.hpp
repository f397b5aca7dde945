// SPDX-License-Identifier: Apache-2.0
#pragma once

// The verdicts, as functions of the numbers they judge: an experiment hands over what it measured, a test what should
// fail.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "experiments/experiment.hpp"
#include "experiments/lasso_ranges.hpp"

namespace fedrk::experiments {

// ---- figure 2

/// An unknown after some trials.
struct EntryCount {
  double size = 0.0;         // |x*_j|; 0: not part of the solution
  std::size_t selected = 0;  // in so many trials it was not zero at the end
};

/// In what share of the trials an entry must be selected, or may be.
struct FoundShares {
  double asked = 0.0;      // true entries below this size drown in the noise: nothing is asked of them
  double large = 0.0;      // from this size on an entry is large
  double of_large = 0.0;   // the least share for each large one
  double of_small = 0.0;   // and for each of the others
  double of_others = 0.0;  // the greatest share for an entry that is not part of the solution
};

Judgement true_entries_are_found(std::span<const EntryCount> entries, std::size_t trials, const FoundShares& shares);
/// Of the others as many pass, those selected most, as true entries drown: these leave their places to them.
Judgement other_entries_are_not(std::span<const EntryCount> entries, std::size_t trials, const FoundShares& shares);
Judgement instances_are_recovered(std::size_t recovered, std::size_t trials, std::size_t instances, double least_share);

// ---- figure 3

/// The horizon at each total number of columns, rising; the first has no noise columns.
struct HorizonCurve {
  std::vector<double> columns;
  std::vector<double> horizons;
};

Judgement horizon_shrinks(const HorizonCurve& curve, double at_most);  // least over first
Judgement horizon_grows_again(const HorizonCurve& curve, double by);   // last over least, the least lying inside
Judgement horizon_levels_agree(const HorizonCurve& curve, std::span<const double> expected, double tolerance);

// ---- figure 4

/// The unknowns, with their counts in every run.
struct SelectionRuns {
  std::vector<std::string> names;
  std::vector<std::vector<std::uint64_t>> runs;

  std::vector<double> means() const;
};

/// The `expected` are the most selected, and the last of them is so by more than twice the standard error of the gap.
Judgement most_selected_are(const SelectionRuns& runs, std::span<const std::string> expected);
/// `ranking` and `entered` begin with the same `count` features.
Judgement first_features_agree(std::span<const std::string> ranking, std::span<const std::string> entered,
                               std::size_t count);
/// In some of the `ranges`, those of lambda in which the Lasso's largest coefficients are those of the `selected`, the
/// ends differ by a factor of two: a hundred steps of the grid. A range that never ends as lambda falls is that of
/// least squares, not of the Lasso, and does not count. Thresholding keeps what is largest, so this, and not which
/// features are in the Lasso at all, is what its selection compares with.
Judgement largest_coefficients_agree(std::span<const std::string> selected, std::span<const LambdaRange> ranges);

// ---- theory

/// The mean over trials of a quantity beside what theory says of it.
struct Measured {
  std::string label;
  double mean = 0.0;
  double standard_error = 0.0;
  double theory = 0.0;
};

/// By how many standard errors the mean lies above what theory says; rounding counts for nothing.
double excess(const Measured& measured);

Judgement stays_below(std::string claim, std::span<const Measured> worst);  // excess at most 4
Judgement agrees(std::string claim, std::span<const Measured> measured);    // excess between -4 and 4

/// All of `distances` are below `level`.
Judgement all_within(std::string claim, std::span<const double> distances, double level);

}  // namespace fedrk::experiments
