// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a client of a federation does with its own rows, step by step as the server asks: read them, add up columns,
// bring them to the common scale, work on tasks. The rows stay behind this interface.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "fedrk/engine.hpp"
#include "plan/plan.hpp"
#include "problem/standardize.hpp"

namespace fedrk::network {

/// What the server learns of a client's table.
struct TableShape {
  std::size_t rows = 0, columns = 0;
  std::vector<std::string> names;  // of the columns; empty where they have none
  bool sparse = false;
  bool open_ended = false;  // columns that the file does not reach are empty
};

/// How the rows are to be made ready, the same for all clients but for the place.
struct Preparation {
  std::size_t columns = 0;
  std::optional<Scaling> scaling;
  ClientId place;
};

struct PreparedRows {
  ClientSummary summary;
  std::size_t unknowns = 0;
};

class DataOwner {
 public:
  virtual ~DataOwner() = default;

  /// For a run with this plan, whose files are the owner's own business. Begins anew where it was called before.
  virtual Result<TableShape> read(const std::string& run, const io::Plan& plan) = 0;
  /// Puts the columns into this order, before anything is made of them; an error where they are others.
  virtual Result<void> order_columns(const std::vector<std::string>& /*names*/) { return {}; }
  virtual Result<ColumnSums> column_sums(std::size_t columns) = 0;
  virtual Result<ColumnSums> column_square_sums(std::span<const double> centre) = 0;
  virtual Result<PreparedRows> prepare(const Preparation& preparation) = 0;
  /// Asked again, it answers the same.
  virtual Result<LocalReply> answer(const LocalTask& task) = 0;
};

}  // namespace fedrk::network
