// SPDX-License-Identifier: Apache-2.0
#pragma once

// What one could do if the owners did pool their rows: they send them in one round, and any solver of the classical
// kind takes over. These are the truth and the yardstick, not a proposal.

#include <cstddef>
#include <cstdint>
#include <functional>

#include "fedrk/method.hpp"
#include "fedrk/stop_signal.hpp"
#include "fedrk/system.hpp"

namespace fedrk {

/// Solves a system in one place, from `x`.
using PooledSolver = std::function<void(const LinearSystem& system, std::span<double> x)>;

class Pooled final : public Method {
 public:
  Pooled(std::size_t clients, PooledSolver solver) : clients_(clients), solver_(std::move(solver)) {}

  Request request(RoundIndex t, std::span<const double> x) override;
  /// Where a client is missing, x stays, and the next round asks again.
  void update(RoundIndex t, RoundReplies& round, std::span<double> x) override;
  bool finished() const override { return finished_; }

 private:
  std::size_t clients_;
  PooledSolver solver_;
  bool finished_ = false;
};

/// By QR: the least-squares solution nearest to the start. The truth that the others are measured by.
void direct_solution(const LinearSystem& system, std::span<double> x);

struct PooledSteps {
  std::uint64_t seed = 1;
  double tolerance = 1e-8;           // relative; the residual is looked at after every pass of m steps
  std::uint64_t max_passes = 1000;   // on an inconsistent system plain steps never arrive
  const StopSignal* stop = nullptr;  // looked at after every pass
};

/// Randomized Kaczmarz, rows drawn by squared norm.
void pooled_kaczmarz(const PooledSteps& options, const LinearSystem& system, std::span<double> x);

/// Randomized extended Kaczmarz (Zouzias and Freris 2013), which reaches the least-squares solution of an inconsistent
/// system: z converges to the part of b that no A x can reach, by projections away from random columns, while the row
/// steps solve A x = b - z:
///
///     z -= <c_k, z>/||c_k||^2 c_k,       x += (b_j - z_j - <a_j, x>)/||a_j||^2 a_j.
void extended_kaczmarz(const PooledSteps& options, const LinearSystem& system, std::span<double> x);

}  // namespace fedrk
