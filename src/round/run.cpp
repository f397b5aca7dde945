// SPDX-License-Identifier: Apache-2.0
#include "fedrk/run.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "fedrk/error.hpp"
#include "linalg/kernels.hpp"
#include "methods/fedrk_method.hpp"
#include "round/checkpoints.hpp"
#include "round/groups.hpp"
#include "round/measured.hpp"
#include "round/run_aborted.hpp"
#include "round/state_stream.hpp"
#include "round/stopping.hpp"
#include "round/sweep.hpp"
#include "round/task_cost.hpp"

namespace fedrk {
namespace {

using Clock = std::chrono::steady_clock;

// A residual that rounding explains: the backward error ||r|| / (||A||_F ||x|| + ||b||) of a stable solver.
constexpr double kRounding = 1e-14;

/// The state of one run, and its rounds.
class Rounds {
 public:
  Rounds(const RunOptions& options, Engine& engine, Method& method, std::span<const double> x0)
      : options_(options),
        asking_(options, engine, result_),
        method_(method),
        residual_every_(options.residual_every > 0 ? options.residual_every
                                                   : residual_interval(engine.roster(), options)),
        stopping_{options.tolerance, options.patience},
        x_(x0.begin(), x0.end()),
        start_(x0.begin(), x0.end()) {
    // At zero nobody has to be asked.
    if (totals_of(asking_.roster).squared_rhs_norm > 0.0 && squared_norm(x0) == 0.0)
      best_.consider(x0.first(x0.size() - options.noise_columns), 1.0);
  }

  std::span<const double> answer() { return method_.answer(x_).first(x_.size() - options_.noise_columns); }

  /// Asks some clients what the method asks, and lets it move x by their answers. A sweep takes several rounds. False:
  /// the owners' rules let nothing more be shown.
  bool make_round(RoundIndex t) {
    const auto start = Clock::now();
    const std::uint64_t up = result_.bytes_up, down = result_.bytes_down;
    if (!sweep_.running()) {
      previous_ = x_;
      request_ = method_.request(t, x_);
      reveal_ = request_.reveal;
      if (!allows(asking_.engine.allowance(), cost_of(task_of(t), x_.size()))) {
        if (!request_.optional) return false;
        method_.go_without("the owners of the rows let sums show no more of them");
        return true;
      }
      if (request_.audience == Audience::Everyone) sweep_.begin(asking_.groups);
    }
    const std::vector<ClientId> participants = participants_of(t);
    LocalTask task = task_of(t);
    task.patient = sweep_.running() ? sweep_.second_time() && !request_.optional : nobody_answers();
    RoundReplies round = asking_.ask(task, participants);
    RoundRecord record{t, round.answered, round.absences, round.relative_residual, 0.0};
    const double earlier = round.earlier_seconds;
    if (!sweep_.running()) {
      update(t, round);
    } else if (sweep_.add(request_.work, round)) {
      end_sweep(t, record);
    }
    record.movement = distance(x_, previous_);
    record.bytes_up = result_.bytes_up - up;
    record.bytes_down = result_.bytes_down - down;
    record.seconds = std::chrono::duration<double>(Clock::now() - start).count() + earlier;
    result_.history.push_back(std::move(record));
    return true;
  }

  /// Why the round just made was the last one, if it was.
  std::optional<Termination> reason_to_stop() {
    RoundRecord& last = result_.history.back();
    if (!std::isfinite(last.movement)) {
      x_ = previous_;
      last.movement = 0.0;
      return Termination::Diverged;
    }
    if (sweep_.running()) return std::nullopt;
    if (method_.finished()) return method_.contradictory() ? Termination::Contradictory : Termination::Converged;
    if (method_.fits()) return std::nullopt;
    if (worth_a_look() && measure_everyone() && is_solved()) return Termination::Tolerance;
    if (stopping_.stagnant(result_.history)) return Termination::Stagnation;
    return std::nullopt;
  }

  RunResult finish(Termination termination) {
    const bool by_itself = termination == Termination::Converged;
    if (method_.fits()) {
      take_measure_of_fit();
      // A fit that has come as far as it can need not have arrived.
      if (by_itself && !result_.converged.value_or(true)) termination = Termination::Stagnation;
    } else {
      return_the_best();
      // The last round, or a stretch without progress, may have got there.
      if (result_.converged.value_or(false) && !resumable(termination) && !by_itself)
        termination = Termination::Tolerance;
    }
    return result(termination);
  }

  /// As `finish`, where nobody can be asked any more.
  RunResult break_off(const RunAborted& ended) {
    result_.relative_residual.reset();  // of an earlier x, if of any
    if (method_.fits()) {
      if (const auto measure = method_.measure()) take(*measure);
    } else if (best_.residual < 1.0 && !options_.last_iterate) {
      choose_the_best();
    }
    result_.converged = false;
    RunResult made = result(ended.why());
    if (!ended.reason().empty()) made.notes.push_back(ended.reason());
    return made;
  }

