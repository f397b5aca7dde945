// SPDX-License-Identifier: Apache-2.0
#include "analysis/point_cloud.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <Eigen/Cholesky>
#include <Eigen/QR>

#include "linalg/kernels.hpp"

namespace fedrk::detail {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

Eigen::Map<const VectorXd> view(const std::vector<double>& values) {
  return {values.data(), static_cast<Index>(values.size())};
}

std::vector<double> list_of(const VectorXd& values) { return {values.begin(), values.end()}; }

std::vector<std::size_t> up_to(double most, const VectorXd& values) {
  std::vector<std::size_t> places;
  for (Index k = 0; k < values.size(); ++k) {
    if (values(k) <= most) places.push_back(static_cast<std::size_t>(k));
  }
  return places;
}

std::span<const double> column(const MatrixXd& matrix, Index j) {
  return {matrix.col(j).data(), static_cast<std::size_t>(matrix.rows())};
}

// Two steps of inverse iteration towards the eigenvector of the smallest eigenvalue.
void iterate(const MatrixXd& gram, VectorXd& condition) {
  const Eigen::LDLT<MatrixXd, Eigen::Lower> factor(gram);
  for (int k = 0; k < 2; ++k) condition = factor.solve(condition).normalized();
}

double median(VectorXd values) {
  const auto middle = values.data() + values.size() / 2;
  std::nth_element(values.data(), middle, values.data() + values.size());
  return *middle;
}

}  // namespace

struct PointCloud::Rows {
  explicit Rows(const std::vector<const SeenUpdate*>& updates) {
    if (updates.empty()) return;
    const auto count = static_cast<Index>(updates.size()), n = static_cast<Index>(updates.front()->x.size());
    MatrixXd points(count, n);
    for (Index k = 0; k < count; ++k)
      points.row(k) = view(updates[static_cast<std::size_t>(k)]->x) + view(updates[static_cast<std::size_t>(k)]->delta);
    centre_ = points.colwise().mean().transpose();
    points.rowwise() -= centre_.transpose();
    scales_ = points.colwise().norm().transpose() / std::sqrt(static_cast<double>(count));
    for (double& scale : scales_) scale = scale > 0.0 ? scale : 1.0;
    points.array().rowwise() /= scales_.transpose().array();
    moved_.resize(count);
    for (Index k = 0; k < count; ++k)
      moved_(k) = view(updates[static_cast<std::size_t>(k)]->delta).cwiseQuotient(scales_).norm();

    points.conservativeResize(Eigen::NoChange, n + 1);
    points.col(n).setOnes();
    whiten(std::move(points));
  }

  // Of the points from the hyperplane, in proportion to Delta.
  VectorXd distances(const VectorXd& condition) const {
    const VectorXd g = to_original_ * condition;
    const double length = g.head(g.size() - 1).norm();
    return (rows_ * condition).cwiseAbs().cwiseProduct(lengths_).cwiseQuotient(moved_) / length;
  }

