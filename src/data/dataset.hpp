// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a data file holds, whatever its format, and the readers by name of the file.
//
// Every reader refuses what it cannot take at its word, in one line: the file, the line or place, what was found and
// what was expected. Lines, rows and columns are counted from 1 in messages. docs/formats.md describes the formats.

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "data/npy.hpp"
#include "fedrk/system.hpp"
#include "problem/storage.hpp"

namespace fedrk::io {

struct Dataset {
  LinearSystem system;
  std::vector<std::string> columns;  // one name for each column of the matrix; empty where the format has no names
  std::vector<std::string> labels;   // for each row its value in the `group_by` column, where one was asked for
};

struct TableOptions {
  std::string target;               // CSV: the column that becomes the right-hand side
  std::vector<std::string> ignore;  // CSV: columns to leave out
  std::string group_by;  // CSV: column that names each row's owner; its values may be any text, and it is not a feature
  Margins margins;       // free columns to leave beside a dense matrix
  std::vector<std::string> columns{};  // CSV: the features, in this order, and no others; empty: all, as they stand
};

/// A table with a target: CSV (.csv, .tsv, .txt) or LIBSVM (.svm, .libsvm), by the ending of the name.
Result<Dataset> read_table(const std::filesystem::path& path, const TableOptions& options);

/// A matrix: Matrix Market or NPY, by content. Rows are doubles; only where they will be stored as floats just as they
/// are (`as_is`) does a large file of floats stay what it is. A large file of doubles is used in place unless the rows
/// will be rounded (`in_place`): pages of a file cannot be handed back row by row. Only some of the rows are read where
/// `count_npy_rows` knows of them.
Result<Rows> read_matrix(const std::filesystem::path& path, Margins margins = {}, Storage as_is = Storage::Float64,
                         bool in_place = true, const RowRange& rows = {});

/// A vector (or a matrix of one column or one row): Matrix Market or NPY, by content.
Result<std::vector<double>> read_vector(const std::filesystem::path& path);

}  // namespace fedrk::io
