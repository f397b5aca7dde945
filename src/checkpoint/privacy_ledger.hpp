// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a client has told of its rows, answer by answer and over all runs, in client.db: one line for each task, which
// is written once and never taken away. The stores' lock is the caller's.

#include <string>

#include "checkpoint/client_store.hpp"
#include "checkpoint/sealed_database.hpp"

namespace fedrk::store {

class PrivacyLedger {
 public:
  static constexpr const char* kTable = "privacy";
  static constexpr const char* kSchema =
      "CREATE TABLE IF NOT EXISTS privacy (run TEXT NOT NULL, task INTEGER NOT NULL, rho REAL NOT NULL, "
      "PRIMARY KEY (run, task));";

  /// REQUIRES: `database` has its table, and stays where it is.
  explicit PrivacyLedger(SealedDatabase& database) : sealed_(database), database_(database.database()) {}

  /// As ClientStore has it.
  Result<bool> spend(const ClientStore::PrivacyCharge& charge, double budget_rho);
  Result<double> spent();
  Result<double> spent_elsewhere(const std::string& run);

 private:
  double sum();
  std::string runs();

  SealedDatabase& sealed_;
  Database& database_;
};

}  // namespace fedrk::store
