// SPDX-License-Identifier: Apache-2.0
#include "analysis/moment_attack.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>

#include "linalg/kernels.hpp"
#include "problem/cross_products.hpp"

namespace fedrk {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// n + 1 of (n + 1)(n + 2)/2 numbers
Index width_of(std::size_t count) {
  std::size_t cols = 0;
  while (cross_product_count(cols) < count) ++cols;
  return static_cast<Index>(cols) + 1;
}

std::size_t triangle(Index width) { return cross_product_count(static_cast<std::size_t>(width) - 1); }

// The place of M_ij, i <= j, in the upper triangle.
Index place(Index width, Index i, Index j) { return i * width - i * (i - 1) / 2 + (j - i); }

MatrixXd square_of(std::span<const double> values) {
  const Index width = width_of(values.size());
  MatrixXd square(width, width);
  for (Index i = 0, k = 0; i < width; ++i) {
    for (Index j = i; j < width; ++j, ++k) square(i, j) = square(j, i) = values[static_cast<std::size_t>(k)];
  }
  return square;
}

std::vector<double> triangle_of(const MatrixXd& square) {
  std::vector<double> values;
  for (Index i = 0; i < square.rows(); ++i) {
    for (Index j = i; j < square.cols(); ++j) values.push_back(square(i, j));
  }
  return values;
}

// What was seen, as <u, M v> = value with M the sum of the clients' moments.
struct Form {
  const Observation* seen;
  VectorXd u, v;
  double value, size;  // the size of the message: its rounding is in proportion
};

VectorXd unit(Index width, Index j) { return VectorXd::Unit(width, j); }

// (x, last)
VectorXd extended(std::span<const double> x, double factor, double last) {
  VectorXd z(static_cast<Index>(x.size()) + 1);
  for (std::size_t j = 0; j < x.size(); ++j) z(static_cast<Index>(j)) = factor * x[j];
  z(z.size() - 1) = last;
  return z;
}

void add_forms(const Observation& seen, Index width, std::vector<Form>& forms) {
  const AlignedVector& values = seen.reply.values;
  const double size = std::sqrt(squared_norm(values));
  const bool at_x = static_cast<Index>(seen.x.size()) + 1 == width;
  if (at_x && seen.reply.squared_residual) {
    const VectorXd z = extended(seen.x, -1.0, 1.0);
    forms.push_back({&seen, z, z, *seen.reply.squared_residual, *seen.reply.squared_residual});
  }
  const bool gradient = std::holds_alternative<Gradient>(seen.work);
  if (at_x && (gradient || std::holds_alternative<NormalProduct>(seen.work))) {
    const VectorXd z = extended(seen.x, gradient ? -1.0 : 1.0, gradient ? 1.0 : 0.0);
    for (std::size_t j = 0; j < values.size(); ++j)
      forms.push_back({&seen, unit(width, static_cast<Index>(j)), z, values[j], size});
  }
  if (std::holds_alternative<ColumnNorms>(seen.work) && static_cast<Index>(values.size()) + 1 == width) {
    for (std::size_t j = 0; j < values.size(); ++j) {
      const VectorXd e = unit(width, static_cast<Index>(j));
      forms.push_back({&seen, e, e, values[j], values[j]});
    }
  }
  const std::size_t step = sends_pairs(seen.work) ? 2 : 1;
  if (!std::holds_alternative<CrossProducts>(seen.work) || values.size() != step * triangle(width)) return;
  std::size_t k = 0;
  for (Index i = 0; i < width; ++i) {
    for (Index j = i; j < width; ++j, k += step) {
      const double value = values[k] + (step == 2 ? values[k + 1] : 0.0);
      forms.push_back({&seen, unit(width, i), unit(width, j), value, std::abs(value)});
    }
  }
}

// x of a run lie close together and along few directions, in which squares of x tell little. With x = x0 - L w of mean
// 0 and covariance 1 the forms are <u', M' v'>, u' = S^-1 u, M' = S^T M S for z = S (w, 1), and well conditioned.
class Coordinates {
 public:
  Coordinates(const Transcript& transcript, Index width) : lower_(MatrixXd::Identity(width - 1, width - 1)) {
    constexpr double kLeast = 1e-14;  // of the covariance, where the x span less than the space
    std::vector<VectorXd> points;
    for (const Observation& seen : transcript) {
      if (static_cast<Index>(seen.x.size()) + 1 == width) points.push_back(extended(seen.x, 1.0, 0.0).head(width - 1));
    }
    centre_ = VectorXd::Zero(width - 1);
    if (points.empty()) return;
    for (const VectorXd& x : points) centre_ += x / static_cast<double>(points.size());
    MatrixXd covariance = MatrixXd::Zero(width - 1, width - 1);
    for (const VectorXd& x : points)
      covariance += (x - centre_) * (x - centre_).transpose() / static_cast<double>(points.size());
    VectorXd scale = covariance.diagonal().cwiseSqrt();
    for (double& entry : scale) entry = entry > 0.0 ? entry : 1.0;
    covariance = scale.asDiagonal().inverse() * covariance * scale.asDiagonal().inverse();
    covariance.diagonal().array() += kLeast;
    const Eigen::LLT<MatrixXd> factor(covariance);
    if (factor.info() == Eigen::Success) lower_ = scale.asDiagonal() * MatrixXd(factor.matrixL());
  }

