// SPDX-License-Identifier: Apache-2.0

// fedrk solve: a federation in this process, from data files to a report.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <numeric>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "commands.hpp"
#include "fedrk/analysis/error_to_truth.hpp"
#include "fedrk/analysis/horizon.hpp"
#include "fedrk/analysis/selection_counts.hpp"
#include "fedrk/engine/in_process_engine.hpp"
#include "fedrk/io/federation.hpp"
#include "fedrk/io/report.hpp"
#include "fedrk/io/result_files.hpp"
#include "fedrk/io/write_file.hpp"
#include "fedrk/methods/refit.hpp"
#include "fedrk/methods/sparse_kaczmarz.hpp"
#include "horizon_words.hpp"
#include "interrupt.hpp"
#include "output.hpp"
#include "plan_flags.hpp"
#include "progress.hpp"
#include "threads_flag.hpp"

namespace fedrk::app {
namespace {

namespace fs = std::filesystem;

struct SolveArguments {
  PlanFlags plan;
  std::string out;
  bool overwrite = false;
  std::string threads;  // empty: all cores
  OutputFormat format = OutputFormat::Text;
  ProgressStyle progress = ProgressStyle::Auto;
};

// ---- The run.

Result<void> prepare_folder(const SolveArguments& arguments) {
  const fs::path folder = arguments.out;
  if (!arguments.overwrite && fs::exists(folder / "result.json")) {
    return Error{fmt::format("{} already holds a run; choose another --out, or add --overwrite", arguments.out)};
  }
  return io::make_writable_folder(folder);
}

// The run is named after its folder, its plan or its first file.
std::string title_of(const SolveArguments& arguments, const io::Plan& plan) {
  if (!arguments.out.empty()) return fs::absolute(arguments.out).lexically_normal().filename().string();
  if (!arguments.plan.plan_file().empty()) return fs::path(arguments.plan.plan_file()).stem().string();
  return fs::path(plan.data.empty() ? plan.matrix.front() : plan.data.front()).stem().string();
}

// Least squares on what was selected: the entries kept most often, or those that soft thresholding left.
void add_refit(Engine& engine, const io::Plan& plan, const RunOptions& options, const SelectionCounts& selection,
               std::span<RoundObserver* const> observers, RunResult& result) {
  RefitOptions wanted{.run = options, .keep = options.sparsity};
  wanted.run.first_round = static_cast<std::uint32_t>(result.history.size());
  wanted.least_squares.slack.local_budget = UntilProjected{};  // of a few unknowns
  wanted.least_squares.slack.reveal = *plan.method.settled(options).reveal;
  wanted.least_squares.slack.lambda = plan.method.slack.value_or(0.0);
  wanted.least_squares.inner = plan.method.inner_tolerance;
  wanted.least_squares.depth = plan.method.acceleration;
  if (plan.method.soft == 0.0) {
    for (const std::size_t j : most_selected(selection.counts())) {
      if (wanted.support.size() < options.sparsity) wanted.support.push_back(static_cast<std::uint32_t>(j));
    }
  }
  Refit made = refit(engine, wanted, result.x, observers, &stop_on_interrupt());
  result.x = std::move(made.result.x);
  result.relative_residual = made.result.relative_residual;
  result.bytes_up += made.result.bytes_up;
  result.bytes_down += made.result.bytes_down;
  if (made.result.termination == Termination::Interrupted) result.termination = Termination::Interrupted;
  std::ranges::move(made.result.history, std::back_inserter(result.history));
  std::ranges::move(made.result.notes, std::back_inserter(result.notes));
}

io::FinishedRun run_federation(const SolveArguments& arguments, const io::Plan& plan, io::Federation federation,
                               std::size_t threads) {
  io::FinishedRun run;
  run.title = title_of(arguments, plan);
  run.plan = plan;
  run.rows = federation.rows;
  run.sparse = federation.sparse;
  run.standardized = federation.scaling.has_value();
  run.unknowns = federation.unknowns;
  for (const Client& client : federation.clients) {
    run.client_names.push_back(client.summary().name);
    run.client_rows.push_back(client.block().rows());
  }

  InProcessEngine engine(std::move(federation.clients), threads);
  run.plan.settle(engine.roster());
  const RunOptions options = run.plan.run_options();
  ProgressDisplay progress(arguments.progress, options.rounds);
  SelectionCounts selection;
  ErrorToTruth error(federation.truth);
  std::vector<RoundObserver*> watching{&progress};
  if (!federation.truth.empty()) watching.push_back(&error);
  std::vector<RoundObserver*> observers = watching;
  if (options.sparsity > 0 && plan.method.soft == 0.0) observers.push_back(&selection);

  const auto start = std::chrono::steady_clock::now();
  const auto method = make_method(plan.method, options, engine);
  if (plan.method.soft > 0.0) federation.start = dual_of(federation.start, plan.method.soft);
  run.result = FederatedRun(options).run(engine, *method, federation.start, observers, &stop_on_interrupt());
  if (plan.method.refit && run.result.termination != Termination::Interrupted) {
    const std::size_t before = run.result.history.size();
    add_refit(engine, plan, options, selection, watching, run.result);
    run.refit_rounds = run.result.history.size() - before;
  }
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  progress.finish();

  run.coefficients = federation.coefficients(run.result.x);
  run.selection_counts = selection.counts();
  run.errors = error.errors();
  run.selection_order = most_selected(run.selection_counts);
  const bool ended_early = options.tolerance > 0.0 && run.result.termination == Termination::RoundLimit;
  // What a residual that stands still means depends on the method: others than the published tell it in their notes.
  if (plan.method.is_published(plan.run)) {
    run.convergence = convergence_of(find_horizon(run.result.history), plan, ended_early);
  } else if (run.result.termination == Termination::Converged) {
    run.convergence.progress = "converged";
  }
  run.warnings = std::move(federation.warnings);
  const bool solved = run.convergence.progress == "at_rounding";
  if (!solved && !run.convergence.words.empty()) run.warnings.push_back(run.convergence.words);
  return run;
}

// ---- What is printed.

std::string method_words(const io::FinishedRun& run) {
  std::string text;
  for (const std::string& note : run.result.notes) text += wrapped(note, 96, 0);
  return text;
}

std::string solution_table(const io::FinishedRun& run) {
  constexpr std::size_t kMost = 20;
  std::vector<std::size_t> order(run.unknowns.size());
  if (!run.selection_counts.empty()) {
    order = run.selection_order;
  } else {
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (order.size() > kMost) {
      std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::size_t j) { return std::abs(run.result.x[j]); });
    }
  }
  std::vector<std::vector<std::string>> rows{{"name"}};
  if (!run.selection_counts.empty()) rows[0].insert(rows[0].end(), {"selected", "of rounds"});
  rows[0].push_back("coefficient");
  if (run.standardized) rows[0].push_back("standardized");
  const auto rounds = static_cast<double>(std::max<std::size_t>(1, run.result.history.size() - run.refit_rounds));
  for (const std::size_t j : std::span(order).first(std::min(kMost, order.size()))) {
    auto& row = rows.emplace_back(std::vector<std::string>{run.unknowns[j]});
    if (!run.selection_counts.empty()) {
      row.push_back(std::to_string(run.selection_counts[j]));
      row.push_back(fmt::format("{:.1f} %", 100.0 * static_cast<double>(run.selection_counts[j]) / rounds));
    }
    row.push_back(brief(run.coefficients[j]));
    if (run.standardized) row.push_back(brief(run.result.x[j]));
  }
  std::string text = table(rows);
  if (!run.selection_counts.empty() && run.refit_rounds == 0) {
    text += "  (the coefficients are those of the last round)\n";
  }
  if (order.size() > kMost) text += fmt::format("  ... and {} more\n", order.size() - kMost);
  return text;
}

