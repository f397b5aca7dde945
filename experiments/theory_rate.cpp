// SPDX-License-Identifier: Apache-2.0

// Randomized Kaczmarz under several row distributions p, against
//
//     E ||x_k - x*||^2 <= alpha^k ||x_0 - x*||^2,      alpha = 1 - lambda_min( sum_s p(s) a_s a_s^T ),  ||a_s|| = 1.
//
// Where sum_s p(s) a_s a_s^T is a multiple of the identity (a tight frame), alpha = 1 - 1/n and the bound is an
// equation: there the measurement must hit it, which shows that it would notice a wrong alpha elsewhere.

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "analysis/survey.hpp"
#include "experiments/judgements.hpp"
#include "experiments/theory_parts.hpp"
#include "fedrk/generate.hpp"
#include "fedrk/row_block.hpp"
#include "kaczmarz/randomized_kaczmarz.hpp"

namespace fedrk::experiments {
namespace {

constexpr std::size_t kRows = 48, kCols = 12;
constexpr std::size_t kFrameRows = 30, kFrameCols = 6;

/// Squared errors relative to the start after k = 0, 1, ... steps.
struct Decay {
  std::string label;
  double alpha = 0.0;
  std::vector<double> means, standard_errors;

  double bound(std::size_t k) const { return std::pow(alpha, static_cast<double>(k)); }
  Measured at(std::size_t k) const {
    return {fmt::format("{} (step {})", label, k), means[k], standard_errors[k], bound(k)};
  }
};

// Gaussian rows whose lengths spread over a decade: so the distributions differ.
LinearSystem uneven_rows(std::uint64_t seed) {
  auto problem = generate({.rows = kRows, .cols = kCols, .seed = seed});
  auto& rows = std::get<Matrix>(problem.system.rows);
  for (std::size_t i = 0; i < kRows; ++i) {
    const double factor = std::pow(10.0, static_cast<double>(i % 7) / 6.0);
    for (double& value : rows.row(i)) value *= factor;
    problem.system.rhs[i] *= factor;
  }
  return std::move(problem.system);
}

// Row j is (cos 2 pi f j/m, sin 2 pi f j/m) for f = 1 ... n/2: all of one length, and sum_j a_j a_j^T = (m/n) I for
// unit rows.
LinearSystem tight_frame() {
  Matrix rows(kFrameRows, kFrameCols);
  for (std::size_t j = 0; j < kFrameRows; ++j) {
    for (std::size_t f = 1; 2 * f <= kFrameCols; ++f) {
      const double angle = 2.0 * std::numbers::pi * static_cast<double>(f * j) / static_cast<double>(kFrameRows);
      rows.row(j)[2 * f - 2] = std::cos(angle);
      rows.row(j)[2 * f - 1] = std::sin(angle);
    }
  }
  return {std::move(rows), std::vector<double>(kFrameRows, 0.0)};  // x* = 0
}

// Trials from Gaussian starts, each with its own draws.
Decay measure(std::string label, const LinearSystem& system, const RowSampler& sampler, double alpha, std::size_t steps,
              std::size_t trials, std::uint64_t seed) {
  const auto& rows = std::get<Matrix>(system.rows);
  const RowBlock block(copy_of(system));
  const EquationRows planes{rows, system.rhs, block.squared_norms()};
  const auto solution = nearest_solution(system, std::vector<double>(rows.cols(), 0.0));
  std::vector<double> sums(steps + 1, 0.0), squares(steps + 1, 0.0);
  for (std::size_t k = 0; k < trials; ++k) {
    const std::uint64_t own = trial_seed(seed, k);
    RngStream stream = stream_for(own, Purpose::LocalSteps);
    auto x = gaussian_vector(rows.cols(), own);
    const double start = std::pow(distance(x, solution), 2);
    for (std::size_t step = 0; step <= steps; ++step) {
      if (step > 0) project(planes(sampler.draw(stream)), x);
      const double error = std::pow(distance(x, solution), 2) / start;
      sums[step] += error;
      squares[step] += error * error;
    }
  }
  Decay decay{.label = std::move(label), .alpha = alpha, .means = {}, .standard_errors = {}};
  const auto count = static_cast<double>(trials);
  for (std::size_t step = 0; step <= steps; ++step) {
    const double mean = sums[step] / count, variance = std::max(squares[step] / count - mean * mean, 0.0);
    decay.means.push_back(mean);
    decay.standard_errors.push_back(std::sqrt(variance / (count - 1.0)));
  }
  return decay;
}

std::vector<Decay> measure_all(const Settings& settings, const Progress& progress) {
  const LinearSystem system = uneven_rows(settings.seed), frame = tight_frame();
  const RowBlock block(copy_of(system));
  const auto norms = block.squared_norms();
  std::vector<double> arbitrary;
  for (std::size_t i = 0; i < kRows; ++i) arbitrary.push_back(1.0 + static_cast<double>(i % 5));
  const std::size_t trials = settings.quick ? 400 : 4000, steps = 200;
  const Stretch stretch(progress, 0.0, 1.0, "the rate of randomized Kaczmarz");

  std::vector<Decay> decays;
  decays.push_back(measure("by squared norm", system, RowSampler::weighted(norms),
                           kaczmarz_rate(system.rows, RowSampling::SquaredNorm), steps, trials, settings.seed));
  stretch.done(1, 4);
  decays.push_back(measure("uniform", system, RowSampler::uniform(norms),
                           kaczmarz_rate(system.rows, RowSampling::Uniform), steps, trials, settings.seed));
  stretch.done(2, 4);
  decays.push_back(measure("weights 1 to 5", system, RowSampler::weighted(arbitrary),
                           kaczmarz_rate(system.rows, arbitrary), steps, trials, settings.seed));
  stretch.done(3, 4);
  // Few steps: the mean of a product of many factors is carried by rare trials, and its standard error cannot be
  // trusted.
  decays.push_back(measure("tight frame", frame, RowSampler::uniform(std::vector<double>(kFrameRows, 1.0)),
                           kaczmarz_rate(frame.rows, RowSampling::Uniform), 12, 5 * trials, settings.seed));
  stretch.done(4, 4);
  return decays;
}

// The step at which the mean is highest above the bound, or nearest to it, in standard errors.
Measured worst_step(const Decay& decay) {
  std::size_t worst = 1;
  for (std::size_t k = 2; k < decay.means.size(); ++k) {
    if (excess(decay.at(k)) > excess(decay.at(worst))) worst = k;
  }
  return decay.at(worst);
}

std::string rates_text(std::span<const Decay> decays) {
  std::vector<std::string> texts;
  for (const Decay& decay : decays) {
    const auto steps = decay.means.size() - 1;
    const double rate = std::pow(decay.means.back(), 1.0 / static_cast<double>(steps));
    texts.push_back(fmt::format("{} {:.4f} (alpha {:.4f})", decay.label, rate, decay.alpha));
  }
  return listed(texts);
}

Figure figure_of(std::span<const Decay> decays) {
  std::vector<io::Series> series;
  for (const Decay& decay : decays) {
    io::Series measured, bound;
    measured.label = decay.label;
    bound.label = decay.label + ", bound";
    bound.thin = true;
    for (std::size_t k = 0; k < decay.means.size(); ++k) {
      measured.points.push_back({static_cast<double>(k), decay.means[k]});
      bound.points.push_back({static_cast<double>(k), decay.bound(k)});
    }
    series.push_back(std::move(measured));
    series.push_back(std::move(bound));
  }
  auto plot = error_plot("Randomized Kaczmarz against its bound", "mean squared error, relative", std::move(series));
  plot.x_label = "step";
  return {"theory-rate",
          "One step of the method projects onto one randomly drawn equation. The mean squared error over many trials "
          "(strong lines) stays below the proved bound (thin lines) for each way to draw the rows.",
          std::move(plot)};
}

}  // namespace

void check_rate_of_kaczmarz(const Settings& settings, const Progress& progress, Findings& findings) {
  const auto decays = measure_all(settings, progress);
  const auto rows_drawn = std::span(decays).first(3);
  const Decay& frame = decays.back();

  std::vector<Measured> worst, equal;
  for (const Decay& decay : rows_drawn) worst.push_back(worst_step(decay));
  for (std::size_t k = 1; k < frame.means.size(); ++k) equal.push_back(frame.at(k));
  auto attained = agrees("where the bound is an equation the mean attains it at every step", equal);
  attained.message = fmt::format(
      "where the bound is an equation (a tight frame, alpha {:.4f}) the mean attains it, within "
      "4 standard errors at each of {} steps; after the last: {:.4g} against {:.4g}",
      frame.alpha, equal.size(), equal.back().mean, equal.back().theory);
  findings.judgements.push_back(stays_below(
      "the mean squared error of randomized Kaczmarz stays below alpha^k at every step, nearest to it", worst));
  findings.judgements.push_back(std::move(attained));
  findings.notes.push_back("Measured rate of randomized Kaczmarz per step: " + rates_text(decays) + ".");
  findings.figures.push_back(figure_of(rows_drawn));
  const auto& plot = std::get<io::LinePlot>(findings.figures.back().plot);
  findings.tables.push_back(table_of("theory-rate", "step", plot.series));
}

}  // namespace fedrk::experiments
