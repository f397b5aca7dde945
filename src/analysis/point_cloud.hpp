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
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "analysis/record_attack.hpp"
#include "linalg/random/rng_stream.hpp"

namespace fedrk::detail {

/// The equation <a, x> = b scaled as RecoveredRecord says. Nothing where a is zero, or zero in the column that is known
/// to be one.
std::optional<RecoveredRecord> scaled_record(std::vector<double> a, double b, const AttackOptions& options);

/// Whether two scaled records are the same, to `tolerance` of their size.
bool same_record(const RecoveredRecord& one, const RecoveredRecord& other, double tolerance);

/// Adds a record that is not there yet; one that is gains the support.
void add_record(std::optional<RecoveredRecord> record, std::vector<RecoveredRecord>& found);

/// How near a point must be to count as on a hyperplane, in proportion to Delta: on a consistent system the points run
/// together, and all hyperplanes with them.
inline constexpr double kOnPlane = 1e-9;

/// Whether x moved by more than rounding leaves uncertain: with less, no point can be told to be on a hyperplane.
bool is_readable(const SeenUpdate& update);

class PointCloud {
 public:
  /// h of a hyperplane <h, w> = 0, of unit length.
  using Condition = std::vector<double>;

  /// REQUIRES: the updates are readable, all of one length, and outlive this.
  explicit PointCloud(std::vector<const SeenUpdate*> updates);
  /// Of those that are.
  static PointCloud readable(std::span<const SeenUpdate> updates);

  std::size_t size() const { return updates_.size(); }
  std::size_t rank() const;
  const SeenUpdate& update(std::size_t k) const { return *updates_[k]; }

  /// The hyperplane nearest to these points. Nothing where there are several.
  std::optional<Condition> plane_near(std::span<const std::size_t> members) const;

  /// The hyperplane that holds all of them.
  std::optional<Condition> plane_through(std::span<const std::size_t> members) const;

  /// One through points drawn at random, as many as determine it.
  Condition random_plane(RngStream& stream) const;

  /// Reweighted least squares, for the smallest eigenvector of sum_k w_k w_k^T / (r_k^2 + eps^2) with falling eps: ends
  /// near a hyperplane that many points are on, if any.
  void reweight(Condition& condition) const;

  /// The points that it holds, ascending.
  std::vector<std::size_t> on_plane(const Condition& condition) const;

  /// Those with |<h, w_k>| up to `distance`, ascending.
  std::vector<std::size_t> near_plane(const Condition& condition, double distance) const;

  /// It as a record, where it can be one.
  std::optional<RecoveredRecord> record(const Condition& condition, std::size_t support,
                                        const AttackOptions& options) const;

 private:
  struct Rows;
  std::vector<const SeenUpdate*> updates_;
  std::shared_ptr<const Rows> rows_;  // never changed once made
};

}  // namespace fedrk::detail
