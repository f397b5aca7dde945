// SPDX-License-Identifier: Apache-2.0
#include "transport/protocol/file_owner.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "data/powers.hpp"
#include "fedrk/error.hpp"
#include "linalg/random/rng_stream.hpp"
#include "plan/federation.hpp"

namespace fedrk::network {

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
  auto tables = order_.empty() ? io::read_clients(plan_) : io::read_clients(plan_, order_);
  if (!tables) return tables.error();
  system_ = std::move(tables->systems.front());
  wide_ = false;
  names_ = std::move(tables->columns);
  shape_ = {row_count(system_->rows), column_count(system_->rows), names_, is_sparse(system_->rows), false};
  if (shape_.names == io::numbered_columns(shape_.columns)) shape_.names.clear();
  shape_.open_ended = !plan_.data.empty() && shape_.sparse && shape_.names.empty();
  return {};
}

Result<void> FileOwner::order_columns(const std::vector<std::string>& names) {
  if (names == names_) return {};
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

// To the columns of all clients, and the intercept.
Result<void> FileOwner::widen(std::size_t columns) {
  if (!system_) {
    if (const auto done = read_again(); !done) return done.error();
  }
  if (wide_) return {};
  const std::size_t own = column_count(system_->rows);
  auto* sparse = std::get_if<SparseMatrix>(&system_->rows);
  if (columns != own && (sparse == nullptr || !shape_.open_ended || columns < own)) {
    return Error{fmt::format("the data have {} columns, the server wants {}", own, columns)};
  }
  if (columns > own) sparse->add_columns({.back = columns - own});
  if (plan_.intercept) add_intercept(*system_);
  wide_ = true;
  return {};
}

Result<ColumnSums> FileOwner::column_sums(std::size_t columns) {
  if (const auto wide = widen(columns); !wide) return wide.error();
  return fedrk::column_sums(*system_);
}

Result<ColumnSums> FileOwner::column_square_sums(std::span<const double> centre) {
  const std::size_t fixed = plan_.intercept ? 1 : 0;
  if (centre.size() < fixed) return Error{"the server sent no centres"};
  if (const auto wide = widen(centre.size() - fixed); !wide) return wide.error();
  if (column_count(system_->rows) != centre.size()) return Error{"the server's centres do not fit the columns"};
  return fedrk::column_square_sums(*system_, centre);
}

Result<PreparedRows> FileOwner::prepare(const Preparation& preparation) {
  client_.reset();
  if (const auto wide = widen(preparation.columns); !wide) return wide.error();
  std::optional<Frame> frame;
  if (preparation.scaling) {
    const std::size_t columns = column_count(system_->rows);
    if (preparation.scaling->centre.size() != columns || preparation.scaling->scale.size() != columns) {
      return Error{"the server's scales do not fit the columns"};
    }
    const auto powers = io::powers_among(plan_, shape_.names);
    if (!powers) return powers.error();
    frame = io::take_scaling(plan_, *preparation.scaling, *powers, *system_);
  }
  std::vector<std::string> warnings;
  auto client = io::make_client(plan_, preparation.place, name_, *std::exchange(system_, std::nullopt), seed(),
                                warnings, std::move(frame));
  if (!client) return client.error();
  for (const std::string& warning : warnings) log_.warning("data.note", {{"note", warning}});
  client_ = *std::move(client);
  return PreparedRows{client_->summary(), client_->block().cols()};
}

Result<LocalReply> FileOwner::answer(const LocalTask& task) {
  if (!client_) return Error{"the rows are not prepared yet"};
  return client_->local_update(task);
}

}  // namespace fedrk::network
