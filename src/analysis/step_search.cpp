// SPDX-License-Identifier: Apache-2.0
#include "analysis/step_search.hpp"

#include <cmath>
#include <limits>

#include "round/accept_replies.hpp"

namespace fedrk {

StepChoice search_step(Engine& engine, const RunOptions& pilot, double first, const MethodForStep& method,
                       const StopSignal* stop) {
  constexpr int kMaxTrials = 20, kMaxHalvings = 200;
  const auto stopped = [stop] { return stop != nullptr && stop->requested(); };
  std::uint64_t rounds = 0;
  const auto attempt = [&](double step) -> StepChoice {
    const auto trial = method(step);
    RunOptions trial_run = pilot;
    trial_run.last_iterate = true;  // a step that diverges must show
    const RunResult result = FederatedRun(trial_run).run(engine, *trial, {}, {}, stop);
    rounds += result.history.size();
    // Pilots begin at zero, where the relative residual is one: what ends above has diverged, or is about to.
    const bool fine = result.termination != Termination::Diverged && result.relative_residual &&
                      *result.relative_residual <= 1.0 + 1e-9;
    return {step, fine ? *result.relative_residual : std::numeric_limits<double>::infinity()};
  };

  StepChoice best = attempt(first);
  for (int k = 0; k < kMaxHalvings && !std::isfinite(best.residual) && !stopped(); ++k) best = attempt(0.5 * best.step);
  for (const double factor : {2.0, 0.5}) {
    const double start = best.step;
    for (int k = 0; k < kMaxTrials && !stopped(); ++k) {
      const StepChoice next = attempt(best.step * factor);
      if (!(next.residual < best.residual)) break;
      best = next;
    }
    if (best.step != start) break;
  }
  const double middle = best.step;
  for (const double factor : {std::sqrt(2.0), std::sqrt(0.5)}) {
    const StepChoice between = attempt(middle * factor);
    if (between.residual < best.residual) best = between;
  }
  best.pilot_rounds = rounds;
  return best;
}

std::vector<double> curvatures(Engine& engine) {
  std::vector<ClientId> everyone;
  for (const ClientSummary& client : engine.roster()) everyone.push_back(client.id);
  const LocalTask task{RoundIndex{0}, {}, Curvature{}};
  RoundReplies round = engine.local_updates(task, everyone);
  accept_replies(task, engine.dimension(), everyone, round);
  std::vector<double> found(everyone.size(), 0.0);
  for (const LocalReply& reply : round.replies) found[reply.client.value] = reply.values.front();
  return found;
}

}  // namespace fedrk
