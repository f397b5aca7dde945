// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/privacy_ledger.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

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

double PrivacyLedger::sum() {
  return database_.value<double>("SELECT coalesce(sum(rho), 0.0) FROM privacy").value_or(0.0);
}

// "run a (0.01), run b (0.002)", those that cost most first.
std::string PrivacyLedger::runs() {
  constexpr int kMax = 5;
  std::string text;
  int count = 0;
  Statement& each = database_.prepare("SELECT run, sum(rho) FROM privacy GROUP BY run ORDER BY sum(rho) DESC, run");
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
    const double spent = sum();
    if (spent + charge.rho > budget_rho * (1.0 + kRounding)) {
      refused = over_budget(charge.rho, spent, budget_rho, runs());
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

Result<double> PrivacyLedger::spent_elsewhere(const std::string& run) {
  return guarded([&] {
    return database_.value<double>("SELECT coalesce(sum(rho), 0.0) FROM privacy WHERE run <> ?", run).value_or(0.0);
  });
}

Result<double> PrivacyLedger::spent() {
  return guarded([&] { return sum(); });
}

}  // namespace fedrk::store
