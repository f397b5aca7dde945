// SPDX-License-Identifier: Apache-2.0
#pragma once

// Ridge regression by private slack: from x0 the run tends to argmin ||A x - b||^2 + lambda ||x - x0||^2, at a linear
// rate and without a horizon, whoever takes part.

#include <span>

#include "fedrk/methods/roll.hpp"
#include "fedrk/methods/slack_server.hpp"

namespace fedrk {

class Ridge final : public Method {
 public:
  /// Ends where every client's ||b_i - A_i x - lambda w_i||, over ||b||, is at most `tolerance`; 0: at rounding.
  Ridge(const SlackOptions& options, std::span<const ClientSummary> roster, double tolerance = 0.0);

  Request request(RoundIndex t, std::span<const double> x) override { return server_.request(t, x); }
  void update(RoundIndex t, RoundReplies& round, std::span<double> x) override;
  bool finished() const override { return settled_.complete(); }
  bool fits() const override { return true; }

 private:
  SlackServer server_;
  double tolerance_;
  Roll settled_;
};

}  // namespace fedrk
