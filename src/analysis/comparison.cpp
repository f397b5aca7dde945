// SPDX-License-Identifier: Apache-2.0
#include "analysis/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "analysis/observers.hpp"
#include "round/accept_replies.hpp"
#include "round/server_step.hpp"

namespace fedrk {
namespace {

/// An engine around another that adds up what the clients' work costs them.
class MeteredEngine final : public Engine {
 public:
  MeteredEngine(Engine& inner, std::span<const ClientShape> shapes)
      : inner_(inner), shapes_(shapes), factorised_(shapes.size(), false) {}

  std::span<const ClientSummary> roster() const override { return inner_.roster(); }
  std::size_t dimension() const override { return inner_.dimension(); }
  RoundReplies local_updates(const LocalTask& task, std::span<const ClientId> participants) override {
    for (const ClientId client : participants) count(task, client.value);
    return inner_.local_updates(task, participants);
  }

  double flops() const { return flops_; }

 private:
  void count(const LocalTask& task, std::size_t i) {
    const auto& [rows, nonzeros] = shapes_[i];
    const auto entries = static_cast<double>(nonzeros);
    flops_ += fedrk::flops(task.work, rows, dimension(), nonzeros);
    const bool beside = !only_measures(task) && !std::holds_alternative<Gradient>(task.work);  // else in the same pass
    if (task.report_residual && beside) flops_ += 2.0 * entries;
    if (!projects(task.work) || factorised_[i]) return;
    const double smaller = static_cast<double>(std::min(rows, dimension()));
    flops_ += 4.0 * smaller * entries;  // QR once, with its Q
    factorised_[i] = true;
  }

  // The look at everyone's residual with which a run ends.
  static bool only_measures(const LocalTask& task) {
    const auto* steps = std::get_if<FixedSteps>(&task.work);
    return steps != nullptr && steps->count == 0;
  }

  static bool projects(const LocalWork& work) {
    const auto* valid = std::get_if<CutSteps>(&work);
    return std::holds_alternative<ExactProjection>(work) ||
           (valid != nullptr && std::holds_alternative<ExactProjection>(valid->budget));
  }

  Engine& inner_;
  std::span<const ClientShape> shapes_;
  std::vector<bool> factorised_;
  double flops_ = 0.0;
};

/// The s largest entries of x where s was asked for, else x itself.
class Judged {
 public:
  explicit Judged(std::size_t sparsity) : sparse_(sparsity > 0), threshold_(sparsity) {}

  std::span<const double> of(std::span<const double> x) {
    if (!sparse_) return x;
    kept_.assign(x.begin(), x.end());
    threshold_.apply(kept_);
    return kept_;
  }

 private:
  bool sparse_;
  Threshold threshold_;
  std::vector<double> kept_;
};

/// Ends the run when the error (without a reference, the residual) is small enough, or when somebody outside asks for
/// the end. It measures through the engine itself, not the metered one: that is not the method's doing.
class Finish final : public RoundObserver {
 public:
  Finish(const ComparisonOptions& options, Engine& engine, const StopSignal* outside)
      : options_(options),
        engine_(engine),
        outside_(outside),
        error_(options.reference),
        judged_(options.run.sparsity) {}

  void on_round(const RoundRecord& record, std::span<const double> x) override {
    const std::span<const double> judged = judged_.of(x);
    double level = std::numeric_limits<double>::infinity();
    if (options_.reference.empty()) {
      level = measure_residual(engine_, judged).value_or(level);
    } else {
      error_.on_round(record, judged);
      level = error_.errors().back();
    }
    kept_.on_round(record, x);
    if (refused_.empty() && !record.absences.empty()) refused_ = record.absences.front().reason;
    reached_ = level <= options_.target;
    if (reached_ || (outside_ != nullptr && outside_->requested())) stop_.request();
  }

  const std::vector<double>& errors() const { return error_.errors(); }
  const SelectionCounts& kept() const { return kept_; }
  const std::string& refused() const { return refused_; }
  bool reached() const { return reached_; }
  const StopSignal& stop() const { return stop_; }
  std::optional<double> residual(std::span<const double> x) { return measure_residual(engine_, judged_.of(x)); }

 private:
  const ComparisonOptions& options_;
  Engine& engine_;
  const StopSignal* outside_;
  ErrorToTruth error_;
  Judged judged_;
  SelectionCounts kept_;
  std::string refused_;
  bool reached_ = false;
  StopSignal stop_;
};

std::vector<std::size_t> largest_entries(std::span<const double> x, std::size_t count) {
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t j) { return std::abs(x[j]); });
  order.resize(std::min(count, order.size()));
  while (!order.empty() && x[order.back()] == 0.0) order.pop_back();
  std::ranges::sort(order);
  return order;
}

