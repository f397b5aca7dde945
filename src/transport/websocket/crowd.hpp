// SPDX-License-Identifier: Apache-2.0
#pragma once

// Connections of strangers by where they come from. Where there are too many, the address that has the most gives one
// up, its oldest: whoever comes from one address cannot keep others out, however often it connects.

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <set>

#include "transport/protocol/server_protocol.hpp"
#include "transport/websocket/asio_types.hpp"

namespace fedrk::network {

/// An address of IPv4, or the first half of one of IPv6: the rest is its owner's to choose.
using Origin = std::array<unsigned char, 8>;
Origin origin_of(const asio::ip::address& address);
Origin origin_of(const Socket& socket);

class Crowd {
 public:
  /// REQUIRES: ids ascend.
  void add(ConnectionId id, const Origin& origin);
  void remove(ConnectionId id);
  void clear();
  /// Who is to go first: the oldest connection of the origin with the most; of several such, the oldest of all.
  std::optional<ConnectionId> first_to_go() const;

 private:
  struct Rank {  // the first in order goes first
    std::size_t count;
    ConnectionId oldest;
    bool operator<(const Rank& other) const {
      return count != other.count ? count > other.count : oldest < other.oldest;
    }
  };
  template <class Edit>
  void change(const Origin& origin, const Edit& edit);

  std::map<ConnectionId, Origin> origins_;
  std::map<Origin, std::set<ConnectionId>> members_;
  std::set<Rank> ranks_;  // one for each origin
};

}  // namespace fedrk::network
