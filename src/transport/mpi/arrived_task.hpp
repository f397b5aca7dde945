// SPDX-License-Identifier: Apache-2.0
#pragma once

// A round's task as bytes. All ranks run the same program, so the bytes are trusted.

#include <cstdint>
#include <span>

#include "fedrk/contracts.hpp"
#include "round/question_bytes.hpp"

namespace fedrk::mpi {

/// A longer x is not worth a copy: it follows by itself.
constexpr std::size_t kLongVector = 8192;  // numbers

/// What is sent to one client alone goes in for the participants only, and the list of these where it is not everyone.
/// A long x is left out but for its length.
/// REQUIRES: draws and noise are left to the clients' streams, as in one process.
inline void put_task(const LocalTask& task, std::span<const ClientId> participants, std::size_t clients,
                     ByteWriter& out) {
  FEDRK_EXPECTS(!task.fresh_draws && task.gaussians.empty());
  const bool everyone = participants.size() == clients;
  describe_question(task, everyone ? std::span<const ClientId>() : participants, out);
  out.put(everyone);
  out.put(!task.own.empty());
  if (!task.own.empty()) {
    for (const ClientId client : participants) out.put(task.own[client.value]);
  }
  out.put(std::uint64_t{task.x.size()});
  if (task.x.size() <= kLongVector) out.put(task.x);
}

/// A task that arrived, with the memory that it looks at, which serves for the next one too.
class ArrivedTask {
 public:
  explicit ArrivedTask(std::size_t clients) : clients_(clients) {}

  void read(ByteReader& in) {
    question_.get(in);
    if (in.get<bool>()) {
      question_.participants.resize(clients_);
      for (std::uint32_t k = 0; k < clients_; ++k) question_.participants[k] = ClientId{k};
    }
    question_.own.resize(in.get<bool>() ? clients_ : 0);
    if (!question_.own.empty()) {
      for (const ClientId client : question_.participants) in.get(question_.own[client.value]);
    }
    question_.x.resize(in.get<std::uint64_t>());
    if (question_.x.size() <= kLongVector) in.get(question_.x);
    FEDRK_EXPECTS(in.complete());
    question_.look();
  }
  /// Where a long x has to go; empty where it is there already.
  std::span<double> missing_x() {
    return question_.x.size() > kLongVector ? std::span<double>(question_.x) : std::span<double>();
  }
  const LocalTask& task() const { return question_.task; }
  std::span<const ClientId> participants() const { return question_.participants; }

 private:
  std::size_t clients_;
  ArrivedQuestion question_;
};

}  // namespace fedrk::mpi
