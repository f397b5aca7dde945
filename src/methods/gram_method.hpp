// SPDX-License-Identifier: Apache-2.0
#pragma once

// A fit from one sum over all clients: the cross-products C = Z^T Z of Z = [A b] hold all that least squares and ridge
// regression need,
//
//     (C_AA + D) x = C_Ab + D start,      ||b - A x||^2 = C_bb - 2 <x, C_Ab> + <x, C_AA x>.
//
// In double-double one sweep gives the digits of the data, whatever their condition; where answers come from others, a
// second one asks for the gradient and the residual at the answer, which must be what the first one says. In doubles
// the answer is refined by the true gradient at x, one sweep each, and where that does not suffice by conjugate
// gradients with the factor as preconditioner. A column that is a combination of those before it is named and left out.

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fedrk/method.hpp"
#include "linalg/cholesky.hpp"
#include "methods/conjugate_gradients.hpp"
#include "methods/fit_options.hpp"

namespace fedrk {

class GramMethod final : public Method {
 public:
  GramMethod(FitOptions options, std::span<const ClientSummary> roster);

  Request request(RoundIndex t, std::span<const double> x) override;
  void update(RoundIndex t, RoundReplies& round, std::span<double> x) override;
  bool finished() const override { return phase_ == Phase::Done; }
  bool fits() const override { return true; }
  std::string_view name() const override { return "gram"; }
  std::optional<FitMeasure> measure() const override { return measure_; }
  const FitSummary* fit() const override { return &summary_; }
  void go_without(const std::string& reason) override;
  void begin_anew(std::span<const ClientId> others) override;
  std::vector<std::string> notes() const override;
  bool state(StateStream& stream) override;

 private:
  enum class Phase { Products, Certify, Refine, Gradients, Done };
  friend constexpr std::array<Phase, 5> enumerators(Phase) {
    return {Phase::Products, Phase::Certify, Phase::Refine, Phase::Gradients, Phase::Done};
  }

  void solve_in_pairs(std::span<const double> values, std::span<double> x);
  void solve_in_doubles(std::span<const double> values, std::span<double> x);
  void certify(const RoundReplies& round, std::span<const double> x);
  void begin_gradients();
  void refine(const RoundReplies& round, std::span<double> x);
  void keep_better(std::span<const double> x, double slope, const FitMeasure& measure, const FitSummary& summary);
  void finish(std::span<double> x);
  template <class Number>
  void name_dependents(const Cholesky<Number>& factor);

  FitOptions options_;
  std::vector<ClientSummary> roster_, left_;  // all clients, and those that are not left out
  std::size_t rows_ = 0;
  Phase phase_ = Phase::Products;
  std::vector<double> start_;
  std::unique_ptr<Cholesky<double>> factor_;       // in doubles, for refinement
  std::unique_ptr<ConjugateGradients> gradients_;  // where refinement does not suffice
  double squared_rhs_ = 0.0, rhs_sum_ = 0.0, squared_residual_ = 0.0;
  AlignedVector best_;  // the x of the best measure
  double best_slope_ = 0.0;
  unsigned refinements_ = 0;
  std::optional<FitMeasure> measure_;
  FitSummary summary_;
  std::string note_;
};

/// Whether cross-products in double-double are cheap: for a client of so many rows at most, and so many columns.
bool pairs_are_cheap(std::span<const ClientSummary> roster, std::size_t unknowns);

/// Where the Gram sum takes less time than conjugate gradients: n^2/2 numbers travel faster than the vectors of some
/// twenty-five sweeps and their round trips. By sizes and settings only, so that runs repeat.
struct LinkSpeed {
  double round_trip = 0.05;  // seconds
  double bytes_per_second = 12.5e6;
};
bool gram_is_quicker(std::size_t unknowns, const LinkSpeed& link);

}  // namespace fedrk
