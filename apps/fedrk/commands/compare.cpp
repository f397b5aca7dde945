// SPDX-License-Identifier: Apache-2.0

// fedrk compare: one problem by FedRK and by what one would have used instead.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

#include "api/compare_methods.hpp"
#include "base/write_file.hpp"
#include "commands.hpp"
#include "generator_flags.hpp"
#include "output.hpp"
#include "plan/federation.hpp"
#include "plan/memory.hpp"
#include "plan_flags.hpp"
#include "report/comparison_files.hpp"
#include "signals.hpp"

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
  GeneratorFlags generated;
  std::vector<std::string> methods;  // empty: all
  double target = 1e-6;
  std::optional<double> soft;
  SortBy sort = SortBy::Rounds;
  std::string out;
  std::size_t threads = 0;  // 0: all cores
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
  if (arguments.generated.kind.empty()) {
    if (const std::string& size = arguments.generated.size; !size.empty()) {
      return Error{fmt::format("--{} describes a generated problem; add --generate KIND", size)};
    }
    if (plan.data.empty() && plan.matrix.empty()) return Error{"give a plan, --data, --matrix or --generate"};
    return io::make_federation(plan);
  }
  if (!plan.data.empty() || !plan.matrix.empty()) return Error{"give either files or --generate, not both"};
  GeneratorOptions problem = arguments.generated.problem;
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
  if (!arguments.generated.kind.empty()) return arguments.generated.kind;
  if (const fs::path file = arguments.plan.plan_file(); !file.empty()) {
    const std::string folder = fs::absolute(file).parent_path().filename().string();
    return file.stem() == "plan" ? folder : file.stem().string();
  }
  return fs::path(plan.data.empty() ? plan.matrix.front() : plan.data.front()).stem().string();
}

/// Which method runs, on stderr: a bar for its rounds on a terminal, a line for each method elsewhere.
class CompareDisplay final : public api::CompareObserver {
 public:
  explicit CompareDisplay(ProgressStyle style) : style_(resolved(style)) {}

  void prepare(const std::string& what) override {
    words_ = "finding " + what;
    if (style_ == ProgressStyle::Lines) say(words_ + '\n');
    if (style_ == ProgressStyle::Bar) bar_.draw(0.0, words_);
  }

