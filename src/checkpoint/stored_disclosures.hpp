// SPDX-License-Identifier: Apache-2.0
#pragma once

// The disclosure ledger in a client's client.db, beside its privacy ledger. The store's lock is the caller's.

#include "checkpoint/disclosure_ledger.hpp"
#include "checkpoint/sealed_database.hpp"

namespace fedrk::store {

class StoredDisclosures final : public DisclosureLedger {
 public:
  static constexpr const char* kSchema =
      "CREATE TABLE IF NOT EXISTS disclosed_salt (salt INTEGER NOT NULL);"
      "CREATE TABLE IF NOT EXISTS disclosed (id INTEGER PRIMARY KEY, what BLOB NOT NULL);"
      "CREATE TABLE IF NOT EXISTS disclosed_counts (id INTEGER PRIMARY KEY, vectors INTEGER NOT NULL, scalars INTEGER "
      "NOT NULL);";

  /// REQUIRES: `database` has its tables, and stays where it is.
  explicit StoredDisclosures(SealedDatabase& database) : sealed_(database), database_(database.database()) {}

  Result<std::uint64_t> salt() override;
  Result<std::vector<Entry>> entries() override;
  Result<std::uint64_t> add(const Disclosed& what) override;
  Result<void> replace(std::uint64_t id, const Disclosed& what) override;
  Result<DisclosedCounts> count(std::uint64_t id, DisclosedCounts more) override;

 private:
  SealedDatabase& sealed_;
  Database& database_;
};

}  // namespace fedrk::store
