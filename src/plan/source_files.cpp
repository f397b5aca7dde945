// SPDX-License-Identifier: Apache-2.0
#include "plan/source_files.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "data/powers.hpp"
#include "plan/peers.hpp"

namespace fedrk::io {
namespace {

Margins margins_for(const Plan& plan) {
  return {.front = plan.intercept ? 1U : 0U, .back = power_count(plan.powers) + plan.run.noise_columns};
}

Result<SourceFile> read_unchecked(const Plan& plan, std::size_t i, const RowRange& wanted,
                                  std::span<const std::string> columns) {
  if (!plan.data.empty()) {
    auto data = read_table(
        plan.data[i], {plan.target, plan.ignore, plan.group_by(), margins_for(plan), {columns.begin(), columns.end()}});
    if (!data) return data.error();
    if (!plan.group_by().empty() && data->labels.empty()) {
      return Error{fmt::format("{}: --partition by:COLUMN needs a CSV table", plan.data[i])};
    }
    return SourceFile{plan.data[i], *std::move(data), 0};
  }
  const bool changed = plan.intercept || plan.standardize || !plan.powers.empty() || plan.run.noise_columns > 0;
  auto rows = read_matrix(plan.matrix[i], margins_for(plan), changed ? Storage::Float64 : plan.storage,
                          plan.storage == Storage::Float64, wanted);
  if (!rows) return rows.error();
  auto rhs = read_vector(plan.rhs[i]);
  if (!rhs) return rhs.error();
  const std::size_t all = wanted.of > 0 ? wanted.of : row_count(*rows);
  if (rhs->size() != all) {
    return Error{fmt::format("{}: {} entries, but {} has {} rows", plan.rhs[i], rhs->size(), plan.matrix[i], all)};
  }
  if (wanted.of > 0) {
    const auto first = rhs->begin() + static_cast<std::ptrdiff_t>(wanted.first);
    *rhs = std::vector<double>(first, first + static_cast<std::ptrdiff_t>(wanted.count));
  }
  return SourceFile{plan.matrix[i], {{*std::move(rows), *std::move(rhs)}, {}, {}}, wanted.first};
}

// Where row i of a file stands, for a person who opens it.
std::string place_of_row(const SourceFile& source, std::size_t row) {
  return source.data.columns.empty() ? fmt::format("{}: row {}", source.path, source.first_row + row + 1)
                                     : fmt::format("{}:{}", source.path, row + 2);
}

// An intercept or noise columns make every row non-zero.
Result<void> check_rows(const Plan& plan, const SourceFile& source) {
  if (plan.intercept || plan.run.noise_columns > 0) return {};
  if (const auto row = find_contradictory_row(source.data.system)) {
    return Error{
        fmt::format("{}: every entry is zero but the right-hand side is {}: no x satisfies that; add --intercept or "
                    "take the row out",
                    place_of_row(source, *row), source.data.system.rhs[*row])};
  }
  return {};
}

// What the others compare theirs with.
struct FirstFile {
  std::string path;
  std::uint64_t width = 0;
  std::vector<std::string> names;
  static constexpr auto fields(auto& self) { return std::tie(self.path, self.width, self.names); }
};

FirstFile first_file(Peers& peers, const std::vector<SourceFile>& own) {
  FirstFile mine;
  if (peers.rank() == 0) {
    mine = {own.front().path, column_count(own.front().data.system.rows), own.front().data.columns};
  }
  const std::string text = peers.exchange(bytes_of(mine)).front();
  return ByteReader(text).get<FirstFile>();
}

Result<void> fit_to(const Plan& plan, const FirstFile& first, std::size_t widest, SourceFile& source) {
  const std::size_t width = column_count(source.data.system.rows);
  auto* sparse = std::get_if<SparseMatrix>(&source.data.system.rows);
  const bool open_ended = !plan.data.empty() && source.data.columns.empty() && sparse != nullptr;
  if (open_ended) {
    sparse->add_columns({.back = widest - width});
  } else if (width != first.width) {
    return Error{fmt::format("{}: {} columns, but {} has {}", source.path, width, first.path, first.width)};
  }
  return {};
}

}  // namespace

std::size_t source_count(const Plan& plan) { return plan.data.size() + plan.matrix.size(); }

const std::string& source_path(const Plan& plan, std::size_t i) {
  return plan.data.empty() ? plan.matrix[i] : plan.data[i];
}

Result<SourceFile> read_source(const Plan& plan, std::size_t i, const RowRange& rows,
                               std::span<const std::string> columns) {
  auto source = read_unchecked(plan, i, rows, columns);
  if (!source) return source.error();
  if (const auto fine = check_rows(plan, *source); !fine) return fine.error();
  return source;
}

Result<Columns> agree_on_columns(const Plan& plan, Peers& peers, std::vector<SourceFile>& own) {
  const FirstFile first = first_file(peers, own);
  std::uint64_t widest = 0;
  for (const SourceFile& source : own) widest = std::max<std::uint64_t>(widest, column_count(source.data.system.rows));
  widest = std::ranges::max(exchange_number(peers, widest));
  const auto fits = together(peers, [&]() -> Result<void> {
    for (SourceFile& source : own) {
      if (const auto fine = fit_to(plan, first, widest, source); !fine) return fine.error();
    }
    return {};
  });
  if (!fits) return fits.error();
  return Columns{widest, first.names};
}

std::vector<std::string> names_from_files(const Plan& plan) {
  std::vector<std::string> names, paths;
  for (std::size_t i = 0; i < source_count(plan); ++i) {
    names.push_back(std::filesystem::path(source_path(plan, i)).stem().string());
    paths.push_back(source_path(plan, i));
  }
  return unique_names(std::move(names), std::move(paths));
}

std::vector<std::string> unique_names(std::vector<std::string> names, std::vector<std::string> paths) {
  if (std::set(names.begin(), names.end()).size() == names.size()) return names;
  std::set<std::string> taken;
  for (std::string& path : paths) {
    std::string name = path;
    for (int copy = 2; !taken.insert(name).second; ++copy) name = fmt::format("{} ({})", path, copy);
    path = std::move(name);
  }
  return paths;
}

}  // namespace fedrk::io