  void whiten(MatrixXd rows) {
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

  VectorXd centre_, scales_;  // of the points
  MatrixXd rows_;             // w_k
  MatrixXd to_original_;      // <h, w_k> is <to_original_ h, ((p_k - c)/scales, 1)> over lengths_(k)
  VectorXd lengths_, moved_;  // moved_(k) = ||Delta_k / scales||
};

bool is_readable(const SeenUpdate& update) {
  constexpr double kRounding = 1e-6;  // 1e-16 of x then is 1e-10 of Delta, a tenth of kOnPlane
  const double moved = std::sqrt(squared_norm(update.delta));
  return moved > 0.0 && moved > kRounding * std::sqrt(squared_norm(update.x));
}

PointCloud::PointCloud(std::vector<const SeenUpdate*> updates)
    : updates_(std::move(updates)), rows_(std::make_shared<const Rows>(updates_)) {}

PointCloud PointCloud::readable(std::span<const SeenUpdate> updates) {
  std::vector<const SeenUpdate*> some;
  for (const SeenUpdate& update : updates) {
    if (is_readable(update)) some.push_back(&update);
  }
  return PointCloud(std::move(some));
}

std::size_t PointCloud::rank() const { return static_cast<std::size_t>(rows_->rows_.cols()); }

std::optional<PointCloud::Condition> PointCloud::plane_near(std::span<const std::size_t> members) const {
  constexpr double kSeveral = 1e-7;  // a second direction in which they do not extend
  const auto count = static_cast<Index>(members.size());
  const Index rank = rows_->rows_.cols();
  if (rank < 2 || count < rank - 1) return std::nullopt;
  MatrixXd rows = MatrixXd::Zero(std::max(count, rank), rank);
  for (Index k = 0; k < count; ++k)
    rows.row(k) = rows_->rows_.row(static_cast<Index>(members[static_cast<std::size_t>(k)]));
  const Eigen::ColPivHouseholderQR<MatrixXd> qr(rows);
  const auto& r = qr.matrixQR();
  // R = [R11 r12; 0 ~0]: the null vector is (-R11^-1 r12, 1), unless R11 has one too.
  const Index last = rank - 1;
  if (std::abs(r(last - 1, last - 1)) < kSeveral * std::abs(r(0, 0))) return std::nullopt;
  VectorXd null(rank);
  null(last) = 1.0;
  null.head(last) = -r.topLeftCorner(last, last).triangularView<Eigen::Upper>().solve(r.col(last).head(last));
  return list_of((qr.colsPermutation() * null).normalized());
}

std::optional<PointCloud::Condition> PointCloud::plane_through(std::span<const std::size_t> members) const {
  auto condition = plane_near(members);
  if (!condition) return std::nullopt;
  const VectorXd off = rows_->distances(view(*condition));
  for (const std::size_t k : members) {
    if (off(static_cast<Index>(k)) > kOnPlane) return std::nullopt;
  }
  return condition;
}

PointCloud::Condition PointCloud::random_plane(RngStream& stream) const {
  const MatrixXd& rows = rows_->rows_;
  MatrixXd gram = 1e-9 * MatrixXd::Identity(rows.cols(), rows.cols());
  for (Index k = 1; k < rows.cols(); ++k) {
    const auto pick = static_cast<Index>(stream.below(static_cast<std::uint64_t>(rows.rows())));
    gram += rows.row(pick).transpose() * rows.row(pick);
  }
  VectorXd condition(rows.cols());
  for (double& entry : condition) entry = stream.gaussian();
  iterate(gram, condition);
  return list_of(condition);
}

void PointCloud::reweight(Condition& found) const {
  constexpr double kUndecided = 3e-3, kSlowly = 0.95;  // while hyperplanes still compete
  constexpr double kQuickly = 0.4, kEnd = 1e-6;        // below, rounding takes over: weights are as the squares of that
  const MatrixXd& rows = rows_->rows_;
  VectorXd condition = view(found);
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
  found = list_of(condition);
}

std::vector<std::size_t> PointCloud::on_plane(const Condition& condition) const {
  return up_to(kOnPlane, rows_->distances(view(condition)));
}

std::vector<std::size_t> PointCloud::near_plane(const Condition& condition, double distance) const {
  const VectorXd h = view(condition);
  return up_to(distance, (rows_->rows_ * h).cwiseAbs());
}

std::optional<RecoveredRecord> PointCloud::record(const Condition& condition, std::size_t support,
                                                  const AttackOptions& options) const {
  // <g, ((p - c)/scales, 1)> = 0
  const VectorXd h = view(condition), g = rows_->to_original_ * h, &scales = rows_->scales_;
  const VectorXd normal = g.head(scales.size()).cwiseQuotient(scales);
  auto result = scaled_record(list_of(normal), normal.dot(rows_->centre_) - g(scales.size()), options);
  if (result) result->support = support;
  return result;
}

}  // namespace fedrk::detail
