// SPDX-License-Identifier: Apache-2.0
#pragma once

// Very many clients in a few processes, which answer every task at once with a vector of zeros: to see what
// a server does with a thousand of them. Each has a connection and a certificate of its own.

#include <sys/types.h>
#include <cstddef>
#include <string>
#include <vector>

#include "support/identities.hpp"

namespace fedrk::bench {

/// Processes that wait for their orders. Must be made before there are threads.
class Swarm {
 public:
  Swarm(const test::Identities& identities, std::size_t clients, std::size_t unknowns);
  ~Swarm();  // ends it
  Swarm(const Swarm&) = delete;
  Swarm& operator=(const Swarm&) = delete;

  static std::string name(std::size_t k);
  void join(int port);

 private:
  struct Process {
    pid_t id;
    int orders;
  };
  std::vector<Process> processes_;
};

}  // namespace fedrk::bench
