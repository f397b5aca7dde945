// SPDX-License-Identifier: Apache-2.0
#include "analysis/span_attack.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include <Eigen/QR>

#include "linalg/kernels.hpp"
#include "linalg/random/rng_stream.hpp"
#include "problem/cross_products.hpp"

namespace fedrk {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Purpose kStarts{0xFFFF'0002};  // of the attacker, beside those of the program
constexpr double kRank = 1e-7;           // a pivot below this share of the first is rounding
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// A sum that moved x by no more than rounding has no digits left.
bool is_readable(std::span<const double> vector, std::span<const double> x) {
  constexpr double kRounding = 1e-8;
  const double length = std::sqrt(squared_norm(vector));
  return length > 0.0 && std::isfinite(length) && length > kRounding * std::sqrt(squared_norm(x));
}

// C = [A b]^T [A b] by its upper triangle: the columns of A^T A with those of b^T A, each a combination of records.
void add_columns_of(const Observation& seen, ShownSpan& span) {
  const std::size_t step = sends_pairs(seen.work) ? 2 : 1;
  const std::size_t count = seen.reply.values.size() / step;
  std::size_t width = 1;  // n + 1
  while (cross_product_count(width - 1) < count) ++width;
  MatrixXd square(width, width);
  std::size_t k = 0;
  for (std::size_t i = 0; i < width; ++i) {
    for (std::size_t j = i; j < width; ++j, k += step) {
      const double low = step == 2 ? seen.reply.values[k + 1] : 0.0;
      square(static_cast<Index>(i), static_cast<Index>(j)) = square(static_cast<Index>(j), static_cast<Index>(i)) =
          seen.reply.values[k] + low;
    }
  }
  for (Index j = 0; j < square.cols(); ++j) span.vectors.emplace_back(square.col(j).begin(), square.col(j).end());
}

void add_vector_of(const Observation& seen, ShownSpan& span) {
  const std::span<const double> values = seen.reply.values;
  if (values.size() != seen.x.size()) return;
  const bool steps = has_trait(seen.work, kSteps);
  if (steps && !is_readable(values, seen.x)) return;
  if (!steps && !(squared_norm(values) > 0.0)) return;
  std::vector<double> vector(values.begin(), values.end());
  // <Delta, x*> = <Delta, x> + gamma for every solution x*: the combination of right-hand sides. Of the sparse method
  // the gap is another one.
  const bool tells = seen.reply.gap && !std::holds_alternative<SparseSteps>(seen.work);
  vector.push_back(tells ? dot(values, seen.x) + *seen.reply.gap : kUnknown);
  span.vectors.push_back(std::move(vector));
}

// An orthonormal basis of a span, its rows q_k with right-hand sides d_k.
struct Basis {
  MatrixXd q;  // n by r, the basis in its columns
  VectorXd d;  // NaN where nothing is known of them

  explicit Basis(const ShownSpan& span) {
    if (span.vectors.empty()) return;
    const auto count = static_cast<Index>(span.vectors.size());
    const auto n = static_cast<Index>(span.vectors.front().size()) - 1;
    MatrixXd columns(n, count);
    VectorXd rhs(count);
    for (Index t = 0; t < count; ++t) {
      const auto& vector = span.vectors[static_cast<std::size_t>(t)];
      columns.col(t) = Eigen::Map<const VectorXd>(vector.data(), n);
      const double length = columns.col(t).norm();
      columns.col(t) /= length;
      rhs(t) = vector.back() / length;
    }
    Eigen::ColPivHouseholderQR<MatrixXd> qr(columns);
    qr.setThreshold(kRank);
    const Index rank = qr.rank();
    q = qr.householderQ() * MatrixXd::Identity(n, rank);
    // The chosen columns are Q R, so their right-hand sides are R^T d.
    const VectorXd chosen = (qr.colsPermutation().transpose() * rhs).head(rank);
    d = qr.matrixQR().topLeftCorner(rank, rank).triangularView<Eigen::Upper>().transpose().solve(chosen);
  }
};

class DiscreteSearch {
 public:
  DiscreteSearch(const Basis& basis, const SpanAttackOptions& options)
      : options_(options), basis_(basis), stream_(options.seed, kStarts) {
    MatrixXd centred = basis.q.rowwise() - basis.q.colwise().mean();
    Eigen::ColPivHouseholderQR<MatrixXd> qr(centred);
    qr.setThreshold(kRank);  // a span that holds the vector of ones loses a dimension
    z_ = qr.householderQ() * MatrixXd::Identity(centred.rows(), qr.rank());
    z_ *= std::sqrt(static_cast<double>(z_.rows()));
    known_.resize(z_.cols(), 0);
  }

  std::vector<RecoveredRecord> run() {
    for (std::size_t failed = 0; failed < options_.patience && known_.cols() < z_.cols(); ++failed) {
      VectorXd w = away_from_known();
      if (descend(w)) failed = 0;
    }
    return std::move(found_);
  }

 private:
  Index rows() const { return z_.rows(); }

  // A random direction, orthogonal to the records that are known.
  VectorXd away_from_known() {
    VectorXd w(z_.cols());
    for (double& entry : w) entry = stream_.gaussian();
    return (w - known_ * (known_.transpose() * w)).normalized();
  }

