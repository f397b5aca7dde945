// SPDX-License-Identifier: Apache-2.0
#pragma once

// A federation seen through some of its unknowns, the others being zero: an engine around another.

#include <cstdint>
#include <vector>

#include "fedrk/engine.hpp"

namespace fedrk {

class RestrictedEngine final : public Engine {
 public:
  /// REQUIRES: `columns` ascend and are not empty; `inner` outlives this.
  RestrictedEngine(Engine& inner, std::vector<std::uint32_t> columns);

  /// The squared norms are estimates, as if all columns had the same length.
  std::span<const ClientSummary> roster() const override { return roster_; }
  std::size_t dimension() const override { return columns_.size(); }
  RoundReplies local_updates(const LocalTask& task, std::span<const ClientId> participants) override;

 private:
  Engine& inner_;
  std::vector<std::uint32_t> columns_;
  std::vector<ClientSummary> roster_;
};

}  // namespace fedrk
