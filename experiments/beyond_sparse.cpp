// SPDX-License-Identifier: Apache-2.0

// The sparse problems of figure 2 by soft thresholding, which is told no number of entries, and by the published hard
// thresholding, which is.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include <fmt/format.h>

#include "analysis/lasso.hpp"
#include "experiments/beyond_parts.hpp"
#include "experiments/judgements_beyond.hpp"
#include "experiments/sparse_trials.hpp"
#include "experiments/support.hpp"
#include "fedrk/in_process_engine.hpp"
#include "linalg/kernels.hpp"
#include "methods/method_options.hpp"
#include "methods/refit.hpp"

namespace fedrk::experiments {
namespace {

struct Size {
  SparseSize problem{.rounds = 500};
  std::uint32_t judged = 100;  // the round after which supports are counted and the refit begins
  std::size_t min_found = 18;  // of the instances
};
constexpr Size kFull{};
constexpr Size kQuick{
    .problem =
        {.rows = 128, .cols = 256, .nonzeros = 5, .clients = 8, .participants = 3, .rounds = 200, .instances = 6},
    .judged = 100,
    .min_found = 5};
constexpr double kWeight = 1.0;  // lambda: about the size of an entry

// A true entry below twice the noise drowns: of it nothing is asked, as in figure 2. One of eight instances has one.
constexpr double kDrowned = 2.0 * kSparseNoise;

using Support = std::vector<std::uint32_t>;

/// The true entries of at least this size.
Support true_entries(const GeneratedProblem& problem, double size) {
  Support entries;
  for (std::uint32_t j = 0; j < problem.solution.size(); ++j) {
    const double here = std::abs(problem.solution[j]);
    if (here > 0.0 && here >= size) entries.push_back(j);
  }
  return entries;
}

Support largest_entries(std::span<const double> x, std::size_t count) {
  Support order(x.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>(count);
  std::ranges::nth_element(order, middle, std::ranges::greater{}, [&](std::uint32_t j) { return std::abs(x[j]); });
  order.resize(count);
  std::ranges::sort(order);
  return order;
}

/// The entries that are asked for are among the `count` largest.
bool found_in(std::span<const double> x, std::size_t count, const Support& asked) {
  return std::ranges::includes(largest_entries(x, count), asked);
}

/// After which rounds that was so, and x after one of the rounds.
class WatchSupport final : public RoundObserver {
 public:
  WatchSupport(const Support& asked, std::size_t count, std::uint32_t kept_round)
      : asked_(asked), count_(count), kept_round_(kept_round) {}

  void on_round(const RoundRecord& record, std::span<const double> x) override {
    found_.push_back(found_in(x, count_, asked_));
    if (record.round.value + 1 == kept_round_) kept_.assign(x.begin(), x.end());
  }

  const std::vector<bool>& found() const { return found_; }
  const std::vector<double>& kept() const { return kept_; }

 private:
  const Support& asked_;
  std::size_t count_;
  std::uint32_t kept_round_;
  std::vector<bool> found_;
  std::vector<double> kept_;
};

struct Instance {
  std::vector<bool> soft, hard;  // after every round: what is asked for was found
  bool lasso = false;            // at some lambda
  double refit_ratio = 0.0;      // of errors: after the refit, over that of least squares on what is asked for
  std::size_t refit_entries = 0;
  bool soft_all = false;         // in the judged round every true entry was found, however small
  double refit_ratio_all = 0.0;  // over least squares on all true entries
};

// On the largest entries at each lambda of a path: at its best, as nobody could know.
bool lasso_finds(const GeneratedProblem& problem, std::size_t count, const Support& asked) {
  const LassoPath path = lasso_path(Lasso(problem.system, {.tolerance = 1e-6}), problem.solution.size());
  return std::ranges::any_of(path.solutions, [&](const auto& x) { return found_in(x, count, asked); });
}

std::vector<double> least_squares_on(const GeneratedProblem& problem, const Support& support) {
  const auto part = nearest_solution(restrict_to(problem.system, support), std::vector<double>(support.size(), 0.0));
  std::vector<double> x(problem.solution.size(), 0.0);
  for (std::size_t k = 0; k < support.size(); ++k) x[support[k]] = part[k];
  return x;
}

Instance try_one(const Size& size, std::uint64_t seed) {
  const SparseSize& sparse = size.problem;
  const GeneratedProblem problem = sparse_instance(sparse, seed);
  const Support asked = true_entries(problem, kDrowned), all = true_entries(problem, 0.0);
  Instance result;
  RunOptions run;  // tau = tau_g = 20
  run.seed = seed;
  run.rounds = sparse.rounds;
  run.participants = sparse.participants;
  run.residual_every = RunOptions::kNever;

  WatchSupport soft(asked, sparse.nonzeros, size.judged), hard(asked, sparse.nonzeros, size.judged);
  RoundObserver* const soft_observers[] = {&soft};
  RoundObserver* const hard_observers[] = {&hard};
  InProcessEngine shuffled(
      clients_of(copy_of(problem.system), sparse.clients, seed, 0, {.sampling = RowSampling::Shuffled}), 1);
  const auto method = make_method({.reveal = Reveal::Sums, .soft = kWeight}, run, shuffled);
  (void)FederatedRun(run).run(shuffled, *method, {}, soft_observers);
  result.soft = soft.found();

  RunOptions keeping = run;
  keeping.sparsity = sparse.nonzeros;
  InProcessEngine by_norm(clients_of(copy_of(problem.system), sparse.clients, seed), 1);
  (void)FederatedRun(keeping).run(by_norm, {}, hard_observers);
  result.hard = hard.found();

  run.first_round = size.judged;
  const Refit made = refit(shuffled, {.run = run}, soft.kept());
  result.refit_entries = made.support.size();
  const double error = distance(made.result.x, problem.solution);
  result.refit_ratio = error / distance(least_squares_on(problem, asked), problem.solution);
  result.refit_ratio_all = error / distance(least_squares_on(problem, all), problem.solution);
  result.soft_all = found_in(soft.kept(), sparse.nonzeros, all);
  result.lasso = lasso_finds(problem, sparse.nonzeros, asked);
  return result;
}

io::Series found_by_round(std::string label, std::span<const Instance> instances, std::vector<bool> Instance::*found) {
  io::Series series;
  series.label = std::move(label);
  for (std::size_t t = 0; t < (instances.front().*found).size(); ++t) {
    const auto count = std::ranges::count_if(instances, [&](const Instance& one) { return (one.*found)[t]; });
    series.points.push_back({static_cast<double>(t + 1), static_cast<double>(count)});
  }
  return series;
}

Figure found_figure(const SparseSize& sparse, const io::Series& soft, const io::Series& hard, double lasso) {
  io::LinePlot plot;
  plot.title = "Instances with the right entries against rounds";
  plot.x_label = "round";
  plot.y_label = fmt::format("instances recovered, of {}", sparse.instances);
  plot.log_y = false;
  plot.series = {soft, hard};
  plot.levels = {{"Lasso on pooled rows, best lambda", lasso, false}};
  return {
      "beyond-sparse",
      fmt::format("{} sparse problems like that of figure 2 ({}x{}, {} entries that are not zero, {} of {} clients a "
                  "round): in how many the {} largest entries hold the true ones, but for those below twice the "
                  "noise. The dotted line is the Lasso on all rows in one place, at whatever weight suits it best.",
                  sparse.instances, sparse.rows, sparse.cols, sparse.nonzeros, sparse.participants, sparse.clients,
                  sparse.nonzeros),
      std::move(plot)};
}

Table refit_table(std::span<const Instance> instances) {
  Table table{"beyond-refit",
              {"instance", "entries_after_refit", "error_ratio", "all_entries_found", "error_ratio_to_all_entries"},
              {}};
  for (std::size_t i = 0; i < instances.size(); ++i) {
    const Instance& one = instances[i];
    table.rows.push_back(number_row(std::vector{static_cast<double>(i + 1), static_cast<double>(one.refit_entries),
                                                one.refit_ratio, one.soft_all ? 1.0 : 0.0, one.refit_ratio_all}));
  }
  return table;
}

// What the verdicts leave out.
std::string small_entries_note(std::span<const Instance> instances, std::uint32_t round) {
  std::vector<double> ratios;
  for (const Instance& one : instances) ratios.push_back(one.refit_ratio_all);
  return fmt::format(
      "True entries below {} are not asked for, as they drown in the noise. With them, soft thresholding has all true "
      "entries in {} of {} instances after {} rounds, and the error of the refit is {:.2f} times that of least squares "
      "on all true entries in the mean, {:.2f} at the most.",
      kDrowned, std::ranges::count_if(instances, &Instance::soft_all), instances.size(), round, mean(ratios),
      *std::ranges::max_element(ratios));
}

}  // namespace

void compare_on_sparse(const Settings& settings, const Progress& progress, Findings& findings) {
  const Size& size = settings.quick ? kQuick : kFull;
  const SparseSize& sparse = size.problem;
  std::vector<Instance> instances(sparse.instances);
  for_each_trial(instances.size(), settings.threads, Stretch(progress, 0.0, 1.0, "sparse instances"),
                 [&](std::size_t i) {
                   instances[i] = try_one(size, client_seed(settings.seed, fmt::format("instance-{}", i + 1)));
                 });
  const auto soft = found_by_round("soft thresholding, sums", instances, &Instance::soft);
  const auto hard = found_by_round("hard thresholding, published", instances, &Instance::hard);
  const auto lasso = static_cast<double>(std::ranges::count_if(instances, &Instance::lasso));
  std::vector<double> ratios;
  for (const Instance& one : instances) ratios.push_back(one.refit_ratio);
  const auto after = [&](const io::Series& series, std::size_t round) {
    return static_cast<std::size_t>(series.points[round - 1].y);
  };

  // Over ten seeds all 20 instances were found and no ratio was above 1.000; at the small size, over thirty, likewise.
  findings.judgements.push_back(supports_are_found(
      fmt::format(
          "the {} largest entries by soft thresholding hold the true ones, of size {} and more, after {} rounds",
          sparse.nonzeros, kDrowned, size.judged),
      after(soft, size.judged), sparse.instances, size.min_found));
  findings.judgements.push_back(ratios_at_most(
      "a refit of what was selected is as good as least squares on those entries, ratio of errors", ratios, 1.1));
  findings.tables.push_back(table_of("beyond-sparse", "round", std::vector{soft, hard}));
  findings.tables.push_back(refit_table(instances));
  findings.figures.push_back(found_figure(sparse, soft, hard, lasso));
  findings.notes.push_back(fmt::format(
      "Hard thresholding, which is told the number of entries, has them right in {} of {} instances after {} rounds "
      "and in {} after {}; the Lasso on pooled rows does at some lambda in {:.0f}.",
      after(hard, size.judged), sparse.instances, size.judged, after(hard, sparse.rounds), sparse.rounds, lasso));
  findings.notes.push_back(small_entries_note(instances, size.judged));
}

}  // namespace fedrk::experiments
