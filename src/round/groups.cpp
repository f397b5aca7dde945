// SPDX-License-Identifier: Apache-2.0
#include "round/groups.hpp"

#include <algorithm>

#include "fedrk/contracts.hpp"
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

std::size_t group_count(std::size_t clients, std::size_t size, std::size_t min_size) {
  if (size == 0 || size >= clients) return 1;
  const std::size_t nearest = (2 * clients + size) / (2 * size);
  return std::max<std::size_t>(1, std::min(nearest, clients / std::max<std::size_t>(1, min_size)));
}

std::vector<std::vector<ClientId>> kept_groups(std::size_t clients, std::size_t size, std::size_t min_size) {
  const std::size_t count = group_count(clients, size, min_size);
  std::vector<std::vector<ClientId>> groups(count);
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t last = (k + 1) * clients / count;
    for (std::size_t i = k * clients / count; i < last; ++i) {
      groups[k].push_back(ClientId{static_cast<std::uint32_t>(i)});
    }
  }
  return groups;
}

Groups::Groups(std::span<const ClientSummary> roster, std::size_t size, std::size_t min_size)
    : min_size_(min_size), groups_(kept_groups(roster.size(), size, min_size)) {
  FEDRK_EXPECTS(!roster.empty());
  for (const ClientSummary& client : roster) everyone_.push_back(client.id);
}

void Groups::leave_out(std::span<const ClientId> lost) {
  const auto is_lost = [&](ClientId client) { return std::ranges::find(lost, client) != lost.end(); };
  for (auto& group : groups_) std::erase_if(group, is_lost);
  std::erase_if(everyone_, is_lost);
  merge_small_groups();
}

void Groups::merge_small_groups() {
  const std::size_t min_size = std::max<std::size_t>(1, min_size_);
  while (groups_.size() > 1) {
    const auto smallest = std::ranges::min_element(groups_, {}, &std::vector<ClientId>::size);
    if (smallest->size() >= min_size) return;
    const std::vector<ClientId> members = std::move(*smallest);
    groups_.erase(smallest);
    const auto host = std::ranges::min_element(groups_, {}, &std::vector<ClientId>::size);
    host->insert(host->end(), members.begin(), members.end());
    std::ranges::sort(*host);
  }
}

}  // namespace fedrk
