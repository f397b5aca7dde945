// SPDX-License-Identifier: Apache-2.0
#include "methods/restricted_engine.hpp"

#include <utility>

namespace fedrk {

RestrictedEngine::RestrictedEngine(Engine& inner, std::vector<std::uint32_t> columns)
    : inner_(inner), columns_(std::move(columns)), roster_(inner.roster().begin(), inner.roster().end()) {
  const double share = static_cast<double>(columns_.size()) / static_cast<double>(inner.dimension());
  for (ClientSummary& client : roster_) client.squared_norm *= share;
}

RoundReplies RestrictedEngine::local_updates(const LocalTask& task, std::span<const ClientId> participants) {
  LocalTask restricted = task;
  restricted.columns = columns_;
  return inner_.local_updates(restricted, participants);
}

}  // namespace fedrk
