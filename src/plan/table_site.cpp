// SPDX-License-Identifier: Apache-2.0
#include "plan/table_site.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "fedrk/error.hpp"
#include "linalg/random/rng_stream.hpp"
#include "problem/added_columns.hpp"
#include "problem/storage.hpp"

namespace fedrk::io {
namespace {

Result<RowBlock> row_block_of(const std::string& client, Storage storage, RowUse use, LinearSystem system,
                              std::vector<std::string>& warnings) {
  try {
    const Rounding rounding = storage == Storage::Float32 ? store_as_floats(system, use) : Rounding{};
    if (rounding.scaled_rows > 0) {
      warnings.push_back(
          fmt::format("{}: {} rows were too small for float32 and were scaled to length about one, with their "
                      "right-hand sides.",
                      client, rounding.scaled_rows));
    }
    if (rounding.vanished_entries > 0) {
      warnings.push_back(fmt::format("{}: {} entries are too small for float32 and became zero; float64 keeps them.",
                                     client, rounding.vanished_entries));
    }
    return RowBlock(std::move(system), use);
  } catch (const InvalidArgument& error) {
    return Error{fmt::format("{}: {}", client, error.what())};
  }
}

// Asked for by name, the gram form still keeps within the memory it was given.
Result<void> check_form(const ResolvedPlan& plan, const std::string& client, std::size_t row_count) {
  if (!plan.steps.needs_gram() || !std::holds_alternative<FixedSteps>(plan.run.local_budget)) return {};
  const bool greedy = plan.steps.sampling == RowSampling::Greedy;
  const auto rows = static_cast<double>(row_count);
  const double needed = 8.0 * rows * rows;
  if (needed <= static_cast<double>(plan.steps.gram_memory)) return {};
  return Error{
      fmt::format("{}: {} needs {:.0f} MB for its {} rows; allow as much with --local-memory, or leave the {} to auto",
                  client, greedy ? "--row-sampling greedy" : "--local-form gram", std::ceil(needed / 1048576.0),
                  row_count, greedy ? "order" : "form")};
}

void warn_of_rows(const ResolvedPlan& plan, const std::string& name, const RowBlock& block,
                  std::vector<std::string>& warnings) {
  const bool draws_by_norm =
      plan.steps.sampling == RowSampling::SquaredNorm && std::holds_alternative<FixedSteps>(plan.run.local_budget);
  if (block.rescaled_rows() > 0) {
    warnings.push_back(
        fmt::format("{}: {} rows were too large or too small to be squared and were scaled to length about one, with "
                    "their right-hand sides.",
                    name, block.rescaled_rows()));
  }
  if (block.dominant_row() && draws_by_norm) {
    warnings.push_back(
        fmt::format("{}: row {} holds more than half of the squared norm, so the others are seldom drawn; "
                    "--row-sampling shuffled takes all alike.",
                    name, *block.dominant_row() + 1));
  }
}

// Scales the rows as the plan has it, or makes the frame in which a fit sees them.
std::optional<Frame> take_scaling(ColumnScaling columns, const Scaling& scaling, const std::vector<PowerTerm>& powers,
                                  LinearSystem& system) {
  if (columns == ColumnScaling::Framed) return frame_from(scaling, powers);
  const bool changes = std::ranges::any_of(scaling.scale, [](double scale) { return scale != 1.0; }) ||
                       std::ranges::any_of(scaling.centre, [](double centre) { return centre != 0.0; });
  if (changes) apply(scaling, system);
  return std::nullopt;
}

}  // namespace

// To the columns of all clients, and the intercept.
Result<void> TableSite::widen(std::size_t columns) {
  if (wide_) return {};
  const std::size_t own = column_count(system_.rows);
  auto* sparse = std::get_if<SparseMatrix>(&system_.rows);
  if (columns != own && (sparse == nullptr || !open_ended_ || columns < own)) {
    return Error{fmt::format("the data have {} columns, the server wants {}", own, columns)};
  }
  if (columns > own) sparse->add_columns({.back = columns - own});
  if (plan_->intercept) add_intercept(system_);
  wide_ = true;
  return {};
}

// A centre would fill sparse rows, and a totals' maker who knows of them has none.
Result<void> TableSite::check(const ColumnTotals& totals) const {
  if (is_sparse(system_.rows) && !totals.sparse) return Error{"the sums of the columns leave out that rows are sparse"};
  const std::size_t sums = totals.sums.size();
  if (sums == 0 || sums == column_count(system_.rows)) return {};
  return Error{"the sums of the columns do not fit the columns"};
}

Result<ColumnSums> TableSite::sum_columns(const SumColumns& question) {
  if (const auto wide = widen(question.columns); !wide) return wide.error();
  if (const auto fits = check(question.known); !fits) return fits.error();
  switch (question.of) {
    case SumColumns::Of::Entries:
      return column_sums(system_);
    case SumColumns::Of::Squares:
      return column_square_sums(system_, centre_of(*plan_, question.known, column_count(system_.rows)));
    case SumColumns::Of::Nothing:
      break;
  }
  return ColumnSums{row_count(system_.rows), {}};
}

Result<Client> TableSite::prepare(const PrepareRows& question, const std::vector<PowerTerm>& powers, const Place& place,
                                  std::vector<std::string>& warnings) &&
    try {
  const ResolvedPlan decided = resolve(*plan_);
  if (const auto fits = check_form(decided, name_, row_count(system_.rows)); !fits) return fits.error();
  if (const auto wide = widen(question.columns); !wide) return wide.error();
  if (const auto fits = check(question.totals); !fits) return fits.error();
  std::optional<Frame> frame;
  if (const auto scaling = scaling_of(*plan_, question.totals, column_count(system_.rows))) {
    frame = take_scaling(decided.columns, *scaling, powers, system_);
  }
  add_noise_columns(system_, plan_->run.noise_columns, stream_for(place.seed, Purpose::NoiseColumns));
  if (is<Private>(decided.goal)) {
    if (const std::size_t silenced = silence_unusable_rows(system_); silenced > 0) {
      warnings.push_back(
          fmt::format("{}: {} rows are not used: zero with a right-hand side, or with entries that are all below 1e-18 "
                      "or one beyond 1e18.",
                      name_, silenced));
    }
  }
  const RowUse use = is<LeastSquares>(decided.goal) ? RowUse::Sums : RowUse::Steps;
  auto block = row_block_of(name_, plan_->storage, use, std::move(system_), warnings);
  if (!block) return block.error();
  warn_of_rows(decided, name_, *block, warnings);
  if (!frame) return Client(place.id, name_, *std::move(block), place.seed, decided.steps);
  return Client(place.id, name_, *std::move(block), place.seed, decided.steps, *std::move(frame));
} catch (const InvalidArgument& error) {
  return Error{error.what()};
}

}  // namespace fedrk::io
