// SPDX-License-Identifier: Apache-2.0
#include "fedrk/methods/ridge.hpp"

#include <algorithm>

namespace fedrk {
namespace {

constexpr double kRounding = 1e-14;

}  // namespace

Ridge::Ridge(const SlackOptions& options, std::span<const ClientSummary> roster, double tolerance)
    : server_(options, roster), tolerance_(std::max(tolerance, kRounding)), settled_(roster.size()) {}

void Ridge::update(RoundIndex t, RoundReplies& round, std::span<double> x) {
  if (round.answered.empty()) return;
  server_.update(t, round, x);
  if (server_.relative_gap() <= tolerance_) {
    settled_.add(round.answered);
  } else {
    settled_.clear();
  }
}

}  // namespace fedrk
