// SPDX-License-Identifier: Apache-2.0

// fedrk compare: one problem by FedRK and by what one would have used instead.

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "bar.hpp"
#include "choice.hpp"
#include "commands.hpp"
#include "fedrk/analysis/comparison.hpp"
#include "fedrk/analysis/survey.hpp"
#include "fedrk/baselines/pooled.hpp"
#include "fedrk/engine/in_process_engine.hpp"
#include "fedrk/io/comparison_files.hpp"
#include "fedrk/io/federation.hpp"
#include "fedrk/io/number.hpp"
#include "fedrk/io/write_file.hpp"
#include "generator_flags.hpp"
#include "interrupt.hpp"
#include "output.hpp"
#include "plan_flags.hpp"
#include "progress.hpp"
#include "threads_flag.hpp"

namespace fedrk::app {
namespace {

namespace fs = std::filesystem;

struct CompareArguments {
  PlanFlags plan;
  std::optional<GeneratorOptions> generated;
  GeneratorOptions problem;
  std::vector<std::string> methods;  // empty: all
  double target = 1e-6;
  SortBy sort = SortBy::Rounds;
  std::string out;
  std::string threads;
  OutputFormat format = OutputFormat::Text;
  ProgressStyle progress = ProgressStyle::Auto;
};

// ---- The problem.

constexpr std::size_t kGeneratedClients = 16;

Result<io::Federation> federation_of(const CompareArguments& arguments, const io::Plan& plan) {
  if (plan.run.noise_columns > 0) return Error{"compare takes no --noise-columns: only FedRK has a use for them"};
  if (!arguments.generated) return io::make_federation(plan);
  if (!plan.data.empty() || !plan.matrix.empty()) return Error{"give either files or --generate, not both"};
  GeneratorOptions problem = *arguments.generated;
  problem.clients = plan.clients == 0 ? kGeneratedClients : plan.clients;
  problem.seed = plan.run.seed;
  GeneratedProblem made = generate(problem);
  std::vector<double> truth = made.solution;
  auto federation = io::make_federation(plan, io::tables_of(std::move(made)));
  if (federation && federation->truth.empty()) federation->truth = std::move(truth);
  return federation;
}

std::vector<ClientShape> shapes_of(const std::vector<Client>& clients) {
  std::vector<ClientShape> shapes;
  for (const Client& client : clients) {
    const ClientSurvey found = survey(client);
    shapes.push_back({found.rows, found.nonzeros});
  }
  return shapes;
}

// A direct solver on all rows takes about this many operations.
double direct_cost(const io::Federation& federation) {
  const auto rows = static_cast<double>(federation.rows), cols = static_cast<double>(federation.unknowns.size());
  return federation.sparse ? 0.0 : 4.0 * rows * cols * std::min(rows, cols);
}

Result<std::vector<Contender>> chosen(const CompareArguments& arguments, std::vector<Contender> all) {
  if (arguments.methods.empty()) return all;
  std::vector<Contender> list;
  for (const std::string& name : arguments.methods) {
    const auto found = std::ranges::find(all, name, &Contender::name);
    if (found == all.end()) {
      std::vector<std::string> known;
      for (const Contender& contender : all) known.push_back(contender.name);
      return Error{fmt::format("--methods: no '{}' here; there are {}", name, fmt::join(known, ", "))};
    }
    list.push_back(*found);
  }
  return list;
}

// ---- The comparison.

/// Which method runs, on stderr: a bar for its rounds on a terminal, a line for each method elsewhere.
class CompareDisplay final : public RoundObserver {
 public:
  CompareDisplay(ProgressStyle style, std::size_t methods, std::uint32_t rounds)
      : style_(resolved(style)), methods_(methods), rounds_(rounds) {}

  void begin(std::size_t index, const std::string& label) {
    words_ = fmt::format("{} of {}: {}", index + 1, methods_, label);
    if (style_ == ProgressStyle::Lines) say(fmt::format("[METHOD {}/{}] {}\n", index + 1, methods_, label));
    if (style_ == ProgressStyle::Bar) bar_.draw(0.0, words_);
  }

