// SPDX-License-Identifier: Apache-2.0
#pragma once

// A sweep: every client is asked the same question once, group by group, and the groups' sums are added up. So a sum
// over all rows takes as many rounds as there are groups, whoever takes part in each. A group in which somebody is
// missing is asked again when the others have answered; who is missing then is lost. The groups' sums are added in the
// order of the groups, so that a group that answers late leaves the same bits.

#include <cstddef>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "round/groups.hpp"

namespace fedrk {

class Sweep {
 public:
  bool running() const { return running_; }

  /// REQUIRES: the groups outlive the sweep and stay as they are until its sum is taken.
  void begin(const Groups& groups);

  /// Whom to ask next. REQUIRES: it is running.
  std::span<const ClientId> group() const { return groups_->at(waiting_.front()); }
  /// Whether that group was asked before, and is worth waiting for.
  bool second_time() const { return second_; }

  /// What the group answered, one sum. True when the sweep is over: `take` has the sum, or `lost` those who are
  /// missing.
  bool add(const LocalWork& work, const RoundReplies& round);

  const std::vector<ClientId>& lost() const { return lost_; }
  /// REQUIRES: it is over, and nobody was lost.
  RoundReplies take();

 private:
  void merge(const LocalWork& work);
  void note_lost(std::span<const ClientId> group, const RoundReplies& round);

  const Groups* groups_ = nullptr;
  std::deque<std::size_t> waiting_, again_;
  bool running_ = false, second_ = false;
  std::vector<std::optional<LocalReply>> parts_;  // by group, until they are part of the sum
  std::size_t merged_ = 0;
  std::optional<LocalReply> sum_;
  std::vector<ClientId> lost_;
};

}  // namespace fedrk
