// SPDX-License-Identifier: Apache-2.0

// fedrk compare: one problem by FedRK and by what one would have used instead.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "choice.hpp"
#include "commands.hpp"
#include "compare_run.hpp"
#include "compare_text.hpp"
#include "fedrk/io/comparison_files.hpp"
#include "fedrk/io/federation.hpp"
#include "fedrk/io/memory.hpp"
#include "fedrk/io/number.hpp"
#include "fedrk/io/write_file.hpp"
#include "generator_flags.hpp"
#include "help.hpp"
#include "output.hpp"
#include "plan_flags.hpp"
#include "threads_flag.hpp"

namespace fedrk::app {
namespace {

namespace fs = std::filesystem;
using io::available_memory;

// The entries of a plan that a comparison uses. All methods are given the same data and rounds, and each has its own
// settings besides.
constexpr std::string_view kUsed[] = {
    "data",         "matrix",      "rhs",          "target",       "ignore",     "powers",       "clients", "partition",
    "standardize",  "intercept",   "storage",      "start",        "truth",      "rounds",       "seed",    "keep",
    "participants", "local-steps", "server-steps", "row-sampling", "local-form", "local-memory",
};

struct CompareArguments {
  PlanFlags plan;
  std::optional<GeneratorOptions> generated;
  GeneratorOptions problem;
  std::vector<std::string> methods;  // empty: all
  double target = 1e-6;
  std::optional<double> soft;
  SortBy sort = SortBy::Rounds;
  std::string out;
  std::string threads;
  OutputFormat format = OutputFormat::Text;
  ProgressStyle progress = ProgressStyle::Auto;
};

// ---- The problem.

// Doubling sixteen times is beyond most machines.
std::size_t default_clients(ProblemKind kind) { return kind == ProblemKind::Heterogeneous ? 5 : 16; }

Result<void> check_memory(const GeneratorOptions& problem) {
  const auto available = available_memory();
  const bool doubling = problem.kind == ProblemKind::Heterogeneous;
  const double times = doubling ? std::exp2(static_cast<double>(problem.clients)) - 1.0 : 1.0;
  const double needed = times * static_cast<double>(problem.rows) * static_cast<double>(problem.cols) *
                        std::min(1.0, 1.5 * problem.density) * sizeof(double);
  if (!available || needed <= *available) return {};
  return Error{fmt::format("this problem needs {} and {} are free; take fewer --rows, --cols{}", bytes_text(needed),
                           bytes_text(*available), doubling ? " or --clients" : "")};
}

Result<io::Federation> federation_of(const CompareArguments& arguments, const io::Plan& plan) {
  if (arguments.soft && plan.run.sparsity == 0) return Error{"--soft concerns sparse answers only; add --keep S"};
  if (plan.run.noise_columns > 0) return Error{"compare takes no --noise-columns: only FedRK has a use for them"};
  if (!arguments.generated) {
    if (plan.data.empty() && plan.matrix.empty()) return Error{"give a plan, --data, --matrix or --generate"};
    return io::make_federation(plan);
  }
  if (!plan.data.empty() || !plan.matrix.empty()) return Error{"give either files or --generate, not both"};
  GeneratorOptions problem = *arguments.generated;
  problem.clients = plan.clients == 0 ? default_clients(problem.kind) : plan.clients;
  problem.seed = plan.run.seed;
  if (const auto fits = check_memory(problem); !fits) return fits.error();
  GeneratedProblem made = generate(problem);
  std::vector<double> truth = made.solution;
  auto federation = io::make_federation(plan, io::tables_of(std::move(made)));
  // The solution is one of the columns as they were made.
  const bool same_columns = !plan.standardize && !plan.intercept;
  if (federation && federation->problem.truth.empty() && same_columns) federation->problem.truth = std::move(truth);
  return federation;
}

std::string title_of(const CompareArguments& arguments, const io::Plan& plan) {
  if (arguments.generated) {
    const auto same = [&](const auto& kind) { return kind.second == arguments.generated->kind; };
    return std::ranges::find_if(kProblemKinds, same)->first;
  }
  if (const fs::path file = arguments.plan.plan_file(); !file.empty()) {
    const std::string folder = fs::absolute(file).parent_path().filename().string();
    return file.stem() == "plan" ? folder : file.stem().string();
  }
  return fs::path(plan.data.empty() ? plan.matrix.front() : plan.data.front()).stem().string();
}

int present(const CompareArguments& arguments, const io::FinishedComparison& comparison) {
  std::string where;
  if (!arguments.out.empty()) {
    const auto written = io::write_comparison_files(arguments.out, comparison);
    if (!written) return complain(written.error().message, kRunFailed);
    where = fmt::format("\nFiles: {}\n", (fs::path(arguments.out) / "comparison.*").string());
  }
  const bool json = arguments.format == OutputFormat::Json;
  if (!print_result(json ? io::comparison_json(comparison) : comparison_text(comparison) + where)) return kRunFailed;
  return comparison.interrupted ? kStoppedEarly : kDone;
}

double soft_weight(const CompareArguments& arguments, const io::Plan& plan) {
  return arguments.soft.value_or(plan.method.soft > 0.0 ? plan.method.soft : 1.0);
}

int compare(const CompareArguments& arguments) {
  auto plan = arguments.plan.plan();
  if (!plan) return complain(plan.error().message, kBadInput);
  if (plan->usual_sampling) plan->usual_sampling = false;  // as the published method has it: one order for all methods
  const auto threads = thread_count(arguments.threads);
  if (!threads) return complain(threads.error().message, kBadInput);
  const double soft = soft_weight(arguments, *plan);
  plan->method = {};             // every contender has its own
  plan->goal = io::Goal::Solve;  // and all have the rows as a solver would: scaled where the plan says so
  auto federation = federation_of(arguments, *plan);
  if (!federation) return complain(federation.error().message, kBadInput);
  if (!arguments.out.empty()) {
    if (const auto ready = io::make_writable_folder(arguments.out); !ready) {
      return complain(ready.error().message, kBadInput);
    }
  }
  for (const std::string& warning : federation->problem.warnings) say("Note:\n" + wrapped(warning, 96, 2) + "\n");
  const ComparisonWishes wishes{title_of(arguments, *plan),
                                arguments.methods,
                                arguments.target,
                                arguments.sort,
                                arguments.progress,
                                *threads,
                                soft};
  const auto comparison = compare_methods(wishes, *plan, *std::move(federation));
  if (!comparison) return complain(comparison.error().message, kBadInput);
  return present(arguments, *comparison);
}

void refuse_unused_flags(CLI::App& command) {
  refuse_flag(command, "--tolerance", "a comparison runs to --error EPS, or for all --rounds");
  refuse_flag(command, "--sparse", "a comparison takes --keep S with --soft LAMBDA");
  refuse_flag(command, "--noise-columns", "only FedRK has a use for them, so they cannot be compared");
  for (const io::PlanOption& option : io::plan_options()) {
    refuse_flag(command, "--" + std::string(option.name), "has no effect on a comparison; --methods chooses methods");
  }
}

double positive_number(const char* flag, const std::string& text) {
  const auto value = io::parse_number(text);
  if (!value || !(*value > 0.0)) {
    throw CLI::ValidationError(flag, fmt::format("expected a number above 0, found '{}'", text));
  }
  return *value;
}

}  // namespace

void add_compare(CLI::App& program, int& exit_code) {
  auto* command = program.add_subcommand("compare", "compare FedRK with other methods on one problem");
  const auto arguments = std::make_shared<CompareArguments>();
  format_help(*command);
  arguments->plan.add_to(*command, {}, [](const io::PlanOption& option) {
    return std::ranges::find(kUsed, option.name) != std::end(kUsed);
  });
  refuse_unused_flags(*command);
  const std::string group = "Problem, in place of files";
  add_choice(*command, "--generate", arguments->problem.kind, kProblemKinds, kProblemKindHelp)
      ->type_name("KIND")
      ->group(group);
  add_generator_flags(*command, arguments->problem, group);
  const std::string own = "Comparison";
  command->add_option("--methods", arguments->methods, "methods to compare, separated by commas")
      ->delimiter(',')
      ->type_name("NAMES")
      ->default_str("all")
      ->group(own);
  command
      ->add_option_function<std::string>(
          "--error", [arguments](const std::string& text) { arguments->target = positive_number("--error", text); },
          "target relative error; rounds, bytes and time are counted until it is reached")
      ->type_name("EPS")
      ->default_str("1e-6")
      ->group(own);
  command
      ->add_option_function<std::string>(
          "--soft", [arguments](const std::string& text) { arguments->soft = positive_number("--soft", text); },
          "threshold of soft thresholding, with --keep; about the size of the entries to find")
      ->type_name("LAMBDA")
      ->default_str("1")
      ->group(own);
  const std::map<std::string, SortBy> orders{{"rounds", SortBy::Rounds}, {"bytes", SortBy::Bytes},
                                             {"up", SortBy::BytesUp},    {"flops", SortBy::Flops},
                                             {"time", SortBy::Seconds},  {"error", SortBy::Error}};
  add_choice(*command, "--sort", arguments->sort, orders, "sort order of the methods")
      ->type_name("rounds|bytes|up|flops|time|error")
      ->default_str("rounds")
      ->group(own);
  command->add_option("--out", arguments->out, "folder for comparison.json, .csv, and .svg if errors are known")
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
      "Methods: fedrk, fedrk-norm, fedavg-rk, fedavg, fedsgd, fedprox, scaffold, auto, sums, memory, full-memory,\n"
      "valid, tail, cg, gram, rk, rek, qr; with --keep also soft, iht and lasso, and no auto, which\n"
      "would be fedrk. full-memory is there where all its hyperplanes fit 1 GB, soft for finite --local-steps.\n"
      "FedAvg, FedProx and SCAFFOLD do about the work of --local-steps Kaczmarz steps in a round, fedsgd\n"
      "reads all rows once. A generated problem has 16 clients (heterogeneous: 5) unless --clients says otherwise.\n"
      "Exit codes: 0 done; 1 failed; 2 bad usage or input; 3 stopped by Ctrl-C.");
  command->callback([arguments, command, &exit_code] {
    set_default_noise(*command, arguments->problem);
    if (command->count("--generate") > 0) {
      arguments->generated = arguments->problem;
    } else {
      for (const char* flag : {"--rows", "--cols", "--nonzeros", "--noise", "--density"}) {
        if (command->count(flag) > 0) {
          exit_code = complain(fmt::format("{} describes a generated problem; add --generate KIND", flag), kBadInput);
          return;
        }
      }
    }
    exit_code = compare(*arguments);
  });
}

}  // namespace fedrk::app
