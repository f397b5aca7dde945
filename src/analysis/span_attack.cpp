// SPDX-License-Identifier: Apache-2.0
#include "analysis/span_attack.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "linalg/dense.hpp"
#include "linalg/kernels.hpp"
#include "linalg/random/rng_stream.hpp"
#include "linalg/row_products.hpp"
#include "problem/cross_products.hpp"

namespace fedrk {
namespace {

constexpr Purpose kSpanStarts{0xFFFF'0002};  // of the attacker, beside those of the program
constexpr double kSameSpan = 1e-7;           // a unit vector nearer to a span than this is in it, to rounding
constexpr double kInSpan = 1e-4;             // of a point's length: another point on the levels is at least 1 away
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
  std::vector<std::vector<double>> columns(width, std::vector<double>(width));
  std::size_t k = 0;
  for (std::size_t i = 0; i < width; ++i) {
    for (std::size_t j = i; j < width; ++j, k += step) {
      const double low = step == 2 ? seen.reply.values[k + 1] : 0.0;
      columns[i][j] = columns[j][i] = seen.reply.values[k] + low;
    }
  }
  const auto is_zero = [](const std::vector<double>& column) {
    return !(squared_norm({column.data(), column.size() - 1}) > 0.0);
  };
  std::erase_if(columns, is_zero);
  std::ranges::move(columns, std::back_inserter(span.vectors));
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

std::vector<double> products_of(const Matrix& rows, std::span<const double> x) {
  std::vector<double> products(rows.rows());
  multiply_rows([&](std::size_t k) { return rows.row(k); }, x, products);
  return products;
}

std::vector<double> combination_of(const Matrix& rows, std::span<const double> weights) {
  std::vector<double> sum(rows.cols(), 0.0);
  add_rows([&](std::size_t k) { return rows.row(k); }, weights, sum);
  return sum;
}

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// An orthonormal basis of what was shown, with the right-hand sides of its vectors.
OrthonormalRows shown_basis(const ShownSpan& span) {
  if (span.vectors.empty()) return {};
  const std::size_t n = span.vectors.front().size() - 1;
  std::vector<double> lengths, rhs;
  for (const auto& vector : span.vectors) {
    lengths.push_back(std::sqrt(squared_norm({vector.data(), n})));
    rhs.push_back(vector.back());
  }
  const auto write = [&](std::size_t k, std::span<double> unit) {
    axpy(1.0 / lengths[k], std::span(span.vectors[k].data(), n), unit);
  };
  return orthonormal_rows(n, lengths, rhs, write, kSameSpan);
}

// A basis of what is left of the span without the vector of ones, so that each column is a point z_j and these have
// mean 0 and covariance I.
Matrix white_columns(const Matrix& basis) {
  Matrix centred = basis.clone();
  std::vector<std::size_t> used;
  std::vector<double> lengths;
  for (std::size_t k = 0; k < centred.rows(); ++k) {
    const double mean = mean_of(centred.row(k));
    for (double& entry : centred.row(k)) entry -= mean;
    const double length = std::sqrt(squared_norm(std::as_const(centred).row(k)));
    if (!(length > kSameSpan)) continue;
    used.push_back(k);
    lengths.push_back(length);
  }
  const auto write = [&](std::size_t k, std::span<double> unit) {
    axpy(1.0 / lengths[k], std::as_const(centred).row(used[k]), unit);
  };
  const std::vector<double> no_rhs(lengths.size(), 0.0);
  Matrix white = orthonormal_rows(basis.cols(), lengths, no_rhs, write, kSameSpan).basis;
  const double size = std::sqrt(static_cast<double>(basis.cols()));
  for (std::size_t k = 0; k < white.rows(); ++k) {
    for (double& entry : white.row(k)) entry *= size;
  }
  return white;
}

bool is_thin(const OrthonormalRows& shown) {
  return shown.basis.rows() > 0 && shown.basis.rows() + kSpanChecks <= shown.basis.cols();
}

// `weights` are the products of the point with the basis.
bool is_inside(const Matrix& basis, std::span<const double> weights, std::span<const double> point) {
  return distance(combination_of(basis, weights), point) <= kInSpan * std::sqrt(squared_norm(point));
}

class DiscreteSearch {
 public:
  DiscreteSearch(const OrthonormalRows& shown, const SpanAttackOptions& options)
      : options_(options), shown_(shown), stream_(options.seed, kSpanStarts), z_(white_columns(shown.basis)) {}

  std::vector<RecoveredRecord> run() {
    for (std::size_t failed = 0; failed < options_.patience && known_.size() < z_.rows(); ++failed) {
      if (descend(away_from_known())) failed = 0;
    }
    return std::move(found_);
  }

 private:
  double top() const { return static_cast<double>(options_.levels - 1); }

  void take_off_known(std::vector<double>& w) const {
    for (const auto& direction : known_) axpy(-dot(direction, w), direction, w);
  }

  // A random direction, orthogonal to the records that are known.
  std::vector<double> away_from_known() {
    std::vector<double> w(z_.rows());
    for (double& entry : w) entry = stream_.gaussian();
    take_off_known(w);
    normalize(w);
    return w;
  }

  // Down to a minimum, with a look at the rounded point now and then: near a record, rounding is faster.
  bool descend(std::vector<double> w) {
    constexpr int kMax = 250, kLookEvery = 25;
    constexpr double kStands = 1e-10;
    const double bound = std::sqrt(top()), step = 2.0 * top() / static_cast<double>(z_.cols());
    for (int k = 1; k <= kMax; ++k) {
      std::vector<double> s = combination_of(z_, w);
      if (k % kLookEvery == 0 && look(s)) return true;
      for (double& entry : s) entry -= std::clamp(entry, -bound, bound);
      std::vector<double> next = products_of(z_, s);
      for (std::size_t i = 0; i < next.size(); ++i) next[i] = w[i] - step * next[i];
      normalize(next);
      const bool stands = 1.0 - std::abs(dot(next, w)) < kStands;
      w = std::move(next);
      if (stands) break;
    }
    return look(combination_of(z_, w));
  }

  // Rounds s to the levels, in both directions.
  bool look(std::span<const double> s) {
    constexpr int kFits = 3;
    constexpr double kInside = 0.9;  // what is outermost of noisy levels is beyond them
    const auto [least, most] = std::ranges::minmax(s);
    double low = kInside * least, unit = (kInside * most - low) / top();
    std::vector<double> levels(s.size());
    for (int fit = 0; fit < kFits; ++fit) {
      std::ranges::transform(s, levels.begin(),
                             [&](double value) { return std::clamp(std::round((value - low) / unit), 0.0, top()); });
      // s = low + unit level, by least squares
      const double mean = mean_of(levels);
      double products = 0.0, squares = 0.0;
      for (std::size_t j = 0; j < s.size(); ++j) {
        products += (levels[j] - mean) * s[j];
        squares += (levels[j] - mean) * (levels[j] - mean);
      }
      unit = products / squares;
      low = mean_of(s) - unit * mean;
      if (!(unit > 0.0)) return false;
    }
    if (take(levels)) return true;
    for (double& level : levels) level = top() - level;
    return take(levels);
  }

  // Counts it as a record where it is in the span.
  bool take(const std::vector<double>& levels) {
    if (options_.ones && levels[*options_.ones] != 1.0) return false;
    const std::vector<double> weights = products_of(shown_.basis, levels);
    if (!is_inside(shown_.basis, weights, levels)) return false;
    std::vector<double> fresh = products_of(z_, levels);
    const double direction = std::sqrt(squared_norm(fresh));
    take_off_known(fresh);
    if (std::sqrt(squared_norm(fresh)) <= kInSpan * direction) return false;  // it, or a combination of those known
    normalize(fresh);
    known_.push_back(std::move(fresh));
    found_.push_back({levels, dot(shown_.offsets, weights), levels.size()});
    return true;
  }

  const SpanAttackOptions& options_;
  const OrthonormalRows& shown_;
  RngStream stream_;
  Matrix z_;                                // the columns of the table as points, one in each column
  std::vector<std::vector<double>> known_;  // an orthonormal basis of the directions of known records
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

std::size_t dimension_of(const ShownSpan& span) { return shown_basis(span).basis.rows(); }

ShownSpan restrict_to(const ShownSpan& span, std::span<const std::size_t> columns) {
  ShownSpan part{span.clients, {}};
  for (const auto& vector : span.vectors) {
    std::vector<double> of_columns;
    for (const std::size_t column : columns) of_columns.push_back(vector[column]);
    if (!(squared_norm(of_columns) > 0.0)) continue;
    of_columns.push_back(vector.back());
    part.vectors.push_back(std::move(of_columns));
  }
  return part;
}

std::vector<bool> lie_in(const ShownSpan& span, std::span<const std::vector<double>> rows) {
  std::vector<bool> inside(rows.size(), false);
  const OrthonormalRows shown = shown_basis(span);
  if (!is_thin(shown)) return inside;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    inside[i] = is_inside(shown.basis, products_of(shown.basis, rows[i]), rows[i]);
  }
  return inside;
}

std::vector<RecoveredRecord> recover_discrete(const ShownSpan& span, const SpanAttackOptions& options) {
  const OrthonormalRows shown = shown_basis(span);
  if (!is_thin(shown)) return {};
  return DiscreteSearch(shown, options).run();
}

std::vector<RecoveredRecord> recover_discrete(std::span<const ShownSpan> spans, const SpanAttackOptions& options) {
  std::vector<RecoveredRecord> found;
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

std::vector<RecoveredRecord> recover_discrete(const Transcript& transcript, const SpanAttackOptions& options) {
  return recover_discrete(spans_of(transcript), options);
}

}  // namespace fedrk
