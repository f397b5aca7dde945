// SPDX-License-Identifier: Apache-2.0
#include "rank_launcher.hpp"

#include <csignal>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "fedrk/mpi.hpp"

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

// The first error in order of rank. An empty text is none.
Result<void> RankLauncher::agree(Result<void> mine) {
  for (std::string& text : peers_.exchange(mine ? "" : mine.error().message)) {
    if (text.empty()) continue;
    awaited_ = false;
    return Error{std::move(text)};
  }
  return {};
}

Result<LaunchedFederation> RankLauncher::launch(const io::Plan& plan, std::size_t threads) {
  auto federation = io::make_federation(plan, peers_);
  if (!federation) {
    awaited_ = false;
    return federation.error();
  }
  ClientGroup clients(std::move(federation->clients), threads > 0 ? threads : ranks_.default_threads(),
                      federation->first);
  if (leads()) {
    auto engine = std::make_unique<mpi::MpiEngine>(ranks_, std::move(clients));
    awaited_ = false;  // from here on the engine's end is that of the others
    return LaunchedFederation{std::move(federation->problem), std::move(engine)};
  }
  // Rank 0 decides when to stop. A launcher tells everyone, and who ended at once would take the last round with it.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) std::signal(signal, SIG_IGN);
  mpi::serve(ranks_, std::move(clients));
  awaited_ = false;
  return LaunchedFederation{};
}

std::string RankLauncher::advice(const std::filesystem::path& folder) const {
  return fmt::format("{0}: the run is kept here. Should the job fail: mpirun -n {1} fedrk_mpi resume {0}\n",
                     folder.string(), ranks_.count());
}

}  // namespace fedrk::app
