// SPDX-License-Identifier: Apache-2.0
#include "methods/gram_method.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "linalg/kernels.hpp"
#include "round/state_stream.hpp"

namespace fedrk {
namespace {

constexpr double kUnitRoundoff = std::numeric_limits<double>::epsilon() / 2.0;
constexpr double kPairRounding = 0x1.0p-96;  // of cross-products in double-double, relative to the diagonal
constexpr double kSuspect = 1e-16;           // of a squared length: worth comparing with the rounding of the data
constexpr double kNoise = 4.0;               // times the rounding of the data
constexpr unsigned kMaxRefinements = 4;
constexpr double kSweepsOfGradients = 25.0;
constexpr double kCertified = 1e-6;  // between the two sums, in doubles

/// Where entry (i, j), i <= j, of the packed upper triangle stands.
std::size_t place(std::size_t size, std::size_t i, std::size_t j) { return i * size - i * (i + 1) / 2 + j; }

double double_of(double value) { return value; }
double double_of(const DoubleDouble& value) { return to_double(value); }

/// The triangle of Z^T Z by its entries.
template <class Number>
class Products {
 public:
  Products(std::span<const double> values, std::size_t unknowns) : values_(values), size_(unknowns + 1) {}

  Number operator()(std::size_t i, std::size_t j) const {
    const std::size_t k = place(size_, std::min(i, j), std::max(i, j));
    if constexpr (std::is_same_v<Number, double>) {
      return values_[k];
    } else {
      return {values_[2 * k], values_[2 * k + 1]};
    }
  }
  std::size_t unknowns() const { return size_ - 1; }
  Number rhs(std::size_t j) const { return (*this)(j, size_ - 1); }
  Number squared_rhs() const { return (*this)(size_ - 1, size_ - 1); }