std::string summary(const io::FinishedRun& run) {
  std::string text = fmt::format("{}: {} ({:.2g} s)\n", run.title, io::stop_words(run), run.seconds);
  text +=
      fmt::format("{} rows, {} unknowns, {} clients; {} sent by the clients, {} to them\n", run.rows,
                  run.unknowns.size(), run.client_names.size(), bytes_text(static_cast<double>(run.result.bytes_up)),
                  bytes_text(static_cast<double>(run.result.bytes_down)));
  if (run.result.relative_residual) text += fmt::format("relative residual {}", brief(*run.result.relative_residual));
  if (!run.errors.empty()) text += fmt::format(", relative error {}", brief(run.errors.back()));
  return text + "\n" + method_words(run) + "\n" + solution_table(run);
}

int exit_code_for(const io::FinishedRun& run) {
  switch (run.result.termination) {
    case Termination::Diverged:
      return kRunFailed;
    case Termination::Interrupted:
      return kStoppedEarly;
    case Termination::Tolerance:
      return kDone;
    case Termination::Converged:
      if (run.result.fits) return kDone;
      break;
    case Termination::RoundLimit:
    case Termination::Stagnation:
      break;
  }
  const double tolerance = run.plan.run.tolerance;
  return tolerance > 0.0 && run.result.relative_residual.value_or(1.0) > tolerance ? kStoppedEarly : kDone;
}

