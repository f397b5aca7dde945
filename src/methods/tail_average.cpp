// SPDX-License-Identifier: Apache-2.0
#include "methods/tail_average.hpp"

#include <string>

#include "linalg/kernels.hpp"
#include "round/state_stream.hpp"

namespace fedrk {

void TailAverage::update(RoundIndex t, RoundReplies& round, std::span<double> x) {
  inner_->update(t, round, x);
  if (++rounds_ <= burn_in_) return;
  const auto iterate = inner_->answer(x);
  if (!all_finite(iterate)) return;  // the run will end with what it had before
  if (mean_.empty()) mean_.assign(iterate.size(), 0.0);
  const double share = 1.0 / static_cast<double>(rounds_ - burn_in_);
  for (std::size_t j = 0; j < mean_.size(); ++j) mean_[j] += share * (iterate[j] - mean_[j]);
}

std::span<const double> TailAverage::answer(std::span<const double> x) {
  return mean_.empty() ? inner_->answer(x) : mean_;
}

bool TailAverage::state(StateStream& stream) {
  stream(rounds_, mean_);
  return inner_->state(stream);
}

std::vector<std::string> TailAverage::notes() const {
  auto notes = inner_->notes();
  if (mean_.empty()) {
    notes.push_back("The run ended within the " + std::to_string(burn_in_) +
                    " rounds before averaging was to begin: the answer is its last iterate.");
  }
  return notes;
}

}  // namespace fedrk
