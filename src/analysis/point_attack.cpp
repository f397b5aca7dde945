// SPDX-License-Identifier: Apache-2.0

// Hyperplanes through points of which nobody says which belong together: recover_from_points.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <Eigen/Cholesky>

#include "analysis/found_records.hpp"
#include "analysis/point_cloud.hpp"
#include "linalg/kernels.hpp"

namespace fedrk {
namespace {

using detail::PointCloud;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr auto kStarts = static_cast<Purpose>(0xA77AC4);  // apart from every Purpose of a run
constexpr Index kMoreThanNeeded = 3;  // points on a hyperplane beyond those that determine it: no chance then

std::span<const double> column(const MatrixXd& matrix, Index j) {
  return {matrix.col(j).data(), static_cast<std::size_t>(matrix.rows())};
}

// Two steps of inverse iteration towards the eigenvector of the smallest eigenvalue.
void iterate(const MatrixXd& gram, VectorXd& condition) {
  const Eigen::LDLT<MatrixXd, Eigen::Lower> factor(gram);
  for (int k = 0; k < 2; ++k) condition = factor.solve(condition).normalized();
}

// A hyperplane through points drawn at random, as many as determine one.
VectorXd random_condition(const PointCloud& cloud, RngStream& stream) {
  const MatrixXd& rows = cloud.rows();
  MatrixXd gram = 1e-9 * MatrixXd::Identity(rows.cols(), rows.cols());
  for (Index k = 1; k < rows.cols(); ++k) {
    const auto pick = static_cast<Index>(stream.below(static_cast<std::uint64_t>(rows.rows())));
    gram += rows.row(pick).transpose() * rows.row(pick);
  }
  VectorXd condition(rows.cols());
  for (double& entry : condition) entry = stream.gaussian();
  iterate(gram, condition);
  return condition;
}

double median(VectorXd values) {
  const auto middle = values.data() + values.size() / 2;
  std::nth_element(values.data(), middle, values.data() + values.size());
  return *middle;
}

// Reweighted least squares, for the smallest eigenvector of sum_k w_k w_k^T / (r_k^2 + eps^2) with falling eps.
// `condition` ends near a hyperplane that many points are on, if any.
void reweight(const MatrixXd& rows, VectorXd& condition) {
  constexpr double kUndecided = 3e-3, kSlowly = 0.95;  // while hyperplanes still compete
  constexpr double kQuickly = 0.4, kEnd = 1e-6;        // below, rounding takes over: weights are as the squares of that
  VectorXd off = (rows * condition).cwiseAbs();
  MatrixXd gram(rows.cols(), rows.cols()), weighted(rows.rows(), rows.cols());
  for (double eps = median(off); eps > kEnd; eps *= eps > kUndecided ? kSlowly : kQuickly) {
    const VectorXd weights = (off.array().square() + eps * eps).inverse();
    weighted = rows.array().colwise() * weights.array();
    for (Index i = 0; i < rows.cols(); ++i) {
      for (Index j = 0; j <= i; ++j) gram(i, j) = dot(column(weighted, i), column(rows, j));
    }
    iterate(gram, condition);
    off = (rows * condition).cwiseAbs();
  }
}

// The points on a hyperplane near `condition`, which becomes that hyperplane. None where they are too few.
std::vector<Index> refine(const PointCloud& cloud, VectorXd& condition) {
  constexpr double kNear = 1e-5;
  const auto min_points = static_cast<std::size_t>(cloud.rank() - 1 + kMoreThanNeeded);
  const VectorXd off = (cloud.rows() * condition).cwiseAbs();
  std::vector<Index> members;
  for (Index k = 0; k < off.size(); ++k) {
    if (off(k) <= kNear) members.push_back(k);
  }
  for (int pass = 0; pass < 2; ++pass) {
    if (members.size() < min_points) return {};
    const auto better = cloud.plane_near(members);
    if (!better) return {};
    condition = *better;
    members = cloud.on_plane(condition);
  }
  return members.size() < min_points ? std::vector<Index>{} : members;
}

// Takes the members of a cloud, by their numbers there, out of a list that has one entry for each.
void take_out(const std::vector<Index>& members, std::vector<Index>& left) {
  std::size_t kept = 0;
  for (std::size_t k = 0; k < left.size(); ++k) {
    if (!std::ranges::binary_search(members, static_cast<Index>(k))) left[kept++] = left[k];
  }
  left.resize(kept);
}

PointCloud part_of(const PointCloud& cloud, const std::vector<Index>& members) {
  std::vector<const SeenUpdate*> updates;
  for (const Index k : members) updates.push_back(&cloud.update(k));
  return PointCloud(std::move(updates));
}

}  // namespace

double search_cost(std::size_t points, std::size_t unknowns, const AttackOptions& options) {
  constexpr double kReweightings = 130.0;  // of `reweight`
  const auto n = static_cast<double>(unknowns);
  const double each = static_cast<double>(points) * n * n + n * n * n / 3.0;
  return static_cast<double>(options.patience) * kReweightings * each;
}

std::vector<RecoveredRecord> recover_from_points(std::span<const SeenUpdate> updates, const AttackOptions& options) {
  const PointCloud all = PointCloud::readable(updates);
  if (all.rank() < 2) return {};
  const auto min_points = static_cast<std::size_t>(all.rank() - 1 + kMoreThanNeeded);
  std::vector<Index> left(all.size());
  std::iota(left.begin(), left.end(), Index{0});
  std::vector<RecoveredRecord> found;
  RngStream stream = stream_for(options.seed, kStarts);
  PointCloud cloud = all;
  for (std::size_t failed = 0; failed < options.patience && left.size() >= min_points; ++failed) {
    if (cloud.rank() < all.rank()) {  // what is left shares a condition: the last record, if it is but one
      const auto last = all.plane_through(left);
      if (last) detail::add_record(all.record(*last, left.size(), options), found);
      break;
    }
    VectorXd condition = random_condition(cloud, stream);
    reweight(cloud.rows(), condition);
    const std::vector<Index> members = refine(cloud, condition);
    if (members.empty()) continue;
    detail::add_record(cloud.record(condition, members.size(), options), found);
    take_out(members, left);
    cloud = part_of(all, left);
    failed = 0;
  }
  return found;
}

}  // namespace fedrk
