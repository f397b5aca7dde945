// SPDX-License-Identifier: Apache-2.0
#pragma once

// A bad network between two programs of this machine: a TCP proxy on 127.0.0.1 that, when told, delays, slows, holds
// back or cuts what passes through it. One thread of its own; every call may come at any time from any other.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <thread>

#include "support/proxy_pipe.hpp"

namespace fedrk::test {

class ChaosProxy {
 public:
  /// Forwards connections to 127.0.0.1:target, which need not be there yet.
  explicit ChaosProxy(std::uint16_t target);
  ChaosProxy(const ChaosProxy&) = delete;
  ChaosProxy& operator=(const ChaosProxy&) = delete;
  ~ChaosProxy();

  std::uint16_t port() const { return port_; }

  /// New connections go there: a server may come back elsewhere.
  void set_target(std::uint16_t target);

  /// Resets all connections there are.
  void cut();

  /// New connections are reset at once, or let in again.
  void refuse(bool on);

  /// Nothing passes and nothing is closed: each side believes in a silent other. What was on its way arrives later.
  void partition(bool on);

  /// Holds back one direction only.
  enum class Direction { ToServer, ToClient };
  void hold(Direction direction, bool on);

  /// Each byte arrives that much later; those on their way keep their time.
  void delay(std::chrono::milliseconds time);

  /// So many bytes a second in each direction of a connection; 0 is no limit.
  void slow_to(std::size_t bytes_per_second);

  /// How many connections were made so far, and how many there are.
  std::size_t made() const;
  std::size_t open() const;

 private:
  struct Connection;
  void serve();
  void take_new_connections();
  void set(const auto& change);

  mutable std::mutex mutex_;
  std::list<Connection> connections_;
  PipeRules rules_;
  bool refusing_ = false, partitioned_ = false, closing_ = false;
  bool held_[2] = {false, false};  // NOLINT: by direction
  std::uint16_t port_ = 0, target_;
  std::size_t made_ = 0;
  int listener_ = -1, wake_ = -1;
  std::thread thread_;
};

}  // namespace fedrk::test
