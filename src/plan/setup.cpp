// SPDX-License-Identifier: Apache-2.0
#include "plan/setup.hpp"

#include <utility>

#include "fedrk/error.hpp"

namespace fedrk::io {
namespace {

struct Needs {
  bool sums = false, squares = false;
};

// Of several solutions that nearest to the start is asked for, and another scale has another one.
bool is_open(const Plan& plan, ColumnScaling columns, const ColumnTotals& totals, std::size_t unknowns) {
  return plan.job == Job::Solve && columns == ColumnScaling::Framed && totals.rows < unknowns;
}

Needs needs_of(const Plan& plan, const ColumnTotals& totals, std::size_t unknowns) {
  const ColumnScaling columns = resolve(plan).columns;
  if (columns == ColumnScaling::AsTheyAre || is_open(plan, columns, totals, unknowns)) return {};
  return {.sums = columns != ColumnScaling::Equilibrated, .squares = true};
}

std::vector<double> means_of(const std::vector<double>& sums, std::uint64_t rows) {
  std::vector<double> means = sums;
  for (double& mean : means) mean /= static_cast<double>(rows);
  return means;
}

std::size_t fixed_columns(const Plan& plan) { return plan.intercept ? 1 : 0; }

}  // namespace

std::vector<double> centre_of(const Plan& plan, const ColumnTotals& totals, std::size_t unknowns) {
  if (totals.sums.empty()) return std::vector<double>(unknowns, 0.0);
  const auto centring = plan.intercept && !totals.sparse ? Centring::ByMean : Centring::None;
  return centre_from(means_of(totals.sums, totals.rows), centring, fixed_columns(plan));
}

std::optional<Scaling> scaling_of(const Plan& plan, const ColumnTotals& totals, std::size_t unknowns) {
  const ColumnScaling columns = resolve(plan).columns;
  const Needs needs = needs_of(plan, totals, unknowns);
  if (totals.sums.size() != (needs.sums ? unknowns : 0) || totals.squares.size() != (needs.squares ? unknowns : 0)) {
    throw InvalidArgument("the sums of the columns are not those that the plan needs");
  }
  if (columns == ColumnScaling::AsTheyAre) return std::nullopt;
  if (!needs.squares) return Scaling{std::vector<double>(unknowns, 0.0), std::vector<double>(unknowns, 1.0)};
  std::vector<double> squares = means_of(totals.squares, totals.rows);
  if (columns == ColumnScaling::Equilibrated) return equilibration(squares, totals.rows);
  return scaling_from(centre_of(plan, totals, unknowns), means_of(totals.sums, totals.rows), std::move(squares),
                      fixed_columns(plan));
}

SumColumns::Of last_sum_of(const Plan& plan, const ColumnTotals& totals, std::size_t unknowns) {
  return needs_of(plan, totals, unknowns).squares ? SumColumns::Of::Squares : SumColumns::Of::Nothing;
}

Result<SetUp> set_up(const Plan& plan, const MatchedTables& tables, SetupEngine& engine) try {
  SetUp made{.preparation = {.columns = tables.columns, .names = tables.order}, .scaling = {}, .clients = {}};
  ColumnTotals& totals = made.preparation.totals;
  totals.rows = tables.rows;
  totals.sparse = tables.sparse;
  const std::size_t unknowns = tables.columns + fixed_columns(plan);
  const Needs needs = needs_of(plan, totals, unknowns);
  const auto ask = [&](SumColumns::Of of) { return engine.sum_columns({tables.columns, tables.order, of, totals}); };
  if (needs.sums) {
    auto sums = ask(SumColumns::Of::Entries);
    if (!sums) return sums.error();
    totals.sums = *std::move(sums);
  }
  if (needs.squares) {
    auto squares = ask(SumColumns::Of::Squares);
    if (!squares) return squares.error();
    totals.squares = *std::move(squares);
  } else if (engine.counts_columns()) {
    if (const auto counted = ask(SumColumns::Of::Nothing); !counted) return counted.error();
  }
  made.scaling = scaling_of(plan, totals, unknowns);
  auto clients = engine.prepare(made.preparation);
  if (!clients) return clients.error();
  made.clients = *std::move(clients);
  return made;
} catch (const InvalidArgument& error) {
  return Error{error.what()};
}

}  // namespace fedrk::io
