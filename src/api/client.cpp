// SPDX-License-Identifier: Apache-2.0
#include "fedrk/client.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <utility>

#include "api/no_log.hpp"
#include "checkpoint/client_store.hpp"
#include "secure_sum/replay_guard.hpp"
#include "transport/protocol/client_run.hpp"
#include "transport/protocol/file_owner.hpp"

namespace fedrk {
namespace {

std::uint64_t fresh_secret() {
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

template <class Value>
Value value_or_throw(Result<Value> made) {
  if (!made) throw InvalidData(made.error().message);
  return *std::move(made);
}

/// What outlives the call, where there is a place for it.
struct Kept {
  std::optional<store::ClientStore> store{};
  std::unique_ptr<store::ReplayGuard> guard{};
  std::uint64_t secret = 0;

  explicit Kept(const std::filesystem::path& folder) {
    if (folder.empty()) {
      secret = fresh_secret();
      return;
    }
    store = value_or_throw(store::ClientStore::open(folder));
    guard = value_or_throw(store::open_replay_guard(folder));
    secret = value_or_throw(store->secret_seed());
  }
};

}  // namespace

std::vector<Coefficient> join(const std::string& server, const std::string& name, const std::filesystem::path& data,
                              const JoinSettings& settings) {
  api::NoLog log;
  Kept kept(settings.state);
  network::FileOwner owner(name, {.data = data.string(), .matrix = "", .rhs = ""}, kept.secret, log);
  network::ClientRunOptions options;
  options.guard = kept.guard.get();
  options.ledger = kept.store ? &kept.store->disclosures() : nullptr;
  options.consent.rules.min_rows = settings.min_rows;
  options.consent.rules.max_share = settings.max_share;
  options.server = server;
  options.name = name;
  options.software = "fedrk";
  options.tls = settings.tls;
  options.consent.reveal_updates = !settings.masked;
  options.wait_limit = settings.wait_limit;
  network::ClientOutcome outcome = network::ClientRun(std::move(options), owner, log).run();
  if (kept.guard && outcome.status == "finished:completed") (void)kept.guard->forget(owner.run());
  if (outcome.kind != network::ClientOutcome::Kind::Ended) throw InvalidData(name + ": " + outcome.message);
  if (outcome.status == "finished:failed") throw InvalidData(name + ": the fit failed: " + outcome.message);
  std::vector<Coefficient> coefficients;
  for (std::size_t j = 0; j < std::min(outcome.names.size(), outcome.coefficients.size()); ++j) {
    coefficients.push_back({std::move(outcome.names[j]), outcome.coefficients[j]});
  }
  return coefficients;
}

}  // namespace fedrk
