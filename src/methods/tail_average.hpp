// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tail averaging: another method, whose answer is the mean of its iterates after a burn-in. For equations that
// contradict each other, around whose least-squares solution the iterates hover: their mean is closer to it, though
// biased for many local steps (a fit is exact).

#include <cstddef>
#include <memory>
#include <utility>

#include "fedrk/method.hpp"

namespace fedrk {

class TailAverage final : public Method {
 public:
  /// The iterates after the first `burn_in` rounds count.
  TailAverage(std::unique_ptr<Method> inner, std::size_t burn_in) : inner_(std::move(inner)), burn_in_(burn_in) {}

  Request request(RoundIndex t, std::span<const double> x) override { return inner_->request(t, x); }
  void update(RoundIndex t, RoundReplies& round, std::span<double> x) override;
  bool finished() const override { return inner_->finished(); }
  bool contradictory() const override { return inner_->contradictory(); }
  std::string_view name() const override { return inner_->name(); }
  bool fits() const override { return inner_->fits(); }
  bool may_ask_residuals() const override { return inner_->may_ask_residuals(); }
  std::span<const double> answer(std::span<const double> x) override;
  std::vector<std::string> notes() const override;
  bool state(StateStream& stream) override;

 private:
  std::unique_ptr<Method> inner_;
  std::size_t burn_in_, rounds_ = 0;
  AlignedVector mean_;
};

}  // namespace fedrk
