// SPDX-License-Identifier: Apache-2.0
#include "fedrk/io/federation.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "fedrk/base/error.hpp"
#include "fedrk/io/dataset.hpp"
#include "fedrk/problem/noise_columns.hpp"
#include "fedrk/problem/partition.hpp"
#include "fedrk/random/rng_stream.hpp"

namespace fedrk::io {
namespace {

constexpr std::string_view kInterceptName = "intcpt";

struct SourceFile {
  std::string path;
  Dataset data;
};

Margins margins_for(const Plan& plan) { return {.front = plan.intercept ? 1U : 0U, .back = plan.run.noise_columns}; }

Result<SourceFile> read_source(const Plan& plan, std::size_t i) {
  if (!plan.data.empty()) {
    auto data = read_table(plan.data[i], {plan.target, plan.ignore, plan.group_by(), margins_for(plan)});
    if (!data) return data.error();
    if (!plan.group_by().empty() && data->labels.empty()) {
      return Error{fmt::format("{}: --partition by:COLUMN needs a CSV table", plan.data[i])};
    }
    return SourceFile{plan.data[i], *std::move(data)};
  }
  const bool changed = plan.intercept || plan.standardize || plan.run.noise_columns > 0;
  auto rows = read_matrix(plan.matrix[i], margins_for(plan), changed ? Storage::Float64 : plan.storage,
                          plan.storage == Storage::Float64);
  if (!rows) return rows.error();
  auto rhs = read_vector(plan.rhs[i]);
  if (!rhs) return rhs.error();
  if (rhs->size() != row_count(*rows)) {
    return Error{
        fmt::format("{}: {} entries, but {} has {} rows", plan.rhs[i], rhs->size(), plan.matrix[i], row_count(*rows))};
  }
  return SourceFile{plan.matrix[i], {{*std::move(rows), *std::move(rhs)}, {}, {}}};
}

// Where row i of a file stands, for a person who opens it.
std::string place_of_row(const SourceFile& source, std::size_t row) {
  return source.data.columns.empty() ? fmt::format("{}: row {}", source.path, row + 1)
                                     : fmt::format("{}:{}", source.path, row + 2);
}

// An intercept or noise columns make every row non-zero.
Result<void> check_rows(const Plan& plan, const SourceFile& source) {
  if (plan.intercept || plan.run.noise_columns > 0) return {};
  if (const auto row = find_contradictory_row(source.data.system)) {
    return Error{
        fmt::format("{}: every entry is zero but the right-hand side is {}: no x satisfies that; add --intercept or "
                    "take the row out",
                    place_of_row(source, *row), source.data.system.rhs[*row])};
  }
  return {};
}

// LIBSVM files end at their largest index, which may differ between clients; the others must agree.
Result<void> agree_on_columns(const Plan& plan, std::vector<SourceFile>& sources) {
  const SourceFile& first = sources.front();
  std::size_t widest = 0;
  for (const SourceFile& source : sources) widest = std::max(widest, column_count(source.data.system.rows));
  for (SourceFile& source : sources) {
    const auto& mine = source.data.columns;
    const auto& theirs = first.data.columns;
    const auto [here, there] = std::ranges::mismatch(mine, theirs);
    if (here != mine.end() && there != theirs.end()) {
      return Error{
          fmt::format("{}: column {} is '{}' where {} has '{}'; all clients need the same columns in the same order",
                      source.path, here - mine.begin() + 1, *here, first.path, *there)};
    }
    if (mine.size() != theirs.size()) {
      const auto& extra = mine.size() > theirs.size() ? *here : *there;
      return Error{fmt::format("column '{}' is in {} but not in {}; all clients need the same columns", extra,
                               mine.size() > theirs.size() ? source.path : first.path,
                               mine.size() > theirs.size() ? first.path : source.path)};
    }
    const std::size_t width = column_count(source.data.system.rows);
    auto* sparse = std::get_if<SparseMatrix>(&source.data.system.rows);
    const bool open_ended = !plan.data.empty() && mine.empty() && sparse != nullptr;
    if (open_ended) {
      sparse->add_columns({.back = widest - width});
    } else if (width != column_count(first.data.system.rows)) {
      return Error{fmt::format("{}: {} columns, but {} has {}", source.path, width, first.path,
                               column_count(first.data.system.rows))};
    }
  }
  return {};
}

// File names without folder and ending; the paths as given where these are not unique, numbered where a file is given
// twice: a client's draws come from its name, so no two may share one.
std::vector<std::string> names_from(const std::vector<SourceFile>& sources) {
  std::vector<std::string> names, paths;
  for (const SourceFile& source : sources) {
    names.push_back(std::filesystem::path(source.path).stem().string());
    paths.push_back(source.path);
  }
  if (std::set(names.begin(), names.end()).size() == names.size()) return names;
  std::set<std::string> taken;
  for (std::string& path : paths) {
    std::string name = path;
    for (int copy = 2; !taken.insert(name).second; ++copy) name = fmt::format("{} ({})", path, copy);
    path = std::move(name);
  }
  return paths;
}

Partition partition_for(const Plan& plan, const Dataset& data) {
  const std::size_t rows = row_count(data.system.rows), clients = std::max<std::size_t>(1, plan.clients);
  if (!plan.group_by().empty()) return partition_by_label(data.labels);
  return plan.partition == "shuffled" ? partition_shuffled(rows, clients, plan.run.seed)
                                      : partition_contiguous(rows, clients);
}

Result<std::vector<double>> read_unknowns(const std::string& path, std::size_t unknowns) {
  if (path.empty()) return std::vector<double>{};
  auto values = read_vector(path);
  if (values && values->size() != unknowns) {
    return Error{fmt::format("{}: {} entries, but the problem has {} unknowns", path, values->size(), unknowns)};
  }
  return values;
}

Result<RowBlock> row_block_of(const std::string& client, Storage storage, LinearSystem system,
                              std::vector<std::string>& warnings) {
  try {
    const Rounding rounding = storage == Storage::Float32 ? store_as_floats(system) : Rounding{};
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
    return RowBlock(std::move(system));
  } catch (const InvalidArgument& error) {
    return Error{fmt::format("{}: {}", client, error.what())};
  }
}

// A sparse file of a few bytes can name a column beyond any memory.
Result<void> check_memory(const Plan& plan, std::size_t unknowns, std::size_t clients) {
  const std::size_t asked = plan.run.participants == 0 ? clients : std::min(clients, plan.run.participants);
  if (unknowns > std::numeric_limits<std::uint32_t>::max())
    return Error{fmt::format("{} unknowns: at most 2^32 - 1", unknowns)};
  const double needed = static_cast<double>(unknowns) * static_cast<double>(asked + 4) * sizeof(double);
  const double there = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (needed <= there) return {};
  return Error{fmt::format("{} unknowns: the vectors of a round need {:.0f} GB, this machine has {:.0f} GB", unknowns,
                           needed / 1e9, there / 1e9)};
}

// Asked for by name, the gram form still keeps within the memory it was given.
Result<void> check_form(const Plan& plan, const std::string& client, std::size_t row_count) {
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

void warn_of_rows(const Plan& plan, const std::string& name, const RowBlock& block,
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

std::vector<std::string> numbered_columns(std::size_t count) {
  std::vector<std::string> names(count);
  for (std::size_t j = 0; j < count; ++j) names[j] = fmt::format("x{}", j + 1);
  return names;
}

std::optional<std::string> warning_of_sums(const Plan& plan, std::size_t clients) {
  const bool alone = plan.run.participants == 1 && clients > 1;
  if (!alone || *plan.method.settled(plan.run).reveal != Reveal::Sums) return std::nullopt;
  return "With one client a round the sum that the server sees is that client's own update.";
}

Result<ClientTables> read_clients(const Plan& plan) {
  if (const auto fine = check(plan); !fine) return fine.error();
  std::vector<SourceFile> sources;
  for (std::size_t i = 0; i < plan.data.size() + plan.matrix.size(); ++i) {
    auto source = read_source(plan, i);
    if (!source) return source.error();
    if (const auto fine = check_rows(plan, *source); !fine) return fine.error();
    sources.push_back(*std::move(source));
  }
  if (const auto agreed = agree_on_columns(plan, sources); !agreed) return agreed.error();

  const std::size_t columns = column_count(sources.front().data.system.rows);
  const std::size_t clients = std::max(sources.size(), plan.clients);
  if (const auto fits = check_memory(plan, columns + plan.run.noise_columns, clients); !fits) return fits.error();

  ClientTables tables;
  tables.columns = sources.front().data.columns;
  if (tables.columns.empty()) tables.columns = numbered_columns(columns);
  if (sources.size() == 1) {
    const Partition partition = partition_for(plan, sources.front().data);
    tables.systems = split(std::move(sources.front().data.system), partition);
    tables.names = partition.names;
    return tables;
  }
  tables.names = names_from(sources);
  for (SourceFile& source : sources) tables.systems.push_back(std::move(source.data.system));
  return tables;
}

std::vector<double> Problem::coefficients(const std::vector<double>& x) const {
  return scaling ? in_data_units(*scaling, x, intercept ? 1 : 0) : x;
}

ClientTables tables_of(GeneratedProblem problem) {
  Partition partition = partition_contiguous(problem.system.rhs.size(), problem.rows_of_client.size());
  partition.counts = std::move(problem.rows_of_client);
  const std::size_t columns = column_count(problem.system.rows);
  return {partition.names, split(std::move(problem.system), partition), numbered_columns(columns)};
}

Result<Federation> make_federation(const Plan& plan) try {
  auto tables = read_clients(plan);
  if (!tables) return tables.error();
  return make_federation(plan, *std::move(tables));
} catch (const InvalidArgument& error) {
  return Error{error.what()};
}

Result<Problem> make_problem(const Plan& plan, std::vector<std::string> columns, std::size_t rows, bool sparse,
                             std::optional<Scaling> scaling) {
  Problem problem{.unknowns = std::move(columns),
                  .rows = rows,
                  .sparse = sparse,
                  .scaling = std::move(scaling),
                  .intercept = plan.intercept};
  if (plan.intercept) {
    if (std::ranges::find(problem.unknowns, kInterceptName) != problem.unknowns.end()) {
      return Error{fmt::format("--intercept adds a column '{}', but the data have one already", kInterceptName)};
    }
    problem.unknowns.emplace(problem.unknowns.begin(), kInterceptName);
  }
  auto start = read_unknowns(plan.start, problem.unknowns.size());
  if (!start) return start.error();
  auto truth = read_unknowns(plan.truth, problem.unknowns.size());
  if (!truth) return truth.error();
  problem.start = *std::move(start);
  if (!problem.start.empty()) problem.start.resize(problem.start.size() + plan.run.noise_columns, 0.0);
  problem.truth = *std::move(truth);
  warn_of_columns(problem);
  return problem;
}

Result<Client> make_client(const Plan& plan, ClientId id, const std::string& name, LinearSystem system,
                           std::uint64_t seed, std::vector<std::string>& warnings) try {
  if (const auto fits = check_form(plan, name, row_count(system.rows)); !fits) return fits.error();
  add_noise_columns(system, plan.run.noise_columns, stream_for(seed, Purpose::NoiseColumns));
  auto block = row_block_of(name, plan.storage, std::move(system), warnings);
  if (!block) return block.error();
  warn_of_rows(plan, name, *block, warnings);
  return Client(id, name, *std::move(block), seed, plan.steps);
} catch (const InvalidArgument& error) {
  return Error{error.what()};
}

Result<Federation> make_federation(const Plan& asked, ClientTables tables) try {
  asked.method.validate(asked.run);
  Plan plan = asked;
  plan.settle();
  std::size_t rows = 0;
  bool sparse = false;
  for (std::size_t i = 0; i < tables.systems.size(); ++i) {
    const Rows& own = tables.systems[i].rows;
    if (const auto fits = check_form(plan, tables.names[i], row_count(own)); !fits) return fits.error();
    rows += row_count(own);
    sparse = sparse || is_sparse(own);
  }
  if (plan.intercept) std::ranges::for_each(tables.systems, add_intercept);
  std::optional<Scaling> scaling;
  if (plan.standardize) {
    const auto centring = plan.intercept ? Centring::ByMean : Centring::None;
    scaling = standardize(tables.systems, centring, plan.intercept ? 1 : 0);
  }
  auto problem = make_problem(plan, std::move(tables.columns), rows, sparse, std::move(scaling));
  if (!problem) return problem.error();

  Federation federation{*std::move(problem), {}};
  for (std::uint32_t i = 0; i < tables.systems.size(); ++i) {
    auto client = make_client(plan, ClientId{i}, tables.names[i], std::move(tables.systems[i]),
                              client_seed(plan.run.seed, tables.names[i]), federation.problem.warnings);
    if (!client) return client.error();
    federation.clients.push_back(*std::move(client));
  }
  if (all_zero(federation.clients)) return Error{"every entry of the matrix is zero: there is nothing to solve"};
  if (auto warning = warning_of_sums(plan, federation.clients.size())) {
    federation.problem.warnings.push_back(*std::move(warning));
  }
  plan.run_options().validate(federation.clients.size(), federation.problem.unknowns.size() + plan.run.noise_columns);
  return federation;
} catch (const InvalidArgument& error) {
  return Error{error.what()};
}

}  // namespace fedrk::io
