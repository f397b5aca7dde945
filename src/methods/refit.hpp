// SPDX-License-Identifier: Apache-2.0
#pragma once

// The last step of a sparse regression: least squares (gram_method.hpp) on the entries that were selected, which frees
// these of the shrinking that selection costs.
//
// Which entries those are: the s largest, where s is asked for. Else all that are not zero, as far as the equations
// can carry them, and then, from fit to fit, those which stand out of the noise of their estimate: sigma over the
// length of its column, sigma^2 = ||b - A x||^2 / (m - k) for k entries. For that the server asks for the lengths of
// the columns, summed over the clients.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fedrk/engine.hpp"
#include "fedrk/run.hpp"

namespace fedrk {

// A federation seen through some of its unknowns, the others being zero: an engine around another.

class RestrictedEngine final : public Engine {
 public:
  /// REQUIRES: `columns` ascend and are not empty; `inner` outlives this.
  RestrictedEngine(Engine& inner, std::vector<std::uint32_t> columns);

  /// The squared norms are estimates, as if all columns had the same length.
  std::span<const ClientSummary> roster() const override { return roster_; }
  std::size_t dimension() const override { return columns_.size(); }
  Allowance allowance() const override { return inner_.allowance(); }
  bool wants_certificate() const override { return inner_.wants_certificate(); }
  RoundReplies local_updates(const LocalTask& task, std::span<const ClientId> participants) override;

 private:
  Engine& inner_;
  std::vector<std::uint32_t> columns_;
  std::vector<ClientSummary> roster_;
};

struct RefitOptions {
  RunOptions run;           // participants, seed, the number of the first round and the most rounds of all fits
  double tolerance = 1e-8;  // of the criterion of each fit
  std::size_t keep = 0;     // s; 0: what stands out of the noise
  std::vector<std::uint32_t> support{};  // exactly these, in place of the largest
  std::vector<std::uint32_t> often{};    // looked at besides those of x, the most important first
};

struct Refit {
  RunResult result;                    // of all fits together, with x of full length
  std::vector<std::uint32_t> support;  // ascending
};

/// Starts at `x`. Observers see x at full length. Throws RunAborted where the engine does before the first fit.
Refit refit(Engine& engine, const RefitOptions& options, std::span<const double> x,
            std::span<RoundObserver* const> observers = {}, const StopSignal* stop = nullptr);

}  // namespace fedrk
