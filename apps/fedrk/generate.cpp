// SPDX-License-Identifier: Apache-2.0

// fedrk generate: a synthetic problem with its solution, and a plan that solves it.

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "choice.hpp"
#include "commands.hpp"
#include "fedrk/io/csv.hpp"
#include "fedrk/io/libsvm.hpp"
#include "fedrk/io/matrix_market.hpp"
#include "fedrk/io/npy.hpp"
#include "fedrk/io/plan.hpp"
#include "fedrk/io/write_file.hpp"
#include "fedrk/problem/generators.hpp"
#include "generator_flags.hpp"
#include "help.hpp"
#include "output.hpp"

namespace fedrk::app {
namespace {

namespace fs = std::filesystem;

enum class FileKind { Npy, MatrixMarket, Csv, Libsvm };

struct GenerateArguments {
  GeneratorOptions problem;
  std::string out;
  FileKind kind = FileKind::Npy;
  bool kind_given = false;
  bool overwrite = false;
};

struct RowRange {
  std::size_t first, count;
};

// One client's rows as files named after `stem`, and their place in the plan.
Result<void> write_client(const GenerateArguments& arguments, const GeneratedProblem& problem, RowRange rows,
                          const std::string& stem, io::Plan& plan) {
  const fs::path folder = arguments.out;
  const auto& [matrix, rhs] = problem.system;
  if (arguments.kind == FileKind::Csv || arguments.kind == FileKind::Libsvm) {
    const bool csv = arguments.kind == FileKind::Csv;
    const fs::path file = folder / (stem + (csv ? ".csv" : ".svm"));
    plan.data.push_back(file.string());
    if (!csv) return io::write_libsvm(file, problem.system, rows.first, rows.count);
    std::vector<std::string> names;
    for (std::size_t j = 0; j < column_count(matrix); ++j) names.push_back(fmt::format("x{}", j + 1));
    plan.target = "b";
    return io::write_csv(file, problem.system, rows.first, rows.count, names, plan.target);
  }
  const bool npy = arguments.kind == FileKind::Npy;
  const std::string prefix = stem == "A" ? "" : stem + "-";
  const fs::path of_matrix = folder / (prefix + (npy ? "A.npy" : "A.mtx")),
                 of_rhs = folder / (prefix + (npy ? "b.npy" : "b.mtx"));
  plan.matrix.push_back(of_matrix.string());
  plan.rhs.push_back(of_rhs.string());
  const auto part = std::span(rhs).subspan(rows.first, rows.count);
  const auto written = npy ? io::write_npy(of_matrix, std::get<Matrix>(matrix), rows.first, rows.count)
                           : io::write_matrix_market(of_matrix, matrix, rows.first, rows.count);
  if (!written) return written.error();
  return npy ? io::write_npy(of_rhs, part) : io::write_matrix_market(of_rhs, part);
}

Result<void> write_problem(const GenerateArguments& arguments, const GeneratedProblem& problem) {
  const fs::path folder = arguments.out;
  if (const auto ready = io::make_writable_folder(folder); !ready) return ready.error();
  io::Plan plan;
  const std::size_t clients = problem.rows_of_client.size();
  RowRange rows{0, 0};
  for (std::size_t i = 0; i < clients; ++i) {
    rows = {rows.first + rows.count, problem.rows_of_client[i]};
    const std::string stem = clients == 1 ? "A" : fmt::format("client-{:0{}}", i + 1, std::to_string(clients).size());
    if (const auto done = write_client(arguments, problem, rows, stem, plan); !done) return done.error();
  }
  if (!problem.solution.empty()) {
    const bool npy = arguments.kind == FileKind::Npy;
    plan.truth = (folder / (npy ? "x.npy" : "x.mtx")).string();
    const auto done =
        npy ? io::write_npy(plan.truth, problem.solution) : io::write_matrix_market(plan.truth, problem.solution);
    if (!done) return done.error();
  }
  plan.run.seed = arguments.problem.seed;
  if (arguments.problem.kind == ProblemKind::Sparse) plan.run.sparsity = arguments.problem.nonzeros;
  return io::write_file(folder / "plan.toml", io::plan_text(plan, folder));
}

int run_generate(GenerateArguments arguments) {
  const bool sparse = arguments.problem.density < 1.0;
  if (sparse && !arguments.kind_given) arguments.kind = FileKind::MatrixMarket;
  if (sparse && arguments.kind == FileKind::Npy) {
    return complain("a sparse matrix (--density below 1) cannot be written as npy; use --as mtx, csv or svm",
                    kBadInput);
  }
  if (!arguments.overwrite && fs::exists(fs::path(arguments.out) / "plan.toml")) {
    return complain(arguments.out + " already holds a problem; choose another --out, or add --overwrite", kBadInput);
  }
  const GeneratedProblem problem = generate(arguments.problem);
  if (const auto written = write_problem(arguments, problem); !written)
    return complain(written.error().message, kBadInput);
  const std::size_t clients = problem.rows_of_client.size();
  const std::string said = fmt::format("{}: {} rows, {} unknowns, {} client{}\nsolve it with: fedrk solve {}\n",
                                       arguments.out, problem.system.rhs.size(), arguments.problem.cols, clients,
                                       clients == 1 ? "" : "s", (fs::path(arguments.out) / "plan.toml").string());
  return print_result(said) ? kDone : kRunFailed;
}

}  // namespace

void add_generate(CLI::App& program, int& exit_code) {
  auto* command = program.add_subcommand("generate", "make a synthetic problem");
  const auto arguments = std::make_shared<GenerateArguments>();
  GeneratorOptions& problem = arguments->problem;
  format_help(*command);
  add_choice(*command, "kind", problem.kind, kProblemKinds, kProblemKindHelp)->required()->type_name("KIND");
  command->add_option("--out", arguments->out, "folder to write into")->required()->type_name("DIR");
  command->add_flag("--overwrite", arguments->overwrite, "replace an earlier problem in --out");
  add_generator_flags(*command, problem, "Options");
  command->add_option("--clients", problem.clients, "number of clients; one file each")
      ->type_name("M")
      ->capture_default_str();
  command->add_option("--seed", problem.seed, "random seed; equal seeds give equal problems")
      ->type_name("N")
      ->capture_default_str();
  const std::map<std::string, FileKind> files{
      {"npy", FileKind::Npy}, {"mtx", FileKind::MatrixMarket}, {"csv", FileKind::Csv}, {"svm", FileKind::Libsvm}};
  add_choice(*command, "--as", arguments->kind, files, "file format")->type_name("npy|mtx|csv|svm")->default_str("npy");
  command->footer(
      "Examples:\n"
      "  fedrk generate gaussian --rows 2048 --cols 1024 --out problems/gaussian\n"
      "  fedrk generate heterogeneous --rows 32 --cols 512 --clients 5 --out problems/uneven");
  command->callback([arguments, command, &exit_code] {
    arguments->kind_given = command->count("--as") > 0;
    set_default_noise(*command, arguments->problem);
    exit_code = run_generate(*arguments);
  });
}

}  // namespace fedrk::app
