// SPDX-License-Identifier: Apache-2.0
#pragma once

// Differential privacy: in every round each participant makes one clipped pass over its rows and adds its share of the
// noise (clipped_pass.hpp), the server sees the sum over k of them, and
//
//     x += sum / k.
//
// The number of rounds, their clips and their noise are fixed before the first (privacy_plan.hpp), from public numbers.
// Nothing else is asked of the rows, no residual either. Where the clips are short against the residuals, the answer is
// that of a robust fit: the least-squares solution where the noise in b is symmetric, and hardly moved by outliers.

#include <cstddef>
#include <string>
#include <vector>

#include "fedrk/method.hpp"
#include "methods/privacy_plan.hpp"

namespace fedrk {

class PrivateMean final : public Method {
 public:
  /// Throws InvalidArgument where the plan has no rounds.
  explicit PrivateMean(privacy::PrivacyPlan plan);

  /// Throws InvalidArgument after the last round of the plan: all that may be spent is spent.
  Request request(RoundIndex t, std::span<const double> x) override;
  /// A sum over fewer than planned has less noise than planned: it is not used, and told of.
  void update(RoundIndex t, RoundReplies& round, std::span<double> x) override;
  std::string_view name() const override { return "private"; }
  bool fits() const override { return true; }
  bool may_ask_residuals() const override { return false; }
  std::vector<std::string> notes() const override;
  bool state(StateStream& stream) override;

 private:
  privacy::PrivacyPlan plan_;
  std::size_t made_ = 0;
  std::size_t short_rounds_ = 0;  // with fewer answers than planned
};

/// What everybody knows of a federation whose rounds have so many participants (0: all).
privacy::PublicShape public_shape(std::span<const ClientSummary> roster, std::size_t unknowns,
                                  std::size_t participants);

}  // namespace fedrk
