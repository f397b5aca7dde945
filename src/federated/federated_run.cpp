// SPDX-License-Identifier: Apache-2.0
#include "fedrk/federated/federated_run.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>

#include "fedrk/base/error.hpp"
#include "fedrk/federated/accept_replies.hpp"
#include "fedrk/federated/participation.hpp"
#include "fedrk/federated/published_method.hpp"
#include "fedrk/federated/run_ended.hpp"
#include "fedrk/federated/stopping.hpp"
#include "fedrk/linalg/kernels.hpp"

namespace fedrk {
namespace {

using Clock = std::chrono::steady_clock;

/// The mean squared residual of the rows that reported, over the mean square of everyone's right-hand side.
class ResidualScale {
 public:
  explicit ResidualScale(std::span<const ClientSummary> roster) : roster_(roster) {
    const RosterTotals all = totals_of(roster);
    mean_square_ = all.squared_rhs_norm > 0.0 ? all.squared_rhs_norm / all.rows : 1.0;  // b = 0: the residual itself
  }

  std::optional<double> relative(const RoundReplies& round) const {
    double squares = 0.0, rows = 0.0;
    for (const LocalReply& reply : round.replies) {
      if (!reply.squared_residual) return std::nullopt;
      squares += *reply.squared_residual;
    }
    for (const ClientId client : round.answered) rows += static_cast<double>(roster_[client.value].rows);
    if (rows == 0.0) return std::nullopt;
    return std::sqrt(squares / rows / mean_square_);
  }

 private:
  std::span<const ClientSummary> roster_;
  double mean_square_;
};

/// The state of one run, and its rounds.
class Rounds {
 public:
  Rounds(const RunOptions& options, Engine& engine, Method& method, std::span<const double> x0)
      : options_(options),
        engine_(engine),
        method_(method),
        roster_(engine.roster()),
        everyone_(choose_participants(roster_, 0, stream_for(options.seed, Purpose::Participation))),
        residual_(roster_),
        residual_every_(options.residual_every > 0 ? options.residual_every : residual_interval(roster_, options)),
        stopping_{options.tolerance, options.patience},
        x_(x0.begin(), x0.end()) {}

  std::span<const double> answer() { return method_.answer(x_).first(x_.size() - options_.noise_columns); }

  /// The server draws participants, asks them what the method asks, and lets it move x by their answers.
  void make_round(RoundIndex t) {
    const auto start = Clock::now();
    const std::uint64_t up = result_.bytes_up, down = result_.bytes_down;
    previous_ = x_;
    const auto participants =
        choose_participants(roster_, options_.participants, stream_for(options_.seed, Purpose::Participation, t));
    const Request request = method_.request(t, x_);
    const bool at_x = request.sent.data() == x_.data() && method_.may_ask_residuals();
    reveal_ = request.reveal;
    const LocalTask task{t,
                         request.sent,
                         request.work,
                         at_x && residual_every_ != RunOptions::kNever && t.value % residual_every_ == 0,
                         options_.noise_columns,
                         request.own,
                         request.reveal};
    RoundReplies round = ask(task, participants);
    method_.update(t, round, x_);

    RoundRecord record{t, round.answered, round.absences, round.relative_residual, distance(x_, previous_)};
    record.bytes_up = result_.bytes_up - up;
    record.bytes_down = result_.bytes_down - down;
    record.seconds = std::chrono::duration<double>(Clock::now() - start).count() + round.earlier_seconds;
    result_.history.push_back(std::move(record));
  }

  /// Why the round just made was the last one, if it was.
  std::optional<Termination> reason_to_stop() {
    RoundRecord& last = result_.history.back();
    if (!std::isfinite(last.movement)) {
      x_ = previous_;
      last.movement = 0.0;
      return Termination::Diverged;
    }
    if (stopping_.tolerance_seems_met(result_.history) && worth_a_look() && measure_everyone() &&
        *result_.relative_residual <= options_.tolerance) {
      return Termination::Tolerance;
    }
    if (method_.finished()) return Termination::Converged;
    if (stopping_.stagnant(result_.history)) return Termination::Stagnation;
    return std::nullopt;
  }

  RunResult finish(Termination termination) {
    // The last round, or a stretch without progress, may have ended within the tolerance after all.
    const bool may_be_within = !broken_off(termination) && termination != Termination::Diverged;
    if (termination != Termination::Tolerance && measure_everyone() && may_be_within && options_.tolerance > 0.0 &&
        *result_.relative_residual <= options_.tolerance) {
      termination = Termination::Tolerance;
    }
    return result(termination);
  }

  /// As `finish`, where nobody can be asked any more.
  RunResult break_off(const RunEnded& ended) {
    result_.relative_residual.reset();  // of an earlier x, if of any
    RunResult made = result(ended.why());
    if (!ended.words().empty()) made.notes.push_back(ended.words());
    return made;
  }

  /// Shows them the round just made, once.
  void show(std::span<RoundObserver* const> observers) {
    if (shown_ == result_.history.size()) return;
    shown_ = result_.history.size();
    for (RoundObserver* observer : observers) observer->on_round(result_.history.back(), answer());
  }