// The files first: whatever becomes of the terminal, the result is safe.
int present(const SolveArguments& arguments, const io::FinishedRun& run) {
  const bool json = arguments.format == OutputFormat::Json;
  std::string where;
  if (!arguments.out.empty()) {
    if (const auto written = io::write_run_files(arguments.out, run); !written) {
      return complain(written.error().message, kRunFailed);
    }
    const auto report = io::write_report(arguments.out);
    if (!report) return complain(report.error().message, kRunFailed);
    where = fmt::format("\nReport: {}\n", report->string());
  }
  if (json) say(where);
  for (const std::string& warning : run.warnings) say("Note:\n" + wrapped(warning, 96, 2) + "\n");
  if (!print_result(json ? io::result_json(run) : summary(run) + where)) return kRunFailed;
  return exit_code_for(run);
}

int solve(const SolveArguments& arguments) {
  const auto plan = arguments.plan.plan();
  if (!plan) return complain(plan.error().message, kBadInput);
  const auto threads = thread_count(arguments.threads);
  if (!threads) return complain(threads.error().message, kBadInput);
  auto federation = io::make_federation(*plan);
  if (!federation) return complain(federation.error().message, kBadInput);
  if (!arguments.out.empty()) {
    if (const auto ready = prepare_folder(arguments); !ready) return complain(ready.error().message, kBadInput);
  }
  return present(arguments, run_federation(arguments, *plan, *std::move(federation), *threads));
}

}  // namespace

void add_solve(CLI::App& program, int& exit_code) {
  auto* command = program.add_subcommand("solve", "run a federation in this process");
  const auto arguments = std::make_shared<SolveArguments>();
  format_help(*command);
  arguments->plan.add_to(*command);
  command->add_option("--out", arguments->out, "folder for result, solution, history and report")
      ->type_name("DIR")
      ->group("Output");
  command->add_flag("--overwrite", arguments->overwrite, "replace the run that --out holds already")->group("Output");
  add_format_flag(*command, arguments->format);
  add_progress_flag(*command, arguments->progress);
  add_threads_flag(*command, arguments->threads);
  command->footer(
      "Examples:\n"
      "  fedrk solve --data site-1.csv --data site-2.csv --target lpsa --standardize --intercept \\\n"
      "              --keep 5 --rounds 2000 --seed 1 --out runs/demo\n"
      "  fedrk solve --matrix A.mtx --rhs b.mtx --clients 16 --participants 5 --local-steps inf --tolerance 1e-10\n"
      "  fedrk solve plan.toml --seed 7 --format json\n\n"
      "--no-standardize and --no-intercept switch off what a plan says.\n"
      "Exit codes: 0 done; 1 the run failed; 2 bad usage or input; 3 stopped early, by Ctrl-C or before the "
      "tolerance.");
  command->callback([arguments, &exit_code] { exit_code = solve(*arguments); });
}

}  // namespace fedrk::app
