// SPDX-License-Identifier: Apache-2.0
#include "network/slack_witness.hpp"

#include <algorithm>
#include <cmath>

#include "fedrk/federated/private_slack.hpp"

namespace fedrk::network {
namespace {

constexpr double kLargest = 0x1.0p20;  // honest factors are of the size of one

SlackNews news_from(const v1::Told& told) {
  return SlackNews::unpacked(std::vector<double>(told.values().begin(), told.values().end()));
}

bool all_alike(const v1::Task& message) {
  return std::ranges::all_of(message.told(), [&](const v1::Told& told) {
    return std::ranges::equal(told.values(), message.told(0).values());
  });
}

std::size_t place_among(std::span<const ClientId> participants, ClientId client) {
  return static_cast<std::size_t>(std::ranges::lower_bound(participants, client) - participants.begin());
}

}  // namespace

std::string SlackWitness::wrong(const v1::Task& message, const wire::ReceivedTask& task, ClientId self, bool everyone) {
  if (message.own().length() > 0) return "it holds numbers that not all participants see";
  if (message.told().empty()) return "";
  if (message.told_size() != message.participants_size()) return "it does not show what each participant is told";
  if (everyone && !all_alike(message)) return "it tells participants different things, who have heard the same so far";
  begin_anew_for(task);
  std::vector<Factors> told;
  Factors all;
  for (const v1::Told& each : message.told()) {
    Factors& own = told.emplace_back();
    for (const SlackNews::Factor& factor : news_from(each).factors) {
      if (all.try_emplace(factor.round, factor.total).first->second != factor.total) {
        return "it tells participants different things of one round";
      }
      if (std::abs(factor.total) > kLargest) return "it claims to have gone further than it can have";
      if (factor.round >= message.round()) return "it tells of rounds to come";
      own.emplace(factor.round, factor.total);
    }
  }
  const std::size_t me = place_among(task.participants(), self);
  const bool known = news_from(message.told(static_cast<int>(me))).known;
  if (used_ && !known) return "it says that nothing this client sent was used, and said otherwise before";
  complete_ = complete_ || !known;
  return wrong_of_my_rounds(task, told, me);
}

std::string SlackWitness::wrong_of_my_rounds(const wire::ReceivedTask& task, const std::vector<Factors>& told,
                                             std::size_t me) const {
  const auto* steps = std::get_if<ValidSteps>(&task.task().work);
  // Whoever has heard the last of a round that is new to this client heard it in a round without this client.
  const auto was_elsewhere_since = [&](const Factors& other, std::uint32_t round) {
    return std::any_of(other.upper_bound(round), other.end(),
                       [&](const auto& later) { return !told[me].contains(later.first); });
  };
  for (const auto& [round, total] : told[me]) {
    const auto mine = rounds_.find(round);
    if (mine == rounds_.end()) {
      if (complete_) return "it tells of a round that this client did not answer";
      continue;
    }
    const bool stored = steps != nullptr && std::ranges::binary_search(steps->stored, round);
    for (std::size_t k = 0; k < told.size(); ++k) {
      const bool was_in_it = std::ranges::binary_search(mine->second, task.participants()[k]);
      if (!was_in_it || told[k].contains(round)) continue;
      if (stored || !was_elsewhere_since(told[k], round)) {
        return "it tells some of those who took part in a round of it, and not all";
      }
    }
  }
  return "";
}

// Another fit has other slack.
void SlackWitness::begin_anew_for(const wire::ReceivedTask& task) {
  if (std::ranges::equal(columns_, task.task().columns)) return;
  *this = {};
  columns_.assign(task.task().columns.begin(), task.task().columns.end());
}

void SlackWitness::answered(const v1::Task& message, const wire::ReceivedTask& task, ClientId self) {
  if (message.told().empty()) return;
  const auto participants = task.participants();
  const SlackNews news = news_from(message.told(static_cast<int>(place_among(participants, self))));
  used_ = used_ || news.known;
  // What the server does not name any more is forgotten (private_slack.hpp).
  std::erase_if(rounds_, [&](const auto& round) {
    return std::ranges::find(news.factors, round.first, &SlackNews::Factor::round) == news.factors.end();
  });
  rounds_[message.round()].assign(participants.begin(), participants.end());
}

}  // namespace fedrk::network
