// SPDX-License-Identifier: Apache-2.0
#pragma once

// Files that are given without a flag, "fedrk fit north.csv south.csv": what each is for, by the ending of its name.

#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "plan/plan.hpp"

namespace fedrk::io {

struct GivenFiles {
  std::string plan{};                 // .toml; empty: none
  std::vector<std::string> data{};    // .csv, .tsv, .txt, .svm, .libsvm
  std::vector<std::string> matrix{};  // .mtx, .npy

  /// The files take the place of those that the plan names.
  void put_into(Plan& plan) const;
};

Result<GivenFiles> sort_files(std::span<const std::string> files);

}  // namespace fedrk::io
