// SPDX-License-Identifier: Apache-2.0
#include "inspect_attack.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "fedrk/analysis/record_attack.hpp"
#include "fedrk/engine/in_process_engine.hpp"
#include "output.hpp"
#include "run_plan.hpp"

namespace fedrk::app {
namespace {

using Json = nlohmann::ordered_json;

// Why the attack would take too long, if it would: a minute or so is the limit.
std::string too_large(const io::Plan& plan, const io::Federation& federation) {
  constexpr std::size_t kMostUnknowns = 200;
  constexpr double kMostOperations = 1e12;
  const std::size_t unknowns = federation.problem.unknowns.size() + plan.run.noise_columns;
  if (unknowns > kMostUnknowns) {
    return fmt::format("The attack is not tried at this size: {} unknowns, at most {}.", unknowns, kMostUnknowns);
  }
  const std::size_t clients = federation.clients.size();
  const std::size_t asked = plan.run.participants == 0 ? clients : std::min(clients, plan.run.participants);
  const std::size_t messages = std::max<std::size_t>(4, asked) * plan.run.rounds;  // four readings of each sum
  if (search_cost(messages, unknowns + 1) <= kMostOperations) return "";
  return fmt::format(
      "The attack is not tried at this size: {} rounds with {} unknowns would take too long; try fewer --rounds.",
      plan.run.rounds, unknowns);
}

// A word on stderr now and then, where it takes long.
class Patience {
 public:
  void tell(std::size_t done, std::size_t all) {
    constexpr std::chrono::seconds kLong{3};
    if (Clock::now() - last_ < kLong) return;
    say(fmt::format("attack: {} of {} clients\n", done, all));
    last_ = Clock::now();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_ = Clock::now();
};

// What the server sees, and what it does not: the records.
struct WatchedRun {
  io::Plan plan;  // with nothing left open
  Transcript transcript;
  std::vector<ClientSummary> roster;
  std::vector<LinearSystem> records;
};

WatchedRun watch(const io::Plan& plan, io::Federation federation) {
  WatchedRun run{plan, {}, {}, {}};
  for (const Client& client : federation.clients) run.records.push_back(copy_of(client.block().system()));
  InProcessEngine inner(std::move(federation.clients));
  RecordingEngine engine(inner);
  run.roster.assign(engine.roster().begin(), engine.roster().end());
  run.plan.settle(run.roster);
  const bool terminal = resolved(ProgressStyle::Auto) == ProgressStyle::Bar;
  (void)run_plan(engine, plan, std::move(federation.problem),
                 {.title = "attack", .progress = terminal ? ProgressStyle::Bar : ProgressStyle::None});
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

// ---- Words.

struct Totals {
  std::size_t records = 0, updates = 0, recovered = 0, confirmed = 0;
  std::optional<std::size_t> with_draws{};
};

Totals totals_of(const AttackFindings& findings) {
  Totals all;
  for (const AttackedClient& client : findings.clients) {
    all.records += client.records;
    all.updates += client.updates;
    all.recovered += client.recovered;
    all.confirmed += client.confirmed;
    if (client.recovered_with_draws) all.with_draws = all.with_draws.value_or(0) + *client.recovered_with_draws;
  }
  return all;
}

std::string words_of(const AttackFindings& findings) {
  const Totals all = totals_of(findings);
  std::string text;
  if (all.updates > 0) {
    text = fmt::format("From {} updates a curious server rebuilds {} of {} records without knowing the draws",
                       all.updates, all.recovered, all.records);
    text += all.with_draws ? fmt::format(", and {} with the clients' seeds", *all.with_draws) : std::string();
    text += fmt::format("; it can confirm {} to whoever has them already.", all.confirmed);
  } else {
    text = fmt::format(
        "From {} sums {} of {} records were recovered, and {} confirmed. Tried: each sum, and the mean over those in "
        "it, taken for one client's update, from x and from 0, as a multiple of a row, as a point on the hyperplane of "
        "a row, and held against every true record.",
        findings.sums, all.recovered, all.records, all.confirmed);
  }
  if (findings.standardized) {
    text += " Records are in the units of the solver, standardised; the server knows means and scales, too.";
  }
  return text;
}

}  // namespace

AttackFindings play_attack(const io::Plan& plan, io::Federation federation) {
  AttackFindings findings{too_large(plan, federation), 0, federation.problem.scaling.has_value(), {}};
  if (!findings.not_tried.empty()) return findings;
  AttackOptions options;
  if (federation.problem.intercept) options.ones = 0;
  const WatchedRun run = watch(plan, std::move(federation));

  const std::vector<SeenUpdate> readings[] = {sums_as_updates(run.transcript, ReadAs::Sum),
                                              sums_as_updates(run.transcript, ReadAs::Mean)};
  findings.sums = readings[0].size();
  const auto found_in_sums = recover_from_sums(run.transcript, options);
  Patience patience;
  for (std::size_t i = 0; i < run.roster.size(); ++i) {
    AttackedClient client{.name = run.roster[i].name, .records = run.roster[i].rows};
    attack_updates(run, i, options, client);
    if (client.updates == 0) {
      client.recovered = count_matches(found_in_sums, run.records[i], options);
      client.confirmed = count_confirmed(run.records[i], readings);
    }
    findings.clients.push_back(std::move(client));
    patience.tell(i + 1, run.roster.size());
  }
  return findings;
}

std::string attack_text(const AttackFindings& findings) {
  constexpr std::size_t kMost = 30;
  if (!findings.not_tried.empty()) return wrapped(findings.not_tried, 96, 2);
  const bool with_draws = totals_of(findings).with_draws.has_value();
  std::vector<std::vector<std::string>> rows{{"client", "records", "recovered", "confirmed"}};
  if (with_draws) rows[0].insert(rows[0].begin() + 3, "with known draws");
  for (std::size_t i = 0; i < std::min(kMost, findings.clients.size()); ++i) {
    const AttackedClient& client = findings.clients[i];
    rows.push_back({client.name, std::to_string(client.records), std::to_string(client.recovered),
                    std::to_string(client.confirmed)});
    const auto& known = client.recovered_with_draws;
    if (with_draws) rows.back().insert(rows.back().begin() + 3, known ? std::to_string(*known) : "-");
  }
  std::string text = table(rows);
  if (findings.clients.size() > kMost) text += fmt::format("  ... and {} more\n", findings.clients.size() - kMost);
  return text + wrapped(words_of(findings), 96, 2);
}

Json attack_json(const AttackFindings& findings) {
  if (!findings.not_tried.empty()) return {{"tried", false}, {"words", findings.not_tried}};
  const auto or_null = [](std::optional<std::size_t> number) { return number ? Json(*number) : Json(nullptr); };
  const Totals all = totals_of(findings);
  Json document{{"tried", true},
                {"updates", all.updates},
                {"sums", findings.sums},
                {"records", all.records},
                {"recovered", all.recovered},
                {"recovered_with_draws", or_null(all.with_draws)},
                {"confirmed", all.confirmed},
                {"standardized", findings.standardized},
                {"clients", Json::array()},
                {"words", words_of(findings)}};
  for (const AttackedClient& client : findings.clients) {
    document["clients"].push_back({{"name", client.name},
                                   {"records", client.records},
                                   {"updates", client.updates},
                                   {"recovered", client.recovered},
                                   {"recovered_with_draws", or_null(client.recovered_with_draws)},
                                   {"confirmed", client.confirmed}});
  }
  return document;
}

}  // namespace fedrk::app
