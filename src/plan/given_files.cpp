// SPDX-License-Identifier: Apache-2.0
#include "plan/given_files.hpp"

#include <fmt/format.h>

#include "base/file_ending.hpp"

namespace fedrk::io {

void GivenFiles::put_into(Plan& into) const {
  if (data.empty() && matrix.empty()) return;
  into.data = data;
  into.matrix = matrix;
  if (matrix.empty()) into.rhs.clear();
}

Result<GivenFiles> sort_files(std::span<const std::string> files) {
  GivenFiles given;
  for (const std::string& file : files) {
    if (is_csv_name(file) || is_libsvm_name(file)) {
      given.data.push_back(file);
    } else if (is_matrix_name(file)) {
      given.matrix.push_back(file);
    } else if (ending_of(file) != ".toml") {
      return Error{
          fmt::format("{}: expected a name that ends in .toml (a plan), .csv, .tsv, .txt, .svm, .libsvm (a table), "
                      ".mtx or .npy (a matrix)",
                      file)};
    } else if (given.plan.empty()) {
      given.plan = file;
    } else {
      return Error{fmt::format("{} and {} are both plans: give one", given.plan, file)};
    }
  }
  return given;
}

}  // namespace fedrk::io
