// SPDX-License-Identifier: Apache-2.0
#include "api/model_rows.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/shown.hpp"
#include "plan/column_match.hpp"
#include "plan/source_files.hpp"

namespace fedrk::api {
namespace {

using Names = std::vector<std::string>;

void refuse(const Names& problems) {
  constexpr std::size_t kMax = 20;
  if (problems.empty()) return;
  const std::size_t shown = std::min(problems.size(), kMax);
  std::string message = fmt::format("{}", fmt::join(std::span(problems).first(shown), "; "));
  if (problems.size() > kMax) message += fmt::format("; and {} more", problems.size() - kMax);
  throw InvalidData(message);
}

Names names_of(const std::vector<Table>& sites) {
  Names names, sources;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const std::string number = fmt::format("site-{}", i + 1);
    names.push_back(sites[i].name().empty() ? number : sites[i].name());
    sources.push_back(sites[i].source().empty() ? number : sites[i].source());
  }
  return io::unique_names(std::move(names), std::move(sources));
}

/// What a table is called in a message: by its file, where it came from one.
std::string place_of(const Table& site, const std::string& name) {
  return site.source().empty() ? name : site.source();
}

void check_columns(const std::vector<Table>& sites, const Names& names, const Formula& formula) {
  Names problems, wanted = formula.columns;
  wanted.push_back(formula.response);
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const Names there = sites[i].column_names();
    Names lacks;
    for (const std::string& name : wanted) {
      if (std::ranges::find(there, name) == there.end()) lacks.push_back(io::shown(name));
    }
    if (lacks.empty()) continue;
    problems.push_back(fmt::format("{} lacks {}", place_of(sites[i], names[i]), fmt::join(lacks, ", ")));
  }
  refuse(problems);
}

// Those that the formula names, or all but the response and what it leaves out, in the order of the first table.
Names features_of(const std::vector<Table>& sites, const Names& names, const Formula& formula) {
  if (!formula.all_others) {
    check_columns(sites, names, formula);
    return formula.columns;
  }
  io::Plan plan;
  plan.target = formula.response;
  plan.ignore = formula.left_out;
  std::vector<io::FileHeader> headers;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    headers.push_back({place_of(sites[i], names[i]), sites[i].column_names()});
  }
  auto features = io::match_columns(plan, headers);
  if (!features) throw InvalidData(features.error().message);
  return *std::move(features);
}

void check_numbers(const Table& site, const std::string& place, std::span<const std::string> columns, Names& problems) {
  for (const std::string& name : columns) {
    try {
      const auto values = site.column(name);
      const auto bad = std::ranges::find_if_not(values, [](double value) { return std::isfinite(value); });
      if (bad == values.end()) continue;
      problems.push_back(fmt::format("{}: column {}, row {}: expected a finite number, found {}", place,
                                     io::shown(name), bad - values.begin() + 1, *bad));
    } catch (const InvalidData& error) {
      problems.emplace_back(error.what());
    }
  }
}

LinearSystem system_of(const Table& site, const Names& features, const Formula& formula) {
  Matrix rows(site.rows(), features.size(), {.front = formula.intercept ? 1U : 0U});
  std::vector<std::span<const double>> columns;
  for (const std::string& name : features) columns.push_back(site.column(name));
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const auto row = rows.row(i);
    for (std::size_t j = 0; j < columns.size(); ++j) row[j] = columns[j][i];
  }
  const auto response = site.column(formula.response);
  return {std::move(rows), {response.begin(), response.end()}};
}

}  // namespace

io::ClientTables model_rows(const std::vector<Table>& sites, const Formula& formula) {
  const Names names = names_of(sites);
  Names problems;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    if (sites[i].rows() == 0) problems.push_back(fmt::format("{} has no rows", place_of(sites[i], names[i])));
  }
  refuse(problems);
  Names features = features_of(sites, names, formula);
  if (features.empty()) throw InvalidData(fmt::format("no column beside {}", io::shown(formula.response)));
  Names used = features;
  used.push_back(formula.response);
  for (std::size_t i = 0; i < sites.size(); ++i) check_numbers(sites[i], place_of(sites[i], names[i]), used, problems);
  refuse(problems);
  io::ClientTables tables{.names = names};
  for (const Table& site : sites) tables.systems.push_back(system_of(site, features, formula));
  tables.columns = std::move(features);
  return tables;
}

}  // namespace fedrk::api
