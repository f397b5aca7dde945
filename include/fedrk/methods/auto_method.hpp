// SPDX-License-Identifier: Apache-2.0
#pragma once

// The method for someone who does not know what the equations are like. It begins as for equations that have a solution
// (hyperplane_method.hpp: sums, a memory of some rounds); where that would take more rounds than there are unknowns,
// all rounds are kept. Should the equations contradict each other, it goes on to their least-squares solution by
// conjugate gradients, which need everyone in every round.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fedrk/methods/hyperplane_method.hpp"

namespace fedrk {

struct AutoOptions {
  HyperplaneOptions hyperplanes;
  double tolerance = 0.0;           // of the gradient, in least squares
  bool only_least_squares = false;  // that is what was asked for: begin with it
};

class AutoMethod final : public Method {
 public:
  AutoMethod(const AutoOptions& options, std::span<const ClientSummary> roster, std::size_t unknowns);

  Request request(RoundIndex t, std::span<const double> x) override { return current_->request(t, x); }
  void update(RoundIndex t, RoundReplies& round, std::span<double> x) override;
  bool finished() const override { return current_->finished(); }
  bool fits() const override { return current_->fits(); }
  std::span<const double> answer(std::span<const double> x) override { return current_->answer(x); }
  std::vector<std::string> notes() const override;

 private:
  void look_at_hyperplanes(RoundIndex t, std::span<double> x);
  void begin_hyperplanes();
  void begin_least_squares();

  AutoOptions options_;
  std::vector<ClientSummary> roster_;
  std::size_t unknowns_, rows_ = 0;
  std::unique_ptr<Method> current_;
  HyperplaneMethod* hyperplanes_ = nullptr;  // where it is the current one
  std::optional<RoundIndex> left_;           // the hyperplanes, in this round
  bool contradicted_ = false;                // by these
  std::optional<RoundIndex> slow_;           // from here on all rounds were kept
};

}  // namespace fedrk
