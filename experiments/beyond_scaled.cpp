// SPDX-License-Identifier: Apache-2.0

// Rows whose lengths spread over two decades. Their equations say the same as before, but a drawing by squared norm
// hardly ever takes the short ones.

#include <cmath>

#include <fmt/format.h>

#include "experiments/beyond_parts.hpp"
#include "experiments/beyond_runs.hpp"
#include "experiments/judgements_beyond.hpp"
#include "fedrk/generate.hpp"
#include "linalg/random/rng_stream.hpp"

namespace fedrk::experiments {
namespace {

struct Size {
  std::size_t rows = 2048, cols = 1024, clients = 16, participants = 5;
  std::uint64_t steps = 1000;
  std::uint32_t rounds = 400;
};
constexpr Size kFull{};
constexpr Size kQuick{.rows = 384, .cols = 192, .clients = 8, .participants = 3, .steps = 400, .rounds = 300};

// Each equation times a factor from 0.1 to 10, evenly spread in the logarithm.
LinearSystem scaled(const LinearSystem& system, std::uint64_t seed) {
  LinearSystem result = copy_of(system);
  RngStream stream = stream_for(client_seed(seed, "scales"), Purpose::GeneratedSolution);
  auto& rows = std::get<Matrix>(result.rows);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const double factor = std::pow(10.0, 2.0 * stream.uniform() - 1.0);
    for (double& value : rows.row(i)) value *= factor;
    result.rhs[i] *= factor;
  }
  return result;
}

}  // namespace

void compare_on_scaled_rows(const Settings& settings, const Progress& progress, Findings& findings) {
  const Size& size = settings.quick ? kQuick : kFull;
  const auto problem = generate({.rows = size.rows, .cols = size.cols, .seed = settings.seed});
  RunOptions run;
  run.rounds = size.rounds;
  run.participants = size.participants;
  run.local_budget = FixedSteps{size.steps};
  const MethodOptions automatic{}, by_fedrk{.name = MethodName::Fedrk};
  const auto both = [&](const LinearSystem& system, std::string_view rows, double begin) {
    const Progress half = part_of(progress, begin, begin + 0.5);
    BeyondRuns runs(system, problem.solution, size.clients, settings, half, 2);
    return std::vector{runs.by_options(fmt::format("automatic, {}", rows), automatic, run),
                       runs.by_options(fmt::format("published, {}", rows), by_fedrk, run)};
  };
  const auto plain = both(problem.system, "rows alike", 0.0);
  const auto spread = both(scaled(problem.system, settings.seed), "rows scaled", 0.5);

  findings.judgements.push_back(scaling_hardly_matters(plain[0], spread[0], 1e-6, 1.2));
  const std::vector<ErrorCurve> curves{plain[0], spread[0], plain[1], spread[1]};
  findings.tables.push_back(table_of("beyond-scaled", "round", series_of(curves)));
  auto plot =
      error_plot("Relative error against rounds for rows of different lengths", "relative error", series_of(curves));
  // The two lines of the automatic method are one, so the second is shown as points on the first.
  auto& points = plot.series[1];
  points.mark = io::Mark::Points;
  std::erase_if(points.points, [](const io::Point& point) { return std::fmod(point.x, 10.0) != 0.0; });
  findings.figures.push_back(
      {"beyond-scaled",
       fmt::format(
           "The same equations ({}x{} standard Gaussian, {} of {} clients a round), and each of them multiplied "
           "by a factor between 0.1 and 10. FedRK draws rows by their squared norm and hardly "
           "ever takes a short one; the automatic method takes them shuffled, whatever their length, and its "
           "two lines are one (points: rows scaled).",
           size.rows, size.cols, size.participants, size.clients),
       std::move(plot)});
}

}  // namespace fedrk::experiments
