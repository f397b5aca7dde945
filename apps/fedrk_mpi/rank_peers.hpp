// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fedrk/io/peers.hpp"
#include "fedrk/mpi/ranks.hpp"

namespace fedrk::app {

/// The ranks of a job as those who load a federation together.
class RankPeers final : public io::Peers {
 public:
  explicit RankPeers(const mpi::Ranks& ranks) : ranks_(ranks) {}

  std::size_t rank() const override { return ranks_.rank(); }
  std::size_t count() const override { return ranks_.count(); }
  std::vector<std::string> exchange(std::string mine) override;
  std::vector<double> sum_in_order(std::size_t length, const std::function<void(std::span<double>)>& add) override;

 private:
  const mpi::Ranks& ranks_;
};

}  // namespace fedrk::app
