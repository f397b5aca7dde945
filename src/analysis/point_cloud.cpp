// SPDX-License-Identifier: Apache-2.0
#include "analysis/point_cloud.hpp"

#include <cmath>
#include <utility>

#include <Eigen/QR>

#include "analysis/found_records.hpp"
#include "linalg/kernels.hpp"

namespace fedrk::detail {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

Eigen::Map<const VectorXd> view(const std::vector<double>& values) {
  return {values.data(), static_cast<Index>(values.size())};
}

}  // namespace

bool is_readable(const SeenUpdate& update) {
  constexpr double kRounding = 1e-6;  // 1e-16 of x then is 1e-10 of Delta, a tenth of kOnPlane
  const double moved = std::sqrt(squared_norm(update.delta));
  return moved > 0.0 && moved > kRounding * std::sqrt(squared_norm(update.x));
}

PointCloud::PointCloud(std::vector<const SeenUpdate*> updates) : updates_(std::move(updates)) {
  if (updates_.empty()) return;
  const auto count = static_cast<Index>(updates_.size()), n = static_cast<Index>(updates_.front()->x.size());
  MatrixXd points(count, n);
  for (Index k = 0; k < count; ++k) points.row(k) = view(update(k).x) + view(update(k).delta);
  centre_ = points.colwise().mean().transpose();
  points.rowwise() -= centre_.transpose();
  scales_ = points.colwise().norm().transpose() / std::sqrt(static_cast<double>(count));
  for (double& scale : scales_) scale = scale > 0.0 ? scale : 1.0;
  points.array().rowwise() /= scales_.transpose().array();
  moved_.resize(count);
  for (Index k = 0; k < count; ++k) moved_(k) = view(update(k).delta).cwiseQuotient(scales_).norm();

  points.conservativeResize(Eigen::NoChange, n + 1);
  points.col(n).setOnes();
  whiten(std::move(points));
}

PointCloud PointCloud::readable(std::span<const SeenUpdate> updates) {
  std::vector<const SeenUpdate*> some;
  for (const SeenUpdate& update : updates) {
    if (is_readable(update)) some.push_back(&update);
  }
  return PointCloud(std::move(some));
}

void PointCloud::whiten(MatrixXd rows) {
  constexpr double kRank = 1e-9;   // a pivot below this share of the first is rounding
  constexpr int kTylerSteps = 10;  // each brings the rows nearer to the form; an approximation does
  const Index count = rows.rows();
  Eigen::ColPivHouseholderQR<MatrixXd> pivoted(rows);
  pivoted.setThreshold(kRank);
  const Index rank = pivoted.rank();
  const auto triangle = pivoted.matrixQR().topLeftCorner(rank, rank).triangularView<Eigen::Upper>();
  to_original_ = MatrixXd::Zero(rows.cols(), rank);  // P R^-1
  const MatrixXd inverse = triangle.solve(MatrixXd::Identity(rank, rank));
  for (Index k = 0; k < rank; ++k) to_original_.row(pivoted.colsPermutation().indices()(k)) = inverse.row(k);
  rows_ = pivoted.householderQ() * MatrixXd::Identity(count, rank);
  lengths_ = VectorXd::Ones(count);
  for (int step = 0;; ++step) {
    const VectorXd lengths = rows_.rowwise().norm();
    lengths_.array() *= lengths.array();
    rows_.array().colwise() /= lengths.array();
    if (step == kTylerSteps) return;
    const Eigen::HouseholderQR<MatrixXd> qr(rows_);
    const MatrixXd r = qr.matrixQR().topRows(rank).triangularView<Eigen::Upper>();
    const MatrixXd undo = r.triangularView<Eigen::Upper>().solve(MatrixXd::Identity(rank, rank));
    rows_ *= undo;
    to_original_ *= undo;
  }
}

std::optional<VectorXd> PointCloud::plane_near(std::span<const Index> members) const {
  constexpr double kSeveral = 1e-7;  // a second direction in which they do not extend
  const auto count = static_cast<Index>(members.size());
  if (rank() < 2 || count < rank() - 1) return std::nullopt;
  MatrixXd rows = MatrixXd::Zero(std::max(count, rank()), rank());
  for (Index k = 0; k < count; ++k) rows.row(k) = rows_.row(members[static_cast<std::size_t>(k)]);
  const Eigen::ColPivHouseholderQR<MatrixXd> qr(rows);
  const auto& r = qr.matrixQR();
  // R = [R11 r12; 0 ~0]: the null vector is (-R11^-1 r12, 1), unless R11 has one too.
  const Index last = rank() - 1;
  if (std::abs(r(last - 1, last - 1)) < kSeveral * std::abs(r(0, 0))) return std::nullopt;
  VectorXd null(rank());
  null(last) = 1.0;
  null.head(last) = -r.topLeftCorner(last, last).triangularView<Eigen::Upper>().solve(r.col(last).head(last));
  return VectorXd((qr.colsPermutation() * null).normalized());
}

std::optional<VectorXd> PointCloud::plane_through(std::span<const Index> members) const {
  auto condition = plane_near(members);
  if (!condition) return std::nullopt;
  const VectorXd off = distances(*condition);
  for (const Index k : members) {
    if (off(k) > kOnPlane) return std::nullopt;
  }
  return condition;
}

std::vector<Index> PointCloud::on_plane(const VectorXd& condition) const {
  const VectorXd off = distances(condition);
  std::vector<Index> members;
  for (Index k = 0; k < off.size(); ++k) {
    if (off(k) <= kOnPlane) members.push_back(k);
  }
  return members;
}

// Of the points from the hyperplane, in proportion to Delta.
VectorXd PointCloud::distances(const VectorXd& condition) const {
  const VectorXd g = to_original_ * condition;
  const double length = g.head(g.size() - 1).norm();
  return (rows_ * condition).cwiseAbs().cwiseProduct(lengths_).cwiseQuotient(moved_) / length;
}

std::optional<RecoveredRecord> PointCloud::record(const VectorXd& condition, std::size_t support,
                                                  const AttackOptions& options) const {
  // <g, ((p - c)/scales, 1)> = 0
  const VectorXd g = to_original_ * condition;
  const VectorXd normal = g.head(scales_.size()).cwiseQuotient(scales_);
  auto result = scaled_record({normal.begin(), normal.end()}, normal.dot(centre_) - g(scales_.size()), options);
  if (result) result->support = support;
  return result;
}

}  // namespace fedrk::detail
