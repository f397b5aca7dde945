// SPDX-License-Identifier: Apache-2.0
#pragma once

// An attack on a plan (fedrk inspect --attack): the plan is run in this process, its server keeps exactly what it would
// be sent, and then tries to rebuild the clients' records from that: from single updates (analysis/record_attack.hpp),
// from the span of sums (sums_attack.hpp), and from sums over other sets of clients (moments_attack.hpp).

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "api/moments_attack.hpp"
#include "api/sums_attack.hpp"
#include "plan/federation.hpp"

namespace fedrk::api {

struct AttackedClient {
  std::string name;
  std::size_t records = 0;
  std::size_t updates = 0;  // of this client alone, that the server saw
  // Records, by a server that does not know the draws: of the better attack where there are two; nothing where none was
  // tried.
  std::optional<std::size_t> recovered{};
  std::optional<std::size_t> recovered_with_draws{};  // nothing where there are no draws to know, or only sums
  std::optional<std::size_t> confirmed{};             // records that the client is seen to hold by who has them already
};

struct AttackFindings {
  std::string not_tried;             // why; empty: it was
  std::size_t sums = 0;              // of steps of two clients or more, that the server saw
  std::string readings_not_tried{};  // why these were not read as updates; empty: they were
  std::size_t recovered_by_reading = 0, confirmed_by_reading = 0;
  std::size_t others = 0;                  // messages of other kinds, which these readings did not use
  std::optional<SumsFindings> spans;       // of sums, where there were any
  std::optional<MomentsFindings> moments;  // where there are sums to change
  bool standardized = false;
  std::vector<AttackedClient> clients;
};

struct AttackObserver {
  RoundObserver* rounds = nullptr;                            // of the run, before the attack
  std::function<void(const std::string& message)> tell = {};  // called now and then where the attack takes long
};

AttackFindings play_attack(const io::Plan& plan, io::Federation federation, const AttackObserver& observer = {});

}  // namespace fedrk::api
