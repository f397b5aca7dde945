// SPDX-License-Identifier: Apache-2.0
#pragma once

// The points x + Delta of a client, made ready for fitting hyperplanes through them.
//
// A point p becomes the row (p - c, 1), on which a hyperplane is one linear condition. The rows are cut to their rank,
// as a condition that holds for all points says nothing of a single record, and then brought to a form in which no
// direction is favoured (Tyler 1987): rows w_k of unit length with
//
//     sum_k w_k w_k^T = (N / rank) I.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "analysis/record_attack.hpp"

namespace fedrk::detail {

/// How near a point must be to count as on a hyperplane, in proportion to Delta: on a consistent system the points run
/// together, and all hyperplanes with them.
inline constexpr double kOnPlane = 1e-9;

/// Whether x moved by more than rounding leaves uncertain: with less, no point can be told to be on a hyperplane.
bool is_readable(const SeenUpdate& update);

class PointCloud {
 public:
  /// REQUIRES: the updates are readable, all of one length, and outlive this.
  explicit PointCloud(std::vector<const SeenUpdate*> updates);
  /// Of those that are.
  static PointCloud readable(std::span<const SeenUpdate> updates);

  std::size_t size() const { return updates_.size(); }
  Eigen::Index rank() const { return rows_.cols(); }
  const Eigen::MatrixXd& rows() const { return rows_; }
  const SeenUpdate& update(Eigen::Index k) const { return *updates_[static_cast<std::size_t>(k)]; }

  /// The hyperplane nearest to these points, as a condition <h, w> = 0 with h of unit length. Nothing where there are
  /// several.
  std::optional<Eigen::VectorXd> plane_near(std::span<const Eigen::Index> members) const;

  /// The hyperplane that holds all of them.
  std::optional<Eigen::VectorXd> plane_through(std::span<const Eigen::Index> members) const;

  /// The points that it holds, ascending.
  std::vector<Eigen::Index> on_plane(const Eigen::VectorXd& condition) const;

  /// It as a record, where it can be one.
  std::optional<RecoveredRecord> record(const Eigen::VectorXd& condition, std::size_t support,
                                        const AttackOptions& options) const;

 private:
  Eigen::VectorXd distances(const Eigen::VectorXd& condition) const;
  void whiten(Eigen::MatrixXd rows);

  std::vector<const SeenUpdate*> updates_;
  Eigen::VectorXd centre_, scales_;  // of the points
  Eigen::MatrixXd rows_;             // w_k
  Eigen::MatrixXd to_original_;      // <h, w_k> is <to_original_ h, ((p_k - c)/scales, 1)> over lengths_(k)
  Eigen::VectorXd lengths_, moved_;  // moved_(k) = ||Delta_k / scales||
};

}  // namespace fedrk::detail
