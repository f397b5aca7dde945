// SPDX-License-Identifier: Apache-2.0
#pragma once

// What observers of a run count: selections and errors.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "fedrk/run.hpp"
#include "linalg/kernels.hpp"

namespace fedrk {

/// Feature selection as the paper does it: how often each entry survives thresholding.
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

/// ||x - x*|| / ||x*|| after every round, for those who know x*. The server does not.
class ErrorToTruth final : public RoundObserver {
 public:
  explicit ErrorToTruth(std::vector<double> truth) : truth_(std::move(truth)) {
    const double norm = std::sqrt(squared_norm(truth_));
    scale_ = norm > 0.0 ? 1.0 / norm : 1.0;
  }

  void on_round(const RoundRecord&, std::span<const double> x) override {
    errors_.push_back(distance(x, truth_) * scale_);
  }
  void state(StateStream& stream) override;

  const std::vector<double>& errors() const { return errors_; }

 private:
  std::vector<double> truth_;
  double scale_ = 1.0;
  std::vector<double> errors_;
};

}  // namespace fedrk
