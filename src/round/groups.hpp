// SPDX-License-Identifier: Apache-2.0
#pragma once

// The clients in groups of about the size of a round, which follow from their list alone and so stay the same, for the
// run and for later ones. A method for equations asks them in turn; a sweep (sweep.hpp) asks all of them the same. Sums
// over ever new groups could be solved for each client's own part, sums over kept groups tell no more than the groups'
// sums; and every client is heard equally often, which takes fewer rounds than drawing afresh.

#include <cstddef>
#include <span>
#include <tuple>
#include <vector>

#include "fedrk/engine.hpp"
#include "linalg/random/rng_stream.hpp"

namespace fedrk {

/// S^(t): `count` clients of the roster without replacement, in client order; 0 takes all.
std::vector<ClientId> choose_participants(std::span<const ClientSummary> roster, std::size_t count, RngStream stream);

/// As many groups as make `size` clients each, rounded to the nearest, of at least `min_size` clients; 0: one group of
/// all. 16 clients by 5 are 5, 5 and 6.
std::size_t group_count(std::size_t clients, std::size_t size, std::size_t min_size);

/// Of so many clients, as `group_count` says: neighbours in the list.
std::vector<std::vector<ClientId>> kept_groups(std::size_t clients, std::size_t size, std::size_t min_size);

class Groups {
 public:
  Groups(std::span<const ClientSummary> roster, std::size_t size, std::size_t min_size);

  std::size_t count() const { return groups_.size(); }
  /// Its members ascend.
  std::span<const ClientId> at(std::size_t k) const { return groups_[k]; }
  std::span<const ClientId> in_turn(RoundIndex t) const { return groups_[t.value % groups_.size()]; }
  /// All members, ascending.
  const std::vector<ClientId>& everyone() const { return everyone_; }

  /// Goes on without these. A group that is left with fewer than `min_size` joins the smallest of the others.
  void leave_out(std::span<const ClientId> lost);

  /// What changes.
  static constexpr auto fields(auto& self) { return std::tie(self.groups_, self.everyone_); }

 private:
  void merge_small_groups();

  std::size_t min_size_;
  std::vector<std::vector<ClientId>> groups_;
  std::vector<ClientId> everyone_;
};

}  // namespace fedrk
