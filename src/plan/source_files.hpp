// SPDX-License-Identifier: Apache-2.0
#pragma once

// The files of a plan, as far as one peer reads them.

#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "data/dataset.hpp"
#include "plan/peers.hpp"
#include "plan/plan.hpp"

namespace fedrk::io {

struct SourceFile {
  std::string path;
  Dataset data;
  std::size_t first_row = 0;  // of those that were read
};

/// The path of the i-th file: of its matrix where it has a right-hand side besides.
const std::string& source_path(const Plan& plan, std::size_t i);
std::size_t source_count(const Plan& plan);

/// All of it, or some of its rows where the file allows that (`RowRange` in npy.hpp), with the features that `columns`
/// names, in that order, where it names any. Rows that contradict themselves are an error.
Result<SourceFile> read_source(const Plan& plan, std::size_t i, const RowRange& rows = {},
                               std::span<const std::string> columns = {});

/// LIBSVM files end at their largest index, which may differ between clients, and are widened; the others must have as
/// many columns as the first of all. Returns the columns of everyone, with their names where there are any.
struct Columns {
  std::size_t count = 0;
  std::vector<std::string> names;
};
Result<Columns> agree_on_columns(const Plan& plan, Peers& peers, std::vector<SourceFile>& own);

/// Of the clients with one file each: file names without folder and ending, the paths as given where these are not
/// unique, numbered where a file is given twice: a client's draws come from its name, so no two may share one.
std::vector<std::string> names_from_files(const Plan& plan);
/// `names` where they are, else the paths, numbered where these are not either.
std::vector<std::string> unique_names(std::vector<std::string> names, std::vector<std::string> paths);

}  // namespace fedrk::io