  /// Goes on where an earlier process was, if there was one.
  void restore(Checkpoints& checkpoints, std::span<RoundObserver* const> observers) {
    auto saved = checkpoints.saved();
    if (!saved) return;
    StateStream stream(saved->state);
    if (!state(stream, observers) || !stream.complete()) {
      throw InvalidArgument(
          "the stored state is one of another run: plan, data or program changed since it was stored");
    }
    result_.history = std::move(saved->history);
    shown_ = saved_ = result_.history.size();
    // What the earlier process took is all that its rounds took.
    for (const RoundRecord& record : result_.history) result_.earlier_seconds += record.seconds;
  }

  /// Leaves its state, where that is whole: within a sweep it is not.
  void save(Checkpoints& checkpoints, std::span<RoundObserver* const> observers) {
    if (sweep_.running() || !has_state_ || result_.history.size() == saved_) return;
    StateStream stream;
    has_state_ = state(stream, observers);
    if (!has_state_) return;
    checkpoints.save(std::move(stream.bytes()), std::span(result_.history).subspan(saved_));
    saved_ = result_.history.size();
  }

  RoundIndex next_round() const {
    return RoundIndex{options_.first_round + static_cast<std::uint32_t>(result_.history.size())};
  }

  /// Shows them the round just made, once.
  void show(std::span<RoundObserver* const> observers) {
    if (shown_ == result_.history.size()) return;
    shown_ = result_.history.size();
    for (RoundObserver* observer : observers) observer->on_round(result_.history.back(), answer());
  }

 private:
  // False where the method has no list of its state, or what is read is that of another run.
  bool state(StateStream& stream, std::span<RoundObserver* const> observers) {
    std::string name(method_.name());
    std::size_t unknowns = x_.size();
    stream(name, unknowns);
    if (name != method_.name() || unknowns != x_.size()) return false;
    stream(asking_.groups, asking_.residual, x_, best_, of_the_others_, reveal_, looks_, result_.relative_residual,
           result_.left_out, result_.bytes_up, result_.bytes_down);
    asking_.engine.state(stream);
    for (RoundObserver* observer : observers) observer->state(stream);
    return method_.state(stream);
  }

  // ---- A round.

  std::vector<ClientId> participants_of(RoundIndex t) const {
    if (sweep_.running()) return {sweep_.group().begin(), sweep_.group().end()};
    if (request_.audience == Audience::Turn)
      return {asking_.groups.in_turn(t).begin(), asking_.groups.in_turn(t).end()};
    return choose_participants(asking_.roster, options_.participants,
                               stream_for(options_.seed, Purpose::Participation, t));
  }

  LocalTask task_of(RoundIndex t) const {
    const bool at_x = request_.sent.data() == x_.data() && method_.may_ask_residuals();
    const bool due = method_.fits() || (residual_every_ != RunOptions::kNever && t.value % residual_every_ == 0);
    return {t, request_.sent, request_.work, at_x && due, options_.noise_columns, request_.own, request_.reveal};
  }

  // For a whole turn of the groups.
  bool nobody_answers() const {
    const std::size_t turn = asking_.groups.count();
    const auto& history = result_.history;
    return history.size() >= turn && std::all_of(history.end() - static_cast<std::ptrdiff_t>(turn), history.end(),
                                                 [](const RoundRecord& each) { return each.participants.empty(); });
  }

  void update(RoundIndex t, RoundReplies& round) {
    const bool of_all =
        round.answered.size() == asking_.groups.everyone().size() && method_.answer(x_).data() == x_.data();
    if (of_all && round.relative_residual && !method_.fits()) best_.consider(answer(), *round.relative_residual);
    method_.update(t, round, x_);
  }

  // The sum over all clients, or, where some stay away, the end of what they were part of.
  void end_sweep(RoundIndex t, RoundRecord& record) {
    if (sweep_.lost().empty()) {
      RoundReplies all = sweep_.take();
      all.relative_residual = asking_.residual.relative(all);
      record.relative_residual = all.relative_residual;
      return update(t, all);
    }
    const std::vector<ClientId> lost = sweep_.lost();
    if (request_.optional) return method_.go_without(names_of(lost) + " stayed away when it was asked for");
    if (lost.size() >= asking_.groups.everyone().size()) {
      throw RunAborted(Termination::ClientsLost, "every client stays away");
    }
    asking_.leave(lost);
    method_.begin_anew(asking_.groups.everyone());
  }

  std::string names_of(std::span<const ClientId> clients) const {
    std::string names;
    for (const ClientId client : clients) names += (names.empty() ? "" : ", ") + asking_.roster[client.value].name;
    return names;
  }

  // ---- When to stop, and with what.

