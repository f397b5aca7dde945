// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a client of a federation does with its own rows, step by step as the server asks: read them, add up columns,
// bring them to the common scale, work on tasks. The rows stay behind this interface.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "fedrk/engine.hpp"
#include "plan/plan.hpp"
#include "plan/setup.hpp"
#include "problem/column_kinds.hpp"

namespace fedrk::network {

/// What the server learns of a client's table.
struct TableShape {
  std::size_t rows = 0, columns = 0;
  std::vector<std::string> names;  // of the columns; empty where they have none
  bool sparse = false;
  bool open_ended = false;  // columns that the file does not reach are empty
};

class DataOwner {
 public:
  virtual ~DataOwner() = default;

  /// For a run with this plan, whose files are the owner's own business. Begins anew where it was called before.
  virtual Result<TableShape> read(const std::string& run, const io::Plan& plan) = 0;

  // ---- The records behind the rows, whatever a plan uses of them.

  /// All columns of the table as it lies there.
  virtual Result<std::vector<std::string>> record_columns() const = 0;
  /// A number for each record, which depends on the salt and on its values in these columns. Both are sorted.
  virtual Result<std::vector<std::uint64_t>> record_hashes(std::uint64_t salt,
                                                           std::span<const std::string> columns) const = 0;

  // ---- The questions of the set-up (plan/setup.hpp). Where they name an order of the columns, it is that of all
  // clients.

  virtual Result<ColumnSums> sum_columns(const io::SumColumns& question) = 0;
  /// Of the columns in that order. REQUIRES: they were summed.
  virtual Result<std::vector<ColumnKind>> count_columns() = 0;
  virtual Result<io::PreparedRows> prepare(const io::PrepareRows& question, ClientId place) = 0;

  /// Asked again, it answers the same.
  virtual Result<LocalReply> answer(const LocalTask& task) = 0;
};

}  // namespace fedrk::network
