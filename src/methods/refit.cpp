// SPDX-License-Identifier: Apache-2.0
#include "methods/refit.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "fedrk/aligned_vector.hpp"
#include "methods/method_options.hpp"
#include "round/accept_replies.hpp"

namespace fedrk {
namespace {

using Support = std::vector<std::uint32_t>;

// An estimate of pure noise is beyond this many standard errors once in 16,000 times.
constexpr double kStandsOut = 4.0;
constexpr int kMaxFits = 20;

/// The `most` largest entries that are not zero, ascending.
Support largest_entries(std::span<const double> x, std::size_t most) {
  Support entries;
  for (std::uint32_t j = 0; j < x.size(); ++j) {
    if (x[j] != 0.0) entries.push_back(j);
  }
  std::ranges::stable_sort(entries, std::ranges::greater{}, [&](std::uint32_t j) { return std::abs(x[j]); });
  if (entries.size() > most) entries.resize(most);
  std::ranges::sort(entries);
  return entries;
}

/// With those of the `others`, which differ, that there is room for. REQUIRES: `support` ascends.
void add_others(std::span<const std::uint32_t> others, std::size_t most, Support& support) {
  const Support before = support;
  for (const std::uint32_t j : others) {
    if (support.size() < most && !std::ranges::binary_search(before, j)) support.push_back(j);
  }
}

/// Shows observers the whole x.
class AtFullLength final : public RoundObserver {
 public:
  AtFullLength(std::span<RoundObserver* const> observers, const Support& support, std::size_t unknowns)
      : observers_(observers), support_(support), x_(unknowns, 0.0) {}

  std::span<const double> expand(std::span<const double> part) {
    for (std::size_t k = 0; k < support_.size(); ++k) x_[support_[k]] = part[k];
    return x_;
  }
  void on_round(const RoundRecord& record, std::span<const double> part) override {
    for (RoundObserver* observer : observers_) observer->on_round(record, expand(part));
  }

