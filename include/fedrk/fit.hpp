// SPDX-License-Identifier: Apache-2.0
#pragma once

// Linear regression over the tables of several sites: the coefficients that all rows in one table would give, from sums
// over the sites. It is what `fedrk fit` does, with the same defaults and to the same bits.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fedrk/run.hpp"
#include "fedrk/stop_signal.hpp"
#include "fedrk/table.hpp"

namespace fedrk {

enum class FitMethod {
  Auto,               // by the number of columns
  Gram,               // one sum of cross-products, with twice the usual precision where that is cheap
  ConjugateGradients  // one product with the columns per iteration
};

struct FitSettings {
  double ridge = 0.0;        // lambda of the penalty lambda |coefficients|^2, the intercept excepted
  bool standardize = false;  // the penalty is on columns divided by their standard deviation
  FitMethod method = FitMethod::Auto;
  std::size_t participants = 0;             // sites asked at a time; 0: all
  std::optional<std::uint32_t> rounds{};    // at most; unset: 1000 for each group of participants
  std::optional<double> tolerance{};        // of the criterion (docs/methods.md); unset: 1e-8
  std::size_t threads = 0;                  // 0: all cores
  std::uint64_t seed = 1;                   // of the groups of participants
  std::vector<RoundObserver*> observers{};  // see every round, and the coefficients after it
  const StopSignal* stop = nullptr;         // ends the fit after the round at hand
};

struct Coefficient {
  std::string name;       // "(Intercept)", or the column's
  double value = 0.0;     // NaN where it is not estimable
  bool estimable = true;  // false: the column is a combination of others
};

class Fit {
 public:
  Fit() = default;
  explicit Fit(std::string summary) : summary_(std::move(summary)) {}

  std::vector<Coefficient> coefficients;  // the intercept first, then the columns as the formula or the data have them
  bool converged = false;
  RunStatus status = RunStatus::Completed;
  std::string stop_reason;  // in words
  std::string method;       // "gram" or "cg"
  std::size_t rows = 0;
  std::optional<std::size_t> rank;  // by conjugate gradients it is not known
  std::optional<double> df_residual, sigma, r_squared;
  std::vector<std::string> warnings;
  std::size_t rounds = 0;
  RunHistory history;

  /// The estimate of this name. Throws InvalidArgument where there is none.
  double operator[](std::string_view name) const;

  /// The table that `fedrk fit` prints.
  const std::string& summary() const { return summary_; }

 private:
  std::string summary_;
};

/// Fits `formula` to the rows of all sites: "y ~ ." explains y by all other columns, "y ~ a + b" by these, "y ~ . - a"
/// leaves a out, "-1" or "+0" leaves the intercept out; names with other characters stand in backquotes. Columns are
/// matched by name.
///
/// Throws InvalidArgument for a formula or setting that nothing could satisfy, and InvalidData where the tables do not
/// fit the formula or each other; the message lists all that is wrong.
Fit fit(const std::vector<Table>& sites, std::string_view formula, const FitSettings& settings = {});

}  // namespace fedrk
