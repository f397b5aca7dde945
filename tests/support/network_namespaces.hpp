// SPDX-License-Identifier: Apache-2.0
#pragma once

// Two machines with a cable between them: network namespaces joined by a pair of virtual interfaces. Addresses and
// rules exist only in there. A real network stack loses packets and links, which a proxy cannot: TCP has to send again.
//
// Making them takes root, `ip` and `nft`; where they cannot be made, tests say so and are skipped.

#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace fedrk::test {

enum class Side { Server, Client };

class NetworkNamespaces {
 public:
  static Result<std::unique_ptr<NetworkNamespaces>> make();
  NetworkNamespaces(const NetworkNamespaces&) = delete;
  NetworkNamespaces& operator=(const NetworkNamespaces&) = delete;
  ~NetworkNamespaces();

  static std::string address(Side side);

  /// The command that runs a command over there.
  std::vector<std::string> inside(Side side, std::vector<std::string> command) const;

  /// Loses so many of a hundred packets, in each direction, by chance. 0 ends it.
  Result<void> lose(int percent) const;

  /// Pulls the cable out, or puts it in.
  Result<void> link(bool up) const;

 private:
  NetworkNamespaces();
  std::string name(Side side) const;

  std::string prefix_;
};

}  // namespace fedrk::test
