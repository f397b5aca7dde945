// SPDX-License-Identifier: Apache-2.0
#pragma once

// An engine whose clients live and end with the run: in this process, or on other ranks of the same job. What they
// remember can be had from outside, so that a later process goes on where this one was.

#include <span>
#include <vector>

#include "fedrk/federated/engine.hpp"

namespace fedrk {

class HostingEngine : public Engine {
 public:
  /// What a client remembers of earlier answers, as Client has it.
  virtual std::vector<double> slack_state(ClientId client) = 0;
  virtual void restore_slack(ClientId client, std::span<const double> state) = 0;
};

}  // namespace fedrk
