// SPDX-License-Identifier: Apache-2.0
#include "rank_peers.hpp"

#include <cstdint>

namespace fedrk::app {

// Once for all lengths, once for all texts: nobody needs to know beforehand what the others will say.
std::vector<std::string> RankPeers::exchange(std::string mine) {
  std::vector<std::string> texts = ranks_.gather(mine);
  std::vector<std::uint64_t> lengths(count());
  std::string all;
  for (std::size_t r = 0; r < texts.size(); ++r) {
    lengths[r] = texts[r].size();
    all += texts[r];
  }
  ranks_.broadcast(lengths.data(), lengths.size() * sizeof(std::uint64_t));
  ranks_.broadcast(all);
  texts.assign(count(), {});
  std::size_t at = 0;
  for (std::size_t r = 0; r < count(); at += lengths[r++]) texts[r] = all.substr(at, lengths[r]);
  return texts;
}

std::vector<double> RankPeers::sum_in_order(std::size_t length, const std::function<void(std::span<double>)>& add) {
  std::vector<double> sum(length, 0.0);
  const std::size_t bytes = length * sizeof(double), last = count() - 1;
  if (rank() > 0) ranks_.receive(rank() - 1, sum.data(), bytes);
  add(sum);
  if (rank() < last) ranks_.send(rank() + 1, sum.data(), bytes);
  if (last > 0 && rank() == last) ranks_.send(0, sum.data(), bytes);
  if (last > 0 && rank() == 0) ranks_.receive(last, sum.data(), bytes);
  ranks_.broadcast(sum.data(), bytes);
  return sum;
}

}  // namespace fedrk::app
