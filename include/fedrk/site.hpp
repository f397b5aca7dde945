// SPDX-License-Identifier: Apache-2.0
#pragma once

// An owner of rows. It starts at the x it is sent, runs tau randomized Kaczmarz steps on its own rows, and answers with
// the displacement alone; A_i and b_i stay here.

#include <cstdint>
#include <memory>
#include <string>

#include "fedrk/client_id.hpp"
#include "fedrk/engine.hpp"
#include "fedrk/row_block.hpp"
#include "fedrk/steps.hpp"

namespace fedrk {

struct Frame;    // of the columns, for a fit: problem/frame.hpp
class TaskRows;  // src/round/task_rows.hpp

class Client {
 public:
  /// `seed` is the client's own: a server that knows it can repeat the draws and read the rows. Throws InvalidArgument
  /// where steps in coefficient space were asked for and the inner products do not fit the memory that they were given.
  Client(ClientId id, std::string name, RowBlock block, std::uint64_t seed, StepOptions steps = {});
  Client(ClientId id, std::string name, RowBlock block, std::uint64_t seed, StepOptions steps, Frame frame);
  Client(Client&&) noexcept;
  Client& operator=(Client&&) noexcept;
  ~Client();

  ClientSummary summary() const;
  const RowBlock& block() const;

  /// Depends on the task and the client alone: asked again, it answers the same. One call at a time.
  LocalReply local_update(const LocalTask& task);

 private:
  friend class TaskRows;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fedrk
