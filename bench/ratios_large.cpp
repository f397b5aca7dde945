// SPDX-License-Identifier: Apache-2.0

// A file larger than every cache, used where it lies: the set-up of fig1-large from an NPY file, 5.4 GB at full size.

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "bench/harness.hpp"
#include "bench/peers.hpp"
#include "bench/ratios.hpp"
#include "data/dataset.hpp"
#include "data/npy.hpp"
#include "experiments/support.hpp"
#include "fedrk/generate.hpp"
#include "fedrk/in_process_engine.hpp"
#include "fedrk/run.hpp"
#include "kaczmarz/gram_steps.hpp"
#include "problem/partition.hpp"

namespace fedrk::bench {
namespace {

constexpr std::size_t kClients = 10;
constexpr std::uint64_t kLocalSteps = 50;

struct Files {
  std::filesystem::path matrix, rhs;
  ~Files() {
    std::error_code ignored;
    std::filesystem::remove(matrix, ignored);
    std::filesystem::remove(rhs, ignored);
  }
};

// In a process of its own, so that the memory it takes does not count as that of the run.
void write_problem(const Files& files, std::size_t first_rows, std::size_t cols) {
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("cannot start a process");
  if (child == 0) {
    const auto problem = generate(
        {.kind = ProblemKind::Heterogeneous, .rows = first_rows, .cols = cols, .clients = kClients, .seed = 1});
    const auto& matrix = std::get<Matrix>(problem.system.rows);
    const bool done =
        io::write_npy(files.matrix, matrix, 0, matrix.rows()) && io::write_npy(files.rhs, problem.system.rhs);
    ::_exit(done ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw std::runtime_error(fmt::format("cannot write {}", files.matrix.string()));
  }
}

double peak_memory() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

// A direct step reads one row; of the Gram form every touched row counts once, though it is looked at twice.
double bytes_of_pass(const Client& client) {
  const double row = 8.0 * static_cast<double>(client.block().cols());
  const LocalShape shape{client.block().rows(), client.block().entries_per_row()};
  const bool gram = choose_form(shape, kLocalSteps, StepOptions{}.gram_memory) == LocalForm::Gram;
  const auto touched = std::min<std::uint64_t>(kLocalSteps, client.block().rows());
  return row * static_cast<double>(gram ? touched : kLocalSteps);
}

}  // namespace

void large_file(const Settings& settings, Report& report) {
  const double scale = settings.quick ? 1.0 / 64.0 : settings.scale;
  const auto scaled = [&](double full) {
    return std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(full * scale)));
  };
  const std::size_t first_rows = scaled(32.0), cols = scaled(20480.0);
  const Files files{settings.scratch / "fedrk-bench-matrix.npy", settings.scratch / "fedrk-bench-rhs.npy"};
  write_problem(files, first_rows, cols);

  auto rows = io::read_matrix(files.matrix);
  auto rhs = io::read_vector(files.rhs);
  if (!rows || !rhs) throw std::runtime_error((rows ? rhs.error() : rows.error()).message);
  const auto& matrix = std::get<Matrix>(*rows);
  const std::span<const double> numbers(matrix.row(0).data(), matrix.rows() * matrix.cols());
  const double bytes = static_cast<double>(numbers.size_bytes());
  double sum = 0.0;
  const double reading = shortest_times({{"read", [&] { sum += plain_sum(numbers); }}}, settings.seconds, 2)[0];
  keep(&sum);

  std::vector<std::size_t> counts;
  for (std::size_t i = 0; i < kClients; ++i) counts.push_back(first_rows << i);
  std::vector<Client> clients = experiments::clients_of({*std::move(rows), *std::move(rhs)}, counts, 1);
  std::vector<double> pass_bytes;
  for (const Client& client : clients) pass_bytes.push_back(bytes_of_pass(client));
  InProcessEngine engine(std::move(clients), 1);
  const RunOptions options{.seed = 1,
                           .rounds = settings.quick ? 50U : 200U,
                           .participants = 5,
                           .local_budget = FixedSteps{kLocalSteps},
                           .residual_every = RunOptions::kNever};
  double moved = 0.0, seconds = 0.0;
  for (int turn = 0; turn < 2; ++turn) {  // the first turn builds what is built once
    moved = seconds = 0.0;
    for (const RoundRecord& record : FederatedRun(options).run(engine).history) {
      for (const ClientId client : record.participants) moved += pass_bytes[client.value];
      seconds += record.seconds;
    }
  }
  report.add(Ratio{fmt::format("fig1-large from a file of {:.2g} GB", bytes / 1e9), "plain read of the file, one core",
                   moved / seconds / 1e9, bytes / reading, "GB/s", std::nullopt, 0.6});
  report.add(Ratio{"fig1-large, memory at its peak", "size of the file", peak_memory() / 1e9, bytes / 1e9, "GB",
                   settings.quick ? std::nullopt : std::optional(1.1)});
}

}  // namespace fedrk::bench
