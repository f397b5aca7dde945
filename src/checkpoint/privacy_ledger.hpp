// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a client has told of its rows, answer by answer and over all runs, in client.db: one line for each task, which
// is written once and never taken away. The stores' lock is the caller's.

#include <string>

#include "checkpoint/client_store.hpp"
#include "checkpoint/sqlite.hpp"

namespace fedrk::store {

class PrivacyLedger {
 public:
  /// Makes its table where the file is older than it. REQUIRES: `database` stays where it is.
  explicit PrivacyLedger(Database& database);

  /// As ClientStore has it.
  Result<bool> spend(const ClientStore::PrivacyCharge& charge, double budget_rho);
  Result<double> spent();
  Result<double> spent_elsewhere(const std::string& run);

 private:
  double sum();
  std::string runs();

  Database& database_;
};

}  // namespace fedrk::store
