// SPDX-License-Identifier: Apache-2.0
#include "plan/federation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "data/dataset.hpp"
#include "data/powers.hpp"
#include "fedrk/error.hpp"
#include "linalg/random/rng_stream.hpp"
#include "plan/together.hpp"
#include "problem/noise_columns.hpp"
#include "problem/partition.hpp"

namespace fedrk::io {
namespace {

Result<std::vector<double>> read_unknowns(const std::string& path, std::size_t unknowns) {
  if (path.empty()) return std::vector<double>{};
  auto values = read_vector(path);
  if (values && values->size() != unknowns) {
    return Error{fmt::format("{}: {} entries, but the problem has {} unknowns", path, values->size(), unknowns)};
  }
  return values;
}

Result<RowBlock> row_block_of(const std::string& client, Storage storage, RowUse use, LinearSystem system,
                              std::vector<std::string>& warnings) {
  try {
    const Rounding rounding = storage == Storage::Float32 ? store_as_floats(system, use) : Rounding{};
    if (rounding.scaled_rows > 0) {
      warnings.push_back(
          fmt::format("{}: {} rows were too small for float32 and were scaled to length about one, with their "
                      "right-hand sides.",
                      client, rounding.scaled_rows));
    }
    if (rounding.vanished_entries > 0) {
      warnings.push_back(fmt::format("{}: {} entries are too small for float32 and became zero; float64 keeps them.",
                                     client, rounding.vanished_entries));
    }
    return RowBlock(std::move(system), use);
  } catch (const InvalidArgument& error) {
    return Error{fmt::format("{}: {}", client, error.what())};
  }
}

// Asked for by name, the gram form still keeps within the memory it was given.
Result<void> check_form(const ResolvedPlan& plan, const std::string& client, std::size_t row_count) {
  if (!plan.steps.needs_gram() || !std::holds_alternative<FixedSteps>(plan.run.local_budget)) return {};
  const bool greedy = plan.steps.sampling == RowSampling::Greedy;
  const auto rows = static_cast<double>(row_count);
  const double needed = 8.0 * rows * rows;
  if (needed <= static_cast<double>(plan.steps.gram_memory)) return {};
  return Error{
      fmt::format("{}: {} needs {:.0f} MB for its {} rows; allow as much with --local-memory, or leave the {} to auto",
                  client, greedy ? "--row-sampling greedy" : "--local-form gram", std::ceil(needed / 1048576.0),
                  row_count, greedy ? "order" : "form")};
}

bool all_zero(const std::vector<Client>& clients) {
  return std::ranges::all_of(clients, [](const Client& c) { return c.block().zero_rows() == c.block().rows(); });
}

void warn_of_columns(Problem& problem) {
  if (!problem.scaling) return;
  if (problem.sparse && problem.intercept) {
    problem.warnings.emplace_back("The data are sparse, so the columns were scaled but not centred.");
  }
  for (std::size_t j = 0; j < problem.unknowns.size(); ++j) {
    if (problem.scaling->scale[j] == 0.0) {
      problem.warnings.push_back(
          fmt::format("Column '{}' is constant: it has nothing to say and was left out.", problem.unknowns[j]));
    }
  }
}

void warn_of_rows(const ResolvedPlan& plan, const std::string& name, const RowBlock& block,
                  std::vector<std::string>& warnings) {
  const bool draws_by_norm =
      plan.steps.sampling == RowSampling::SquaredNorm && std::holds_alternative<FixedSteps>(plan.run.local_budget);
  if (block.rescaled_rows() > 0) {
    warnings.push_back(
        fmt::format("{}: {} rows were too large or too small to be squared and were scaled to length about one, with "
                    "their right-hand sides.",
                    name, block.rescaled_rows()));
  }
  if (block.dominant_row() && draws_by_norm) {
    warnings.push_back(
        fmt::format("{}: row {} holds more than half of the squared norm, so the others are seldom drawn; "
                    "--row-sampling shuffled takes all alike.",
                    name, *block.dominant_row() + 1));
  }
}

}  // namespace

std::optional<std::string> warning_of_sums(const Plan& plan, std::size_t clients) {
  const bool alone = plan.run.participants == 1 && clients > 1;
  if (!alone || reveal_of(goal_of(plan.method, plan.run)) != Reveal::Sums) return std::nullopt;
  return "With one client a round the sum that the server sees is that client's own update.";
}

std::vector<double> Problem::coefficients(std::span<const double> x) const {
  if (!fit.frame.inverse_scale.empty()) return in_data_units(fit.frame, intercept, x);
  return scaling ? in_data_units(*scaling, x, intercept ? 1 : 0) : std::vector<double>(x.begin(), x.end());
}

std::vector<double> Problem::scaled(std::span<const double> coefficients) const {
  std::vector<double> x(coefficients.begin(), coefficients.end());
  for (std::size_t j = 0; j < std::min(x.size(), unknowns.size()); ++j) {
    if (!fit.frame.inverse_scale.empty()) x[j] /= fit.frame.inverse_scale[j];
    if (scaling) x[j] *= scaling->scale[j];
  }
  return x;
}

// The last columns are the plan's powers of those before them.
Result<std::vector<PowerTerm>> powers_among(const Plan& plan, const std::vector<std::string>& columns) {
  const std::size_t powers = power_count(plan.powers);
  const std::span<const std::string> others(columns.data(), columns.size() - std::min(powers, columns.size()));
  const auto expected = with_powers(plan.powers, {others.begin(), others.end()});
  if (!expected) return expected.error();
  if (*expected != columns) {
    return Error{"powers: the columns of the data do not end with those that the plan asks for"};
  }
  return powers_of(plan.powers, others, plan.intercept ? 1 : 0);
}

ClientTables tables_of(GeneratedProblem problem) {
  Partition partition = partition_contiguous(problem.system.rhs.size(), problem.rows_of_client.size());
  partition.counts = std::move(problem.rows_of_client);
  const std::size_t columns = column_count(problem.system.rows);
  return {partition.names, split(std::move(problem.system), partition), numbered_columns(columns)};
}

Scaling agree_on_scaling(const Plan& plan, std::size_t rows, bool sparse, std::size_t unknowns,
                         const std::function<std::vector<double>()>& column_means,
                         const std::function<std::vector<double>(std::span<const double> centre)>& mean_squares) {
  const std::size_t fixed = plan.intercept ? 1 : 0;
  const std::vector<double> zeros(unknowns, 0.0);
  const ColumnScaling columns = resolve(plan).columns;
  if (columns == ColumnScaling::Equilibrated) return equilibration(mean_squares(zeros), rows);
  // Of several solutions that nearest to the start is asked for, and another scale has another one.
  const bool open = plan.job == Job::Solve && columns == ColumnScaling::Framed && rows < unknowns;
  if (open) return {zeros, std::vector<double>(unknowns, 1.0)};
  const auto centring = plan.intercept && !sparse ? Centring::ByMean : Centring::None;
  const std::vector<double> means = column_means();
  std::vector<double> centre = centre_from(means, centring, fixed);
  auto squares = mean_squares(centre);
  return scaling_from(std::move(centre), means, std::move(squares), fixed);
}

std::optional<Frame> take_scaling(const Plan& plan, const Scaling& scaling, std::vector<PowerTerm> powers,
                                  LinearSystem& system) {
  if (resolve(plan).columns == ColumnScaling::Framed) return frame_from(scaling, std::move(powers));
  const bool changes = std::ranges::any_of(scaling.scale, [](double scale) { return scale != 1.0; }) ||
                       std::ranges::any_of(scaling.centre, [](double centre) { return centre != 0.0; });
  if (changes) apply(scaling, system);
  return std::nullopt;
}

namespace {

void set_up_fit(const Plan& plan, Scaling scaling, Problem& problem) {
  FitSetup& fit = problem.fit;
  fit.intercept = plan.intercept;
  fit.frame = frame_from(scaling, problem.powers);
  fit.link = plan.link();
  const double rows = std::sqrt(static_cast<double>(problem.rows));
  for (std::size_t j = 0; j < scaling.scale.size(); ++j) {
    fit.column_norms.push_back(rows * scaling.scale[j] * fit.frame.inverse_scale[j]);
  }
  if (plan.standardize) fit.spread = std::move(scaling.scale);
}

}  // namespace

Result<Problem> make_problem(const Plan& plan, std::vector<std::string> columns, std::size_t rows, bool sparse,
                             std::optional<Scaling> scaling) {
  Problem problem{.unknowns = std::move(columns),
                  .rows = rows,
                  .sparse = sparse,
                  .scaling = std::nullopt,
                  .intercept = plan.intercept};
  auto terms = powers_among(plan, problem.unknowns);
  if (!terms) return terms.error();
  problem.powers = *std::move(terms);
  if (plan.intercept) {
    if (std::ranges::find(problem.unknowns, kInterceptName) != problem.unknowns.end()) {
      return Error{fmt::format("--intercept adds a column '{}', but the data have one already", kInterceptName)};
    }
    problem.unknowns.emplace(problem.unknowns.begin(), kInterceptName);
  }
  if (scaling && resolve(plan).columns == ColumnScaling::Framed) {
    set_up_fit(plan, *std::move(scaling), problem);
  } else {
    problem.scaling = std::move(scaling);
  }
  auto start = read_unknowns(plan.start, problem.unknowns.size());
  if (!start) return start.error();
  auto truth = read_unknowns(plan.truth, problem.unknowns.size());
  if (!truth) return truth.error();
  problem.start = problem.scaled(*start);
  if (!problem.start.empty()) problem.start.resize(problem.start.size() + plan.run.noise_columns, 0.0);
  problem.truth = *std::move(truth);
  warn_of_columns(problem);
  return problem;
}

Result<Client> make_client(const Plan& plan, ClientId id, const std::string& name, LinearSystem system,
                           std::uint64_t seed, std::vector<std::string>& warnings, std::optional<Frame> frame) try {
  const ResolvedPlan decided = resolve(plan);
  if (const auto fits = check_form(decided, name, row_count(system.rows)); !fits) return fits.error();
  add_noise_columns(system, plan.run.noise_columns, stream_for(seed, Purpose::NoiseColumns));
  if (is<Private>(decided.goal)) {
    if (const std::size_t silenced = silence_unusable_rows(system); silenced > 0) {
      warnings.push_back(
          fmt::format("{}: {} rows are not used: zero with a right-hand side, or with entries that are all below 1e-18 "
                      "or one beyond 1e18.",
                      name, silenced));
    }
  }
  const RowUse use = is<LeastSquares>(decided.goal) ? RowUse::Sums : RowUse::Steps;
  auto block = row_block_of(name, plan.storage, use, std::move(system), warnings);
  if (!block) return block.error();
  warn_of_rows(decided, name, *block, warnings);
  if (!frame) return Client(id, name, *std::move(block), seed, decided.steps);
  return Client(id, name, *std::move(block), seed, decided.steps, *std::move(frame));
} catch (const InvalidArgument& error) {
  return Error{error.what()};
}

namespace {

// The sums of agree_on_scaling, with the clients at several peers.
Scaling agree_together(const Plan& plan, Peers& peers, std::span<const LinearSystem> own, std::size_t rows,
                       bool sparse) {
  const std::size_t unknowns = column_count(own.front().rows);
  const auto means_of = [&](const auto& ask) {
    auto means = peers.sum_in_order(unknowns, [&](std::span<double> sums) {
      for (const LinearSystem& client : own) {
        const ColumnSums part = ask(client);
        for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += part.sums[j];
      }
    });
    for (double& mean : means) mean /= static_cast<double>(rows);
    return means;
  };
  return agree_on_scaling(
      plan, rows, sparse, unknowns, [&] { return means_of(column_sums); },
      [&](std::span<const double> centre) {
        return means_of([&](const LinearSystem& client) { return column_square_sums(client, centre); });
      });
}

/// What all clients together have.
struct Totals {
  std::size_t clients = 0, rows = 0;
  bool sparse = false;
};

Totals totals_of(Peers& peers, std::span<const LinearSystem> own) {
  Totals mine{.clients = own.size()};
  for (const LinearSystem& client : own) {
    mine.rows += row_count(client.rows);
    mine.sparse = mine.sparse || is_sparse(client.rows);
  }
  const auto sum = [&](std::size_t number) {
    const auto numbers = exchange_number(peers, number);
    return std::accumulate(numbers.begin(), numbers.end(), std::size_t{0});
  };
  return {sum(mine.clients), sum(mine.rows), sum(mine.sparse ? 1 : 0) > 0};
}

Result<void> check_forms(const ResolvedPlan& plan, const ClientTables& tables) {
  for (std::size_t i = 0; i < tables.systems.size(); ++i) {
    const std::size_t rows = row_count(tables.systems[i].rows);
    if (const auto fits = check_form(plan, tables.names[i], rows); !fits) return fits.error();
  }
  return {};
}

Result<std::vector<Client>> make_clients(const Plan& plan, ClientTables& tables,
                                         std::vector<std::optional<Frame>>& frames,
                                         std::vector<std::string>& warnings) {
  std::vector<Client> clients;
  for (std::size_t k = 0; k < tables.systems.size(); ++k) {
    const ClientId id{static_cast<std::uint32_t>(tables.first + k)};
    auto client = make_client(plan, id, tables.names[k], std::move(tables.systems[k]),
                              client_seed(plan.run.seed, tables.names[k]), warnings, std::move(frames[k]));
    if (!client) return client.error();
    clients.push_back(*std::move(client));
  }
  return clients;
}

// Everyone's, in client order.
std::vector<std::string> exchange_warnings(Peers& peers, const std::vector<std::string>& own) {
  ByteWriter out;
  out.put(own);
  std::vector<std::string> all;
  for (const std::string& text : peers.exchange(std::move(out.bytes()))) {
    std::vector<std::string> theirs;
    ByteReader(text).get(theirs);
    std::ranges::move(theirs, std::back_inserter(all));
  }
  return all;
}

}  // namespace

Result<Federation> make_federation(const Plan& plan, ClientTables tables, Peers& peers) try {
  if (const auto fine = check_method(plan); !fine) return fine.error();
  const ResolvedPlan decided = resolve(plan);
  const Totals totals = totals_of(peers, tables.systems);
  if (const auto fit = together(peers, [&] { return check_forms(decided, tables); }); !fit) return fit.error();
  const std::size_t unknowns = tables.columns.size() + (plan.intercept ? 1 : 0) + plan.run.noise_columns;
  if (plan.intercept) std::ranges::for_each(tables.systems, add_intercept);
  std::optional<Scaling> scaling;
  std::vector<std::optional<Frame>> frames(tables.systems.size());
  if (decided.columns != ColumnScaling::AsTheyAre) {
    scaling = agree_together(plan, peers, tables.systems, totals.rows, totals.sparse);
    const auto powers = powers_among(plan, tables.columns);
    if (!powers) return powers.error();
    for (std::size_t k = 0; k < frames.size(); ++k)
      frames[k] = take_scaling(plan, *scaling, *powers, tables.systems[k]);
  }
  // Only rank 0 answers for the problem as a whole; start and truth need not be on every machine.
  auto problem = together(peers, [&]() -> Result<Problem> {
    if (peers.rank() != 0) return Problem{};
    return make_problem(plan, std::move(tables.columns), totals.rows, totals.sparse, std::move(scaling));
  });
  if (!problem) return problem.error();

  Federation federation{*std::move(problem), {}, ClientId{static_cast<std::uint32_t>(tables.first)}};
  std::vector<std::string> warnings;
  auto clients = together(peers, [&] { return make_clients(plan, tables, frames, warnings); });
  if (!clients) return clients.error();
  federation.clients = *std::move(clients);
  std::ranges::move(exchange_warnings(peers, warnings), std::back_inserter(federation.problem.warnings));
  const auto zero = exchange_number(peers, all_zero(federation.clients) ? 1 : 0);
  if (std::ranges::count(zero, 0) == 0) return Error{"every entry of the matrix is zero: there is nothing to solve"};
  if (auto warning = warning_of_sums(plan, totals.clients)) {
    federation.problem.warnings.push_back(*std::move(warning));
  }
  decided.run.validate(totals.clients, unknowns);
  return federation;
} catch (const InvalidArgument& error) {
  return Error{error.what()};
}

Result<Federation> make_federation(const Plan& plan, ClientTables tables) {
  Alone alone;
  return make_federation(plan, std::move(tables), alone);
}

Result<Federation> make_federation(const Plan& plan, Peers& peers) {
  auto tables = read_clients(plan, peers);
  if (!tables) return tables.error();
  return make_federation(plan, *std::move(tables), peers);
}

Result<Federation> make_federation(const Plan& plan) {
  Alone alone;
  return make_federation(plan, alone);
}

}  // namespace fedrk::io
