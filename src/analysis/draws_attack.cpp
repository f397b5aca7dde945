// SPDX-License-Identifier: Apache-2.0

// Hyperplanes through points whose draws are known: recover_with_draws.

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "analysis/point_cloud.hpp"

namespace fedrk {
namespace {

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
