// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the server of a masked run gets of clients that keep the rules of their owners, with all that stands between a
// question and the rows (client_site.hpp), and without a network. MaskedSums is the same where no rule stands in
// between.

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "round/task_cost.hpp"
#include "support/masked_fixture.hpp"

namespace fedrk::test {

/// What sites remember from one run to the next.
class SiteMemory {
 public:
  explicit SiteMemory(std::size_t sites) {
    for (std::size_t i = 0; i < sites; ++i) {
      guards_.push_back(store::replay_guard_in_memory());
      ledgers_.push_back(store::disclosures_in_memory());
    }
  }
  void hand_to(network::ClientProtocolOptions& options) const {
    std::size_t site = 0;
    while (fixture_name(site) != options.name) ++site;
    options.guard = guards_[site].get();
    options.ledger = ledgers_[site].get();
  }

 private:
  std::deque<std::unique_ptr<store::ReplayGuard>> guards_;
  std::deque<std::unique_ptr<store::DisclosureLedger>> ledgers_;
};

class RuledSums final : public Engine {
 public:
  /// REQUIRES: `memory` outlives this.
  RuledSums(std::vector<Client> clients, const SiteMemory& memory, const FixtureRun& run,
            const network::ConsentOptions& consent = {})
      : run_(run.run),
        dimension_(clients.front().block().cols()),
        fixture_(
            std::move(clients),
            [&](network::ClientProtocolOptions& options) {
              options.consent = consent;
              memory.hand_to(options);
            },
            run) {
    fixture_.distribute_keys();
    for (std::uint32_t i = 0; i < fixture_.clients(); ++i) roster_.push_back(fixture_.summary(i));
  }

  /// The first question that was not answered, of the set-up too, and why not; empty: all were.
  const std::string& refusal() const { return fixture_.refusal(); }
  /// Sums that were given.
  std::size_t given() const { return given_; }

  std::span<const ClientSummary> roster() const override { return roster_; }
  std::size_t dimension() const override { return dimension_; }
  /// What is left to the group that was asked most.
  Allowance allowance() const override {
    Allowance left = fixture_.allowance();
    std::uint64_t most = 0;
    for (const auto& [first, vectors] : shown_) most = std::max(most, vectors);
    if (left.vectors != Allowance::kNoLimit) left.vectors -= std::min(left.vectors, most);
    return left;
  }

  RoundReplies local_updates(const LocalTask& task, std::span<const ClientId> participants) override {
    const std::vector<ClientId> who(participants.begin(), participants.end());
    RoundReplies round;
    auto sum = fixture_.sum(MaskedFixture::task(number_++, task, who, {}, run_), task, who);
    if (!sum) {
      for (const ClientId client : who) round.absences.push_back({client, "no sum"});
      return round;
    }
    ++given_;
    shown_[who.front()] += cost_of(task, dimension_).vectors;
    round.replies.push_back(*std::move(sum));
    round.answered = who;
    return round;
  }

 private:
  std::string run_;
  std::size_t dimension_;
  MaskedFixture fixture_;
  std::vector<ClientSummary> roster_;
  std::uint64_t number_ = 0;
  std::size_t given_ = 0;
  std::map<ClientId, std::uint64_t> shown_;
};

}  // namespace fedrk::test