  /// S^-1 u
  VectorXd inside(const VectorXd& u) const {
    const Index n = centre_.size();
    VectorXd w = u;
    w.head(n) = lower_.triangularView<Eigen::Lower>().solve(u.head(n) + u(n) * centre_);
    return w;
  }

  /// S^-T M' S^-1
  MatrixXd outside(const MatrixXd& inner) const {
    MatrixXd inverse(inner.rows(), inner.cols());
    for (Index j = 0; j < inner.cols(); ++j) inverse.col(j) = inside(unit(inner.rows(), j));
    return inverse.transpose() * inner * inverse;
  }

 private:
  VectorXd centre_;
  MatrixXd lower_;
};

std::vector<ClientId> clients_in(const Transcript& transcript) {
  std::vector<ClientId> clients;
  for (const Observation& seen : transcript) clients.insert(clients.end(), seen.clients.begin(), seen.clients.end());
  std::ranges::sort(clients);
  clients.erase(std::unique(clients.begin(), clients.end()), clients.end());
  return clients;
}

Index width_of(const Transcript& transcript) {
  std::size_t width = 0;
  for (const Observation& seen : transcript) {
    if (!seen.x.empty()) width = std::max(width, seen.x.size() + 1);
    if (!std::holds_alternative<CrossProducts>(seen.work)) continue;
    const std::size_t step = sends_pairs(seen.work) ? 2 : 1;
    width = std::max(width, static_cast<std::size_t>(width_of(seen.reply.values.size() / step)));
  }
  return static_cast<Index>(width);
}

// Equations in unknowns, by the solution of least norm.
struct LeastSquaresSolution {
  LeastSquaresSolution(const MatrixXd& equations, const MatrixXd& values) {
    constexpr double kRank = 1e-12, kFixed = 1e-6;
    Eigen::CompleteOrthogonalDecomposition<MatrixXd> decomposition;
    decomposition.setThreshold(kRank);
    decomposition.compute(equations);
    solution = decomposition.solve(values);
    // Unknown k is determined where the k-th unit vector is in the row space.
    const Index rank = decomposition.rank(), unknowns = equations.cols();
    determined.assign(static_cast<std::size_t>(unknowns), rank == unknowns);
    if (rank == unknowns) return;
    const MatrixXd z = decomposition.matrixZ();
    for (Index k = 0; k < unknowns; ++k) {
      const double outside = z.block(rank, k, unknowns - rank, 1).squaredNorm();
      determined[static_cast<std::size_t>(decomposition.colsPermutation().indices()(k))] = outside < kFixed;
    }
  }

  MatrixXd solution;
  std::vector<bool> determined;
};

}  // namespace

bool Moments::complete() const {
  return std::ranges::all_of(determined, [](bool one) { return one; });
}

