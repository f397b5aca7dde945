// SPDX-License-Identifier: Apache-2.0
#include "transport/protocol/file_owner.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/file_ending.hpp"
#include "base/shown.hpp"
#include "data/csv.hpp"
#include "data/powers.hpp"
#include "data/record_hashes.hpp"
#include "fedrk/error.hpp"
#include "linalg/random/rng_stream.hpp"
#include "plan/federation.hpp"

namespace fedrk::network {
namespace {

// A column that the plan names and the header lacks. What the header holds is not listed as elsewhere: in a file
// without one it is the first row.
Result<void> find_columns(const io::Plan& plan, const std::string& file) {
  const auto names = io::read_csv_columns(file);
  if (!names) return names.error();
  if (plan.target.empty()) return Error{file + ": the plan names no target among the columns of a table"};
  std::vector<std::string> wanted = plan.ignore;
  wanted.push_back(plan.target);
  for (const std::string& name : wanted) {
    if (std::ranges::find(*names, name) != names->end()) continue;
    return Error{
        fmt::format("{}:1: no column {} in the header, which has {} columns", file, io::shown(name), names->size())};
  }
  return {};
}

}  // namespace

FileOwner::FileOwner(std::string name, OwnFiles files, std::optional<std::uint64_t> secret, operation::Log& log)
    : name_(std::move(name)), files_(std::move(files)), secret_(secret), log_(log) {}

std::uint64_t FileOwner::seed() const {
  return secret_ ? client_seed(*secret_, run_) : client_seed(plan_.run.seed, name_);
}

Result<TableShape> FileOwner::read(const std::string& run, const io::Plan& plan) {
  run_ = run;
  plan_ = plan;
  if (!files_.data.empty()) plan_.data = {files_.data};
  if (!files_.matrix.empty()) {
    plan_.matrix = {files_.matrix};
    plan_.rhs = {files_.rhs};
  }
  order_.clear();
  client_.reset();
  if (const auto done = read_again(); !done) return done.error();
  return shape_;
}

// A plan with one file, and nothing to split.
Result<void> FileOwner::read_again() {
  if (has_csv()) {
    if (const auto there = find_columns(plan_, files_.data); !there) return there.error();
  }
  auto tables = order_.empty() ? io::read_clients(plan_) : io::read_clients(plan_, order_);
  if (!tables) return tables.error();
  LinearSystem& system = tables->systems.front();
  names_ = std::move(tables->columns);
  shape_ = {row_count(system.rows), column_count(system.rows), names_, is_sparse(system.rows), false};
  if (shape_.names == io::numbered_columns(shape_.columns)) shape_.names.clear();
  shape_.open_ended = !plan_.data.empty() && shape_.sparse && shape_.names.empty();
  site_.emplace(plan_, name_, std::move(system), shape_.open_ended);
  return {};
}

// Puts the columns into this order, before anything is made of them; none: they stay as they are.
Result<void> FileOwner::order_columns(const std::vector<std::string>& names) {
  if (names.empty() || names == names_) return site_ ? Result<void>() : read_again();
  std::vector<std::string> wanted = names, own = names_;
  std::ranges::sort(wanted);
  std::ranges::sort(own);
  if (wanted != own || plan_.data.empty()) return Error{"the server names other columns than these data have"};
  const auto powers = static_cast<std::ptrdiff_t>(std::min(io::power_count(plan_.powers), names.size()));
  if (!std::equal(names.end() - powers, names.end(), names_.end() - powers)) {
    return Error{"the server names the powers of columns in another order than the plan"};
  }
  order_ = names;
  client_.reset();
  return read_again();
}

Result<ColumnSums> FileOwner::sum_columns(const io::SumColumns& question) {
  if (const auto put = order_columns(question.names); !put) return put.error();
  return site_->sum_columns(question);
}

Result<std::vector<ColumnKind>> FileOwner::count_columns() {
  if (!site_) return Error{"the columns are not read"};
  return site_->column_kinds();
}

bool FileOwner::has_csv() const { return !files_.data.empty() && io::is_csv_name(files_.data); }

Result<std::vector<std::string>> FileOwner::record_columns() const {
  if (has_csv()) return io::read_csv_columns(files_.data);
  return io::record_columns(shape_.columns);
}

Result<std::vector<std::uint64_t>> FileOwner::record_hashes(std::uint64_t salt,
                                                            std::span<const std::string> columns) const {
  if (has_csv()) return io::csv_record_hashes(files_.data, salt, columns);
  if (!site_) return Error{"the rows are not read"};
  return io::record_hashes(site_->system(), salt, columns);
}

Result<io::PreparedRows> FileOwner::prepare(const io::PrepareRows& question, ClientId place) {
  client_.reset();
  if (const auto put = order_columns(question.names); !put) return put.error();
  const auto powers = io::powers_among(plan_, names_);
  if (!powers) return powers.error();
  std::vector<std::string> warnings;
  auto client = std::move(*site_).prepare(question, *powers, {place, seed()}, warnings);
  site_.reset();
  if (!client) return client.error();
  for (const std::string& warning : warnings) log_.warning("data.note", {{"note", warning}});
  client_ = *std::move(client);
  return io::PreparedRows{client_->summary(), client_->block().cols()};
}

Result<LocalReply> FileOwner::answer(const LocalTask& task) {
  if (!client_) return Error{"the rows are not prepared yet"};
  return client_->local_update(task);
}

}  // namespace fedrk::network
