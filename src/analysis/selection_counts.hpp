// SPDX-License-Identifier: Apache-2.0
#pragma once

// Feature selection as the paper does it: how often each entry survives thresholding.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fedrk/run.hpp"

namespace fedrk {

class SelectionCounts final : public RoundObserver {
 public:
  void on_round(const RoundRecord& record, std::span<const double> x) override;
  void state(StateStream& stream) override;

  /// counts()[j]: the rounds after which entry j was not zero.
  const std::vector<std::uint64_t>& counts() const { return counts_; }

 private:
  std::vector<std::uint64_t> counts_;
};

/// Entries by falling count; ties by index.
std::vector<std::size_t> most_selected(const std::vector<std::uint64_t>& counts);

}  // namespace fedrk
