// SPDX-License-Identifier: Apache-2.0
#include "plan/setup.hpp"

#include <utility>

#include "fedrk/error.hpp"

namespace fedrk::io {
namespace {

class Scales {
 public:
  Scales(const Plan& plan, const MatchedTables& tables, SetupEngine& engine)
      : plan_(plan), tables_(tables), engine_(engine) {}

  Result<Scaling> agree() {
    const std::vector<double> zeros(unknowns(), 0.0);
    const ColumnScaling columns = resolve(plan_).columns;
    if (columns == ColumnScaling::Equilibrated) {
      auto squares = means_of(zeros);
      if (!squares) return squares.error();
      return equilibration(*squares, tables_.rows);
    }
    // Of several solutions that nearest to the start is asked for, and another scale has another one.
    const bool open = plan_.job == Job::Solve && columns == ColumnScaling::Framed && tables_.rows < unknowns();
    if (open) return Scaling{zeros, std::vector<double>(unknowns(), 1.0)};
    const auto means = means_of(std::nullopt);
    if (!means) return means.error();
    const auto centring = plan_.intercept && !tables_.sparse ? Centring::ByMean : Centring::None;
    std::vector<double> centre = centre_from(*means, centring, fixed());
    auto squares = means_of(centre);
    if (!squares) return squares.error();
    return scaling_from(std::move(centre), *means, *std::move(squares), fixed());
  }

 private:
  std::size_t fixed() const { return plan_.intercept ? 1 : 0; }
  std::size_t unknowns() const { return tables_.columns + fixed(); }

  // Of the columns or, with a centre, of the squared distances from it.
  Result<std::vector<double>> means_of(std::optional<std::vector<double>> centre) {
    auto sums = engine_.sum_columns({tables_.columns, tables_.order, std::move(centre)});
    if (!sums) return sums;
    for (double& sum : *sums) sum /= static_cast<double>(tables_.rows);
    return sums;
  }

  const Plan& plan_;
  const MatchedTables& tables_;
  SetupEngine& engine_;
};

}  // namespace

Result<SetUp> set_up(const Plan& plan, const MatchedTables& tables, SetupEngine& engine) try {
  SetUp made{.preparation = {.columns = tables.columns, .names = tables.order}, .clients = {}};
  if (resolve(plan).columns != ColumnScaling::AsTheyAre) {
    auto scaling = Scales(plan, tables, engine).agree();
    if (!scaling) return scaling.error();
    made.preparation.scaling = *std::move(scaling);
  }
  auto clients = engine.prepare(made.preparation);
  if (!clients) return clients.error();
  made.clients = *std::move(clients);
  return made;
} catch (const InvalidArgument& error) {
  return Error{error.what()};
}

}  // namespace fedrk::io
