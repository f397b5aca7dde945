// SPDX-License-Identifier: Apache-2.0
#include "experiments/prostate.hpp"

#include <stdexcept>
#include <utility>

#include "analysis/observers.hpp"
#include "data/csv.hpp"
#include "experiments/prostate_csv.hpp"
#include "experiments/support.hpp"
#include "fedrk/in_process_engine.hpp"
#include "fedrk/run.hpp"
#include "plan/federation.hpp"
#include "problem/partition.hpp"
#include "problem/standardize.hpp"

namespace fedrk::experiments {
namespace {

constexpr std::size_t kHospitals = 7;

// One after the other. Summing up by client is part of standardising, so the rows are scaled while split.
LinearSystem joined(std::span<const LinearSystem> parts) {
  std::size_t rows = 0;
  for (const LinearSystem& part : parts) rows += row_count(part.rows);
  Matrix all(rows, column_count(parts.front().rows));
  std::vector<double> rhs;
  for (const LinearSystem& part : parts) {
    const auto& matrix = std::get<Matrix>(part.rows);
    for (std::size_t i = 0; i < matrix.rows(); ++i) axpy(1.0, matrix.row(i), all.row(rhs.size() + i));
    rhs.insert(rhs.end(), part.rhs.begin(), part.rhs.end());
  }
  return {std::move(all), std::move(rhs)};
}

}  // namespace

Prostate prostate() {
  auto data = io::read_csv_text(kProstateCsv, "prostate.csv",
                                {.target = "lpsa", .ignore = {}, .group_by = {}, .margins = {.front = 1, .back = 0}});
  if (!data) throw std::logic_error(data.error().message);  // we built it in

  Prostate result;
  result.unknowns = std::move(data->columns);
  result.unknowns.insert(result.unknowns.begin(), std::string(io::kInterceptName));
  const Partition partition = partition_contiguous(row_count(data->system.rows), kHospitals);
  result.rows_of_client = partition.counts;
  auto parts = split(std::move(data->system), partition);
  for (LinearSystem& part : parts) add_intercept(part);
  (void)standardize(parts, Centring::ByMean, 1);
  result.system = joined(parts);
  return result;
}

std::vector<std::uint64_t> prostate_selection(const Prostate& data, std::uint64_t seed, std::size_t threads) {
  InProcessEngine engine(clients_of(copy_of(data.system), data.rows_of_client, seed), threads);
  RunOptions options;  // tau = tau_g = 20
  options.seed = seed;
  options.rounds = kProstateRounds;
  options.participants = 3;
  options.sparsity = 5;
  SelectionCounts counts;
  RoundObserver* const observers[] = {&counts};
  (void)FederatedRun(options).run(engine, {}, observers);
  return counts.counts();
}

}  // namespace fedrk::experiments
