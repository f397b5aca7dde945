// SPDX-License-Identifier: Apache-2.0
#pragma once

// Differential privacy by one question: the sum over all clients of their cross-products with noise
// (problem/clipped_products.hpp). With C = A^T A + E and d = A^T b + e as they come out of it,
//
//     x = C_+^-1 d,
//
// where C_+ has the eigenvalues of C, raised to at least that of the noise alone: sqrt(2 n) sigma, the length of E,
// whose entries beside the diagonal have variance sigma^2/2. Directions in which the rows say less than the noise are
// so shortened and not blown up. What a server makes of the sum spends nothing more.

#include <cstddef>
#include <string>
#include <vector>

#include "fedrk/method.hpp"
#include "methods/privacy_plan.hpp"

namespace fedrk {

class PrivateGram final : public Method {
 public:
  explicit PrivateGram(privacy::GramPlan plan) : plan_(plan) {}

  /// Throws InvalidArgument the second time: all that may be spent is spent.
  Request request(RoundIndex t, std::span<const double> x) override;
  /// A sum over fewer than planned has less noise than planned: it is not used, and told of.
  void update(RoundIndex t, RoundReplies& round, std::span<double> x) override;
  std::string_view name() const override { return "private-gram"; }
  bool fits() const override { return true; }
  bool may_ask_residuals() const override { return false; }
  std::vector<std::string> notes() const override;
  bool state(StateStream& stream) override;

 private:
  privacy::GramPlan plan_;
  bool asked_ = false, solved_ = false;
  std::size_t raised_ = 0;
};

}  // namespace fedrk
