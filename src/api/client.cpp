// SPDX-License-Identifier: Apache-2.0
#include "fedrk/client.hpp"

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>

#include "api/no_log.hpp"
#include "transport/protocol/client_run.hpp"
#include "transport/protocol/file_owner.hpp"

namespace fedrk {
namespace {

std::uint64_t fresh_secret() {
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

}  // namespace

std::vector<Coefficient> join(const std::string& server, const std::string& name, const std::filesystem::path& data,
                              const JoinSettings& settings) {
  api::NoLog log;
  network::FileOwner owner(name, {.data = data.string(), .matrix = "", .rhs = ""}, fresh_secret(), log);
  network::ClientRunOptions options;
  options.server = server;
  options.name = name;
  options.software = "fedrk";
  options.tls = settings.tls;
  options.consent.reveal_updates = !settings.masked;
  options.wait_limit = settings.wait_limit;
  network::ClientOutcome outcome = network::ClientRun(std::move(options), owner, log).run();
  if (outcome.kind != network::ClientOutcome::Kind::Ended) throw InvalidData(name + ": " + outcome.message);
  if (outcome.status == "finished:failed") throw InvalidData(name + ": the fit failed: " + outcome.message);
  std::vector<Coefficient> coefficients;
  for (std::size_t j = 0; j < std::min(outcome.names.size(), outcome.coefficients.size()); ++j) {
    coefficients.push_back({std::move(outcome.names[j]), outcome.coefficients[j]});
  }
  return coefficients;
}

}  // namespace fedrk
