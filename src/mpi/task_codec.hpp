// SPDX-License-Identifier: Apache-2.0
#pragma once

// A round's task as bytes. All ranks run the same program, so the bytes are trusted.

#include <cstdint>
#include <span>
#include <vector>

#include "base/byte_stream.hpp"
#include "fedrk/federated/engine.hpp"

namespace fedrk::mpi {

/// A longer x is not worth a copy: it follows by itself.
constexpr std::size_t kLongVector = 8192;  // numbers

/// What is sent to one client alone goes in for the participants only. A long x is left out but for its length.
/// REQUIRES: draws and noise are left to the clients' streams, as in one process.
void put_task(const LocalTask& task, std::span<const ClientId> participants, std::size_t clients, ByteWriter& out);

/// A task that arrived, with the memory that it looks at, which serves for the next one too.
class ArrivedTask {
 public:
  explicit ArrivedTask(std::size_t clients) : clients_(clients) {}

  void read(ByteReader& in);
  /// Where a long x has to go; empty where it is there already.
  std::span<double> missing_x() { return x_.size() > kLongVector ? std::span<double>(x_) : std::span<double>(); }
  const LocalTask& task() const { return task_; }
  std::span<const ClientId> participants() const { return participants_; }

 private:
  std::size_t clients_;
  AlignedVector x_;
  std::vector<std::uint32_t> columns_;
  std::vector<std::vector<double>> own_;
  std::vector<ClientId> participants_;
  LocalTask task_;
};

}  // namespace fedrk::mpi
