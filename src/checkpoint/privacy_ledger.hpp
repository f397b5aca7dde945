// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a client has told of its rows, answer by answer and over all runs, in client.db: one line for each task, which
// is written once and never taken away. The stores' lock is the caller's.
//
// What was spent is tied to records. A run has a table (two, if it changed on the way), and what the run has spent
// counts for that table and for all that share a record with it. So no record is ever charged less than what the runs
// with it have spent; a table without any of the records of earlier ones begins at zero. Runs of which no table is
// known, of earlier versions, count for all.

#include <optional>
#include <string>
#include <vector>

#include "checkpoint/client_store.hpp"
#include "checkpoint/sealed_database.hpp"

namespace fedrk::store {

class PrivacyLedger {
 public:
  static constexpr const char* kTable = "privacy";
  static constexpr const char* kTables = "privacy_tables";
  static constexpr const char* kOverlaps = "privacy_overlaps";
  static constexpr const char* kRuns = "privacy_runs";
  static constexpr const char* kSchema =
      "CREATE TABLE IF NOT EXISTS privacy (run TEXT NOT NULL, task INTEGER NOT NULL, rho REAL NOT NULL, "
      "PRIMARY KEY (run, task));"
      "CREATE TABLE IF NOT EXISTS privacy_tables (id INTEGER PRIMARY KEY, records BLOB NOT NULL);"
      "CREATE TABLE IF NOT EXISTS privacy_overlaps (one INTEGER NOT NULL, other INTEGER NOT NULL, "
      "PRIMARY KEY (one, other));"
      "CREATE TABLE IF NOT EXISTS privacy_runs (run TEXT NOT NULL, one INTEGER NOT NULL, PRIMARY KEY (run, one));";

  /// REQUIRES: `database` has its tables, and stays where it is.
  explicit PrivacyLedger(SealedDatabase& database) : sealed_(database), database_(database.database()) {}

  /// As ClientStore has them.
  Result<std::uint64_t> table_of(const std::string& run, const RecordSource& source, std::uint64_t salt);
  Result<bool> spend(const ClientStore::PrivacyCharge& charge, double budget_rho);
  Result<double> spent(std::optional<std::uint64_t> table);
  Result<double> spent_elsewhere(const std::string& run, std::optional<std::uint64_t> table);

 private:
  struct Compared {
    std::optional<std::uint64_t> same;    // the very records
    std::vector<std::uint64_t> overlaps;  // tables with some of them
    std::uint64_t next = 0;               // number of the first table that was not looked at
  };
  Result<void> compare(const RecordSource& source, std::uint64_t salt, const TableRecords& records, Compared& compared);
  std::uint64_t next_table();
  void add_table(std::uint64_t id, const TableRecords& records, const std::vector<std::uint64_t>& overlaps);
  void tie(const std::string& run, std::uint64_t table);
  double sum(std::optional<std::uint64_t> table, const std::string& without = "");
  std::string runs(std::optional<std::uint64_t> table);

  SealedDatabase& sealed_;
  Database& database_;
};

}  // namespace fedrk::store
