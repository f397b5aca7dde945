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

// Why the attack would take too long, if it would: a minute or so is the limit.
std::string too_large(const io::Plan& plan, const io::Federation& federation) {
  constexpr std::size_t kMaxUnknowns = 200;
  constexpr double kMaxOperations = 1e12;
  const std::size_t unknowns = federation.problem.unknowns.size() + plan.run.noise_columns;
  if (unknowns > kMaxUnknowns) {
    return fmt::format("The attack is not tried at this size: {} unknowns, at most {}.", unknowns, kMaxUnknowns);
  }
  const std::size_t clients = federation.clients.size(), rounds = io::resolve(plan).run.rounds;
  const std::size_t asked = plan.run.participants == 0 ? clients : std::min(clients, plan.run.participants);
  const std::size_t messages = std::max<std::size_t>(4, asked) * rounds;  // four readings of each sum
  if (search_cost(messages, unknowns + 1) <= kMaxOperations) return "";
  return fmt::format(
      "The attack is not tried at this size: {} rounds with {} unknowns would take too long; try fewer --rounds.",
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
};

WatchedRun watch(const io::Plan& plan, io::Federation federation, RoundObserver* observer) {
  WatchedRun run;
  for (const Client& client : federation.clients) run.records.push_back(copy_of(client.block().system()));
  InProcessEngine inner(std::move(federation.clients));
  RecordingEngine engine(inner);
  run.roster.assign(engine.roster().begin(), engine.roster().end());
  run.plan = io::resolve(plan, run.roster);
  RunPlanOptions options{.title = "attack"};
  if (observer != nullptr) options.observers.push_back(observer);
  (void)run_plan(engine, plan, std::move(federation.problem), options);
  run.transcript = engine.transcript();
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

}  // namespace

AttackFindings play_attack(const io::Plan& plan, io::Federation federation, const AttackObserver& observer) {
  AttackFindings findings{too_large(plan, federation), 0, 0, federation.problem.scaling.has_value(), {}};
  if (!findings.not_tried.empty()) return findings;
  AttackOptions options;
  if (federation.problem.intercept) options.ones = 0;
  const std::size_t unknowns = federation.problem.unknowns.size() + plan.run.noise_columns;
  const WatchedRun run = watch(plan, std::move(federation), observer.rounds);

  const std::vector<SeenUpdate> readings[] = {sums_as_updates(run.transcript, ReadAs::Sum),
                                              sums_as_updates(run.transcript, ReadAs::Mean)};
  findings.sums = readings[0].size();
  std::size_t used = findings.sums;
  constexpr double kLong = 3e10;  // operations: some seconds
  if (observer.tell && search_cost(4 * findings.sums, unknowns + 1) > kLong) {
    observer.tell(fmt::format("{} sums", findings.sums));
  }
  const auto found_in_sums = recover_from_sums(run.transcript, options);
  Patience patience(observer.tell);
  for (std::size_t i = 0; i < run.roster.size(); ++i) {
    patience.tell(i, run.roster.size());
    AttackedClient client{.name = run.roster[i].name, .records = run.roster[i].rows};
    attack_updates(run, i, options, client);
    if (client.updates == 0) {
      client.recovered = count_matches(found_in_sums, run.records[i], options);
      client.confirmed = count_confirmed(run.records[i], readings);
    }
    used += client.updates;
    findings.clients.push_back(std::move(client));
  }
  const auto is_message = [](const Observation& seen) { return !seen.reply.values.empty(); };
  findings.others = static_cast<std::size_t>(std::ranges::count_if(run.transcript, is_message)) - used;
  return findings;
}

}  // namespace fedrk::api
