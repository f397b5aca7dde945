// SPDX-License-Identifier: Apache-2.0

// fedrk generate: a synthetic problem with its solution, and a plan that solves it.

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/write_file.hpp"
#include "commands.hpp"
#include "data/csv.hpp"
#include "data/libsvm.hpp"
#include "data/matrix_market.hpp"
#include "data/npy.hpp"
#include "flags.hpp"
#include "generator_flags.hpp"
#include "output.hpp"
#include "plan/plan.hpp"

namespace fedrk::app {
namespace {

namespace fs = std::filesystem;

enum class FileKind { Npy, MatrixMarket, Csv, Libsvm };

struct GenerateArguments {
  GeneratorFlags described;
  std::string out;
  std::optional<FileKind> format;
  bool overwrite = false;

  GeneratorOptions problem() const { return described.problem; }
  FileKind kind() const { return format.value_or(problem().density < 1.0 ? FileKind::MatrixMarket : FileKind::Npy); }
};

struct RowRange {
  std::size_t first, count;
};

// One client's rows as files named after `stem`, and their place in the plan.
Result<void> write_client(const GenerateArguments& arguments, const GeneratedProblem& problem, RowRange rows,
                          const std::string& stem, io::Plan& plan) {
  const fs::path folder = arguments.out;
  const auto& [matrix, rhs] = problem.system;
  if (arguments.kind() == FileKind::Csv || arguments.kind() == FileKind::Libsvm) {
    const bool csv = arguments.kind() == FileKind::Csv;
    const fs::path file = folder / (stem + (csv ? ".csv" : ".svm"));
    plan.data.push_back(file.string());
    if (!csv) return io::write_libsvm(file, problem.system, rows.first, rows.count);
    std::vector<std::string> names;
    for (std::size_t j = 0; j < column_count(matrix); ++j) names.push_back(fmt::format("x{}", j + 1));
    plan.target = "b";
    return io::write_csv(file, problem.system, rows.first, rows.count, names, plan.target);
  }
  const bool npy = arguments.kind() == FileKind::Npy;
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
    const bool npy = arguments.kind() == FileKind::Npy;
    plan.truth = (folder / (npy ? "x.npy" : "x.mtx")).string();
    const auto done =
        npy ? io::write_npy(plan.truth, problem.solution) : io::write_matrix_market(plan.truth, problem.solution);
    if (!done) return done.error();
  }
  plan.run.seed = arguments.problem().seed;
  if (arguments.problem().kind == ProblemKind::Sparse) plan.run.sparsity = arguments.problem().nonzeros;
  return io::write_file(folder / "plan.toml", io::plan_text(plan, folder));
}

int run_generate(const GenerateArguments& arguments) {
  const bool sparse = arguments.problem().density < 1.0;
  if (sparse && arguments.kind() == FileKind::Npy) {
    return complain("a sparse matrix (--density below 1) cannot be written as npy; use --as mtx, csv or svm",
                    kBadInput);
  }
  if (!arguments.overwrite && fs::exists(fs::path(arguments.out) / "plan.toml")) {
    return complain(arguments.out + " already holds a problem; choose another --out, or add --overwrite", kBadInput);
  }
  const GeneratedProblem problem = generate(arguments.problem());
  if (const auto written = write_problem(arguments, problem); !written)
    return complain(written.error().message, kBadInput);
  const std::size_t clients = problem.rows_of_client.size();
  const std::string said = fmt::format("{}: {} rows, {} unknowns, {} client{}\nsolve it with: fedrk solve {}\n",
                                       arguments.out, problem.system.rhs.size(), arguments.problem().cols, clients,
                                       clients == 1 ? "" : "s", (fs::path(arguments.out) / "plan.toml").string());
  return print_result(said) ? kDone : kRunFailed;
}

}  // namespace

Command generate_command() {
  const auto arguments = std::make_shared<GenerateArguments>();
  GeneratorOptions& problem = arguments->described.problem;
  Flag kind = arguments->described.kind_flag("kind");
  kind.required = true;
  std::vector<Flag> flags{
      {.name = "out", .value = "DIR", .help = "folder to write into", .set = text(arguments->out), .required = true},
      {"overwrite", "", "replace an earlier problem in --out", on(arguments->overwrite)}};
  append(flags, arguments->described.sizes());
  append(flags,
         {{"clients", "M", "number of clients; one file each", whole<std::size_t>(problem.clients, 0), "1"},
          {"seed", "N", "random seed; equal seeds give equal problems", whole<std::uint64_t>(problem.seed, 0), "1"},
          {"as", "npy|mtx|csv|svm", "file format",
           choice<std::optional<FileKind>>(arguments->format, {{"npy", FileKind::Npy},
                                                               {"mtx", FileKind::MatrixMarket},
                                                               {"csv", FileKind::Csv},
                                                               {"svm", FileKind::Libsvm}}),
           "npy"}});
  return {.name = "generate",
          .about = "make a synthetic problem",
          .arguments = {std::move(kind)},
          .flags = std::move(flags),
          .footer =
              "Examples:\n"
              "  fedrk generate gaussian --rows 2048 --cols 1024 --out problems/gaussian\n"
              "  fedrk generate heterogeneous --rows 32 --cols 512 --clients 5 --out problems/uneven",
          .run = [arguments] { return run_generate(*arguments); }};
}

}  // namespace fedrk::app
