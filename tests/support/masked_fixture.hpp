// SPDX-License-Identifier: Apache-2.0
#pragma once

// Clients of a masked run without a network, and a server that may ask them whatever it likes. What it asks and what it
// hears goes through the very participants that talk to a real server.

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "plan/setup.hpp"
#include "round/groups.hpp"
#include "secure_sum/column_part.hpp"
#include "secure_sum/reply_part.hpp"
#include "support/local_federation.hpp"
#include "support/messages.hpp"
#include "transport/protocol/client_protocol.hpp"
#include "transport/protocol/wire.hpp"

namespace fedrk::test {

inline std::string fixture_name(std::size_t place) { return "site-" + std::to_string(place + 1); }

using PlanEntries = std::vector<std::pair<std::string, std::string>>;

/// What the server of a fixture says that there is.
struct FixtureRun {
  std::string run = "run";
  PlanEntries plan{};
  std::size_t participants = 0;      // of a group; 0: everyone in one
  std::vector<std::size_t> sites{};  // which these clients are; none: the first ones
};

class MaskedFixture : private io::SetupEngine {
 public:
  /// Clients with secrets of their own, new in each fixture, whose owners set no limits. `adjust` sees the options of
  /// each before it begins.
  explicit MaskedFixture(std::vector<Client> clients,
                         const std::function<void(network::ClientProtocolOptions&)>& adjust = {},
                         const FixtureRun& run = {})
      : run_(run), plan_(plan_of(run.plan)), columns_(clients.front().block().cols()) {
    masking_group_.run = run.run;
    masking_group_.members.resize(clients.size());
    masking_group_.groups = kept_groups(clients.size(), run.participants, 3);
    participants_.resize(clients.size());
    for (std::size_t i = 0; i < clients.size(); ++i) {
      rows_ += clients[i].block().rows();
      guards_.push_back(store::replay_guard_in_memory());
      ledgers_.push_back(store::disclosures_in_memory());
      owners_.push_back(std::make_unique<ReadyOwner>(std::move(clients[i])));
      options_.push_back({.name = fixture_name(run.sites.empty() ? i : run.sites[i]), .software = ""});
      options_.back().guard = guards_.back().get();
      options_.back().ledger = ledgers_.back().get();
      options_.back().consent.rules = kNoRules;
      if (adjust) adjust(options_.back());
      restart(i);
    }
  }

  /// A new process of this client, with what it kept, is welcomed.
  void restart(std::size_t client) {
    participants_[client] = std::make_unique<network::ClientProtocol>(options_[client], *owners_[client], *log_);
    const wire::ClientMessage answer = say(client, welcome(run_.plan, run_.run));
    const auto* ready = std::get_if<wire::Ready>(&answer);
    note_refusal(reason_in(answer));
    masking_group_.members[client] = {options_[client].name, ready == nullptr ? wire::Membership() : ready->membership};
  }

  static wire::Welcome welcome(const PlanEntries& plan = {}, const std::string& run = "run") {
    wire::Welcome message{.run = run, .masked = true};
    for (const auto& [name, value] : plan) message.plan.push_back({name, {value}});
    return message;
  }

  wire::MaskingGroup& masking_group() { return masking_group_; }
  void form_groups(std::size_t size) { masking_group_.groups = kept_groups(participants_.size(), size, 3); }

  /// Tells everyone who is there, and has them prepare their rows; the owners have theirs ready whatever comes of it.
  void distribute_keys() {
    for (std::uint32_t i = 0; i < participants_.size(); ++i) {
      masking_group_.place = i;
      note_refusal(reason_in(say(i, masking_group_)));
    }
    set_up();
  }
  /// The second half of it.
  void set_up() {
    const auto made = io::set_up(plan_, {.columns = columns_, .rows = rows_}, *this);
    if (!made) note_refusal(made.error().message);
  }
  /// The first one, of the set-up or a task.
  const std::string& refusal() const { return refusal_; }

  wire::Prepare prepare(std::uint32_t place) const {
    wire::Prepare message = prepare_;
    message.place = place;
    return message;
  }

  /// What the client says to a message; also written down.
  wire::ClientMessage say(std::size_t client, const wire::ServerMessage& message) {
    auto answer = participants_[client]->on_message(message).answer.value_or(wire::ClientMessage());
    heard_.emplace_back(client, answer);
    return answer;
  }

  wire::ClientMessage ask(std::size_t client, const wire::Task& task) { return say(client, task); }

  static wire::Task task(std::uint64_t number, const LocalTask& what, const std::vector<ClientId>& who,
                         masking::Grid grid = {}, const std::string& run = "run") {
    wire::TaskView message = wire::task_message(run, number, what, who);
    message.exponent = grid.exponent;
    return arrived(message);
  }

