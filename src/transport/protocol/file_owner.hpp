// SPDX-License-Identifier: Apache-2.0
#pragma once

// The owner of rows that lie in files on its own machine.

#include <cstdint>
#include <optional>
#include <string>

#include "fedrk/site.hpp"
#include "ops/log.hpp"
#include "plan/table_site.hpp"
#include "transport/protocol/data_owner.hpp"

namespace fedrk::network {

/// The files of one client, as in a plan.
struct OwnFiles {
  std::string data;         // a table with the plan's target, or
  std::string matrix, rhs;  // a matrix and its right-hand side
};

class FileOwner final : public DataOwner {
 public:
  /// With `secret` the draws come from it and the run's name, and nobody else can repeat them; without, they derive
  /// from the plan's seed as in one process.
  FileOwner(std::string name, OwnFiles files, std::optional<std::uint64_t> secret, operation::Log& log);
  FileOwner(const FileOwner&) = delete;
  FileOwner& operator=(const FileOwner&) = delete;

  /// That it takes part in, once it has been told.
  const std::string& run() const { return run_; }

  Result<TableShape> read(const std::string& run, const io::Plan& plan) override;
  Result<std::vector<std::string>> record_columns() const override;
  Result<std::vector<std::uint64_t>> record_hashes(std::uint64_t salt,
                                                   std::span<const std::string> columns) const override;
  Result<ColumnSums> sum_columns(const io::SumColumns& question) override;
  Result<std::vector<ColumnKind>> count_columns() override;
  Result<io::PreparedRows> prepare(const io::PrepareRows& question, ClientId place) override;
  Result<LocalReply> answer(const LocalTask& task) override;

 private:
  bool has_csv() const;
  Result<void> read_again();
  Result<void> order_columns(const std::vector<std::string>& names);
  std::uint64_t seed() const;

  std::string name_;
  OwnFiles files_;
  std::optional<std::uint64_t> secret_;
  operation::Log& log_;
  std::string run_;
  io::Plan plan_;                      // the server's, with the own files
  std::vector<std::string> order_;     // of the columns, as the server has it; empty: as the file has it
  std::vector<std::string> names_;     // of the columns as they are
  std::optional<io::TableSite> site_;  // until it is prepared
  TableShape shape_;
  std::optional<Client> client_;
};

}  // namespace fedrk::network
