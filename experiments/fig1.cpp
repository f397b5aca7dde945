// SPDX-License-Identifier: Apache-2.0

// Figure 1: a consistent Gaussian system, and more or fewer local steps between two rounds.

#include <vector>

#include <fmt/format.h>

#include "experiments/experiment.hpp"
#include "experiments/fig1_runs.hpp"
#include "experiments/judgements_fig1.hpp"
#include "experiments/support.hpp"

namespace fedrk::experiments {
namespace {

struct Size {
  Fig1Problem problem;
  std::vector<std::uint64_t> local_steps;
  std::size_t compared;  // the round at which errors are compared
};

Size size_for(const Settings& settings) {
  if (settings.quick) {
    return {{.rows = 384, .cols = 192, .clients = 8, .participants = 4, .rounds = 250}, {5, 20, 80, 320}, 60};
  }
  return {{.rounds = 700}, {10, 20, 50, 100, 200, 500, 1000}, 200};
}

// Rounds to 1e-6 for 50, 100, 200, 500, 1000 local steps, measured with an independent numpy program.
const std::vector<double> kExpected{634, 387, 273, 221, 209};

}  // namespace

Findings fig1(const Settings& settings, const Progress& progress) {
  const Size size = size_for(settings);
  Fig1Runs runs(size.problem, settings);
  std::vector<ErrorCurve> curves;
  double share = 0.0;
  for (const std::uint64_t tau : size.local_steps) {
    // A round costs its local steps, and about a hundred steps' worth besides.
    double all = 0.0;
    for (const std::uint64_t each : size.local_steps) all += static_cast<double>(each) + 100.0;
    const double next = share + (static_cast<double>(tau) + 100.0) / all;
    const std::string label = fmt::format("tau = {}", tau);
    curves.push_back({label, runs.fedrk(tau, Stretch(progress, share, next, label))});
    share = next;
  }

  Findings findings;
  findings.name = "fig1";
  findings.title = "More local steps, fewer rounds";
  findings.set_up = runs.text();
  // Seeds scatter the rounds to 1e-6 by some 2 %, which is a factor of 1.3 in the error at a given round.
  findings.judgements = {more_steps_are_faster(curves, size.compared, 1.3)};
  if (!settings.quick) {
    const auto reaching = std::span(curves).last(kExpected.size());
    findings.judgements.push_back(rounds_agree(reaching, 1e-6, kExpected, 0.06));
    // Some fifty to two hundred rounds on either side, each scattered by a few.
    findings.judgements.push_back(error_falls_linearly(reaching, 0.2));
  }
  findings.figures = {runs.figure("fig1", curves,
                                  "The relative error against rounds, for different numbers of local steps tau. More "
                                  "local steps need fewer rounds; beyond a few hundred a client has learned what its "
                                  "rows can tell it.")};
  findings.tables = {runs.table("fig1", curves)};
  return findings;
}

}  // namespace fedrk::experiments