  /// The sum of what these say to a task; nothing where one refuses, or where masks are left.
  std::optional<LocalReply> sum(const wire::Task& task, const LocalTask& what, const std::vector<ClientId>& who) {
    const masking::Grid grid = *wire::grid_of(task);
    const masking::PartLayout layout = masking::layout_of(what, *reply_length(what.work, task.x.size()), grid);
    masking::Words total(layout.words(), 0);
    for (const ClientId client : who) {
      const wire::ClientMessage answer = ask(client.value, task);
      if (!wire::holds<wire::Update>(answer)) {
        note_refusal(reason_in(answer));
        return std::nullopt;
      }
      masking::add_part(layout, *std::get<wire::Update>(answer).masked, total);
    }
    masking::SumOfParts sum = masking::read_sum(layout, grid, total);
    if (sum.parties != who.size() || !sum.fits) return std::nullopt;
    return masking::reply_from(what, std::move(sum));
  }

  /// What all allow.
  const Allowance& allowance() const { return allowance_; }
  std::size_t clients() const { return participants_.size(); }
  ClientSummary summary(std::uint32_t place) const { return owners_[place]->summary(ClientId{place}); }

  /// All that the server was told, by client.
  const std::vector<std::pair<std::size_t, wire::ClientMessage>>& heard() const { return heard_; }

 private:
  static io::Plan plan_of(const PlanEntries& entries) {
    io::Plan plan;
    if (!wire::take_plan(welcome(entries).plan, plan)) throw std::runtime_error("such a plan there is not");
    return plan;
  }

  void note_refusal(std::string reason) {
    if (refusal_.empty()) refusal_ = std::move(reason);
  }

  // ---- The set-up, as a server asks it.

  bool counts_columns() const override { return !plan_.method.privacy.on(); }
  Result<std::vector<double>> sum_columns(const io::SumColumns& question) override {
    wire::SumColumns message{.run = run_.run, .question = question, .parts = parts_};
    message.question.known = {.rows = question.known.rows};
    const network::ColumnPart form(question, plan_.intercept ? 1 : 0);
    masking::Words total(form.layout().words(), 0);
    std::vector<wire::SignedPart> parts;
    for (std::size_t i = 0; i < participants_.size(); ++i) {
      const auto answer = say(i, message);
      const auto* sums = std::get_if<wire::ColumnSums>(&answer);
      if (sums == nullptr) return Error{reason_in(answer)};
      parts.push_back(sums->part);
      masking::add_part(form.layout(), sums->part.words, total);
    }
    (question.of == io::SumColumns::Of::Entries ? parts_.values : parts_.last) = std::move(parts);
    auto read = form.read(total, participants_.size());
    if (!read) return read.error();
    return std::move(read->sums.sums);
  }
  Result<std::vector<io::PreparedRows>> prepare(const io::PrepareRows& question) override {
    prepare_ = {.run = run_.run, .question = question, .parts = std::move(parts_)};
    prepare_.question.totals = {.rows = question.totals.rows};
    std::vector<io::PreparedRows> rows;
    for (std::uint32_t i = 0; i < participants_.size(); ++i) {
      const auto answer = say(i, prepare(i));
      const auto* prepared = std::get_if<wire::Prepared>(&answer);
      if (prepared == nullptr) return Error{reason_in(answer)};
      allowance_.vectors = std::min(allowance_.vectors, prepared->allowance.vectors);
      allowance_.columns = std::min(allowance_.columns, prepared->allowance.columns);
      rows.push_back({{}, columns_});
    }
    return rows;
  }

  FixtureRun run_;
  io::Plan plan_;
  std::size_t columns_, rows_ = 0;
  std::unique_ptr<NoLog> log_ = std::make_unique<NoLog>();
  std::vector<std::unique_ptr<store::ReplayGuard>> guards_;
  std::vector<std::unique_ptr<store::DisclosureLedger>> ledgers_;
  std::vector<std::unique_ptr<ReadyOwner>> owners_;
  std::vector<network::ClientProtocolOptions> options_;
  std::vector<std::unique_ptr<network::ClientProtocol>> participants_;
  wire::MaskingGroup masking_group_;
  wire::RelayedParts parts_;
  wire::Prepare prepare_;
  std::string refusal_;
  Allowance allowance_;
  std::vector<std::pair<std::size_t, wire::ClientMessage>> heard_;
};

inline std::vector<ClientId> places(std::initializer_list<std::uint32_t> values) {
  std::vector<ClientId> ids;
  for (const std::uint32_t value : values) ids.push_back(ClientId{value});
  return ids;
}

}  // namespace fedrk::test
