// SPDX-License-Identifier: Apache-2.0
#include "launcher.hpp"

#include <utility>

#include "fedrk/engine/in_process_engine.hpp"

namespace fedrk::app {

Result<LaunchedFederation> LocalLauncher::launch(const io::Plan& plan, std::size_t threads) {
  auto federation = io::make_federation(plan);
  if (!federation) return federation.error();
  return LaunchedFederation{std::move(federation->problem),
                            std::make_unique<InProcessEngine>(std::move(federation->clients), threads)};
}

}  // namespace fedrk::app