std::vector<Moments> recover_moments(const Transcript& transcript, std::span<const Mark> marks) {
  const std::vector<ClientId> clients = clients_in(transcript);
  const Index width = width_of(transcript);
  std::vector<Form> forms;
  for (const Observation& seen : transcript) add_forms(seen, width, forms);
  if (forms.empty()) return {};
  // Marks are zeros in the data's own coordinates, so these are kept where there are any.
  const Coordinates coordinates(marks.empty() ? transcript : Transcript{}, width);
  const Index each = static_cast<Index>(triangle(width)), members = static_cast<Index>(clients.size());
  const auto count = static_cast<Index>(forms.size());
  MatrixXd equations = MatrixXd::Zero(count, each * members);
  VectorXd values(count);
  for (Index t = 0; t < count; ++t) {
    const Form& form = forms[static_cast<std::size_t>(t)];
    const VectorXd u = coordinates.inside(form.u), v = coordinates.inside(form.v);
    VectorXd row(each);
    for (Index i = 0; i < width; ++i) {
      for (Index j = i; j < width; ++j) row(place(width, i, j)) = i == j ? u(i) * v(i) : u(i) * v(j) + u(j) * v(i);
    }
    const double weight = form.size > 0.0 ? 1.0 / form.size : 1.0;
    for (const ClientId client : form.seen->clients) {
      const auto k = std::ranges::lower_bound(clients, client) - clients.begin();
      equations.row(t).segment(k * each, each) = weight * row.transpose();
    }
    values(t) = weight * form.value;
  }
  // What is zero by a mark is no unknown: its column is left without weight, and the solution of least norm has a 0.
  for (const Mark& mark : marks) {
    for (Index k = 0; k < members; ++k) {
      if (clients[static_cast<std::size_t>(k)] == mark.client) continue;
      const auto column = static_cast<Index>(mark.column);
      for (Index j = 0; j < width; ++j)
        equations.col(k * each + place(width, std::min(j, column), std::max(j, column))).setZero();
    }
  }
  VectorXd scale = equations.colwise().norm();
  for (double& entry : scale) entry = entry > 0.0 ? entry : 1.0;
  equations.array().rowwise() /= scale.transpose().array();
  const LeastSquaresSolution least(equations, values);

  std::vector<Moments> found;
  for (Index k = 0; k < members; ++k) {
    const VectorXd part = least.solution.col(0).segment(k * each, each).cwiseQuotient(scale.segment(k * each, each));
    const MatrixXd square = coordinates.outside(square_of(std::span(part.data(), triangle(width))));
    Moments moments{{clients[static_cast<std::size_t>(k)]}, triangle_of(square), {}};
    const auto first = least.determined.begin() + k * each;
    moments.determined.assign(first, first + each);
    // In other coordinates an entry is made of all: only the whole is known, or nothing is said.
    if (marks.empty() && !moments.complete()) moments.determined.assign(static_cast<std::size_t>(each), false);
    found.push_back(std::move(moments));
  }
  return found;
}

std::vector<Moments> recover_moments_by_sets(const Transcript& transcript) {
  std::map<std::vector<ClientId>, Transcript> by_clients;
  for (const Observation& seen : transcript) {
    by_clients[seen.clients].push_back(seen);
    by_clients[seen.clients].back().clients = {ClientId{0}};  // as if the set were one client
  }
  std::vector<Moments> sets;
  for (const auto& [clients, part] : by_clients) {
    std::vector<Moments> one = recover_moments(part);
    if (one.size() != 1 || !one.front().complete()) continue;
    sets.push_back({clients, std::move(one.front().values), {}});
  }
  if (sets.empty()) return {};
  const std::vector<ClientId> clients = clients_in(transcript);
  const std::size_t each = sets.front().values.size();
  MatrixXd equations = MatrixXd::Zero(static_cast<Index>(sets.size()), static_cast<Index>(clients.size()));
  MatrixXd values(equations.rows(), static_cast<Index>(each));
  for (std::size_t s = 0; s < sets.size(); ++s) {
    for (const ClientId client : sets[s].clients)
      equations(static_cast<Index>(s), std::ranges::lower_bound(clients, client) - clients.begin()) = 1.0;
    for (std::size_t k = 0; k < each; ++k) values(static_cast<Index>(s), static_cast<Index>(k)) = sets[s].values[k];
  }
  const LeastSquaresSolution least(equations, values);
  std::vector<Moments> found;
  for (std::size_t i = 0; i < clients.size(); ++i) {
    const VectorXd own = least.solution.row(static_cast<Index>(i));
    found.push_back({{clients[i]}, {own.begin(), own.end()}, std::vector<bool>(each, least.determined[i])});
  }
  return found;
}

// ---- Records of small clients.

