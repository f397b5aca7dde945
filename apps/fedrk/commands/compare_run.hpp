// SPDX-License-Identifier: Apache-2.0
#pragma once

// A comparison as `fedrk compare` makes it: what errors are measured by, every method in turn, and notes on the
// outcome.

#include <cstddef>
#include <string>
#include <vector>

#include "fedrk/io/comparison_files.hpp"
#include "fedrk/io/federation.hpp"
#include "progress.hpp"

namespace fedrk::app {

struct ComparisonWishes {
  std::string title;
  std::vector<std::string> methods;  // empty: all
  double target = 1e-6;
  SortBy sort = SortBy::Rounds;
  ProgressStyle progress = ProgressStyle::Auto;
  std::size_t threads = 0;
  double soft = 1.0;  // the weight of soft thresholding
};

/// An error where a method has no such name. Ctrl-C ends it with the methods that are complete.
Result<io::FinishedComparison> compare_methods(const ComparisonWishes& wishes, const io::Plan& plan,
                                               io::Federation federation);

}  // namespace fedrk::app
