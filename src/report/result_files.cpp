// SPDX-License-Identifier: Apache-2.0
#include "report/result_files.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/number.hpp"
#include "base/write_file.hpp"
#include "data/csv.hpp"
#include "plan/plan_options.hpp"
#include "report/json_text.hpp"
#include "report/saved_run.hpp"

namespace fedrk::io {
namespace {

constexpr int kResultSchema = 1;  // docs/schema/result.json

Json steps(const StepBudget& budget) {
  const auto* fixed = std::get_if<FixedSteps>(&budget);
  return fixed == nullptr ? Json("inf") : Json(fixed->count);
}

Json positive_or_null(double value) { return value > 0.0 ? Json(value) : Json(nullptr); }

Json problem_json(const FinishedRun& run) {
  const Plan& plan = run.plan;
  return {{"files", plan.data.empty() ? plan.matrix : plan.data},
          {"target", plan.target.empty() ? Json(nullptr) : Json(plan.target)},
          {"rows", run.rows},
          {"columns", run.unknowns.size()},
          {"sparse", run.sparse},
          {"standardized", plan.standardize},
          {"intercept", plan.intercept},
          {"noise_columns", plan.run.noise_columns},
          {"powers", plan.powers},
          {"storage", to_text(plan.storage)}};
}

Json fit_options_json(const FinishedRun& run) {
  const RunOptions& options = run.resolved.run;
  return {{"rounds", options.rounds},
          {"participants", options.participants == 0 ? run.client_names.size() : options.participants},
          {"tolerance", options.tolerance},
          {"ridge", positive_or_null(run.plan.method.ridge)},
          {"round_trip", run.plan.round_trip},
          {"bandwidth", run.plan.bandwidth}};
}

Json options_json(const FinishedRun& run) {
  if (run.plan.job == Job::Fit) return fit_options_json(run);
  const RunOptions& options = run.resolved.run;
  const MethodOptions& method = run.plan.method;
  const Goal& goal = run.resolved.goal;
  const auto* equations = std::get_if<Equations>(&goal);
  const std::size_t memory = equations == nullptr ? 0 : equations->memory;
  return {
      {"rounds", options.rounds},
      {"participants", options.participants == 0 ? run.client_names.size() : options.participants},
      {"local_steps", steps(options.local_budget)},
      {"server_steps", steps(options.server_budget)},
      {"row_sampling", to_text(run.resolved.steps.sampling)},
      {"local_form", to_text(run.plan.steps.form)},
      {"local_memory", run.plan.steps.gram_memory >> 20},
      {"server_sampling", to_text(options.server_sampling)},
      {"keep", options.sparsity == 0 ? Json(nullptr) : Json(options.sparsity)},
      {"tolerance", options.tolerance == 0.0 ? Json(nullptr) : Json(options.tolerance)},
      {"patience", options.patience == 0 ? Json(nullptr) : Json(options.patience)},
      {"reveal", to_text(reveal_of(goal))},
      {"hyperplanes", to_text(is<FedRk>(goal) ? HyperplaneKind::Fedrk : HyperplaneKind::Valid)},
      {"memory", memory == HyperplaneMemory::kAll ? Json("all") : Json(memory)},
      {"ridge", positive_or_null(method.ridge)},
      {"least_squares", method.least_squares},
      {"soft", positive_or_null(method.soft)},
      {"refit", run.resolved.refit},
      {"epsilon", positive_or_null(method.privacy.epsilon)},
      {"delta", method.privacy.on() ? Json(method.privacy.delta) : Json(nullptr)},
      {"average_after", method.average ? Json(method.average->rounds.value_or(options.rounds / 2)) : Json(nullptr)}};
}

Json clients_json(const FinishedRun& run) {
  std::vector<std::size_t> rounds(run.client_names.size(), 0), absences(run.client_names.size(), 0);
  for (const RoundRecord& record : run.result.history) {
    for (const ClientId id : record.participants) ++rounds[id.value];
    for (const Absence& absence : record.absences) ++absences[absence.client.value];
  }
  Json clients = Json::array();
  for (std::size_t i = 0; i < run.client_names.size(); ++i) {
    clients.push_back({{"name", run.client_names[i]},
                       {"rows", run.client_rows[i]},
                       {"rounds", rounds[i]},
                       {"absences", absences[i]}});
  }
  return clients;
}

Json coefficients_json(const FinishedRun& run) {
  Json coefficients = Json::array();
  for (std::size_t j = 0; j < run.unknowns.size(); ++j) {
    const auto number = [&](double value) { return is_estimable(run, j) ? number_or_null(value) : Json(nullptr); };
    Json entry{{"name", run.unknowns[j]}, {"coefficient", number(run.coefficients[j])}};
    if (run.standardized) entry["standardized"] = number(run.result.x[j]);
    coefficients.push_back(std::move(entry));
  }
  return coefficients;
}

Json model_json(const FinishedRun& run) {
  const FitSummary fit = run.fit.value_or(FitSummary{.rows = run.rows});
  return {{"family", "gaussian"},
          {"rows", fit.rows},
          {"rank", fit.rank ? Json(*fit.rank) : Json(nullptr)},
          {"df_residual", number_or_null(fit.df_residual)},
          {"sigma", number_or_null(fit.sigma)},
          {"r_squared", number_or_null(fit.r_squared)}};
}

// What `converged` is said of.
std::optional<double> criterion_of(const FinishedRun& run) {
  if (run.fit) return run.fit->criterion;
  if (run.result.criterion) return run.result.criterion;  // of a refit
  return run.result.fits || run.plan.job == Job::Fit ? std::nullopt : run.result.relative_residual;
}

Json selection_json(const FinishedRun& run) {
  Json selection = Json::array();
  for (const std::size_t j : run.selection_order) {
    selection.push_back({{"name", run.unknowns[j]}, {"count", run.selection_counts[j]}});
  }
  return selection;
}

Json convergence_json(const Convergence& convergence) {
  return {{"progress", convergence.progress},
          {"level", number_or_null(convergence.level)},
          {"since_round", convergence.since_round},
          {"words", convergence.message}};
}

// Names in one field, a semicolon between them; one within a name becomes a comma.
template <class Ids, class Name>
std::string joined(const Ids& ids, Name name_of) {
  std::string text;
  for (const auto& id : ids) {
    std::string name = name_of(id);
    std::ranges::replace(name, ';', ',');
    text += (text.empty() ? "" : ";") + name;
  }
  return csv_field(text);
}

}  // namespace

std::string status_of(const FinishedRun& run) {
  switch (fedrk::status_of(run.result.termination, run.converged)) {
    case RunStatus::Completed:
      return "finished:completed";
    case RunStatus::Unconverged:
      return "finished:unconverged";
    case RunStatus::Stopped:
      return "finished:stopped";
    case RunStatus::Failed:
      break;
  }
  return "finished:failed";
}

std::string method_of(const FinishedRun& run) {
  return run.method.empty() ? to_text(run.plan.method.name) : run.method;
}

bool is_estimable(const FinishedRun& run, std::size_t unknown) {
  return std::ranges::find(run.not_estimable, run.unknowns[unknown]) == run.not_estimable.end();
}

std::string stop_reason_of(Termination termination) {
  static constexpr std::pair<Termination, const char*> kReasons[] = {{Termination::RoundLimit, "round_limit"},
                                                                     {Termination::Tolerance, "tolerance"},
                                                                     {Termination::Stagnation, "stagnation"},
                                                                     {Termination::Converged, "converged"},
                                                                     {Termination::Contradictory, "contradictory"},
                                                                     {Termination::Interrupted, "interrupted"},
                                                                     {Termination::Deadline, "deadline"},
                                                                     {Termination::ClientsLost, "clients_lost"},
                                                                     {Termination::DisclosureLimit, "disclosure_limit"},
                                                                     {Termination::Diverged, "diverged"}};
  return std::ranges::find(kReasons, termination, &std::pair<Termination, const char*>::first)->second;
}

std::string stop_text(const FinishedRun& run) {
  const auto rounds = run.result.history.size() - run.refit_rounds;
  const std::string refit = run.refit_rounds > 0 ? fmt::format(", and {} more to refit", run.refit_rounds) : "";
  switch (run.result.termination) {
    case Termination::RoundLimit:
      return fmt::format("all {} rounds were made{}", rounds, refit);
    case Termination::Tolerance:
      return fmt::format("the tolerance of {} was reached after {} rounds{}", to_text(run.resolved.run.tolerance),
                         rounds, refit);
    case Termination::Stagnation:
      return fmt::format("the residual had stopped falling by round {}{}", rounds, refit);
    case Termination::Converged:
      return fmt::format("the method converged after {} round{}{}", rounds, rounds == 1 ? "" : "s", refit);
    case Termination::Contradictory:
      return fmt::format("the equations had shown by round {} that they contradict each other", rounds);
    case Termination::Interrupted:
      return fmt::format("the run was interrupted after {} rounds", rounds + run.refit_rounds);
    case Termination::Deadline:
      return fmt::format("the time limit of the run was reached after {} rounds", rounds + run.refit_rounds);
    case Termination::ClientsLost:
      return fmt::format("too few clients were left in round {}", rounds + run.refit_rounds + 1);
    case Termination::DisclosureLimit:
      return fmt::format("after {} rounds sums had shown as much of the rows as their owners allow{}", rounds, refit);
    case Termination::Diverged:
      break;
  }
  return fmt::format("x left the range of numbers in round {}", rounds);
}

Json result_document(const FinishedRun& run) {
  Json document{
      {"schema_version", kResultSchema},
      {"version", FEDRK_VERSION},
      {"title", run.title},
      {"goal", to_text(run.plan.job)},
      {"status", status_of(run)},
      {"converged", run.converged ? Json(*run.converged) : Json(nullptr)},
      {"stop_reason", stop_reason_of(run.result.termination)},
      {"stop_words", stop_text(run)},
      {"method", method_of(run)},
      {"method_notes", run.result.notes},
      {"problem", problem_json(run)},
      {"options", options_json(run)},
      {"rounds", run.result.history.size()},
      {"refit_rounds", run.refit_rounds},
      {"criterion", number_or_null(criterion_of(run))},
      {"certificate", number_or_null(run.fit ? run.fit->certificate : std::nullopt)},
      {"relative_residual", number_or_null(run.result.relative_residual)},
      {"fit", run.result.fits},
      {"relative_error", run.errors.empty() ? Json(nullptr) : number_or_null(run.errors.back())},
      {"seconds", run.seconds},
      {"bytes_up", run.result.bytes_up},
      {"bytes_down", run.result.bytes_down},
      {"seed", run.plan.run.seed},
      {"clients", clients_json(run)},
      {"coefficients", coefficients_json(run)},
  };
  if (run.plan.job == Job::Fit) document["model"] = model_json(run);
  if (!run.selection_counts.empty()) document["selection"] = selection_json(run);
  document["convergence"] = convergence_json(run.convergence);
  document["warnings"] = run.warnings;
  return document;
}

std::string result_json(const FinishedRun& run) { return text_of(result_document(run)); }

std::string solution_csv(const FinishedRun& run) {
  std::string text = run.standardized ? "name,coefficient,standardized\n" : "name,coefficient\n";
  for (std::size_t j = 0; j < run.unknowns.size(); ++j) {
    text += csv_field(run.unknowns[j]) + ',';
    if (is_estimable(run, j)) append_text(run.coefficients[j], text);
    if (run.standardized) {
      text += ',';
      if (is_estimable(run, j)) append_text(run.result.x[j], text);
    }
    text += '\n';
  }
  return text;
}

std::string history_csv(const FinishedRun& run) {
  const bool absences = std::ranges::any_of(run.result.history, [](const auto& r) { return !r.absences.empty(); });
  std::string text = "round,participants,absent,residual,movement,seconds,bytes_up,bytes_down";
  if (!run.errors.empty()) text += ",error";
  text += absences ? ",reasons\n" : "\n";
  for (std::size_t t = 0; t < run.result.history.size(); ++t) {
    const RoundRecord& record = run.result.history[t];
    text += fmt::format("{},{},{},", record.round.value + 1,
                        joined(record.participants, [&](ClientId id) { return run.client_names[id.value]; }),
                        joined(record.absences, [&](const Absence& a) { return run.client_names[a.client.value]; }));
    if (record.relative_residual) append_text(*record.relative_residual, text);
    text += ',';
    append_text(record.movement, text);
    text += fmt::format(",{:.6f},{},{}", record.seconds, record.bytes_up, record.bytes_down);
    if (!run.errors.empty()) {
      text += ',';
      append_text(run.errors[t], text);
    }
    if (absences) text += ',' + joined(record.absences, [](const Absence& a) { return a.reason; });
    text += '\n';
  }
  return text;
}

Result<void> write_run_files(const std::filesystem::path& folder, const FinishedRun& run) {
  const std::pair<const char*, std::string> files[] = {{"plan.toml", plan_text(run.plan, folder)},
                                                       {"solution.csv", solution_csv(run)},
                                                       {"history.csv", history_csv(run)},
                                                       {"result.json", result_json(run)}};
  for (const auto& [name, content] : files) {
    if (const auto done = write_file(folder / name, content); !done) return done.error();
  }
  return {};
}

}  // namespace fedrk::io
