// SPDX-License-Identifier: Apache-2.0
#include "rank_launcher.hpp"

#include <csignal>
#include <utility>

#include <fmt/format.h>

#include "fedrk/mpi/mpi_engine.hpp"

namespace fedrk::app {

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
  ClientGroup clients(std::move(federation->clients), threads > 0 ? threads : ranks_.usual_threads(),
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
