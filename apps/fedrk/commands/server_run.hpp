// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "output.hpp"
#include "plan/plan.hpp"
#include "plan/settings.hpp"
#include "progress.hpp"
#include "transport/protocol/federation_server.hpp"

namespace fedrk::app {

struct ServeOptions {
  OutputFormat format = OutputFormat::Text;
  ProgressStyle progress = ProgressStyle::Auto;
};

/// Coordinates the run of this plan from its first client to its files; where the folder holds an unfinished run, goes
/// on with that. Returns the exit code.
int serve(const network::ServerSettings& settings, const io::Plan& plan, const ServeOptions& options);

/// What the settings mean to the server of this run. `stored` is the run's federation, empty before its first round.
Result<network::ServerOptions> server_options(const network::ServerSettings& settings, const io::Plan& plan,
                                              const std::string& run, const std::string& stored, operation::Log& log);

}  // namespace fedrk::app
