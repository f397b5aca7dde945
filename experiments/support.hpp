// SPDX-License-Identifier: Apache-2.0
#pragma once

// What several experiments share: clients made of a generated problem, trials side by side, and numbers on their way to
// plots, tables and words.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/experiment.hpp"
#include "fedrk/run.hpp"
#include "fedrk/site.hpp"
#include "fedrk/system.hpp"

namespace fedrk::experiments {

// ---- problems

/// Clients client-1, client-2, ... with these shares of the rows, in order. Each adds its own noise columns. Names,
/// seeds and streams are those of `fedrk solve`.
std::vector<Client> clients_of(LinearSystem system, std::span<const std::size_t> rows_of_client, std::uint64_t seed,
                               std::size_t noise_columns = 0, StepOptions steps = {});
/// The same with even shares.
std::vector<Client> clients_of(LinearSystem system, std::size_t count, std::uint64_t seed,
                               std::size_t noise_columns = 0, StepOptions steps = {});

/// x + A^+ (b - A x), by a direct solver: from zero the least-squares solution of least norm.
std::vector<double> nearest_solution(const LinearSystem& system, std::vector<double> x);

/// The seed of trial k = 0, 1, ... of an experiment.
std::uint64_t trial_seed(std::uint64_t seed, std::size_t trial);
std::vector<double> gaussian_vector(std::size_t size, std::uint64_t seed);

// ---- trials

/// For a part of an experiment, its own progress from 0 to 1. `progress` must outlive it.
Progress part_of(const Progress& progress, double begin, double end);

/// A stretch of an experiment's progress, from share `begin` to share `end`.
class Stretch {
 public:
  Stretch(const Progress& progress, double begin, double end, std::string_view doing)
      : progress_(progress), begin_(begin), end_(end), doing_(doing) {}
  void done(std::size_t pieces, std::size_t of) const;

 private:
  const Progress& progress_;
  double begin_, end_;
  std::string_view doing_;
};

/// Reports about twenty times in a run of so many rounds.
class ReportRounds final : public RoundObserver {
 public:
  ReportRounds(Stretch stretch, std::uint32_t rounds) : stretch_(stretch), rounds_(rounds) {}
  void on_round(const RoundRecord& record, std::span<const double> x) override;

 private:
  Stretch stretch_;
  std::uint32_t rounds_;
};

/// Calls work(0) ... work(count - 1) on `threads` threads (0: all cores) and reports from the caller's. Each piece must
/// depend on its number alone; one that runs a federation gives it one thread.
void for_each_trial(std::size_t count, std::size_t threads, const Stretch& stretch,
                    const std::function<void(std::size_t)>& work);

// ---- numbers

double mean(std::span<const double> values);
/// Of the mean of independent values: s / sqrt(N).
double standard_error(std::span<const double> values);

/// The first round, from 1, after which the error was at most `level`.
std::optional<std::size_t> rounds_to(double level, std::span<const double> errors);

// ---- words, plots, tables

/// "3, 4.5, 6": each by `format`, such as "{:.2f}".
std::string listed(std::span<const double> values, std::string_view format);
std::string listed(std::span<const std::string> texts);

/// Round 1, 2, ... against the values; with `start` the value before the first round stands at 0.
io::Series by_round(std::string label, std::span<const double> values, std::optional<double> start = std::nullopt);

/// The plot of an error that falls by orders of magnitude.
io::LinePlot error_plot(std::string title, std::string y_label, std::vector<io::Series> series);

/// One row for each x, one column for each series, with empty cells where a run ended early. REQUIRES: all series have
/// the same x, up to their ends.
Table table_of(std::string name, std::string x_column, std::span<const io::Series> series);

/// A row of a table: numbers in full precision.
std::vector<std::string> number_row(std::span<const double> values);

}  // namespace fedrk::experiments
