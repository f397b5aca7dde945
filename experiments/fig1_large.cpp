// SPDX-License-Identifier: Apache-2.0

// Figure 1, third part: a large system of unequal clients. Client i = 1..10 holds 2^(4+i) rows whose entries are i
// times standard Gaussian.

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "analysis/observers.hpp"
#include "experiments/experiment.hpp"
#include "experiments/judgements_fig1.hpp"
#include "experiments/support.hpp"
#include "fedrk/error.hpp"
#include "fedrk/generate.hpp"
#include "fedrk/in_process_engine.hpp"
#include "plan/memory.hpp"
#include "report/page_text.hpp"

namespace fedrk::experiments {
namespace {

constexpr std::size_t kClients = 10, kParticipants = 5, kFirstRows = 32, kCols = 20480;
constexpr std::uint64_t kLocalSteps = 50;
constexpr double kQuickScale = 1.0 / 32.0;

struct Size {
  std::size_t first_rows, rows, cols;
  std::uint32_t rounds;

  double bytes() const { return static_cast<double>(rows) * static_cast<double>(cols) * sizeof(double); }
};

Size size_for(const Settings& settings) {
  const double scale = settings.scale * (settings.quick ? kQuickScale : 1.0);
  const auto scaled = [&](std::size_t full) {
    return std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(scale * static_cast<double>(full))));
  };
  const std::size_t first = scaled(kFirstRows);
  return {first, first * ((std::size_t{1} << kClients) - 1), scaled(kCols), settings.quick ? 300U : 1000U};
}

void check_memory(const Size& size) {
  const auto available = io::available_memory();
  if (!available) return;
  const std::string complaint = io::memory_complaint(size.rows, size.cols, *available);
  if (!complaint.empty()) throw InvalidArgument(complaint);
}

}  // namespace

Findings fig1_large(const Settings& settings, const Progress& progress) {
  const Size size = size_for(settings);
  check_memory(size);
  progress(0.0, "making a matrix of " + io::short_bytes(size.bytes()));
  auto problem = generate({.kind = ProblemKind::Heterogeneous,
                           .rows = size.first_rows,
                           .cols = size.cols,
                           .clients = kClients,
                           .seed = settings.seed});
  const auto rows_of_client = problem.rows_of_client;
  ErrorToTruth error(problem.solution);
  InProcessEngine engine(clients_of(std::move(problem.system), rows_of_client, settings.seed), settings.threads);
  ReportRounds report(Stretch(progress, 0.5, 1.0, "rounds"), size.rounds);
  RoundObserver* const observers[] = {&error, &report};
  (void)FederatedRun({.seed = settings.seed,
                      .rounds = size.rounds,
                      .participants = kParticipants,
                      .local_budget = FixedSteps{kLocalSteps},
                      .residual_every = std::numeric_limits<std::uint32_t>::max()})
      .run(engine, {}, observers);

  const ErrorCurve curve{"FedRK, tau = 50", error.errors()};
  const std::vector<io::Series> series{by_round(curve.label, curve.errors, 1.0)};
  Findings findings;
  findings.name = "fig1-large";
  findings.title = "Large, unequal clients";
  findings.set_up = fmt::format(
      "{} unknowns; {} clients, client i holds {} * 2^(i-1) rows of i times standard Gaussian entries ({} rows in all, "
      "{}); {} a round, tau = {}, tau_g = 20, {} rounds from x = 0",
      size.cols, kClients, size.first_rows, size.rows, io::short_bytes(size.bytes()), kParticipants, kLocalSteps,
      size.rounds);
  // A straight line would take a share of one; the first rounds are always the steepest.
  findings.judgements = {decays_steadily(curve, 0.25)};
  findings.figures = {{"fig1-large",
                       "The relative error against rounds where clients differ in the number and in the scale of their "
                       "rows: the largest holds half of all rows.",
                       error_plot("Relative error against rounds, unequal clients", "relative error", series)}};
  findings.tables = {table_of("fig1-large", "round", series)};
  return findings;
}

}  // namespace fedrk::experiments
