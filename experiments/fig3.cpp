// SPDX-License-Identifier: Apache-2.0

// Figure 3: an inconsistent system, and columns of noise that bring the iterates closer to least squares.

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "analysis/observers.hpp"
#include "experiments/experiment.hpp"
#include "experiments/judgements.hpp"
#include "experiments/support.hpp"
#include "fedrk/generate.hpp"
#include "fedrk/in_process_engine.hpp"
#include "fedrk/run.hpp"

namespace fedrk::experiments {
namespace {

constexpr std::size_t kClients = 16;
constexpr std::size_t kWidths = 8;  // the total numbers of columns: 1 to 8 times those of A

struct Size {
  std::size_t rows = 2048, cols = 256;
  std::uint32_t rounds = 1500, hovers_from = 1000;  // the horizon is the mean after round `hovers_from`
};
constexpr Size kFull{};
constexpr Size kQuick{.rows = 512, .cols = 64, .rounds = 500, .hovers_from = 250};

// Horizons at the full size, measured with an independent numpy program on one instance with ||x_LS|| = 0.386.
constexpr std::array kExpected{0.98, 0.63, 0.51, 0.48, 0.50, 0.63, 0.80, 0.80};

// ||x - x_LS|| after every round.
std::vector<double> errors(const Size& size, const LinearSystem& system, const std::vector<double>& least_squares,
                           std::size_t noise_columns, const Settings& settings, const Stretch& stretch) {
  InProcessEngine engine(clients_of(copy_of(system), kClients, settings.seed, noise_columns), settings.threads);
  RunOptions options;  // tau = tau_g = 20, everybody takes part
  options.seed = settings.seed;
  options.rounds = size.rounds;
  options.noise_columns = noise_columns;
  ErrorToTruth relative(least_squares);
  ReportRounds report(stretch, size.rounds);
  RoundObserver* const observers[] = {&relative, &report};
  (void)FederatedRun(options).run(engine, {}, observers);

  const double norm = std::sqrt(squared_norm(least_squares));
  std::vector<double> absolute;
  for (const double error : relative.errors()) absolute.push_back(error * norm);
  return absolute;
}

Figure rounds_figure(const std::vector<io::Series>& series) {
  return {"fig3-rounds",
          "The equations contradict each other, so the iterates never settle: they hover at a distance from the "
          "least-squares solution. One line for each total number of columns n, the columns of noise included.",
          error_plot("Error against rounds for different numbers of columns", "distance to least squares", series)};
}

Figure horizon_figure(const HorizonCurve& curve, const Size& size, double norm) {
  io::Series series;
  series.label = "horizon";
  for (std::size_t k = 0; k < curve.columns.size(); ++k) series.points.push_back({curve.columns[k], curve.horizons[k]});
  io::LinePlot plot;
  plot.title = "The horizon against the number of columns";
  plot.x_label = "columns n, noise included";
  plot.y_label = "mean distance to least squares";
  plot.log_y = false;
  plot.series = {std::move(series)};
  plot.levels = {{"length of the least-squares solution", norm, false}};
  return {
      "fig3-horizon",
      fmt::format("The distance at which the iterates hover (mean over rounds {} to {}) against the total number of "
                  "columns: some columns of noise bring them closer, too many push them away again. The first point "
                  "has no noise columns. The dotted line is how far zero is from the least-squares solution.",
                  size.hovers_from + 1, size.rounds),
      std::move(plot)};
}

Table horizon_table(const HorizonCurve& curve) {
  Table table{"fig3-horizon", {"columns", "horizon"}, {}};
  for (std::size_t k = 0; k < curve.columns.size(); ++k) {
    table.rows.push_back(number_row(std::vector{curve.columns[k], curve.horizons[k]}));
  }
  return table;
}

}  // namespace

Findings fig3(const Settings& settings, const Progress& progress) {
  const Size& size = settings.quick ? kQuick : kFull;
  const auto problem =
      generate({.kind = ProblemKind::Inconsistent, .rows = size.rows, .cols = size.cols, .seed = settings.seed});
  const auto least_squares = nearest_solution(problem.system, std::vector<double>(size.cols, 0.0));
  const double norm = std::sqrt(squared_norm(least_squares));

  HorizonCurve curve;
  std::vector<io::Series> series;
  for (std::size_t width = 1; width <= kWidths; ++width) {
    const auto share = [](std::size_t widths) {  // a round costs as much as there are columns
      return static_cast<double>(widths * (widths + 1)) / static_cast<double>(kWidths * (kWidths + 1));
    };
    const Stretch stretch(progress, share(width - 1), share(width), "runs with more and more noise columns");
    const auto found = errors(size, problem.system, least_squares, (width - 1) * size.cols, settings, stretch);
    curve.columns.push_back(static_cast<double>(width * size.cols));
    curve.horizons.push_back(mean(std::span(found).subspan(size.hovers_from)));
    series.push_back(by_round(fmt::format("n = {}", width * size.cols), found));
  }

  Findings findings;
  findings.name = "fig3";
  findings.title = "Columns of noise shrink the horizon";
  findings.set_up = fmt::format(
      "A {}x{} and b standard Gaussian, least-squares solution of length {:.3f}; {} clients all taking part, tau = "
      "tau_g "
      "= 20, noise columns up to {} columns in all, {} rounds",
      size.rows, size.cols, norm, kClients, kWidths * size.cols, size.rounds);
  // The independent program has ratios 0.49 and 1.67; here they are 0.45 to 0.48 and 1.67 to 1.98 over five seeds, and
  // at the small size, which averages less, 0.40 to 0.48 and 1.40 to 2.25 over thirty.
  findings.judgements = {horizon_shrinks(curve, 0.6), horizon_grows_again(curve, settings.quick ? 1.2 : 1.35)};
  // Seeds scatter around the independent numbers, which are one instance themselves, by up to 16 %; a quarter is still
  // less than the way from the least to its neighbours but one.
  if (!settings.quick) findings.judgements.push_back(horizon_levels_agree(curve, kExpected, 0.25));
  findings.tables = {table_of("fig3-rounds", "round", series), horizon_table(curve)};
  findings.figures = {horizon_figure(curve, size, norm), rounds_figure(series)};
  findings.notes = {fmt::format(
      "Zero itself is {:.3f} from the least-squares solution: at its least the horizon is {:.1f} times that. The noise "
      "columns shrink the distance at which the iterates hover; they do not solve the least-squares problem.",
      norm, *std::ranges::min_element(curve.horizons) / norm)};
  return findings;
}

}  // namespace fedrk::experiments
