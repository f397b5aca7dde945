// SPDX-License-Identifier: Apache-2.0
#pragma once

// The clients of a plan on the ranks of a job. Every rank reads and makes its own; then rank 0 has an engine, and the
// others serve it until it is gone.

#include <string>

#include "fedrk/mpi_ranks.hpp"
#include "launcher.hpp"
#include "plan/peers.hpp"

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

class RankLauncher final : public Launcher {
 public:
  explicit RankLauncher(const mpi::Ranks& ranks) : ranks_(ranks), peers_(ranks) {}

  std::string where() const override { return "on the ranks of this job"; }
  bool leads() const override { return ranks_.rank() == 0; }
  Result<void> agree(Result<void> mine) override;
  Result<LaunchedFederation> launch(const io::Plan& plan, std::size_t threads) override;
  std::string advice(const std::filesystem::path& folder) const override;

  /// Whether the others wait for this rank: if it must end now, it must take them with it.
  bool awaited() const { return awaited_; }

 private:
  const mpi::Ranks& ranks_;
  RankPeers peers_;
  bool awaited_ = true;
};

}  // namespace fedrk::app