  void on_round(const RoundRecord& record, std::span<const double>) override {
    if (style_ != ProgressStyle::Bar || !bar_.due()) return;
    const std::uint32_t made = record.round.value + 1;
    bar_.draw(static_cast<double>(made) / rounds_, fmt::format("{}, round {}/{}", words_, made, rounds_));
  }

  void finish() { bar_.clear(); }

 private:
  ProgressStyle style_;
  std::size_t methods_;
  std::uint32_t rounds_;
  std::string words_;
  Bar bar_;
};

// What errors are measured by: the known solution; else, where the answer is not to be sparse, the least-squares
// solution, if a direct solver is affordable.
io::Reference find_reference(const io::Federation& federation, Engine& engine, ComparisonOptions& options) {
  constexpr double kAffordable = 4e11;  // some minutes
  if (!federation.truth.empty()) {
    options.reference = federation.truth;
    return io::Reference::Truth;
  }
  if (options.run.sparsity > 0 || direct_cost(federation) > kAffordable) return io::Reference::None;
  Pooled direct(engine.roster().size(), direct_solution);
  options.reference = FederatedRun({.seed = options.run.seed, .rounds = 1}).run(engine, direct, options.start).x;
  return io::Reference::DirectSolution;
}

std::vector<std::size_t> support_of(const std::vector<double>& truth) {
  std::vector<std::size_t> support;
  for (std::size_t j = 0; j < truth.size(); ++j) {
    if (truth[j] != 0.0) support.push_back(j);
  }
  return support.size() == truth.size() ? std::vector<std::size_t>{} : support;
}

std::string title_of(const CompareArguments& arguments, const io::Plan& plan) {
  if (arguments.generated) {
    const auto same = [&](const auto& kind) { return kind.second == arguments.generated->kind; };
    return std::ranges::find_if(kProblemKinds, same)->first;
  }
  if (!arguments.plan.plan_file().empty()) return fs::path(arguments.plan.plan_file()).stem().string();
  return fs::path(plan.data.empty() ? plan.matrix.front() : plan.data.front()).stem().string();
}

Result<io::FinishedComparison> compare_methods(const CompareArguments& arguments, const io::Plan& plan,
                                               io::Federation federation, std::size_t threads) {
  const std::vector<ClientShape> shapes = shapes_of(federation.clients);
  InProcessEngine engine(std::move(federation.clients), threads);
  ComparisonOptions options{plan.run, arguments.target, {}, federation.start};
  ContenderOptions wanted{.run = plan.run, .fixed = federation.intercept ? 1U : 0U};
  wanted.pooled_accuracy = 0.01 * arguments.target;  // a residual tells the error only up to the condition number
  auto list = chosen(arguments, contenders(engine, wanted));
  if (!list) return list.error();

  io::FinishedComparison comparison;
  comparison.title = title_of(arguments, plan);
  comparison.rows = federation.rows;
  comparison.clients = shapes.size();
  comparison.unknowns = federation.unknowns;
  comparison.seed = plan.run.seed;
  comparison.target = arguments.target;
  comparison.reference = find_reference(federation, engine, options);
  comparison.true_support = support_of(federation.truth);
  CompareDisplay display(arguments.progress, list->size(), plan.run.rounds);
  for (std::size_t k = 0; k < list->size() && !stop_on_interrupt().requested(); ++k) {
    display.begin(k, (*list)[k].label);
    comparison.outcomes.push_back(compete((*list)[k], engine, shapes, options, &stop_on_interrupt(), &display));
  }
  display.finish();
  if (stop_on_interrupt().requested() && !comparison.outcomes.empty()) comparison.outcomes.pop_back();  // not whole
  sort_outcomes(comparison.outcomes, arguments.sort);
  return comparison;
}

// ---- What is printed.

std::string flops_text(double flops) {
  static constexpr const char* kUnits[] = {"", "k", "M", "G", "T", "P"};
  std::size_t unit = 0;
  for (; flops >= 1000.0 && unit + 1 < std::size(kUnits); ++unit) flops /= 1000.0;
  return fmt::format("{:.3g} {}flop", flops, kUnits[unit]);
}

std::string support_text(const io::FinishedComparison& comparison, const Outcome& outcome) {
  if (!comparison.true_support.empty()) {
    return fmt::format("{} of {}", true_entries(comparison, outcome), comparison.true_support.size());
  }
  std::vector<std::string> names;
  for (const std::size_t j : outcome.support) names.push_back(comparison.unknowns[j]);
  return fmt::format("{}", fmt::join(names, " "));
}

std::string rounds_text(const Outcome& outcome) {
  if (outcome.reached) return std::to_string(outcome.rounds);
  return fmt::format(fmt::runtime(outcome.ended ? "({})" : "> {}"), outcome.rounds);
}

std::string outcome_table(const io::FinishedComparison& comparison) {
  const bool errors = comparison.reference != io::Reference::None;
  const bool supports = std::ranges::any_of(comparison.outcomes, [](const Outcome& o) { return !o.support.empty(); });
  std::vector<std::vector<std::string>> rows{{"method", "clients", "rounds", "up", "down", "work", "time"}};
  if (errors) rows[0].push_back("error");
  rows[0].insert(rows[0].end(), {"residual", "server sees"});
  if (supports) rows[0].push_back("support");
  const auto level = [](std::optional<double> value) { return value ? fmt::format("{:.1e}", *value) : "-"; };
  for (const Outcome& outcome : comparison.outcomes) {
    auto& row = rows.emplace_back(std::vector<std::string>{
        outcome.label, fmt::format("{} of {}", outcome.participants, comparison.clients), rounds_text(outcome),
        bytes_text(outcome.bytes_up), bytes_text(outcome.bytes_down),
        outcome.flops > 0.0 ? flops_text(outcome.flops) : "-", fmt::format("{:.2f} s", outcome.seconds)});
    if (errors) row.push_back(level(outcome.error));
    row.insert(row.end(), {level(outcome.residual), outcome.server_sees});
    if (supports) row.push_back(support_text(comparison, outcome));
  }
  return table(rows);
}

std::string summary(const io::FinishedComparison& comparison) {
  std::string text = fmt::format("{}: {} rows, {} unknowns, {} clients\n", comparison.title, comparison.rows,
                                 comparison.unknowns.size(), comparison.clients);
  text += wrapped(
      fmt::format("Rounds until the {} is at most {}; \"> N\": not within N rounds; \"(N)\": the method ended by "
                  "itself after N rounds without that. Up, down and work are those of one client, on "
                  "average, over all rounds.",
                  io::reference_words(comparison.reference), io::to_text(comparison.target)),
      100, 0);
  text += '\n' + outcome_table(comparison) + '\n';
  for (const Outcome& outcome : comparison.outcomes) {
    const std::string note = outcome.note.empty() ? "" : "; " + outcome.note;
    text += wrapped(fmt::format("{}: {}{}.", outcome.label, outcome.about, note), 100, 2);
  }
  return text;
}

int present(const CompareArguments& arguments, const io::FinishedComparison& comparison) {
  std::string where;
  if (!arguments.out.empty()) {
    const auto written = io::write_comparison_files(arguments.out, comparison);
    if (!written) return complain(written.error().message, kRunFailed);
    if (!written->empty()) say(*written + '\n');
    where = fmt::format("\nFiles: {}\n", (fs::path(arguments.out) / "comparison.*").string());
  }
  const bool json = arguments.format == OutputFormat::Json;
  if (!print_result(json ? io::comparison_json(comparison) : summary(comparison) + where)) return kRunFailed;
  return stop_on_interrupt().requested() ? kStoppedEarly : kDone;
}

int compare(const CompareArguments& arguments) {
  const auto plan = arguments.plan.plan();
  if (!plan) return complain(plan.error().message, kBadInput);
  const auto threads = thread_count(arguments.threads);
  if (!threads) return complain(threads.error().message, kBadInput);
  auto federation = federation_of(arguments, *plan);
  if (!federation) return complain(federation.error().message, kBadInput);
  if (!arguments.out.empty()) {
    if (const auto ready = io::make_writable_folder(arguments.out); !ready) {
      return complain(ready.error().message, kBadInput);
    }
  }
  for (const std::string& warning : federation->warnings) say("Note:\n" + wrapped(warning, 96, 2) + "\n");
  const auto comparison = compare_methods(arguments, *plan, *std::move(federation), *threads);
  if (!comparison) return complain(comparison.error().message, kBadInput);
  return present(arguments, *comparison);
}

void check_target(const std::string& text, double& target) {
  const auto value = io::parse_number(text);
  if (!value || !(*value > 0.0)) {
    throw CLI::ValidationError("--error", fmt::format("expected a number above 0, found '{}'", text));
  }
  target = *value;
}

}  // namespace

void add_compare(CLI::App& program, int& exit_code) {
  auto* command = program.add_subcommand("compare", "one problem by FedRK and by what one would have used instead");
  const auto arguments = std::make_shared<CompareArguments>();
  format_help(*command);
  arguments->plan.add_to(*command);
  const std::string group = "Problem, in place of files";
  add_choice(*command, "--generate", arguments->problem.kind, kProblemKinds, kProblemKindHelp)
      ->type_name("KIND")
      ->group(group);
  add_generator_flags(*command, arguments->problem, group);
  const std::string own = "Comparison";
  command->add_option("--methods", arguments->methods, "only these, by name, with commas between them")
      ->delimiter(',')
      ->type_name("NAMES")
      ->default_str("all")
      ->group(own);
  command
      ->add_option_function<std::string>(
          "--error", [arguments](const std::string& text) { check_target(text, arguments->target); },
          "count the rounds until the relative error is at most EPS")
      ->type_name("EPS")
      ->default_str("1e-6")
      ->group(own);
  const std::map<std::string, SortBy> orders{{"rounds", SortBy::Rounds}, {"bytes", SortBy::Bytes},
                                             {"up", SortBy::BytesUp},    {"flops", SortBy::Flops},
                                             {"time", SortBy::Seconds},  {"error", SortBy::Error}};
  add_choice(*command, "--sort", arguments->sort, orders, "what puts a method at the top")
      ->type_name("rounds|bytes|up|flops|time|error")
      ->default_str("rounds")
      ->group(own);
  command->add_option("--out", arguments->out, "folder for comparison.json, .csv, .svg and .png")
      ->type_name("DIR")
      ->group("Output");
  add_format_flag(*command, arguments->format);
  add_progress_flag(*command, arguments->progress);
  add_threads_flag(*command, arguments->threads);
  command->footer(
      "Examples:\n"
      "  fedrk compare --generate gaussian --clients 16 --participants 5 --local-steps 1000\n"
      "  fedrk compare data/prostate.toml --sort bytes --format json\n"
      "  fedrk compare --matrix A.mtx --rhs b.mtx --clients 8 --methods fedrk,fedavg,cg\n\n"
      "Methods: fedrk, fedrk-norm, fedavg-rk, fedavg, fedsgd, fedprox, scaffold, cg, gram, rk, rek, qr; with --keep "
      "also iht\n"
      "and lasso. Each that makes local steps does about the work of --local-steps Kaczmarz steps. A generated\n"
      "problem has 16 clients unless --clients says otherwise. --tolerance and --patience have no effect here.\n"
      "Exit codes: 0 done; 1 failed; 2 bad usage or input; 3 stopped by Ctrl-C.");
  command->callback([arguments, command, &exit_code] {
    set_default_noise(*command, arguments->problem);
    if (command->count("--generate") > 0) arguments->generated = arguments->problem;
    exit_code = compare(*arguments);
  });
}

}  // namespace fedrk::app
