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
#include "plan/peers.hpp"
#include "plan/table_site.hpp"
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

namespace {

/// The clients of one process, or of several that load a federation together: each asks its own.
class PeerSetup final : public SetupEngine {
 public:
  PeerSetup(const Plan& plan, ClientTables& tables, Peers& peers) : plan_(plan), peers_(peers), first_(tables.first) {
    for (std::size_t k = 0; k < tables.systems.size(); ++k) {
      sites_.emplace_back(plan, std::move(tables.names[k]), std::move(tables.systems[k]));
    }
    powers_ = powers_among(plan, tables.columns);
  }

  /// What all clients together have. Their columns were matched when they were read.
  MatchedTables tables(std::size_t columns) {
    MatchedTables all{.columns = columns};
    std::size_t rows = 0;
    bool sparse = false;
    for (const TableSite& site : sites_) {
      rows += row_count(site.system().rows);
      sparse = sparse || is_sparse(site.system().rows);
    }
    for (const std::uint64_t number : exchange_number(peers_, rows)) all.rows += number;
    for (const std::uint64_t number : exchange_number(peers_, sparse ? 1 : 0)) all.sparse = all.sparse || number > 0;
    return all;
  }

  Result<std::vector<double>> sum_columns(const SumColumns& question) override {
    const std::size_t unknowns = question.columns + (plan_.intercept ? 1 : 0);
    std::optional<Error> wrong;
    auto sum = peers_.sum_in_order(unknowns, [&](std::span<double> sums) {
      for (TableSite& site : sites_) {
        const auto part = site.sum_columns(question);
        if (!part) wrong = part.error();
        for (std::size_t j = 0; part && j < part->sums.size(); ++j) sums[j] += part->sums[j];
      }
    });
    if (const auto agreed = together(peers_, [&] { return wrong ? Result<void>(*wrong) : Result<void>(); }); !agreed) {
      return agreed.error();
    }
    return sum;
  }

  Result<std::vector<PreparedRows>> prepare(const PrepareRows& question) override {
    std::vector<std::string> warnings;
    const auto done = together(peers_, [&] { return make_clients(question, warnings); });
    if (!done) return done.error();
    std::vector<PreparedRows> own, all;
    for (const Client& client : clients_) own.push_back({client.summary(), client.block().cols()});
    for (const std::string& text : peers_.exchange(bytes_of(own, warnings))) {
      ByteReader in(text);
      std::ranges::move(in.get<std::vector<PreparedRows>>(), std::back_inserter(all));
      std::ranges::move(in.get<std::vector<std::string>>(), std::back_inserter(warnings_));
    }
    return all;
  }

  std::vector<Client>& clients() { return clients_; }
  /// Everyone's, in client order.
  std::vector<std::string>& warnings() { return warnings_; }

 private:
  Result<void> make_clients(const PrepareRows& question, std::vector<std::string>& warnings) {
    if (!powers_) return powers_.error();
    for (TableSite& site : sites_) {
      const TableSite::Place place{ClientId{static_cast<std::uint32_t>(first_ + clients_.size())},
                                   client_seed(plan_.run.seed, site.name())};
      auto client = std::move(site).prepare(question, *powers_, place, warnings);
      if (!client) return client.error();
      clients_.push_back(*std::move(client));
    }
    return {};
  }

  const Plan& plan_;
  Peers& peers_;
  std::size_t first_;
  std::vector<TableSite> sites_;
  Result<std::vector<PowerTerm>> powers_ = std::vector<PowerTerm>{};
  std::vector<Client> clients_;
  std::vector<std::string> warnings_;
};

}  // namespace

Result<Federation> make_federation(const Plan& plan, ClientTables tables, Peers& peers) try {
  if (const auto fine = check_method(plan); !fine) return fine.error();
  PeerSetup engine(plan, tables, peers);
  const MatchedTables matched = engine.tables(tables.columns.size());
  auto made = set_up(plan, matched, engine);
  if (!made) return made.error();
  const std::size_t clients = made->clients.size(), unknowns = made->clients.front().unknowns;
  // Only rank 0 answers for the problem as a whole; start and truth need not be on every machine.
  auto problem = together(peers, [&]() -> Result<Problem> {
    if (peers.rank() != 0) return Problem{};
    return make_problem(plan, std::move(tables.columns), matched.rows, matched.sparse, std::move(made->scaling));
  });
  if (!problem) return problem.error();

  Federation federation{*std::move(problem), std::move(engine.clients()),
                        ClientId{static_cast<std::uint32_t>(tables.first)}};
  std::ranges::move(engine.warnings(), std::back_inserter(federation.problem.warnings));
  const auto zero = exchange_number(peers, all_zero(federation.clients) ? 1 : 0);
  if (std::ranges::count(zero, 0) == 0) return Error{"every entry of the matrix is zero: there is nothing to solve"};
  if (auto warning = warning_of_sums(plan, clients)) federation.problem.warnings.push_back(*std::move(warning));
  resolve(plan).run.validate(clients, unknowns);
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