 private:
  std::span<const double> values_;
  std::size_t size_;
};

template <class Number>
std::vector<double> norms_from(const Products<Number>& products) {
  std::vector<double> norms(products.unknowns());
  for (std::size_t j = 0; j < norms.size(); ++j) norms[j] = std::sqrt(std::max(0.0, double_of(products(j, j))));
  return norms;
}

/// The size of a column's rounding in its table: root mean square of its entries, times half a unit in the last place.
/// Powers are computed, not rounded.
std::vector<double> rounding_of_columns(const FitOptions& options, std::span<const double> norms, double rows) {
  std::vector<double> rounding(norms.size());
  const Frame& frame = options.frame;
  for (std::size_t j = 0; j < norms.size(); ++j) {
    const double shift = frame.centre.empty() ? 0.0 : frame.centre[j] * frame.inverse_scale[j];
    rounding[j] = kUnitRoundoff * std::hypot(norms[j], shift * std::sqrt(rows));
  }
  for (const PowerTerm& term : frame.powers) rounding[term.column] = rounding[term.source] = 0.0;
  return rounding;
}

}  // namespace

bool pairs_are_cheap(std::span<const ClientSummary> roster, std::size_t unknowns) {
  constexpr double kMaxProducts = 1e10;
  constexpr std::size_t kMaxUnknowns = 512;  // beyond, the factorisation at the server takes its time
  std::size_t rows = 0;
  for (const ClientSummary& client : roster) rows = std::max(rows, client.rows);
  const auto n = static_cast<double>(unknowns);
  return unknowns <= kMaxUnknowns && static_cast<double>(rows) * n * n <= kMaxProducts;
}

bool gram_is_quicker(std::size_t unknowns, const LinkSpeed& link) {
  const auto n = static_cast<double>(unknowns);
  const double gram = 4.0 * n * n / link.bytes_per_second;
  return gram < kSweepsOfGradients * (link.round_trip + 8.0 * n / link.bytes_per_second);
}

GramMethod::GramMethod(FitOptions options, std::span<const ClientSummary> roster)
    : options_(std::move(options)), roster_(roster.begin(), roster.end()), left_(roster_) {
  for (const ClientSummary& client : roster_) rows_ += client.rows;
}

Request GramMethod::request(RoundIndex t, std::span<const double> x) {
  if (start_.empty()) start_.assign(x.begin(), x.end());
  if (phase_ == Phase::Products) return {CrossProducts{options_.pairs}, {}, {}, Reveal::Sums, Audience::Everyone};
  if (phase_ == Phase::Gradients) return gradients_->request(t, x);
  return {Gradient{}, x, {}, Reveal::Sums, Audience::Everyone, phase_ == Phase::Certify};
}

void GramMethod::update(RoundIndex t, RoundReplies& round, std::span<double> x) {
  switch (phase_) {
    case Phase::Products:
      return options_.pairs ? solve_in_pairs(round.replies.front().values, x)
                            : solve_in_doubles(round.replies.front().values, x);
    case Phase::Certify:
      return certify(round, x);
    case Phase::Refine:
      return refine(round, x);
    case Phase::Gradients:
      gradients_->update(t, round, x);
      if (const auto measure = gradients_->measure()) keep_better(x, gradients_->slope(), *measure, *gradients_->fit());
      if (gradients_->finished()) finish(x);
      return;
    case Phase::Done:
      return;
  }
}

// All there is to know stands in the sum: the answer, its residual and its gradient, to twice the precision.
void GramMethod::solve_in_pairs(std::span<const double> values, std::span<double> x) {
  const Products<DoubleDouble> products(values, x.size());
  const std::size_t n = x.size();
  const std::vector<double> norms = norms_from(products);
  const std::vector<double> rounding = rounding_of_columns(options_, norms, static_cast<double>(rows_));
  const auto entry = [&](std::size_t i, std::size_t j) {
    return i == j ? products(i, j) + options_.penalty_of(i) : products(i, j);
  };
  const auto dependent = [&](std::size_t j, const DoubleDouble& pivot, const auto& combination) {
    const double left = to_double(pivot), whole = norms[j] * norms[j];
    double noise = rounding[j] * rounding[j];
    if (left <= std::max(kPairRounding * static_cast<double>(n) * whole, kNoise * kNoise * noise)) return true;
    if (left > kSuspect * whole) return false;
    const auto weights = combination();
    for (std::size_t k = 0; k < j; ++k) noise += std::pow(to_double(weights[k]) * rounding[k], 2);
    return left <= kNoise * kNoise * noise;
  };
  const Cholesky<DoubleDouble> factor(n, entry, dependent);
  std::vector<DoubleDouble> rhs(n);
  for (std::size_t j = 0; j < n; ++j) rhs[j] = products.rhs(j) + options_.penalty_of(j) * start_[j];
  const std::vector<DoubleDouble> solution = factor.solve(rhs);
  for (std::size_t j = 0; j < n; ++j) x[j] = to_double(solution[j]);

  std::vector<double> gradient(n);
  DoubleDouble squared = products.squared_rhs();
  for (std::size_t j = 0; j < n; ++j) {
    DoubleDouble part = products.rhs(j);
    for (std::size_t k = 0; k < n; ++k) part -= products(j, k) * solution[k];
    squared -= solution[j] * (part + products.rhs(j));  // b'b - x'A'b - x'A'(b - A x)
    gradient[j] = factor.kept(j) ? to_double(part - options_.penalty_of(j) * (solution[j] - start_[j])) : 0.0;
  }
  const double squared_residual = std::max(0.0, to_double(squared));
  const double residual = std::sqrt(squared_residual), rhs_norm = std::sqrt(to_double(products.squared_rhs()));
  const Orthogonality found = orthogonality(gradient, norms, x, residual, rhs_norm, {});
  measure_ = FitMeasure{rhs_norm > 0.0 ? residual / rhs_norm : residual, found.value, found.holds(options_.tolerance)};

  DoubleDouble spread = products.squared_rhs();
  if (options_.intercept) spread -= products.rhs(0) * products.rhs(0) / products(0, 0);
  summary_ = summarize(options_, {rows_, squared_residual, to_double(spread), 0.0}, factor.rank());
  summary_.criterion = found.value;
  summary_.coefficients.resize(n);
  DoubleDouble constant;
  for (std::size_t j = 0; j < n; ++j) {
    const double unit = options_.frame.inverse_scale.empty() ? 1.0 : options_.frame.inverse_scale[j];
    const DoubleDouble coefficient = solution[j] * unit;
    if (!options_.frame.centre.empty()) constant += coefficient * options_.frame.centre[j];
    summary_.coefficients[j] = to_double(coefficient);
  }
  if (options_.intercept) summary_.coefficients[0] = to_double(solution[0] - constant);
  name_dependents(factor);
  options_.column_norms = norms;
  squared_rhs_ = to_double(products.squared_rhs());
  squared_residual_ = squared_residual;
  phase_ = options_.certify ? Phase::Certify : Phase::Done;
}

// Whoever answered one of the two questions otherwise than by its rows is found out: by an error, a table that changed
// in between, or a wish to spoil the answer. Who answers both by the same false rows is not.
void GramMethod::certify(const RoundReplies& round, std::span<const double> x) {
  const LocalReply& sum = round.replies.front();
  std::vector<double> gradient(sum.values.begin(), sum.values.end());
  double size = std::sqrt(squared_rhs_);  // of what cancels in the residual
  for (std::size_t j = 0; j < x.size(); ++j) {
    gradient[j] -= options_.penalty_of(j) * (x[j] - start_[j]);
    size += options_.column_norms[j] * std::abs(x[j]);
  }
  for (const std::size_t j : summary_.not_estimable) gradient[j] = 0.0;
  const double squared = sum.squared_residual.value();
  const Orthogonality found =
      orthogonality(gradient, options_.column_norms, x, std::sqrt(squared), std::sqrt(squared_rhs_), {});
  const double rounding = std::sqrt(static_cast<double>(rows_)) * 64.0 * kUnitRoundoff * size;
  const bool same_residual =
      std::abs(squared - squared_residual_) <= kCertified * squared_residual_ + rounding * rounding;
  summary_.certificate = found.value;
  phase_ = Phase::Done;
  if (same_residual && (found.at_rounding || found.value <= kCertified)) return;
  measure_->holds = false;
  note_ =
      "the gradient or the residual at the answer is not what the cross-products say: a client's answers to the two "
      "questions contradict each other";
}

void GramMethod::go_without(const std::string& reason) {
  phase_ = Phase::Done;
  note_ = "the answer was not certified by a gradient of its own: " + reason;
}

std::vector<std::string> GramMethod::notes() const {
  return note_.empty() ? std::vector<std::string>() : std::vector{note_};
}

void GramMethod::solve_in_doubles(std::span<const double> values, std::span<double> x) {
  const Products<double> products(values, x.size());
  const std::size_t n = x.size();
  options_.column_norms = norms_from(products);
  squared_rhs_ = products.squared_rhs();
  rhs_sum_ = options_.intercept ? products.rhs(0) : 0.0;
  const auto entry = [&](std::size_t i, std::size_t j) {
    return i == j ? products(i, j) + options_.penalty_of(i) : products(i, j);
  };
  const auto rounding = rounding_of_columns(options_, options_.column_norms, static_cast<double>(rows_));
  const auto dependent = [&](std::size_t j, double pivot, const auto&) {
    const double noise = kNoise * rounding[j];
    return pivot <= std::max(2.0 * kUnitRoundoff * static_cast<double>(n) * products(j, j), noise * noise);
  };
  factor_ = std::make_unique<Cholesky<double>>(n, entry, dependent);
  std::vector<double> rhs(n);
  for (std::size_t j = 0; j < n; ++j) rhs[j] = products.rhs(j) + options_.penalty_of(j) * start_[j];
  const std::vector<double> solution = factor_->solve(std::move(rhs));
  std::ranges::copy(solution, x.begin());
  phase_ = Phase::Refine;
}

void GramMethod::begin_gradients() {
  gradients_ = std::make_unique<ConjugateGradients>(options_, left_, [this](std::span<const double> g) {
    return factor_->solve({g.begin(), g.end()});
  });
  gradients_->set_start(start_);
}

// The gradient at x measures it, and tells what to add.
void GramMethod::refine(const RoundReplies& round, std::span<double> x) {
  const LocalReply& sum = round.replies.front();
  std::vector<double> gradient(sum.values.begin(), sum.values.end());
  for (std::size_t j = 0; j < x.size(); ++j) {
    gradient[j] -= options_.penalty_of(j) * (x[j] - start_[j]);
    if (!factor_->kept(j)) gradient[j] = 0.0;
  }
  const double residual = std::sqrt(sum.squared_residual.value()), rhs = std::sqrt(squared_rhs_);
  const std::vector<double> correction = factor_->solve(std::vector<double>(gradient));
  const Orthogonality found = orthogonality(gradient, options_.column_norms, x, residual, rhs,
                                            shortfall_of(gradient, correction, options_.column_norms));
  const FitMeasure measure{rhs > 0.0 ? residual / rhs : residual, found.value, found.holds(options_.tolerance)};
  const bool better = !measure_ || found.slope < 0.5 * best_slope_;
  FitSummary summary = summarize(options_, {rows_, residual * residual, squared_rhs_, rhs_sum_}, factor_->rank());
  summary.criterion = found.value;
  keep_better(x, found.slope, measure, summary);
  ++refinements_;
  // One correction always; more where only rounding tells that the residual is orthogonal.
  if (refinements_ > 1 && found.value <= options_.tolerance && measure.holds) return finish(x);
  if (!better || refinements_ > kMaxRefinements) {
    if (measure_->holds) return finish(x);
    std::ranges::copy(best_, x.begin());
    phase_ = Phase::Gradients;
    return begin_gradients();
  }
  axpy(1.0, correction, x);
}

void GramMethod::keep_better(std::span<const double> x, double slope, const FitMeasure& measure,
                             const FitSummary& summary) {
  if (measure_ && !(slope < best_slope_)) return;
  best_slope_ = slope;
  measure_ = measure;
  const auto rank = factor_->rank();
  summary_ = summary;
  summary_.rank = rank;
  name_dependents(*factor_);
  best_.assign(x.begin(), x.end());
}

void GramMethod::finish(std::span<double> x) {
  std::ranges::copy(best_, x.begin());
  phase_ = Phase::Done;
}

template <class Number>
void GramMethod::name_dependents(const Cholesky<Number>& factor) {
  summary_.not_estimable.assign(factor.dependents().begin(), factor.dependents().end());
  summary_.combined_of.clear();
  for (const std::size_t j : factor.dependents()) {
    const auto weights = factor.combination(j);
    double largest = 0.0;
    for (const Number& weight : weights) largest = std::max(largest, std::abs(double_of(weight)));
    auto& parts = summary_.combined_of.emplace_back();
    for (std::size_t k = 0; k < weights.size(); ++k) {
      if (std::abs(double_of(weights[k])) > 1e-8 * largest) parts.push_back(k);
    }
  }
}

void GramMethod::begin_anew(std::span<const ClientId> others) {
  left_.clear();
  rows_ = 0;
  for (const ClientId client : others) {
    left_.push_back(roster_[client.value]);
    rows_ += left_.back().rows;
  }
  phase_ = Phase::Products;
  refinements_ = 0;
  factor_.reset();
  gradients_.reset();
  measure_.reset();
  note_.clear();
}

bool GramMethod::state(StateStream& stream) {
  bool factored = factor_ != nullptr, follows_gradients = gradients_ != nullptr;
  stream(options_.column_norms, left_, rows_, phase_, start_, squared_rhs_, rhs_sum_, best_, best_slope_, refinements_,
         squared_residual_, measure_, summary_, note_, factored, follows_gradients);
  if (stream.reads() && factored) factor_ = std::make_unique<Cholesky<double>>();
  if (stream.reads() && follows_gradients) begin_gradients();
  if (factor_) stream(*factor_);
  return !gradients_ || gradients_->state(stream);
}

}  // namespace fedrk
