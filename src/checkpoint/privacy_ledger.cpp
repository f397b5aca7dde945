// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/privacy_ledger.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <utility>

#include "base/byte_stream.hpp"

namespace fedrk::store {
namespace {

// Equal parts of a budget add up to it only nearly.
constexpr double kRounding = 1e-9;

std::string brief(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", number);
  return text;
}

Error over_budget(double rho, double spent, double budget, const std::string& runs) {
  const double left = std::max(0.0, budget - spent);
  return Error{"this answer would tell more of the rows than their owner allows: it costs rho = " + brief(rho) +
               ", and of " + brief(budget) + " there is " + brief(left) + " left, after " + brief(spent) +
               (runs.empty() ? " so far" : " in " + runs)};
}

}  // namespace

// ---- Tables.

std::uint64_t PrivacyLedger::next_table() {
  return database_.value<std::uint64_t>("SELECT coalesce(max(id) + 1, 0) FROM privacy_tables").value_or(0);
}

// With the tables from `compared.next` on. The owner's rows may be read anew for each, if columns were added: so they
// are read from the database first, and the database is free while others are looked at.
Result<void> PrivacyLedger::compare(const RecordSource& source, std::uint64_t salt, const TableRecords& records,
                                    Compared& compared) {
  std::vector<std::pair<std::uint64_t, TableRecords>> tables;
  const auto read = guarded([&] {
    Statement& each = database_.prepare("SELECT id, records FROM privacy_tables WHERE id >= ? ORDER BY id");
    each.bind(compared.next);
    while (each.next()) {
      auto& [id, table] = tables.emplace_back();
      id = each.get<std::uint64_t>(0);
      const std::string bytes = each.get<std::string>(1);
      ByteReader in(bytes);
      in.get(table);
      if (!in.complete()) throw SqliteFailure("client.db: the records of a table cannot be read", SQLITE_CORRUPT);
    }
  });
  if (!read) return read.error();
  for (const auto& [id, table] : tables) {
    compared.next = id + 1;
    const bool same_columns = table.columns == records.columns;
    if (same_columns && table.records == records.records) compared.same = id;
    RecordSource known = source;
    if (same_columns)
      known.hashes = [&](std::uint64_t, std::span<const std::string>) { return Result(records.records); };
    const auto shares = shares_records(known, salt, table);
    if (!shares) return shares.error();
    if (*shares) compared.overlaps.push_back(id);
  }
  return {};
}

void PrivacyLedger::add_table(std::uint64_t id, const TableRecords& records,
                              const std::vector<std::uint64_t>& overlaps) {
  const std::string bytes = bytes_of(records);
  sealed_.change(
      kTables, "id = ?", [&] { database_.run("INSERT INTO privacy_tables VALUES (?, ?)", id, Blob{bytes}); }, id);
  const auto add = [&](std::uint64_t one, std::uint64_t other) {
    sealed_.change(
        kOverlaps, "one = ? AND other = ?",
        [&] { database_.run("INSERT INTO privacy_overlaps VALUES (?, ?)", one, other); }, one, other);
  };
  add(id, id);
  for (const std::uint64_t other : overlaps) {
    add(id, other);
    add(other, id);
  }
}

void PrivacyLedger::tie(const std::string& run, std::uint64_t table) {
  sealed_.change(
      kRuns, "run = ? AND one = ?", [&] { database_.run("INSERT INTO privacy_runs VALUES (?, ?)", run, table); }, run,
      table);
}

Result<std::uint64_t> PrivacyLedger::table_of(const std::string& run, const RecordSource& source, std::uint64_t salt) {
  auto hashes = source.hashes(salt, source.columns);
  if (!hashes) return hashes.error();
  const TableRecords records{source.columns, *std::move(hashes)};
  Compared compared;
  for (;;) {
    if (const auto done = compare(source, salt, records, compared); !done) return done.error();
    const auto tied = guarded([&]() -> std::optional<std::uint64_t> {
      Transaction transaction = sealed_.begin();
      if (next_table() != compared.next) return std::nullopt;  // another process was quicker: look at its tables too
      const std::uint64_t id = compared.same.value_or(compared.next);
      const bool known =
          database_.value<int>("SELECT 1 FROM privacy_runs WHERE run = ? AND one = ?", run, id).has_value();
      if (known) return id;
      if (!compared.same) add_table(id, records, compared.overlaps);
      tie(run, id);
      sealed_.commit(transaction);
      return id;
    });
    if (!tied) return tied.error();
    if (*tied) return **tied;
  }
}

// ---- Charges.

namespace {

// Those that count for the table that comes first, or for all where that is null; without the run that comes second.
constexpr const char* kCounted =
    " FROM privacy WHERE run <> ?2 AND (?1 IS NULL OR run NOT IN (SELECT run FROM privacy_runs) OR run IN (SELECT "
    "r.run "
    "FROM privacy_runs r JOIN privacy_overlaps o ON o.other = r.one WHERE o.one = ?1))";

}  // namespace

double PrivacyLedger::sum(std::optional<std::uint64_t> table, const std::string& without) {
  static const std::string query = std::string("SELECT coalesce(sum(rho), 0.0)") + kCounted;
  return database_.value<double>(query, table, without).value_or(0.0);
}

// "run a (0.01), run b (0.002)", those that cost most first.
std::string PrivacyLedger::runs(std::optional<std::uint64_t> table) {
  constexpr int kMax = 5;
  std::string text;
  int count = 0;
  static const std::string query =
      std::string("SELECT run, sum(rho)") + kCounted + " GROUP BY run ORDER BY sum(rho) DESC, run";
  Statement& each = database_.prepare(query);
  each.bind(table, std::string());
  while (each.next()) {
    if (++count > kMax) continue;
    text += (text.empty() ? "run " : ", run ") + each.get<std::string>(0) + " (" + brief(each.get<double>(1)) + ")";
  }
  if (count > kMax) text += " and " + std::to_string(count - kMax) + " more";
  return text;
}

Result<bool> PrivacyLedger::spend(const ClientStore::PrivacyCharge& charge, double budget_rho) {
  if (!(charge.rho >= 0.0) || !std::isfinite(charge.rho)) {
    return Error{"this answer would have no noise: no budget covers it"};
  }
  std::optional<Error> refused;
  const auto charged = guarded([&] {
    Transaction transaction = sealed_.begin();  // two processes with one folder must not spend the same twice
    const auto paid =
        database_.value<double>("SELECT rho FROM privacy WHERE run = ? AND task = ?", charge.run, charge.task);
    if (paid) {
      if (charge.rho > *paid * (1.0 + kRounding)) {
        refused = Error{"task " + std::to_string(charge.task) + " of this run was answered for rho = " + brief(*paid) +
                        " and is now asked for with less noise, for " + brief(charge.rho)};
      }
      return false;
    }
    const double spent = sum(charge.table);
    if (spent + charge.rho > budget_rho * (1.0 + kRounding)) {
      refused = over_budget(charge.rho, spent, budget_rho, runs(charge.table));
      return false;
    }
    sealed_.change(
        kTable, "run = ? AND task = ?",
        [&] { database_.run("INSERT INTO privacy VALUES (?, ?, ?)", charge.run, charge.task, charge.rho); }, charge.run,
        charge.task);
    sealed_.commit(transaction);
    return true;
  });
  if (refused) return *refused;
  return charged;
}

Result<double> PrivacyLedger::spent_elsewhere(const std::string& run, std::optional<std::uint64_t> table) {
  return guarded([&] { return sum(table, run); });
}

Result<double> PrivacyLedger::spent(std::optional<std::uint64_t> table) {
  return guarded([&] { return sum(table); });
}

}  // namespace fedrk::store
