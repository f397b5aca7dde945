// SPDX-License-Identifier: Apache-2.0
#pragma once

// A question as all of its participants are told it: the task (LocalTask::fields), its columns and who else is asked.
// The vectors of numbers, x and what one client alone is sent, are the engine's to carry.

#include <cstdint>
#include <span>
#include <vector>

#include "base/byte_stream.hpp"
#include "fedrk/engine.hpp"

namespace fedrk {

/// Into a ByteWriter or a Hash.
template <class Sink>
void describe_question(const LocalTask& task, std::span<const ClientId> participants, Sink& sink) {
  describe(task, sink);
  describe(task.columns, sink);
  describe(participants, sink);
}

/// A question that arrived, with the lists that its task looks at: x and `own` are filled in by the engine.
struct ArrivedQuestion {
  ArrivedQuestion() = default;
  ArrivedQuestion(ArrivedQuestion&&) = default;
  ArrivedQuestion& operator=(ArrivedQuestion&&) = default;

  LocalTask task{};
  AlignedVector x{};
  std::vector<std::vector<double>> own{};
  std::vector<std::uint32_t> columns{};
  std::vector<ClientId> participants{};

  /// Memory of an earlier question serves again. The bytes are checked for their form alone.
  void get(ByteReader& in) {
    task = {};
    in.get(task);
    in.get(columns);
    in.get(participants);
  }
  /// To be called when the lists are complete.
  const LocalTask& look() {
    task.x = x;
    task.own = own;
    task.columns = columns;
    return task;
  }
};

}  // namespace fedrk