  bool worth_a_look() {
    if (!(options_.tolerance > 0.0) || !method_.may_ask_residuals()) return false;
    const double size = std::sqrt(squared_norm(x_));
    return looks_.due(result_.history, size, asking_.groups.count(), stopping_.tolerance_seems_met(result_.history));
  }

  bool is_solved() const {
    const double residual = result_.relative_residual.value_or(std::numeric_limits<double>::infinity());
    if (options_.tolerance > 0.0 && residual <= options_.tolerance) return true;
    const RosterTotals totals = totals_of(asking_.roster);
    const double rhs = std::sqrt(totals.squared_rhs_norm);
    const double whole = std::sqrt(totals.squared_norm) * std::sqrt(squared_norm(method_.answer(x_))) + rhs;
    return residual * (rhs > 0.0 ? rhs : 1.0) <= kRounding * whole;
  }

  // Asks every client for its residual at the answer, and for nothing else. True when that of all is known.
  bool measure_everyone() { return measure(method_.answer(x_)); }

  bool measure(std::span<const double> at) {
    if (!method_.may_ask_residuals()) return false;
    LocalTask task{next_round(), at, FixedSteps{0}, true, options_.noise_columns};
    task.reveal = reveal_;
    const RoundReplies round = asking_.ask(task, asking_.groups.everyone());
    const bool complete = round.answered.size() == asking_.groups.everyone().size();
    result_.relative_residual = complete ? round.relative_residual : std::nullopt;
    of_the_others_ = round.relative_residual;
    if (!result_.relative_residual) return false;
    best_.consider(at.first(at.size() - options_.noise_columns), *result_.relative_residual);
    return true;
  }

  // Never worse than the start, and never worse than what was seen on the way. Where somebody is missing at the end,
  // the others tell whether x is better.
  void return_the_best() {
    if (!method_.may_ask_residuals()) return;
    const bool measured = measure_everyone();
    result_.converged = measured && is_solved();
    if (*result_.converged || options_.last_iterate) return;
    const auto last = measured ? result_.relative_residual : std::exchange(of_the_others_, std::nullopt);
    if (measured && squared_norm(start_) > 0.0) measure(method_.answer(start_));
    result_.relative_residual = measured ? last : std::nullopt;
    if (!best_.x.empty() && !(last && *last <= best_.residual)) choose_the_best();
  }

  void choose_the_best() {
    chosen_ = best_.x;
    result_.relative_residual = best_.residual;
  }

  void take_measure_of_fit() {
    if (const auto measure = method_.measure()) return take(*measure);
    result_.converged = method_.may_ask_residuals() ? std::optional(false) : std::nullopt;
    measure_everyone();
  }

  void take(const FitMeasure& measure) {
    result_.relative_residual = measure.relative_residual;
    result_.criterion = measure.criterion;
    result_.converged = measure.holds;
  }

  RunResult result(Termination termination) {
    result_.termination = termination;
    const std::span<const double> x = chosen_.empty() ? answer() : chosen_;
    result_.x.assign(x.begin(), x.end());
    result_.notes = method_.notes();
    result_.fits = method_.fits();
    result_.method = method_.name();
    return std::move(result_);
  }

  const RunOptions& options_;
  RunResult result_;
  Asking asking_;
  Method& method_;
  Sweep sweep_;
  Request request_;
  std::uint32_t residual_every_;
  StoppingRule stopping_;
  AlignedVector x_, previous_, start_;
  BestSoFar best_;
  std::optional<double> of_the_others_;  // the residual of those who answered when everyone was asked
  AlignedVector chosen_;                 // the answer, where it is not the last one
  Reveal reveal_ = Reveal::Sums;         // as the method asked last
  LookSchedule looks_;
  std::size_t shown_ = 0, saved_ = 0;  // of the rounds made
  bool has_state_ = true;              // the method lists its state, as far as is known
};

}  // namespace

RunResult FederatedRun::run(Engine& engine, std::vector<double> x0, std::span<RoundObserver* const> observers,
                            const StopSignal* stop) const {
  FedrkMethod method(options_);
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
  Checkpoints* const checkpoints = engine.checkpoints();
  if (checkpoints != nullptr) rounds.restore(*checkpoints, observers);
  try {
    for (RoundIndex t = rounds.next_round(); t.value - options_.first_round < options_.rounds; ++t) {
      if (stop != nullptr && stop->requested()) {
        if (checkpoints != nullptr) rounds.save(*checkpoints, observers);
        return rounds.finish(Termination::Interrupted);
      }
      if (!rounds.make_round(t)) return rounds.finish(Termination::DisclosureLimit);
      const auto reason = rounds.reason_to_stop();
      rounds.show(observers);
      if (reason) return rounds.finish(*reason);
      if (checkpoints != nullptr && checkpoints->due()) rounds.save(*checkpoints, observers);
    }
    return rounds.finish(Termination::RoundLimit);
  } catch (const RunAborted& ended) {
    rounds.show(observers);
    return rounds.break_off(ended);
  }
}

}  // namespace fedrk
