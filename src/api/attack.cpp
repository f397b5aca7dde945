// SPDX-License-Identifier: Apache-2.0
#include "api/attack.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "analysis/record_attack.hpp"
#include "api/run_plan.hpp"
#include "fedrk/in_process_engine.hpp"

namespace fedrk::api {
namespace {

std::size_t asked_at_once(const io::Plan& plan, std::size_t clients) {
  return plan.run.participants == 0 ? clients : std::min(clients, plan.run.participants);
}

// A sum over one client is its update.
bool shows_sums(const io::Plan& plan, std::size_t clients) {
  return reveal_of(goal_of(plan.method, plan.run)) == Reveal::Sums && asked_at_once(plan, clients) > 1;
}

std::size_t length_of_x(const io::Plan& plan, const io::Federation& federation) {
  return federation.problem.unknowns.size() + plan.run.noise_columns;
}

// Why the search for hyperplanes would take too long, if it would: a minute or so is the limit.
std::string too_large_for_points(const io::Plan& plan, const io::Federation& federation) {
  constexpr std::size_t kMaxUnknowns = 200;
  constexpr double kMaxOperations = 1e12;
  const std::size_t unknowns = length_of_x(plan, federation);
  if (unknowns > kMaxUnknowns) {
    return fmt::format("not tried at this size: {} unknowns, at most {}.", unknowns, kMaxUnknowns);
  }
  const std::size_t asked = asked_at_once(plan, federation.clients.size()), rounds = io::resolve(plan).run.rounds;
  const std::size_t messages = std::max<std::size_t>(4, asked) * rounds;  // four readings of each sum
  if (search_cost(messages, unknowns + 1) <= kMaxOperations) return "";
  return fmt::format("not tried at this size: {} rounds with {} unknowns would take too long; try fewer --rounds.",
                     rounds, unknowns);
}

// Why the plan is not run at all.
std::string too_large(const io::Plan& plan, const io::Federation& federation) {
  constexpr double kMaxNumbers = 1e7;  // that are kept
  if (!shows_sums(plan, federation.clients.size())) {
    const std::string reason = too_large_for_points(plan, federation);
    return reason.empty() ? "" : "The attack is " + reason;
  }
  const std::size_t unknowns = length_of_x(plan, federation), rounds = io::resolve(plan).run.rounds;
  if (static_cast<double>(unknowns) * static_cast<double>(rounds) <= kMaxNumbers) return "";
  return fmt::format(
      "The attack is not tried at this size: {} rounds with {} unknowns are too many numbers to keep; try fewer "
      "--rounds.",
      rounds, unknowns);
}

// A word now and then, where it takes long.
class Patience {
 public:
  explicit Patience(const std::function<void(const std::string&)>& tell) : tell_(tell) {}

  void tell(std::size_t done, std::size_t all) {
    constexpr std::chrono::seconds kLong{3};
    if (!tell_ || Clock::now() - last_ < kLong) return;
    tell_(fmt::format("{} of {} clients", done, all));
    last_ = Clock::now();
  }

 private:
  using Clock = std::chrono::steady_clock;
  const std::function<void(const std::string&)>& tell_;
  Clock::time_point last_ = Clock::now();
};

// What the server sees, and what it does not: the records.
struct WatchedRun {
  io::ResolvedPlan plan;
  Transcript transcript;
  std::vector<ClientSummary> roster;
  std::vector<LinearSystem> records;
  Transcript all{};  // with that of further runs, where the first showed less of the rows' span than there is
  std::size_t runs = 1;
  bool shows_sums = false;
  std::optional<MomentsFindings> moments{};
};

// Clients draw anew in each masked run.
class AnotherRun final : public Engine {
 public:
  AnotherRun(Engine& inner, std::size_t number) : inner_(inner), number_(number) {}

  std::span<const ClientSummary> roster() const override { return inner_.roster(); }
  std::size_t dimension() const override { return inner_.dimension(); }
  RoundReplies local_updates(const LocalTask& task, std::span<const ClientId> participants) override {
    LocalTask own = task;
    own.fresh_draws = stream_for(number_, Purpose::LocalSteps, task.round).next();
    return inner_.local_updates(own, participants);
  }

