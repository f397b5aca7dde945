// SPDX-License-Identifier: Apache-2.0

// Hyperplanes through points of which nobody says which belong together: recover_from_points.

#include <algorithm>
#include <numeric>
#include <utility>

#include "analysis/point_cloud.hpp"

namespace fedrk {
namespace {

using detail::PointCloud;

constexpr auto kStarts = static_cast<Purpose>(0xA77AC4);  // apart from every Purpose of a run
constexpr std::size_t kMoreThanNeeded = 3;  // points on a hyperplane beyond those that determine it: no chance then

// The points on a hyperplane near `condition`, which becomes that hyperplane. None where they are too few.
std::vector<std::size_t> refine(const PointCloud& cloud, PointCloud::Condition& condition) {
  constexpr double kNear = 1e-5;
  const std::size_t min_points = cloud.rank() - 1 + kMoreThanNeeded;
  std::vector<std::size_t> members = cloud.near_plane(condition, kNear);
  for (int pass = 0; pass < 2; ++pass) {
    if (members.size() < min_points) return {};
    const auto better = cloud.plane_near(members);
    if (!better) return {};
    condition = *better;
    members = cloud.on_plane(condition);
  }
  return members.size() < min_points ? std::vector<std::size_t>{} : members;
}

// Takes the members of a cloud, by their numbers there, out of a list that has one entry for each.
void take_out(const std::vector<std::size_t>& members, std::vector<std::size_t>& left) {
  std::size_t kept = 0;
  for (std::size_t k = 0; k < left.size(); ++k) {
    if (!std::ranges::binary_search(members, k)) left[kept++] = left[k];
  }
  left.resize(kept);
}

PointCloud part_of(const PointCloud& cloud, const std::vector<std::size_t>& members) {
  std::vector<const SeenUpdate*> updates;
  for (const std::size_t k : members) updates.push_back(&cloud.update(k));
  return PointCloud(std::move(updates));
}

}  // namespace

double search_cost(std::size_t points, std::size_t unknowns, const AttackOptions& options) {
  constexpr double kReweightings = 130.0;  // of PointCloud::reweight
  const auto n = static_cast<double>(unknowns);
  const double each = static_cast<double>(points) * n * n + n * n * n / 3.0;
  return static_cast<double>(options.patience) * kReweightings * each;
}

std::vector<RecoveredRecord> recover_from_points(std::span<const SeenUpdate> updates, const AttackOptions& options) {
  const PointCloud all = PointCloud::readable(updates);
  if (all.rank() < 2) return {};
  const std::size_t min_points = all.rank() - 1 + kMoreThanNeeded;
  std::vector<std::size_t> left(all.size());
  std::iota(left.begin(), left.end(), std::size_t{0});
  std::vector<RecoveredRecord> found;
  RngStream stream = stream_for(options.seed, kStarts);
  PointCloud cloud = all;
  for (std::size_t failed = 0; failed < options.patience && left.size() >= min_points; ++failed) {
    if (cloud.rank() < all.rank()) {  // what is left shares a condition: the last record, if it is but one
      const auto last = all.plane_through(left);
      if (last) detail::add_record(all.record(*last, left.size(), options), found);
      break;
    }
    PointCloud::Condition condition = cloud.random_plane(stream);
    cloud.reweight(condition);
    const std::vector<std::size_t> members = refine(cloud, condition);
    if (members.empty()) continue;
    detail::add_record(cloud.record(condition, members.size(), options), found);
    take_out(members, left);
    cloud = part_of(all, left);
    failed = 0;
  }
  return found;
}

}  // namespace fedrk
