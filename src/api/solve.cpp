// SPDX-License-Identifier: Apache-2.0
#include "fedrk/solve.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "api/run_in_process.hpp"
#include "plan/source_files.hpp"
#include "report/run_text.hpp"

namespace fedrk {
namespace {

std::vector<std::string> names_of(const std::vector<System>& systems) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < systems.size(); ++i) {
    names.push_back(systems[i].name.empty() ? fmt::format("client-{}", i + 1) : systems[i].name);
  }
  return io::unique_names(names, names);
}

void check_shape(const System& system, const std::string& name, std::size_t cols) {
  const MatrixView& A = system.A;
  if (A.rows == 0 || A.cols == 0 || A.data == nullptr) throw InvalidArgument(name + ": the matrix is empty");
  if (A.stride < A.cols) {
    throw InvalidArgument(fmt::format("{}: rows of {} numbers cannot begin {} apart", name, A.cols, A.stride));
  }
  if (A.cols != cols) throw InvalidArgument(fmt::format("{}: {} columns, but the first has {}", name, A.cols, cols));
  if (system.b.size != A.rows) {
    throw InvalidArgument(fmt::format("{}: {} rows, but {} right-hand sides", name, A.rows, system.b.size));
  }
}

// Before anything is summed: a sum would not tell where.
void check_numbers(const LinearSystem& system, const std::string& name) {
  const auto is_finite = [](double value) { return std::isfinite(value); };
  const Matrix& rows = std::get<Matrix>(system.rows);
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    if (std::ranges::all_of(rows.row(i), is_finite) && is_finite(system.rhs[i])) continue;
    throw InvalidData(fmt::format("{}: row {} holds a number that is not finite", name, i + 1));
  }
}

io::ClientTables tables_of(const std::vector<System>& systems) {
  io::ClientTables tables{.names = names_of(systems)};
  for (std::size_t i = 0; i < systems.size(); ++i) {
    const auto& [A, b, name] = systems[i];
    check_shape(systems[i], tables.names[i], systems.front().A.cols);
    const std::span<const double> rhs(b.data, b.size);
    tables.systems.push_back({Matrix::view(A.data, A.rows, A.cols, A.stride), {rhs.begin(), rhs.end()}});
    check_numbers(tables.systems[i], tables.names[i]);
  }
  tables.columns = io::numbered_columns(systems.front().A.cols);
  return tables;
}

Solution solve_by(Method* method, const std::vector<System>& systems, const SolveSettings& settings) {
  if (systems.empty()) throw InvalidArgument("no systems: there is nothing to solve");
  io::Plan plan;
  plan.method.least_squares = settings.least_squares;
  api::put_into(settings, plan);
  io::FinishedRun run = api::run_in_process(
      plan, tables_of(systems), settings.threads,
      {.title = "solve", .stop = settings.stop, .data_observers = settings.observers, .method = method});
  Solution found(api::solve_text(run));
  found.x = std::move(run.coefficients);
  found.converged = run.converged == true;
  found.status = status_of(run.result.termination, run.converged);
  found.stop_reason = io::stop_text(run);
  found.method = io::method_of(run);
  found.relative_residual = run.result.relative_residual;
  found.warnings = std::move(run.warnings);
  found.rounds = run.result.history.size();
  found.history = std::move(run.result.history);
  return found;
}

}  // namespace

MatrixView view(std::span<const double> values, std::size_t cols) {
  if (cols == 0 || values.size() % cols != 0) {
    throw InvalidArgument(fmt::format("{} numbers are not rows of {}", values.size(), cols));
  }
  return view(values.data(), values.size() / cols, cols);
}

Solution solve(const std::vector<System>& systems, const SolveSettings& settings) {
  return solve_by(nullptr, systems, settings);
}

Solution solve(const std::vector<System>& systems, Method& method, const SolveSettings& settings) {
  if (settings.least_squares || settings.ridge > 0.0) {
    throw InvalidArgument("least_squares and ridge choose a method: leave them out beside one's own");
  }
  return solve_by(&method, systems, settings);
}

}  // namespace fedrk
