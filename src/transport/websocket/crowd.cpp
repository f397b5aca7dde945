// SPDX-License-Identifier: Apache-2.0
#include "transport/websocket/crowd.hpp"

#include <algorithm>

namespace fedrk::network {

Origin origin_of(const asio::ip::address& address) {
  Origin origin{};
  if (address.is_v4() || address.to_v6().is_v4_mapped()) {
    const auto v4 = address.is_v4() ? address.to_v4() : asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6());
    std::ranges::copy(v4.to_bytes(), origin.begin());
    origin.back() = 4;  // ::4 in the place of a network that IPv6 has
  } else {
    const auto bytes = address.to_v6().to_bytes();
    std::copy_n(bytes.begin(), origin.size(), origin.begin());
  }
  return origin;
}

Origin origin_of(const Socket& socket) {
  error_code failure;
  const auto end = socket.remote_endpoint(failure);
  return failure ? Origin{} : origin_of(end.address());
}

template <class Edit>
void Crowd::change(const Origin& origin, const Edit& edit) {
  auto& members = members_[origin];
  if (!members.empty()) ranks_.erase({members.size(), *members.begin()});
  edit(members);
  if (!members.empty()) ranks_.insert({members.size(), *members.begin()});
  if (members.empty()) members_.erase(origin);
}

void Crowd::add(ConnectionId id, const Origin& origin) {
  origins_.emplace(id, origin);
  change(origin, [&](std::set<ConnectionId>& members) { members.insert(id); });
}

void Crowd::remove(ConnectionId id) {
  const auto found = origins_.find(id);
  if (found == origins_.end()) return;
  change(found->second, [&](std::set<ConnectionId>& members) { members.erase(id); });
  origins_.erase(found);
}

void Crowd::clear() {
  origins_.clear();
  members_.clear();
  ranks_.clear();
}

std::optional<ConnectionId> Crowd::first_to_go() const {
  return ranks_.empty() ? std::nullopt : std::optional(ranks_.begin()->oldest);
}

}  // namespace fedrk::network
