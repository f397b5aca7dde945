// SPDX-License-Identifier: Apache-2.0
#pragma once

// An engine around another that drops or spoils replies as a script says.

#include <functional>
#include <utility>
#include <vector>

#include "fedrk/engine.hpp"

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

/// An engine around another on the way from which some answers get lost: the clients have worked, and nobody knows. Of
/// sums, too, where those who are heard make up the sum.
class LossyEngine final : public Engine {
 public:
  using Loses = std::function<bool(RoundIndex, ClientId)>;
  LossyEngine(Engine& inner, Loses loses) : inner_(inner), loses_(std::move(loses)) {}

  std::span<const ClientSummary> roster() const override { return inner_.roster(); }
  std::size_t dimension() const override { return inner_.dimension(); }
  RoundReplies local_updates(const LocalTask& task, std::span<const ClientId> participants) override {
    std::vector<ClientId> heard;
    std::vector<Absence> lost;
    for (const ClientId client : participants) {
      if (!loses_(task.round, client)) {
        heard.push_back(client);
        continue;
      }
      (void)inner_.local_updates(task, std::vector{client});
      lost.push_back({client, "lost on the way"});
    }
    RoundReplies round = inner_.local_updates(task, heard);
    round.absences.insert(round.absences.end(), lost.begin(), lost.end());
    return round;
  }

 private:
  Engine& inner_;
  Loses loses_;
};

/// Moves the reply of a client, where there is one, to the absences.
inline void drop(RoundReplies& round, ClientId client, const char* reason) {
  const auto dropped = std::erase_if(round.replies, [&](const LocalReply& r) { return r.client == client; });
  if (dropped > 0) round.absences.push_back({client, reason});
}

}  // namespace fedrk::test
