// SPDX-License-Identifier: Apache-2.0
#pragma once

// Clients of one process: all of a federation, or those of one rank. The ones that are asked work in parallel, each on
// its own data and its own random stream, so the number of threads never changes a result.

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "fedrk/site.hpp"

namespace fedrk {

class ThreadPool;

class ClientGroup {
 public:
  /// Throws InvalidArgument where the ids are not first, first + 1, ..., or the clients disagree on the number of
  /// unknowns. `threads` 0: all cores.
  ClientGroup(std::vector<Client> clients, std::size_t threads, ClientId first = {});

  ClientGroup(ClientGroup&&) noexcept;
  ClientGroup& operator=(ClientGroup&&) noexcept;
  ~ClientGroup();

  std::span<const ClientSummary> roster() const { return roster_; }
  std::size_t dimension() const { return dimension_; }  // 0 where there is nobody

  /// In the order of the participants. REQUIRES: they belong to the group.
  std::vector<LocalReply> answers(const LocalTask& task, std::span<const ClientId> participants);

 private:
  std::size_t place_of(ClientId client) const;
  bool worth_threads(const LocalTask& task, std::size_t participants) const;

  std::vector<Client> clients_;
  ClientId first_;
  std::vector<ClientSummary> roster_;
  std::size_t dimension_ = 0;
  std::size_t mean_rows_ = 0;
  std::unique_ptr<ThreadPool> pool_;
};

}  // namespace fedrk
