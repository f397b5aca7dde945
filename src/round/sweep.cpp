// SPDX-License-Identifier: Apache-2.0
#include "round/sweep.hpp"

#include <algorithm>
#include <utility>

#include "fedrk/contracts.hpp"

namespace fedrk {

void Sweep::begin(const Groups& groups) {
  groups_ = &groups;
  running_ = true;
  waiting_.clear();
  again_.clear();
  for (std::size_t k = 0; k < groups.count(); ++k) waiting_.push_back(k);
  second_ = false;
  parts_.assign(groups.count(), std::nullopt);
  merged_ = 0;
  sum_.reset();
  lost_.clear();
}

bool Sweep::add(const LocalWork& work, const RoundReplies& round) {
  const std::size_t k = waiting_.front();
  waiting_.pop_front();
  if (round.answered.size() == groups_->at(k).size() && !round.replies.empty()) {
    parts_[k] = round.replies.front();
    merge(work);
  } else if (second_) {
    note_lost(groups_->at(k), round);
  } else {
    again_.push_back(k);
  }
  if (waiting_.empty() && !second_) {
    waiting_.swap(again_);
    second_ = true;
  }
  if (!waiting_.empty()) return false;
  running_ = false;
  return true;
}

// Under masks nobody's part is of use without the others'; the absences name those who are missing.
void Sweep::note_lost(std::span<const ClientId> group, const RoundReplies& round) {
  for (const ClientId client : group) {
    const bool absent = std::ranges::find(round.absences, client, &Absence::client) != round.absences.end();
    const bool heard = std::ranges::find(round.answered, client) != round.answered.end();
    if (round.absences.empty() ? !heard : absent) lost_.push_back(client);
  }
}

void Sweep::merge(const LocalWork& work) {
  for (; merged_ < parts_.size() && parts_[merged_]; ++merged_) {
    if (sum_) {
      add_reply(work, *parts_[merged_], *sum_);
    } else {
      sum_ = std::move(parts_[merged_]);
    }
    parts_[merged_].reset();
  }
}

RoundReplies Sweep::take() {
  FEDRK_EXPECTS(!running_ && lost_.empty() && sum_);
  RoundReplies round;
  round.replies.push_back(*std::exchange(sum_, std::nullopt));
  round.answered = groups_->everyone();
  return round;
}

}  // namespace fedrk
