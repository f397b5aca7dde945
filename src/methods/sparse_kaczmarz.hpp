// SPDX-License-Identifier: Apache-2.0
#pragma once

// Federated sparse Kaczmarz: answers with few non-zero entries, of which nobody has to know the number.
//
// The server keeps a dual vector v, and x = soft(v, lambda) is the answer. Clients step on v with residuals taken at x;
// what they send is a hyperplane <s, x> = d as ever. The server makes the exact Bregman projection onto it: it finds t
// with
//
//     <s, soft(v + t s, lambda)> = d,
//
// whose left side grows with t, and moves v by t s. The limit minimises lambda ||x||_1 + ||x||^2 / 2 among the
// solutions.

#include <cstdint>
#include <span>
#include <vector>

#include "fedrk/method.hpp"
#include "linalg/random/row_sampler.hpp"
#include "round/hyperplane.hpp"

namespace fedrk {

/// Moves `v` by the Bregman projection onto the hyperplane { z : <normal, z> = offset }.
/// REQUIRES: the normal is not zero, lambda >= 0.
void bregman_project(std::span<const double> normal, double offset, double lambda, std::span<double> v);

/// The dual vector to start from for a run that is to begin at x.
std::vector<double> dual_of(std::span<const double> x, double lambda);

struct SparseOptions {
  double lambda = 1.0;
  FixedSteps local_budget{20};  // tau
  Reveal reveal = Reveal::Sums;
  std::uint64_t server_steps = 20;  // tau_g, over single hyperplanes in random order; of a sum one step is all there is
  std::uint64_t seed = 1;
};

class SparseKaczmarz final : public Method {
 public:
  explicit SparseKaczmarz(const SparseOptions& options) : options_(options) {}

  Request request(RoundIndex t, std::span<const double> v) override;
  void update(RoundIndex t, RoundReplies& round, std::span<double> v) override;
  std::string_view name() const override { return "sparse"; }
  std::span<const double> answer(std::span<const double> v) override;
  bool state(StateStream&) override { return true; }  // all of it is v

 private:
  SparseOptions options_;
  AlignedVector x_;
};

}  // namespace fedrk