  void begin(std::size_t index, std::size_t methods, std::uint32_t rounds, const std::string& label) override {
    rounds_ = rounds;
    words_ = fmt::format("{} of {}: {}", index + 1, methods, label);
    if (style_ == ProgressStyle::Lines) say(fmt::format("[METHOD {}/{}] {}\n", index + 1, methods, label));
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
  std::uint32_t rounds_ = 1;
  std::string words_;
  Bar bar_;
};

int present(const CompareArguments& arguments, const io::FinishedComparison& comparison) {
  std::string where;
  if (!arguments.out.empty()) {
    const auto written = io::write_comparison_files(arguments.out, comparison);
    if (!written) return complain(written.error().message, kRunFailed);
    where = fmt::format("\nFiles: {}\n", (fs::path(arguments.out) / "comparison.*").string());
  }
  const bool json = arguments.format == OutputFormat::Json;
  if (!print_result(json ? io::comparison_json(comparison) : api::comparison_text(comparison) + where))
    return kRunFailed;
  return comparison.interrupted ? kStoppedEarly : kDone;
}

double soft_weight(const CompareArguments& arguments, const io::Plan& plan) {
  return arguments.soft.value_or(plan.method.soft > 0.0 ? plan.method.soft : 1.0);
}

int compare(const CompareArguments& arguments) {
  const auto given = arguments.plan.plan();
  if (!given) return complain(given.error().message, kBadInput);
  const io::Plan plan = api::comparison_plan(*given);
  auto federation = federation_of(arguments, plan);
  if (!federation) return complain(federation.error().message, kBadInput);
  if (!arguments.out.empty()) {
    if (const auto ready = io::make_writable_folder(arguments.out); !ready) {
      return complain(ready.error().message, kBadInput);
    }
  }
  for (const std::string& warning : federation->problem.warnings) say("Note:\n" + wrapped(warning, 96, 2) + "\n");
  CompareDisplay display(arguments.progress);
  const auto comparison = api::compare_methods({.title = title_of(arguments, plan),
                                                .methods = arguments.methods,
                                                .target = arguments.target,
                                                .sort = arguments.sort,
                                                .threads = arguments.threads,
                                                .soft = soft_weight(arguments, *given),
                                                .stop = &stop_on_interrupt(),
                                                .observer = &display},
                                               plan, *std::move(federation));
  display.finish();
  if (!comparison) return complain(comparison.error().message, kBadInput);
  return present(arguments, *comparison);
}

std::vector<std::string> split_at_commas(const io::OptionValues& values) {
  std::vector<std::string> parts;
  for (const std::string& value : values) {
    std::istringstream rest(value);
    for (std::string part; std::getline(rest, part, ',');) parts.push_back(part);
  }
  return parts;
}

std::vector<Flag> comparison_flags(CompareArguments& arguments) {
  const std::string group = "Comparison";
  const auto methods = [&arguments](const io::OptionValues& values) -> Result<void> {
    arguments.methods = split_at_commas(values);
    return {};
  };
  const auto soft = [&arguments](const io::OptionValues& values) {
    return io::set_positive(values, arguments.soft.emplace());
  };
  const auto target = [&arguments](const io::OptionValues& values) {
    return io::set_positive(values, arguments.target);
  };
  return {{"methods", "NAMES", "methods to compare, separated by commas", methods, "all", group},
          {"error", "EPS", "target relative error; rounds, bytes and time are counted until it is reached", target,
           "1e-6", group},
          {"soft", "LAMBDA", "threshold of soft thresholding, with --keep; about the size of the entries to find", soft,
           "1", group},
          {"sort", "rounds|bytes|up|flops|time|error", "sort order of the methods",
           choice<SortBy>(arguments.sort, {{"rounds", SortBy::Rounds},
                                           {"bytes", SortBy::Bytes},
                                           {"up", SortBy::BytesUp},
                                           {"flops", SortBy::Flops},
                                           {"time", SortBy::Seconds},
                                           {"error", SortBy::Error}}),
           "rounds", group},
          {.name = "out",
           .value = "DIR",
           .help = "folder for comparison.json, .csv, and .svg if errors are known",
           .set = text(arguments.out),
           .group = "Output"},
          format_flag(arguments.format),
          progress_flag(arguments.progress),
          threads_flag(arguments.threads)};
}

}  // namespace

Command compare_command() {
  const auto arguments = std::make_shared<CompareArguments>();
  Command command{
      .name = "compare",
      .about = "compare FedRK with other methods on one problem",
      .arguments = {},
      .flags = {},
      .refused = {{"tolerance", "a comparison runs to --error EPS, or for all --rounds"},
                  {"sparse", "a comparison takes --keep S with --soft LAMBDA"},
                  {"noise-columns", "only FedRK has a use for them, so they cannot be compared"}},
      .footer =
          "Examples:\n"
          "  fedrk compare --generate gaussian --clients 16 --participants 5 --local-steps 1000\n"
          "  fedrk compare data/prostate.toml --sort bytes --format json\n"
          "  fedrk compare --matrix A.mtx --rhs b.mtx --clients 8 --methods fedrk,fedavg,cg\n\n"
          "Methods: fedrk, fedrk-norm, fedavg-rk, fedavg, fedsgd, fedprox, scaffold, auto, sums, memory, full-memory,\n"
          "valid, tail, cg, gram, rk, rek, qr; with --keep also soft, iht and lasso, and no auto, which\n"
          "would be fedrk. full-memory is there where all its hyperplanes fit 1 GB, soft for finite --local-steps.\n"
          "FedAvg, FedProx and SCAFFOLD do about the work of --local-steps Kaczmarz steps in a round, fedsgd\n"
          "reads all rows once. A generated problem has 16 clients (heterogeneous: 5) unless --clients says "
          "otherwise.\n"
          "Exit codes: 0 done; 1 failed; 2 bad usage or input; 3 stopped by Ctrl-C.",
      .run = [arguments] { return compare(*arguments); }};
  arguments->plan.add_to(command, {}, [](const io::PlanOption& option) {
    return std::ranges::find(kUsed, option.name) != std::end(kUsed);
  });
  refuse_options(io::plan_options(), "has no effect on a comparison; --methods chooses methods", command.refused);
  const std::string group = "Problem, in place of files";
  command.flags.push_back(arguments->generated.kind_flag("generate", group));
  append(command.flags, arguments->generated.sizes(group));
  append(command.flags, comparison_flags(*arguments));
  return command;
}

}  // namespace fedrk::app
