// SPDX-License-Identifier: Apache-2.0
#include "round/participation.hpp"

#include "linalg/random/subset.hpp"

namespace fedrk {

std::vector<ClientId> choose_participants(std::span<const ClientSummary> roster, std::size_t count, RngStream stream) {
  std::vector<ClientId> chosen;
  if (count == 0 || count == roster.size()) {
    for (const ClientSummary& client : roster) chosen.push_back(client.id);
    return chosen;
  }
  for (const std::size_t i : draw_subset(roster.size(), count, stream)) chosen.push_back(roster[i].id);
  return chosen;
}

}  // namespace fedrk