 private:
  Engine& inner_;
  std::uint64_t number_;
};

// As long as further runs show more of the rows; fits make the same sums each time.
void watch_further(Engine& inner, const io::Plan& plan, const io::Problem& problem, const AttackObserver& observer,
                   WatchedRun& run) {
  constexpr std::size_t kMaxRuns = 4;
  run.all = run.transcript;
  if (!run.shows_sums || plan.method.fits()) return;
  while (run.runs < kMaxRuns && may_show_more(run.all, run.roster, problem.unknowns.size())) {
    ++run.runs;
    if (observer.tell) observer.tell(fmt::format("run {} of at most {}", run.runs, kMaxRuns));
    AnotherRun other(inner, run.runs);
    RecordingEngine engine(other);
    (void)run_plan(engine, plan, problem, {.title = "attack"});
    run.all.insert(run.all.end(), engine.transcript().begin(), engine.transcript().end());
  }
}

WatchedRun watch(const io::Plan& plan, io::Federation federation, const AttackObserver& observer) {
  WatchedRun run;
  for (const Client& client : federation.clients) run.records.push_back(copy_of(client.block().system()));
  InProcessEngine inner(std::move(federation.clients));
  RecordingEngine engine(inner);
  run.roster.assign(engine.roster().begin(), engine.roster().end());
  run.plan = io::resolve(plan, run.roster);
  run.shows_sums = shows_sums(plan, run.roster.size());
  RunPlanOptions options{.title = "attack"};
  if (observer.rounds != nullptr) options.observers.push_back(observer.rounds);
  (void)run_plan(engine, plan, federation.problem, options);
  run.transcript = engine.transcript();
  watch_further(inner, plan, federation.problem, observer, run);
  if (run.shows_sums && !is<Private>(run.plan.goal)) {
    run.moments = attack_moments(inner, plan, federation.problem, run.records);
  }
  return run;
}

std::size_t count_confirmed(const LinearSystem& records, std::span<const std::vector<SeenUpdate>> readings) {
  std::size_t confirmed = 0;
  for (std::size_t j = 0; j < records.rhs.size(); ++j) {
    std::vector<double> a(column_count(records.rows), 0.0);
    std::visit([&](const auto& matrix) { axpy(1.0, matrix.row(j), a); }, records.rows);
    const auto held = [&](const std::vector<SeenUpdate>& updates) { return holds(a, records.rhs[j], updates); };
    if (std::ranges::any_of(readings, held)) ++confirmed;
  }
  return confirmed;
}

// One client's updates, as far as the server has them.
void attack_updates(const WatchedRun& run, std::size_t i, const AttackOptions& options, AttackedClient& client) {
  const LinearSystem& records = run.records[i];
  const std::vector<SeenUpdate> updates = updates_of(run.transcript, run.roster[i].id);
  client.updates = updates.size();
  if (updates.empty()) return;
  client.confirmed = count_confirmed(records, std::span(&updates, 1));
  const auto* steps = std::get_if<FixedSteps>(&run.plan.run.local_budget);
  const bool single = client.records == 1 || (steps != nullptr && steps->count == 1);
  const auto found = single ? recover_from_single_steps(updates, options) : recover_from_points(updates, options);
  client.recovered = count_matches(found, records, options);
  if (steps == nullptr || run.plan.steps.sampling == RowSampling::Greedy) return;
  client.recovered_with_draws = client.recovered;
  if (single) return;  // which leaves nothing to know
  const auto better = recover_with_draws(updates,
                                         {.seed = client_seed(run.plan.run.seed, client.name),
                                          .rows = client.records,
                                          .steps = steps->count,
                                          .sampling = run.plan.steps.sampling},
                                         options);
  client.recovered_with_draws = count_matches(better, records, options);
}

// Sums taken for updates of one client.
void read_sums_as_updates(const WatchedRun& run, const AttackOptions& options, const AttackObserver& observer,
                          AttackFindings& findings) {
  const std::vector<SeenUpdate> readings[] = {sums_as_updates(run.transcript, ReadAs::Sum),
                                              sums_as_updates(run.transcript, ReadAs::Mean)};
  findings.sums = readings[0].size();
  if (!findings.readings_not_tried.empty() || findings.sums == 0) return;
  constexpr double kLong = 3e10;  // operations: some seconds
  if (observer.tell && search_cost(4 * findings.sums, readings[0].front().x.size() + 1) > kLong) {
    observer.tell(fmt::format("{} sums", findings.sums));
  }
  const auto found = recover_from_sums(run.transcript, options);
  for (std::size_t i = 0; i < findings.clients.size(); ++i) {
    AttackedClient& client = findings.clients[i];
    if (client.updates > 0) continue;
    client.recovered = count_matches(found, run.records[i], options);
    client.confirmed = count_confirmed(run.records[i], readings);
    findings.recovered_by_reading += *client.recovered;
    findings.confirmed_by_reading += *client.confirmed;
  }
}

void take_spans(const WatchedRun& run, SumsFindings found, AttackFindings& findings) {
  found.runs = run.runs;
  for (std::size_t i = 0; i < findings.clients.size(); ++i) {
    AttackedClient& client = findings.clients[i];
    if (!found.recovered.empty()) client.recovered = std::max(client.recovered.value_or(0), found.recovered[i]);
    if (!found.confirmed.empty()) client.confirmed = std::max(client.confirmed.value_or(0), found.confirmed[i]);
  }
  if (found.sums > 0) findings.spans = std::move(found);
}

}  // namespace

AttackFindings play_attack(const io::Plan& plan, io::Federation federation, const AttackObserver& observer) {
  AttackFindings findings;
  findings.not_tried = too_large(plan, federation);
  findings.standardized = federation.problem.scaling.has_value();
  if (!findings.not_tried.empty()) return findings;
  if (shows_sums(plan, federation.clients.size())) findings.readings_not_tried = too_large_for_points(plan, federation);
  AttackOptions options;
  if (federation.problem.intercept) options.ones = 0;
  const io::Problem problem = federation.problem;
  const WatchedRun run = watch(plan, std::move(federation), observer);

  Patience patience(observer.tell);
  std::size_t used = 0;
  for (std::size_t i = 0; i < run.roster.size(); ++i) {
    patience.tell(i, run.roster.size());
    findings.clients.push_back({.name = run.roster[i].name, .records = run.roster[i].rows});
    attack_updates(run, i, options, findings.clients.back());
    used += findings.clients.back().updates;
  }
  read_sums_as_updates(run, options, observer, findings);
  used += findings.sums;
  if (run.shows_sums)
    take_spans(run, attack_sums(run.all, {run.roster, run.records, problem}, observer.tell), findings);
  findings.moments = run.moments;
  const auto is_message = [](const Observation& seen) { return !seen.reply.values.empty(); };
  findings.others = static_cast<std::size_t>(std::ranges::count_if(run.transcript, is_message)) - used;
  return findings;
}

}  // namespace fedrk::api
