// SPDX-License-Identifier: Apache-2.0
#pragma once

// An attack on a plan (fedrk inspect --attack): the plan is run in this process, its server keeps exactly what it would
// be sent, and then tries to rebuild the clients' records from that (analysis/record_attack.hpp).

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "plan/federation.hpp"

namespace fedrk::api {

struct AttackedClient {
  std::string name;
  std::size_t records = 0;
  std::size_t updates = 0;                            // of this client alone, that the server saw
  std::size_t recovered = 0;                          // records, by a server that does not know the draws
  std::optional<std::size_t> recovered_with_draws{};  // nothing where there are no draws to know, or only sums
  std::size_t confirmed = 0;                          // records that the client is seen to hold by who has them already
};

struct AttackFindings {
  std::string not_tried;   // why; empty: it was
  std::size_t sums = 0;    // over two clients or more, that the server saw
  std::size_t others = 0;  // messages of other kinds, which it did not use
  bool standardized = false;
  std::vector<AttackedClient> clients;
};

struct AttackObserver {
  RoundObserver* rounds = nullptr;                            // of the run, before the attack
  std::function<void(const std::string& message)> tell = {};  // called now and then where the attack takes long
};

AttackFindings play_attack(const io::Plan& plan, io::Federation federation, const AttackObserver& observer = {});

}  // namespace fedrk::api
