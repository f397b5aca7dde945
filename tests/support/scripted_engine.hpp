// SPDX-License-Identifier: Apache-2.0
#pragma once

// An engine around another that drops or spoils replies as a script says.

#include <functional>
#include <utility>

#include "fedrk/federated/engine.hpp"

namespace fedrk::test {

class ScriptedEngine final : public Engine {
 public:
  using Script = std::function<void(const LocalTask&, RoundReplies&)>;
  ScriptedEngine(Engine& inner, Script script) : inner_(inner), script_(std::move(script)) {}

  std::span<const ClientSummary> roster() const override { return inner_.roster(); }
  std::size_t dimension() const override { return inner_.dimension(); }
  RoundReplies local_updates(const LocalTask& task, std::span<const ClientId> participants) override {
    RoundReplies round = inner_.local_updates(task, participants);
    script_(task, round);
    return round;
  }

 private:
  Engine& inner_;
  Script script_;
};

/// Moves the reply of a client, where there is one, to the absences.
inline void drop(RoundReplies& round, ClientId client, const char* reason) {
  const auto dropped = std::erase_if(round.replies, [&](const LocalReply& r) { return r.client == client; });
  if (dropped > 0) round.absences.push_back({client, reason});
}

}  // namespace fedrk::test
