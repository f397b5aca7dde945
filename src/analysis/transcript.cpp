// SPDX-License-Identifier: Apache-2.0
#include "analysis/transcript.hpp"

#include <utility>

namespace fedrk {
namespace {

// Of all unknowns; a refit asks for a few.
bool is_displacement(const Observation& seen) { return !seen.x.empty() && seen.reply.values.size() == seen.x.size(); }

// Whether the last step ended on an equation of the client.
bool on_equations(const LocalWork& work) {
  return std::holds_alternative<FixedSteps>(work) || std::holds_alternative<ExactProjection>(work) ||
         std::holds_alternative<CutSteps>(work);
}

// Local steps of any kind, for those who only hope.
bool are_steps(const LocalWork& work) { return on_equations(work) || std::holds_alternative<SparseSteps>(work); }

SeenUpdate update(const Observation& seen, double divided_by) {
  SeenUpdate result{seen.round, seen.x, {seen.reply.values.begin(), seen.reply.values.end()}};
  for (double& value : result.delta) value /= divided_by;
  return result;
}

}  // namespace

std::vector<SeenUpdate> updates_of(const Transcript& transcript, ClientId client) {
  std::vector<SeenUpdate> result;
  for (const Observation& seen : transcript) {
    const bool own = seen.clients.size() == 1 && seen.clients.front() == client;
    if (own && is_displacement(seen) && on_equations(seen.work)) result.push_back(update(seen, 1.0));
  }
  return result;
}

std::vector<SeenUpdate> sums_as_updates(const Transcript& transcript, ReadAs read_as) {
  std::vector<SeenUpdate> result;
  for (const Observation& seen : transcript) {
    if (seen.clients.size() < 2 || !is_displacement(seen) || !are_steps(seen.work)) continue;
    const double members = static_cast<double>(seen.clients.size());
    result.push_back(update(seen, read_as == ReadAs::Mean ? members : 1.0));
  }
  return result;
}

RoundReplies RecordingEngine::local_updates(const LocalTask& task, std::span<const ClientId> participants) {
  RoundReplies round = inner_.local_updates(task, participants);
  const std::vector<double> x(task.x.begin(), task.x.end());
  for (const LocalReply& reply : round.replies) {
    std::vector<ClientId> clients{reply.client};
    if (task.reveal == Reveal::Sums) clients = round.answered;
    transcript_.push_back({task.round, task.work, x, std::move(clients), reply});
  }
  return round;
}

}  // namespace fedrk