std::vector<std::size_t> support_of(std::span<const double> x, const SelectionCounts& kept, std::size_t count) {
  const auto left = static_cast<std::size_t>(std::ranges::count_if(x, [](double value) { return value != 0.0; }));
  if (left > count || kept.counts().empty()) return largest_entries(x, count);
  std::vector<std::size_t> order = most_selected(kept.counts());
  order.resize(std::min(count, order.size()));
  std::erase_if(order, [&](std::size_t j) { return kept.counts()[j] == 0; });
  std::ranges::sort(order);
  return order;
}

RunOptions run_of(const Contender& contender, const ComparisonOptions& options) {
  RunOptions run = options.run;
  if (contender.needs_everyone) run.participants = 0;
  run.patience = 0;
  run.tolerance = 0.0;
  run.last_iterate = true;
  run.residual_every = contender.watches_residual ? 1 : RunOptions::kNever;
  return run;
}

double level_of(const Outcome& outcome) {
  const auto level = outcome.error ? outcome.error : outcome.residual;
  return level.value_or(std::numeric_limits<double>::infinity());
}

double sort_key(const Outcome& outcome, SortBy by) {
  switch (by) {
    case SortBy::Rounds:
      return static_cast<double>(outcome.rounds);
    case SortBy::BytesUp:
      return outcome.bytes_up;
    case SortBy::Bytes:
      return outcome.bytes_up + outcome.bytes_down;
    case SortBy::Flops:
      return outcome.flops.value_or(std::numeric_limits<double>::infinity());
    case SortBy::Seconds:
      return outcome.seconds;
    case SortBy::Error:
      break;
  }
  return level_of(outcome);
}

}  // namespace

Outcome compete(const Contender& contender, Engine& engine, std::span<const ClientShape> shapes,
                const ComparisonOptions& options, const StopSignal* stop, RoundObserver* observer) {
  ReadyMethod ready = contender.make(engine);
  const RunOptions run = run_of(contender, options);
  MeteredEngine metered(engine, shapes);
  Finish finish(options, engine, stop);
  std::vector<RoundObserver*> observers{&finish};
  if (observer != nullptr) observers.push_back(observer);
  const RunResult result = FederatedRun(run).run(metered, *ready.method, options.start, observers, &finish.stop());

  const double clients = static_cast<double>(engine.roster().size());
  Outcome outcome;
  outcome.name = contender.name;
  outcome.label = contender.label;
  outcome.server_sees = contender.server_sees;
  outcome.about = contender.about;
  outcome.note = std::move(ready.note);
  outcome.remarks = result.notes;
  outcome.participants = run.participants == 0 ? engine.roster().size() : run.participants;
  outcome.reached = finish.reached();
  outcome.ended = result.termination == Termination::Converged;
  outcome.refused = finish.refused();
  outcome.rounds = result.history.size();
  for (const RoundRecord& record : result.history) {
    outcome.bytes_up += static_cast<double>(record.bytes_up) / clients;
    outcome.bytes_down += static_cast<double>(record.bytes_down) / clients;
    outcome.seconds += record.seconds;
  }
  if (metered.flops() > 0.0) outcome.flops = metered.flops() / clients;
  outcome.residual = finish.residual(result.x);
  outcome.errors = finish.errors();
  if (!outcome.errors.empty()) outcome.error = outcome.errors.back();
  constexpr double kFarWorseThanZero = 1e3;  // a horizon may well lie beyond one
  outcome.diverged =
      result.termination == Termination::Diverged || !(outcome.residual.value_or(0.0) <= kFarWorseThanZero);
  if (options.run.sparsity > 0) outcome.support = support_of(result.x, finish.kept(), options.run.sparsity);
  return outcome;
}

std::optional<double> measure_residual(Engine& engine, std::span<const double> x) {
  std::vector<ClientId> everyone;
  double rhs = 0.0, residual = 0.0;
  for (const ClientSummary& client : engine.roster()) {
    everyone.push_back(client.id);
    rhs += client.squared_rhs_norm;
  }
  const LocalTask task{RoundIndex{0}, x, FixedSteps{0}, true};
  RoundReplies round = engine.local_updates(task, everyone);
  accept_replies(task, engine.dimension(), everyone, round);
  if (round.replies.size() < everyone.size()) return std::nullopt;
  for (const LocalReply& reply : round.replies) residual += *reply.squared_residual;
  return std::sqrt(rhs > 0.0 ? residual / rhs : residual);
}

void sort_outcomes(std::vector<Outcome>& outcomes, SortBy by) {
  std::ranges::stable_sort(outcomes, [by](const Outcome& a, const Outcome& b) {
    if (a.reached != b.reached) return a.reached;
    if (!a.reached) return level_of(a) < level_of(b);
    return sort_key(a, by) < sort_key(b, by);
  });
}

}  // namespace fedrk
