// SPDX-License-Identifier: Apache-2.0

// Hyperplanes through points whose draws are known: recover_with_draws.

#include <algorithm>
#include <map>
#include <utility>

#include "analysis/found_records.hpp"
#include "analysis/point_cloud.hpp"

namespace fedrk {
namespace {

using detail::PointCloud;
using Eigen::Index;

// What the last draw of a round says: which slot of the client's table, and where in it.
struct LastDraw {
  std::size_t slot = 0;
  std::uint64_t within = 0;
};

LastDraw last_draw(const KnownDraws& draws, RoundIndex round) {
  RngStream stream = stream_for(draws.seed, Purpose::LocalSteps, round);
  if (draws.sampling == RowSampling::Shuffled && draws.steps > 1) {  // a single step draws as the others do
    const std::vector<double> alike(draws.rows, 1.0);
    const RowSampler sampler = RowSampler::make(RowSampling::Shuffled, alike);
    std::vector<std::uint32_t> rows(static_cast<std::size_t>(draws.steps));
    RowDraws(sampler, stream).next(rows);
    return {rows.back(), 0};
  }
  std::vector<std::uint64_t> numbers(static_cast<std::size_t>(draws.steps));
  stream.fill(numbers);
  __extension__ using Wide = unsigned __int128;  // as RowSampler reads a number
  const Wide product = static_cast<Wide>(numbers.back()) * draws.rows;
  return {static_cast<std::size_t>(product >> 64), static_cast<std::uint64_t>(product)};
}

// How many of the points, from the first on, lie on one hyperplane. Nothing where that are too few to tell one.
std::size_t longest_start(const PointCloud& cloud, std::span<const Index> points) {
  const auto fits = [&](std::size_t count) { return cloud.plane_through(points.first(count)).has_value(); };
  const auto enough = static_cast<std::size_t>(cloud.rank());  // one more than determines it
  if (points.size() < enough || !fits(enough)) return 0;
  std::size_t good = enough, bad = points.size() + 1;
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
  std::map<std::size_t, std::vector<std::pair<std::uint64_t, Index>>> slots;  // the points of each, with their places
  for (Index k = 0; k < static_cast<Index>(cloud.size()); ++k) {
    const LastDraw last = last_draw(draws, cloud.update(k).round);
    slots[last.slot].emplace_back(last.within, k);
  }
  const auto add = [&](std::span<const Index> members) {
    const auto condition = cloud.plane_through(members);
    if (condition) detail::add_record(cloud.record(*condition, members.size(), options), found);
  };
  for (auto& [slot, draws_of_slot] : slots) {
    std::ranges::sort(draws_of_slot);
    std::vector<Index> points;
    for (const auto& [within, point] : draws_of_slot) points.push_back(point);
    // Up to the threshold the slot's own row, above it the alias.
    const std::size_t own = longest_start(cloud, points);
    add(std::span(points).first(own));
    if (own == points.size()) continue;
    std::ranges::reverse(points);
    add(std::span(points).first(longest_start(cloud, points)));
  }
  return found;
}

}  // namespace fedrk
