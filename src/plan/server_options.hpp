// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a server knows before its first client comes: who may join, how long it waits, and how much it puts up with.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "plan/plan.hpp"

namespace fedrk::network {

using Milliseconds = std::chrono::milliseconds;

struct FederationOptions {
  std::string run;                   // names the run; in every task and answer
  io::Plan plan;                     // clients are told all of it but its files
  std::vector<std::string> clients;  // who may join, in the order of their ids

  bool masked = false;      // clients mask what they send, and the server sees sums only
  std::size_t min_sum = 3;  // clients that a sum is over, at least

  std::size_t min_clients = 0;  // clients to begin with when the time for joining is over; 0: all
  std::size_t quorum = 0;       // answers that a round needs; 0: half of those asked

  Milliseconds join_limit{600'000};
  Milliseconds reply_limit{300'000};
  Milliseconds away_limit{30'000};  // a round waits so long for a client whose connection was lost
  Milliseconds run_limit{0};        // 0: none
  Milliseconds heartbeat{2'000};    // a client that was silent for four times as long is taken to be gone
  Milliseconds hello_limit{10'000};

  unsigned wrong_limit = 3;               // answers that make no sense, until a client is quarantined
  std::size_t max_connections = 0;        // 0: twice the clients and some
  std::size_t max_vector = 1 << 27;       // numbers, a gigabyte
  std::size_t largest_message = 4 << 20;  // bytes

  /// Why the holder of this certificate (PEM) may not join, though its CA is the right one; empty: it may.
  std::function<std::string(const std::string& certificate)> veto{};
};

/// What was refused of a client, and why.
struct ClientCounters {
  std::uint64_t joined = 0;      // times
  std::uint64_t answers = 0;     // that were used
  std::uint64_t late = 0;        // absent because a deadline passed
  std::uint64_t lost = 0;        // absent because it was gone
  std::uint64_t stale = 0;       // answers to another question than the one at hand
  std::uint64_t duplicates = 0;  // second answers to it
  std::uint64_t wrong = 0;       // answers that make no sense
};

struct ClientStatus {
  std::string name;
  std::string presence;  // "away", "joining", "here", "quarantined"
  std::string address;
  ClientCounters counts;
};

}  // namespace fedrk::network
