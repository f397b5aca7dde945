// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a client that takes part over a network keeps from one process to the next, in its own folder: the seed of its
// draws, what it has spent of its privacy, and what sums have shown of its tables. None of it ever leaves it.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "checkpoint/disclosure_ledger.hpp"
#include "checkpoint/table_records.hpp"

namespace fedrk::store {

class ClientStore {
 public:
  /// Makes folder and file where they are missing.
  static Result<ClientStore> open(const std::filesystem::path& folder);

  ClientStore(ClientStore&&) noexcept;
  ClientStore& operator=(ClientStore&&) noexcept;
  ~ClientStore();

  /// 64 random bits, drawn once and kept in the file `secret` that only its owner may read.
  Result<std::uint64_t> secret_seed();

  /// What sums have shown of its tables.
  DisclosureLedger& disclosures();

  /// The table that a run is about, by a number: the same for the same records. From now on all that the run spends, or
  /// has spent, counts for this table and for every other one with a record of it.
  Result<std::uint64_t> table_of(const std::string& run, const RecordSource& source);

  /// What an answer under differential privacy tells of this client's rows, as rho of gaussian_privacy.hpp.
  struct PrivacyCharge {
    std::string run;
    std::uint64_t task = 0;
    double rho = 0.0;
    std::optional<std::uint64_t> table{};  // unset: of all that the ledger knows
  };

  /// To be called before the answer leaves: what is written stays written, whatever becomes of process and machine.
  /// Refused, with what was spent in which runs, where all that counts for the table would exceed the budget. True:
  /// charged now. False: this task of this run was charged before, so that nothing but the very answer that was given
  /// then may leave; another one, with other noise, would tell more than was paid for.
  Result<bool> spend(const PrivacyCharge& charge, double budget_rho);

  /// The sum of all charges ever that count for a table, also of runs that are over and forgotten; unset: of all
  /// tables.
  Result<double> spent(std::optional<std::uint64_t> table = {}) const;
  /// The same without what one run has spent.
  Result<double> spent_elsewhere(const std::string& run, std::optional<std::uint64_t> table = {}) const;

 private:
  struct Impl;
  explicit ClientStore(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace fedrk::store
