// SPDX-License-Identifier: Apache-2.0
#pragma once

// The one-shot method: every client sends A_i^T A_i and A_i^T b_i, the server adds them up and solves the normal
// equations. One round, n (n + 3) / 2 numbers a client, and the squared condition number in the accuracy. The answer is
// the least-squares solution of least norm, whatever the start.

#include <cstddef>

#include "fedrk/federated/method.hpp"

namespace fedrk {

class GramSumMethod final : public Method {
 public:
  explicit GramSumMethod(std::size_t clients) : clients_(clients) {}

  Request request(RoundIndex t, std::span<const double> x) override;
  /// Where a client is missing, x stays, and the next round asks again.
  void update(RoundIndex t, RoundReplies& round, std::span<double> x) override;
  bool finished() const override { return finished_; }

 private:
  std::size_t clients_;
  bool finished_ = false;
};

}  // namespace fedrk