namespace {

// An orthogonal matrix that turns `from` to (1, ..., 1), a vector of the same length: a reflection.
MatrixXd turn_to_ones(const VectorXd& from) {
  const Index m = from.size();
  const VectorXd way = from - VectorXd::Ones(m) * (from.norm() / std::sqrt(static_cast<double>(m)));
  if (way.norm() <= 1e-12 * from.norm()) return MatrixXd::Identity(m, m);
  return MatrixXd::Identity(m, m) - 2.0 / way.squaredNorm() * way * way.transpose();
}

// About (1, 1, 1).
MatrixXd turn_about_ones(double angle) {
  const VectorXd axis = VectorXd::Ones(3) / std::sqrt(3.0);
  MatrixXd cross(3, 3);
  cross << 0.0, -axis(2), axis(1), axis(2), 0.0, -axis(0), -axis(1), axis(0), 0.0;
  return MatrixXd::Identity(3, 3) + std::sin(angle) * cross + (1.0 - std::cos(angle)) * cross * cross;
}

double angle_about_ones(const VectorXd& g) {  // of the part across (1, 1, 1)
  return std::atan2((g(1) - g(2)) / std::numbers::sqrt2, (2.0 * g(0) - g(1) - g(2)) / std::sqrt(6.0));
}

double farthest_from_whole(const MatrixXd& z, std::span<const std::size_t> columns) {
  double worst = 0.0;
  for (const std::size_t column : columns) {
    const VectorXd entries = z.row(static_cast<Index>(column)).transpose();
    worst = std::max(worst, (entries - entries.array().round().matrix()).cwiseAbs().maxCoeff());
  }
  return worst;
}

// The angles at which the three entries of a column may be whole: their sum and their squares are known, so the triples
// are few. A triple and its mirror image are two, all other orders of a triple are the same rows in another order.
std::vector<double> angles_for(const VectorXd& g) {
  constexpr double kWhole = 1e-3;
  const double sum = std::round(g.sum()), squares = g.squaredNorm(), mean = sum / 3.0;
  const double reach = std::sqrt(std::max(0.0, squares - sum * mean)) + 1.0;
  std::vector<double> angles;
  for (double a = std::ceil(mean - reach); a <= mean + reach; ++a) {
    for (double b = a; b <= mean + reach; ++b) {
      const double c = sum - a - b;
      if (c < b || std::abs(a * a + b * b + c * c - squares) > kWhole * std::max(1.0, std::sqrt(squares))) continue;
      VectorXd triple(3);
      for (const auto& [one, other] : {std::pair{b, c}, std::pair{c, b}}) {
        triple << a, one, other;
        angles.push_back(angle_about_ones(triple) - angle_about_ones(g));
        if (b == c || a == b) break;
      }
    }
  }
  return angles;
}

// Whether two tables have the same rows, in whatever order.
bool same_rows(const MatrixXd& one, const MatrixXd& other) {
  for (Index i = 0; i < one.cols(); ++i) {
    const auto apart = (other.colwise() - one.col(i)).colwise().norm();
    if (apart.minCoeff() > 1e-3 * one.col(i).norm()) return false;
  }
  return true;
}

// Z^T of three rows, at the angle that makes all the columns whole; nothing where another one does nearly as well.
std::optional<MatrixXd> turn_to_whole(const MatrixXd& z, std::span<const std::size_t> columns) {
  constexpr double kWhole = 1e-3, kClearly = 30.0;
  Index widest = -1;
  double most = 0.5;  // a column that is the same in all rows tells no angle
  for (const std::size_t column : columns) {
    const VectorXd g = z.row(static_cast<Index>(column)).transpose();
    const double across = (g.array() - g.mean()).matrix().norm();
    if (across > most) {
      most = across;
      widest = static_cast<Index>(column);
    }
  }
  if (widest < 0) return std::nullopt;
  std::optional<MatrixXd> found;
  double best = kWhole, second = kWhole;  // how far from whole
  for (const double angle : angles_for(z.row(widest).transpose())) {
    const MatrixXd turned = z * turn_about_ones(angle).transpose();
    const double off = farthest_from_whole(turned, columns);
    if (off < best) {
      if (!found || !same_rows(*found, turned)) second = best;
      best = off;
      found = turned;
    } else if (off < second && !same_rows(*found, turned)) {
      second = off;
    }
  }
  return best * kClearly < second ? found : std::nullopt;
}

}  // namespace

std::vector<RecoveredRecord> records_from(const Moments& moments, const SmallSiteOptions& options) {
  constexpr double kMaxRows = 3.0;
  const MatrixXd square = square_of(moments.values);
  const auto ones = static_cast<Index>(options.ones);
  const double rows = std::round(square(ones, ones));
  if (!moments.complete() || !(rows >= 1.0 && rows <= kMaxRows) || std::abs(rows - square(ones, ones)) > 1e-3)
    return {};
  // M = F F^T on columns of one length, F of as many columns as there are rows.
  constexpr double kZero = 1e-9;  // squares of a column of zeros, which a difference of sums leaves as rounding
  const VectorXd scale = square.diagonal().cwiseMax(kZero).cwiseSqrt();
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(scale.asDiagonal().inverse() * square *
                                                       scale.asDiagonal().inverse());
  const auto m = static_cast<Index>(rows);
  if (m > square.rows()) return {};
  const MatrixXd f = scale.asDiagonal() * (solver.eigenvectors().rightCols(m) *
                                           solver.eigenvalues().tail(m).cwiseMax(0.0).cwiseSqrt().asDiagonal());
  std::optional<MatrixXd> z = f * turn_to_ones(f.row(ones).transpose());
  if (m == 3) z = turn_to_whole(*z, options.integers);
  std::vector<RecoveredRecord> found;
  if (!z) return found;
  for (Index i = 0; i < m; ++i) {
    const VectorXd record = z->col(i);
    found.push_back({{record.begin(), record.end() - 1}, record(record.size() - 1), 1});
  }
  return found;
}

}  // namespace fedrk