 private:
  // Counts what would travel: what is sent to all and to each alone, down; what each answers, its residual too, up.
  RoundReplies ask(const LocalTask& task, std::span<const ClientId> participants) {
    RoundReplies round = engine_.local_updates(task, participants);
    accept_replies(task, x_.size(), participants, round);
    round.relative_residual = residual_.relative(round);
    result_.earlier_seconds += round.earlier_seconds;
    result_.bytes_down += participants.size() * task.x.size() * sizeof(double);
    if (!task.own.empty()) {
      for (const ClientId client : participants) result_.bytes_down += task.own[client.value].size() * sizeof(double);
    }
    // A sum is as long as each of its parts.
    const std::size_t senders = task.reveal == Reveal::Sums ? round.answered.size() : 1;
    for (const LocalReply& reply : round.replies) result_.bytes_up += senders * message_length(reply) * sizeof(double);
    return round;
  }

  RunResult result(Termination termination) {
    result_.termination = termination;
    result_.x.assign(answer().begin(), answer().end());
    result_.notes = method_.notes();
    result_.fits = method_.fits();
    return std::move(result_);
  }

  // A look at everyone that ends no run costs like a round with all clients, so each one is followed by twice the
  // pause.
  bool worth_a_look() {
    if (result_.history.size() < next_look_) return false;
    next_look_ = result_.history.size() + pause_;
    pause_ = std::min<std::size_t>(2 * pause_, kLongestPause);
    return true;
  }

  // Asks every client for its residual at x, and for nothing else. True when that of all is known.
  bool measure_everyone() {
    if (!method_.may_ask_residuals()) return false;
    const auto next = options_.first_round + static_cast<std::uint32_t>(result_.history.size());
    LocalTask task{RoundIndex{next}, method_.answer(x_), FixedSteps{0}, true, options_.noise_columns};
    task.reveal = reveal_;
    const RoundReplies round = ask(task, everyone_);
    const bool complete = round.answered.size() == everyone_.size();
    result_.relative_residual = complete ? round.relative_residual : std::nullopt;
    return result_.relative_residual.has_value();
  }

  static constexpr std::size_t kLongestPause = 64;

  const RunOptions& options_;
  Engine& engine_;
  Method& method_;
  std::span<const ClientSummary> roster_;
  std::vector<ClientId> everyone_;
  ResidualScale residual_;
  std::uint32_t residual_every_;
  StoppingRule stopping_;
  AlignedVector x_, previous_;
  Reveal reveal_ = Reveal::Sums;           // as the method asked last
  std::size_t next_look_ = 0, pause_ = 1;  // in rounds
  std::size_t shown_ = 0;                  // of the rounds made
  RunResult result_;
};

}  // namespace

void RunOptions::validate(std::size_t clients, std::size_t unknowns) const {
  if (clients == 0) throw InvalidArgument("a run needs at least one client");
  if (unknowns <= noise_columns) throw InvalidArgument("a run needs at least one unknown besides the noise columns");
  if (rounds == 0) throw InvalidArgument("a run needs at least one round");
  if (participants > clients) {
    throw InvalidArgument(std::to_string(participants) + " participants a round cannot be drawn from " +
                          std::to_string(clients) + " clients");
  }
  if (sparsity > unknowns - noise_columns) {
    throw InvalidArgument("cannot keep " + std::to_string(sparsity) + " entries: there are only " +
                          std::to_string(unknowns - noise_columns) + " unknowns");
  }
  if (!(tolerance >= 0.0) || !std::isfinite(tolerance)) throw InvalidArgument("the tolerance must be zero or positive");
  for (const StepBudget& budget : {local_budget, server_budget}) {
    if (budget == StepBudget{FixedSteps{0}}) throw InvalidArgument("clients and server need at least one step");
  }
}

std::uint32_t residual_interval(std::span<const ClientSummary> roster, const RunOptions& options) {
  const auto* steps = std::get_if<FixedSteps>(&options.local_budget);
  if (steps == nullptr) return 1;
  std::size_t most_rows = 0;
  for (const ClientSummary& client : roster) most_rows = std::max(most_rows, client.rows);
  const double cheap = std::ceil(static_cast<double>(most_rows) / (0.5 * static_cast<double>(steps->count)));
  // At least a dozen reports for each verdict on stagnation, and some fifty in a run.
  std::uint32_t longest = std::max(1U, options.rounds / 50);
  if (options.patience > 0) longest = std::min(longest, std::max(1U, options.patience / 12));
  return static_cast<std::uint32_t>(std::clamp(cheap, 1.0, static_cast<double>(longest)));
}

RunResult FederatedRun::run(Engine& engine, std::vector<double> x0, std::span<RoundObserver* const> observers,
                            const StopSignal* stop) const {
  PublishedMethod method(options_);
  return run(engine, method, std::move(x0), observers, stop);
}

RunResult FederatedRun::run(Engine& engine, Method& method, std::vector<double> x0,
                            std::span<RoundObserver* const> observers, const StopSignal* stop) const {
  const std::size_t unknowns = engine.dimension();
  options_.validate(engine.roster().size(), unknowns);
  if (x0.empty()) x0.assign(unknowns, 0.0);
  if (x0.size() != unknowns) {
    throw InvalidArgument("the start has " + std::to_string(x0.size()) + " entries, the problem " +
                          std::to_string(unknowns) + " unknowns");
  }

  Rounds rounds(options_, engine, method, x0);
  try {
    for (RoundIndex t{options_.first_round}; t.value - options_.first_round < options_.rounds; ++t) {
      if (stop != nullptr && stop->requested()) return rounds.finish(Termination::Interrupted);
      rounds.make_round(t);
      const auto reason = rounds.reason_to_stop();
      rounds.show(observers);
      if (reason) return rounds.finish(*reason);
    }
    return rounds.finish(Termination::RoundLimit);
  } catch (const RunEnded& ended) {
    rounds.show(observers);
    return rounds.break_off(ended);
  }
}

}  // namespace fedrk
