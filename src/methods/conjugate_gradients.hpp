// SPDX-License-Identifier: Apache-2.0
#pragma once

// Conjugate gradients on the normal equations of a fit, (A^T A + D) x = A^T b + D start, by sums over all clients: one
// sweep for the gradient at the start, one for each product A^T A p,
//
//     x += a p,  g -= a (A^T A + D) p,  a = <g, p> / <p, (A^T A + D) p>,
//
// and one for the gradient at the end, by which the criterion is measured. New directions are made orthogonal to all
// that are kept, in the product with A^T A + D, so that rounding does not multiply the iterations. Clients keep
// nothing.
//
// The least curvature that was met, <p, (A^T A + D) p> / <p, M p> with the preconditioner M, tells how much of the
// residual the gradient may still hide: <g, (A^T A + D)^-1 g> <= <g, M^-1 g> / min_curvature. With few columns, and
// where the residual is rounding, the recursion goes on until a nearly collinear pair would have shown in its gradient.

#include <array>
#include <cstddef>
#include <deque>
#include <functional>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "fedrk/method.hpp"
#include "methods/fit_options.hpp"

namespace fedrk {

class ConjugateGradients final : public Method {
 public:
  /// Applies an approximate inverse of A^T A + D.
  using Preconditioner = std::function<std::vector<double>(std::span<const double> gradient)>;

  /// Without a preconditioner of its own it divides by the squared lengths of the columns.
  ConjugateGradients(FitOptions options, std::span<const ClientSummary> roster, Preconditioner precondition = {});

  Request request(RoundIndex t, std::span<const double> x) override;
  void update(RoundIndex t, RoundReplies& round, std::span<double> x) override;
  bool finished() const override { return phase_ == Phase::Done; }
  bool fits() const override { return true; }
  std::string_view name() const override { return "cg"; }
  std::optional<FitMeasure> measure() const override { return measure_; }
  const FitSummary* fit() const override { return &summary_; }
  void begin_anew(std::span<const ClientId> others) override;
  bool state(StateStream& stream) override;

  /// Orthogonality::slope when it was measured last.
  double slope() const { return slope_; }

  /// What D pulls to; else the x of the first request.
  void set_start(std::span<const double> start) { start_.assign(start.begin(), start.end()); }

 private:
  enum class Phase { Gradient, Product, Done };
  friend constexpr std::array<Phase, 3> enumerators(Phase) { return {Phase::Gradient, Phase::Product, Phase::Done}; }
  struct Direction {
    AlignedVector p, product;  // (A^T A + D) p
    double curvature = 0.0;    // <p, product>
    static constexpr auto fields(auto& self) { return std::tie(self.p, self.product, self.curvature); }
  };

  void look(const RoundReplies& round, std::span<const double> x);
  void step(const RoundReplies& round, std::span<double> x);
  void choose_direction();
  double relative_curvature(const Direction& direction) const;
  double weight_of(std::size_t j) const;
  Orthogonality criterion_at(std::span<const double> x) const;
  bool has_arrived(std::span<const double> x) const;
  std::vector<double> preconditioned() const;

  FitOptions options_;
  std::vector<ClientSummary> roster_;
  RosterTotals totals_;
  Preconditioner precondition_;
  Phase phase_ = Phase::Gradient;
  std::vector<double> start_;
  AlignedVector gradient_, direction_;  // g, p
  std::deque<Direction> kept_;
  double squared_residual_ = 0.0;  // as the recursion has it
  double min_curvature_ = 1.0;     // curvature of a direction
  double last_criterion_ = 0.0;    // when it was measured last; 0: never
  double slope_ = 0.0, rhs_sum_ = 0.0;
  bool begun_ = false;
  std::optional<FitMeasure> measure_;
  FitSummary summary_;
};

}  // namespace fedrk
