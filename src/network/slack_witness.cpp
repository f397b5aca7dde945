// SPDX-License-Identifier: Apache-2.0
#include "network/slack_witness.hpp"

#include <algorithm>
#include <cmath>

#include "fedrk/federated/private_slack.hpp"

namespace fedrk::network {
namespace {

SlackNews news_from(const v1::Told& told) {
  return SlackNews::unpacked(std::vector<double>(told.values().begin(), told.values().end()));
}

std::size_t place_among(std::span<const ClientId> participants, ClientId client) {
  return static_cast<std::size_t>(std::ranges::lower_bound(participants, client) - participants.begin());
}

SlackNews own_news(const v1::Task& message, const wire::ReceivedTask& task, ClientId self) {
  return news_from(message.told(static_cast<int>(place_among(task.participants(), self))));
}

}  // namespace

bool SlackWitness::is_new(const wire::ReceivedTask& task) const {
  return fit_ && !std::ranges::equal(fit_->unknowns, task.task().columns);
}

std::string SlackWitness::wrong(const v1::Task& message, const wire::ReceivedTask& task, ClientId self) const {
  if (message.own().length() > 0) return "it holds numbers that not all participants see";
  if (message.told().empty()) return "";
  if (message.told_size() != message.participants_size()) return "it does not show what each participant is told";
  std::vector<Factors> told;
  Factors all;
  for (const v1::Told& each : message.told()) {
    Factors& own = told.emplace_back();
    for (const SlackNews::Factor& factor : news_from(each).factors) {
      if (all.try_emplace(factor.round, factor.total).first->second != factor.total) {
        return "it tells participants different things of one round";
      }
      if (std::abs(factor.total) > SlackNews::kLargestTotal) return "it claims to have gone further than it can have";
      if (factor.round >= message.round()) return "it tells of rounds to come";
      own.emplace(factor.round, factor.total);
    }
  }
  const SlackNews mine = own_news(message, task, self);
  if (is_new(task)) {
    if (over_.contains({task.task().columns.begin(), task.task().columns.end()})) return "that fit is over";
    return mine.known || !mine.factors.empty() ? "it tells of a fit that this client had no part in" : "";
  }
  if (fit_ && fit_->used && !mine.known) {
    return "it says that nothing this client sent was used, and said otherwise before";
  }
  return wrong_of_my_rounds(task, told, place_among(task.participants(), self));
}

std::string SlackWitness::wrong_of_my_rounds(const wire::ReceivedTask& task, const std::vector<Factors>& told,
                                             std::size_t me) const {
  if (!fit_) return "";
  const auto* steps = std::get_if<ValidSteps>(&task.task().work);
  // Whoever has heard the last of a round that is new to this client heard it in a round without this client.
  const auto was_elsewhere_since = [&](const Factors& other, std::uint32_t round) {
    return std::any_of(other.upper_bound(round), other.end(),
                       [&](const auto& later) { return !told[me].contains(later.first); });
  };
  for (const auto& [round, total] : told[me]) {
    const auto mine = fit_->rounds.find(round);
    if (mine == fit_->rounds.end()) {
      if (fit_->complete) return "it tells of a round that this client did not answer";
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

void SlackWitness::answered(const v1::Task& message, const wire::ReceivedTask& task, ClientId self) {
  if (message.told().empty()) return;
  const SlackNews news = own_news(message, task, self);
  if (is_new(task)) {
    over_.insert(std::move(fit_->unknowns));
    fit_.reset();
  }
  if (!fit_) fit_ = Fit{{task.task().columns.begin(), task.task().columns.end()}, {}, !news.known};
  fit_->used = fit_->used || news.known;
  // What the server does not name any more is forgotten (private_slack.hpp).
  std::erase_if(fit_->rounds, [&](const auto& round) {
    return std::ranges::find(news.factors, round.first, &SlackNews::Factor::round) == news.factors.end();
  });
  fit_->rounds[message.round()].assign(task.participants().begin(), task.participants().end());
}

}  // namespace fedrk::network