  // Down to a minimum, with a look at the rounded point now and then: near a record, rounding is faster.
  bool descend(VectorXd& w) {
    constexpr int kMax = 250, kLookEvery = 25;
    constexpr double kStands = 1e-10;
    const double top = static_cast<double>(options_.levels - 1);
    const double bound = std::sqrt(top), step = 2.0 * top / static_cast<double>(rows());
    for (int k = 1; k <= kMax; ++k) {
      const VectorXd s = z_ * w;
      if (k % kLookEvery == 0 && look(s)) return true;
      const VectorXd beyond = s - s.cwiseMin(bound).cwiseMax(-bound);
      const VectorXd next = (w - step * (z_.transpose() * beyond)).normalized();
      const bool stands = 1.0 - std::abs(next.dot(w)) < kStands;
      w = next;
      if (stands) break;
    }
    return look(z_ * w);
  }

  // Rounds s to the levels, in both directions.
  bool look(const VectorXd& s) {
    constexpr int kFits = 3;
    constexpr double kInside = 0.9;  // what is outermost of noisy levels is beyond them
    const double top = static_cast<double>(options_.levels - 1);
    double low = kInside * s.minCoeff(), unit = (kInside * s.maxCoeff() - low) / top;
    VectorXd levels(s.size());
    for (int fit = 0; fit < kFits; ++fit) {
      levels = ((s.array() - low) / unit).round().max(0.0).min(top);
      // s = low + unit level, by least squares
      const VectorXd off = levels.array() - levels.mean();
      unit = off.dot(s) / off.squaredNorm();
      low = s.mean() - unit * levels.mean();
      if (!(unit > 0.0)) return false;
    }
    return take(levels) || take(top - levels.array());
  }

  // Counts it as a record where it is in the span.
  bool take(const VectorXd& levels) {
    constexpr double kInSpan = 1e-4;  // of its length: another point on the levels is at least 1 away
    if (options_.ones && levels(static_cast<Index>(*options_.ones)) != 1.0) return false;
    const VectorXd weights = basis_.q.transpose() * levels;
    if (!((basis_.q * weights - levels).norm() <= kInSpan * levels.norm())) return false;
    const VectorXd direction = z_.transpose() * levels;
    const VectorXd fresh = direction - known_ * (known_.transpose() * direction);
    if (fresh.norm() <= kInSpan * direction.norm()) return false;  // it, or a combination of those known
    known_.conservativeResize(Eigen::NoChange, known_.cols() + 1);
    known_.col(known_.cols() - 1) = fresh.normalized();
    found_.push_back({{levels.begin(), levels.end()}, basis_.d.dot(weights), static_cast<std::size_t>(rows())});
    return true;
  }

  const SpanAttackOptions& options_;
  const Basis& basis_;
  RngStream stream_;
  MatrixXd z_;      // the columns of the table as points, one in each row
  MatrixXd known_;  // an orthonormal basis of the directions of known records
  std::vector<RecoveredRecord> found_;
};

}  // namespace

std::vector<ShownSpan> spans_of(const Transcript& transcript) {
  std::map<std::vector<ClientId>, ShownSpan> by_clients;
  ShownSpan all;
  for (const Observation& seen : transcript) {
    if (std::holds_alternative<ClippedPass>(seen.work)) continue;  // with noise
    ShownSpan& span = by_clients[seen.clients];
    span.clients = seen.clients;
    if (std::holds_alternative<CrossProducts>(seen.work)) {
      add_columns_of(seen, span);
    } else {
      add_vector_of(seen, span);
    }
  }
  std::size_t widest = 0;
  for (const auto& [clients, span] : by_clients) {
    for (const auto& vector : span.vectors) widest = std::max(widest, vector.size());
  }
  std::vector<ShownSpan> spans;
  for (auto& [clients, span] : by_clients) {
    std::erase_if(span.vectors, [&](const auto& vector) { return vector.size() < widest; });  // of some columns only
    if (span.vectors.empty()) continue;
    all.clients.insert(all.clients.end(), clients.begin(), clients.end());
    all.vectors.insert(all.vectors.end(), span.vectors.begin(), span.vectors.end());
    spans.push_back(std::move(span));
  }
  if (spans.size() < 2) return spans;
  std::ranges::sort(all.clients);
  all.clients.erase(std::unique(all.clients.begin(), all.clients.end()), all.clients.end());
  spans.push_back(std::move(all));
  return spans;
}

std::size_t dimension_of(const ShownSpan& span) { return static_cast<std::size_t>(Basis(span).q.cols()); }

std::vector<RecoveredRecord> recover_discrete(const ShownSpan& span, const SpanAttackOptions& options) {
  constexpr Index kChecks = 40;  // entries that are not free: a wrong point passes with a chance of 2^-40
  const Basis basis(span);
  if (basis.q.cols() == 0 || basis.q.cols() + kChecks > basis.q.rows()) return {};
  return DiscreteSearch(basis, options).run();
}

std::vector<RecoveredRecord> recover_discrete(const Transcript& transcript, const SpanAttackOptions& options) {
  std::vector<RecoveredRecord> found;
  const std::vector<ShownSpan> spans = spans_of(transcript);
  for (const ShownSpan& span : spans) {
    const bool is_last = &span == &spans.back() && spans.size() > 1;  // of all together
    if (is_last && !found.empty()) break;
    for (RecoveredRecord& record : recover_discrete(span, options)) {
      const auto same = [&](const RecoveredRecord& other) { return other.a == record.a; };
      if (std::ranges::none_of(found, same)) found.push_back(std::move(record));
    }
  }
  return found;
}

}  // namespace fedrk
