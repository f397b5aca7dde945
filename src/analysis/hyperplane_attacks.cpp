// SPDX-License-Identifier: Apache-2.0

// Hyperplanes through points of which nobody says which belong together (recover_from_points), and through points whose
// draws are known (recover_with_draws).

#include <algorithm>
#include <array>
#include <map>
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

using detail::PointCloud;

// What the last draw of a round says: which slot of the client's table, and where in it.
struct LastDraw {
  std::size_t slot = 0;
  std::uint64_t within = 0;
};

class LastDraws {
 public:
  explicit LastDraws(const KnownDraws& draws)
      : draws_(draws), any_rows_(RowSampler::make(RowSampling::Shuffled, std::vector<double>(draws.rows, 1.0))) {}

  LastDraw of(RoundIndex round) const {
    RngStream stream = stream_for(draws_.seed, Purpose::LocalSteps, round);
    if (draws_.sampling == RowSampling::Shuffled && draws_.steps > 1) {  // a single step draws as the others do
      RowDraws rows(any_rows_, stream);
      return {last_of<std::uint32_t>([&](auto some) { rows.next(some); }), 0};
    }
    __extension__ using Wide = unsigned __int128;  // as RowSampler reads a number
    const Wide product = static_cast<Wide>(last_of<std::uint64_t>([&](auto some) { stream.fill(some); })) * draws_.rows;
    return {static_cast<std::size_t>(product >> 64), static_cast<std::uint64_t>(product)};
  }

 private:
  template <class Number, class Fill>
  Number last_of(const Fill& fill) const {
    std::array<Number, 128> some;
    std::size_t count = 0;
    for (std::uint64_t left = draws_.steps; left > 0; left -= count) {
      count = static_cast<std::size_t>(std::min<std::uint64_t>(left, some.size()));
      fill(std::span(some).first(count));
    }
    return some[count - 1];
  }

  KnownDraws draws_;
  RowSampler any_rows_;
};

// How many of the points, from the first on, lie on one hyperplane; none where these are too few to tell.
std::size_t max_start(const PointCloud& cloud, std::span<const std::size_t> points) {
  const auto fits = [&](std::size_t count) { return cloud.plane_through(points.first(count)).has_value(); };
  const auto min_points = cloud.rank();  // one more than determines it
  if (points.size() < min_points || !fits(min_points)) return 0;
  std::size_t good = min_points, bad = points.size() + 1;
  while (bad - good > 1) {
    const std::size_t middle = good + (bad - good) / 2;
    (fits(middle) ? good : bad) = middle;
  }
  return good;
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

std::vector<RecoveredRecord> recover_with_draws(std::span<const SeenUpdate> updates, const KnownDraws& draws,
                                                const AttackOptions& options) {
  std::vector<RecoveredRecord> found;
  if (draws.rows == 0 || draws.steps == 0 || draws.sampling == RowSampling::Greedy) return found;
  const PointCloud cloud = PointCloud::readable(updates);
  const LastDraws draw(draws);
  std::map<std::size_t, std::vector<std::pair<std::uint64_t, std::size_t>>>
      slots;  // the points of each, with their places
  for (std::size_t k = 0; k < cloud.size(); ++k) {
    const LastDraw last = draw.of(cloud.update(k).round);
    slots[last.slot].emplace_back(last.within, k);
  }
  const auto add = [&](std::span<const std::size_t> members) {
    const auto condition = cloud.plane_through(members);
    if (condition) detail::add_record(cloud.record(*condition, members.size(), options), found);
  };
  for (auto& [slot, draws_of_slot] : slots) {
    std::ranges::sort(draws_of_slot);
    std::vector<std::size_t> points;
    for (const auto& [within, point] : draws_of_slot) points.push_back(point);
    // Up to the threshold the slot's own row, above it the alias.
    const std::size_t own = max_start(cloud, points);
    add(std::span(points).first(own));
    if (own == points.size()) continue;
    std::ranges::reverse(points);
    add(std::span(points).first(max_start(cloud, points)));
  }
  return found;
}

}  // namespace fedrk