 private:
  std::span<RoundObserver* const> observers_;
  const Support& support_;
  std::vector<double> x_;
};

/// The squared lengths of the columns, as everyone's sum; nothing where somebody does not answer.
std::optional<AlignedVector> column_lengths(Engine& engine, const RunOptions& run, RunResult& counted) {
  std::vector<ClientId> everyone;
  for (const ClientSummary& client : engine.roster()) everyone.push_back(client.id);
  LocalTask task{RoundIndex{run.first_round}, {}, ColumnNorms{}};
  task.reveal = Reveal::Sums;
  RoundReplies round = engine.local_updates(task, everyone);
  accept_replies(task, engine.dimension(), everyone, round);
  counted.earlier_seconds += round.earlier_seconds;
  if (round.answered.size() < everyone.size()) return std::nullopt;
  counted.bytes_up += everyone.size() * message_length(round.replies.front()) * sizeof(double);
  return std::move(round.replies.front().values);
}

/// Leaves out what does not stand out of the noise of its estimate, in a fit with this relative residual.
void leave_out_noise(const RosterTotals& totals, const std::optional<AlignedVector>& squares, std::size_t unknowns,
                     double relative_residual, std::span<const double> x, Support& support) {
  const double freedom = std::max(1.0, totals.rows - static_cast<double>(support.size()));
  const double sigma = relative_residual * std::sqrt(totals.squared_rhs_norm / freedom);
  std::erase_if(support, [&](std::uint32_t j) {
    const double length = std::sqrt(squares ? (*squares)[j] : totals.squared_norm / static_cast<double>(unknowns));
    return std::abs(x[j]) * length <= kStandsOut * sigma;
  });
}

/// One fit after those before it.
void add_fit(Engine& engine, const RefitOptions& options, std::span<RoundObserver* const> observers,
             const StopSignal* stop, Refit& made) {
  RestrictedEngine part(engine, made.support);
  std::vector<double> start;
  for (const std::uint32_t j : made.support) start.push_back(made.result.x[j]);
  RunOptions run = options.run;
  const auto made_rounds = static_cast<std::uint32_t>(made.result.history.size());
  run.first_round += made_rounds;
  run.rounds -= made_rounds;
  run.noise_columns = run.sparsity = run.patience = 0;
  run.tolerance = options.tolerance;
  const auto method = make_method({.fit = true}, run, part);
  AtFullLength whole(observers, made.support, engine.dimension());
  RoundObserver* const shown[] = {&whole};
  RunResult result = FederatedRun(run).run(part, *method, std::move(start), shown, stop);

  const auto x = whole.expand(result.x);
  made.result.x.assign(x.begin(), x.end());
  made.result.bytes_up += result.bytes_up;
  made.result.bytes_down += result.bytes_down;
  made.result.earlier_seconds += result.earlier_seconds;
  made.result.relative_residual = result.relative_residual;
  made.result.converged = result.converged;
  made.result.criterion = result.criterion;
  made.result.termination = result.termination;
  std::ranges::move(result.history, std::back_inserter(made.result.history));
}

/// What was left out after the last fit is zero in the answer too. The fit of no entry at all is x = 0.
void leave_only(const Support& support, double squared_rhs_norm, RunResult& result) {
  bool changed = false;
  for (std::uint32_t j = 0; j < result.x.size(); ++j) {
    if (result.x[j] == 0.0 || std::ranges::binary_search(support, j)) continue;
    result.x[j] = 0.0;
    changed = true;
  }
  if (!changed) return;
  result.relative_residual.reset();  // that was of another x
  result.converged = support.empty();
  if (!support.empty()) return;
  result.relative_residual = squared_rhs_norm > 0.0 ? 1.0 : 0.0;
  result.criterion = 0.0;
}

}  // namespace

RestrictedEngine::RestrictedEngine(Engine& inner, std::vector<std::uint32_t> columns)
    : inner_(inner), columns_(std::move(columns)), roster_(inner.roster().begin(), inner.roster().end()) {
  const double share = static_cast<double>(columns_.size()) / static_cast<double>(inner.dimension());
  for (ClientSummary& client : roster_) client.squared_norm *= share;
}

RoundReplies RestrictedEngine::local_updates(const LocalTask& task, std::span<const ClientId> participants) {
  LocalTask restricted = task;
  restricted.columns = columns_;
  return inner_.local_updates(restricted, participants);
}

Refit refit(Engine& engine, const RefitOptions& options, std::span<const double> x,
            std::span<RoundObserver* const> observers, const StopSignal* stop) {
  const RosterTotals totals = totals_of(engine.roster());
  // A third of the rows leaves enough of them to tell the noise from.
  const auto bearable = std::max<std::size_t>(1, static_cast<std::size_t>(totals.rows / 3.0));
  const bool given = options.keep > 0 || !options.support.empty();
  Refit made{{}, options.support};
  if (made.support.empty()) made.support = largest_entries(x, options.keep > 0 ? options.keep : bearable);
  if (!given) add_others(options.often, bearable, made.support);
  std::ranges::sort(made.support);
  made.result.x.assign(x.begin(), x.end());
  const auto lengths = given ? std::nullopt : column_lengths(engine, options.run, made.result);
  for (int fit = 0; fit < kMaxFits && !made.support.empty(); ++fit) {
    if (made.result.history.size() >= options.run.rounds) break;
    add_fit(engine, options, observers, stop, made);
    const bool measured = made.result.relative_residual.has_value();
    if (given || !measured || resumable(made.result.termination)) break;
    const std::size_t before = made.support.size();
    leave_out_noise(totals, lengths, engine.dimension(), *made.result.relative_residual, made.result.x, made.support);
    if (made.support.size() == before) break;
  }
  leave_only(made.support, totals.squared_rhs_norm, made.result);
  made.result.notes.push_back("The " + std::to_string(made.support.size()) +
                              " selected entries were fitted anew by least squares, the others set to zero.");
  return made;
}

}  // namespace fedrk
