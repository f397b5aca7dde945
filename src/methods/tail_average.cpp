// SPDX-License-Identifier: Apache-2.0
#include "fedrk/methods/tail_average.hpp"

namespace fedrk {

void TailAverage::update(RoundIndex t, RoundReplies& round, std::span<double> x) {
  inner_->update(t, round, x);
  if (++rounds_ <= burn_in_) return;
  const auto iterate = inner_->answer(x);
  if (mean_.empty()) mean_.assign(iterate.size(), 0.0);
  const double share = 1.0 / static_cast<double>(rounds_ - burn_in_);
  for (std::size_t j = 0; j < mean_.size(); ++j) mean_[j] += share * (iterate[j] - mean_[j]);
}

std::span<const double> TailAverage::answer(std::span<const double> x) {
  return mean_.empty() ? inner_->answer(x) : mean_;
}

}  // namespace fedrk
