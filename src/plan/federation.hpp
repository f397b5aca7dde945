// SPDX-License-Identifier: Apache-2.0
#pragma once

// From the files of a plan to clients that are ready to take part.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "fedrk/generate.hpp"
#include "fedrk/site.hpp"
#include "plan/peers.hpp"
#include "plan/plan.hpp"
#include "problem/frame.hpp"
#include "problem/standardize.hpp"

namespace fedrk::io {

/// The unknown that an intercept belongs to, as in R.
inline constexpr std::string_view kInterceptName = "(Intercept)";

/// The clients' rows as the files hold them, split by owner.
struct ClientTables {
  std::vector<std::string> names{};
  std::vector<LinearSystem> systems{};
  std::vector<std::string> columns{};  // of every client, the plan's powers last
  std::size_t first = 0;               // the number of the first of these clients, among those of all peers
};

/// Reads and splits the files of a plan, and checks that they fit each other.
Result<ClientTables> read_clients(const Plan& plan);
/// The same by several, each of whom gets consecutive clients and reads no other file, and of a large NPY file no other
/// rows. All of them fail with the same message where one fails.
Result<ClientTables> read_clients(const Plan& plan, Peers& peers);

/// The one file of a plan with its columns in this order, the plan's powers last. REQUIRES: they are the columns that
/// `read_clients` found, as a CSV table names them.
Result<ClientTables> read_clients(const Plan& plan, const std::vector<std::string>& columns);

/// A generated problem in place of files.
ClientTables tables_of(GeneratedProblem problem);

/// What is asked of a federation, whoever holds the rows: all that a server knows beside its clients.
struct Problem {
  std::vector<std::string> unknowns;  // names, the intercept first where there is one; noise columns have none
  std::size_t rows = 0;
  bool sparse = false;
  std::optional<Scaling> scaling;  // where the columns were standardised or equilibrated
  FitSetup fit{};                  // where they are framed
  bool intercept = false;
  std::vector<PowerTerm> powers{};       // as columns of the rows, where an intercept is column 0
  std::vector<double> start{}, truth{};  // empty: zero, unknown
  std::vector<std::string> warnings{};

  /// The answer in the units of the data, and back.
  std::vector<double> coefficients(std::span<const double> x) const;
  std::vector<double> scaled(std::span<const double> coefficients) const;
};

/// Of columns with these names, the plan's powers last; `scaling` is what the clients agreed on, where the plan's
/// columns are not as they are. Reads the files that hold the start and the truth.
Result<Problem> make_problem(const Plan& plan, std::vector<std::string> columns, std::size_t rows, bool sparse,
                             std::optional<Scaling> scaling);

/// x1, x2, ...
std::vector<std::string> numbered_columns(std::size_t count);

/// What the plan gives away without meaning to, if anything.
std::optional<std::string> warning_of_sums(const Plan& plan, std::size_t clients);

/// The powers of the plan among columns with these names, the powers last, as columns of the rows.
Result<std::vector<PowerTerm>> powers_among(const Plan& plan, const std::vector<std::string>& columns);

struct Federation {
  Problem problem;              // at rank 0 of several peers; the others have none
  std::vector<Client> clients;  // those of this peer
  ClientId first{};             // of them
};

/// Adds intercept, scales and noise columns as the plan says, each client to its own rows. A fit leaves the rows in the
/// units of the data.
Result<Federation> make_federation(const Plan& plan);
Result<Federation> make_federation(const Plan& plan, ClientTables tables);
/// The same by several, as `read_clients`. The clients are those that one process would make, to the bit.
Result<Federation> make_federation(const Plan& plan, Peers& peers);
Result<Federation> make_federation(const Plan& plan, ClientTables tables, Peers& peers);

}  // namespace fedrk::io
