// SPDX-License-Identifier: Apache-2.0
#include "secure_sum/masking_site.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "linalg/kernels.hpp"
#include "secure_sum/column_part.hpp"
#include "secure_sum/reply_part.hpp"
#include "secure_sum/signed_statements.hpp"
#include "transport/protocol/sanitized.hpp"

namespace fedrk::network {
namespace {

using masking::text_of;
using store::ReplayGuard;

constexpr std::uint64_t kMaxColumns = std::uint64_t{1} << 40;  // more than any table has
constexpr std::uint64_t kMaxRows = std::uint64_t{1} << 48;     // the same, and few enough to be added up
constexpr const char* kNoPeers = "the other clients of the run are not known yet";
constexpr const char* kChangedAnswer =
    "its answer is not what it was when it answered this first: its data have changed, or another process has the same "
    "state folder";

// The bytes of numbers where they lie.
template <class Numbers>
std::string_view bytes_in(const Numbers& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof numbers[0]};  // NOLINT: their bits
}

// Of all that makes the answer to a task. Steps are drawn anew in each round; what draws nothing is the same in all.
masking::Digest digest_of(const wire::Task& message, const wire::ReceivedTask& received) {
  LocalTask task = received.task();
  if (!has_trait(task.work, kSteps)) task.round = {};
  ByteWriter question;
  describe_question(task, received.participants(), question);
  return masking::digest({"asked", question.bytes(), bytes_in(message.x)});
}

}  // namespace

std::optional<Refused> MaskingSite::pin(const char* kind, const masking::Digest& value, const char* otherwise,
                                        bool for_ever) {
  const auto seen = guard_.record(for_ever ? "" : terms_->run, masking::digest({kind}), value);
  if (!seen) return Refused{seen.error().message};
  return *seen == ReplayGuard::Seen::Other ? std::optional(Refused{otherwise}) : std::nullopt;
}

// ---- Who takes part.

Answered<wire::Ready> MaskingSite::answer(const RunTerms& terms) {
  terms_ = &terms;
  masker_.reset();
  group_.reset();
  auto answer = inner_.begin(terms);
  if (auto* refused = std::get_if<Refused>(&answer)) return *std::move(refused);
  auto& facts = std::get<TableFacts>(answer);
  TableShape& shape = facts.shape;
  wire::Ready ready{shape.rows, shape.columns, std::move(shape.names), shape.sparse, shape.open_ended};
  if (!terms.masked) return ready;
  constexpr const char* kNoKeys = "it cannot make keys for masks; its own log says why";
  const auto secret = guard_.secret(terms.run, masking::random_key());
  if (!secret) return Refused{kNoKeys, secret.error().message};
  plan_ = masking::digest({"plan", terms.text});
  if (auto refused = pin("plan", plan_, "this run had another plan before")) return *std::move(refused);
  if (auto refused = pin("table", facts.table, "its table has changed since the run began")) return *std::move(refused);
  masker_ = std::make_unique<masking::Masker>(*secret, terms.run);
  wire::Membership& own = ready.membership;
  own.key.assign(masker_->public_key().begin(), masker_->public_key().end());
  own.rows = ready.rows;
  own.sparse = ready.sparse;
  own.table.assign(facts.table.begin(), facts.table.end());
  if (const auto done = sign_membership(terms.run, options_.name, options_.credentials, own); !done) {
    return Refused{kNoKeys, done.error().message};
  }
  return ready;
}

Answered<RunGroup> MaskingSite::believed(const wire::MaskingGroup& group) {
  RunGroup known{.members = {}, .groups = group.groups, .self = ClientId{group.place}};
  std::vector<masking::Key> keys;
  std::set<std::string> names;
  std::string members;  // without signatures and certificates: a client that is started again or renewed has others
  const security::Moment now = security::now();
  for (const auto& [name, shown] : group.members) {
    const auto key = believed_key(shown, terms_->run, name, options_.credentials, now);
    if (!key) return Refused{key.error().message};
    if (!names.insert(name).second) return Refused{"the server names a client twice"};
    if (shown.table.size() != sizeof(masking::Digest)) return Refused{"a client's table has no name"};
    if (shown.rows > kMaxRows) return Refused{"a client claims more rows than any table has"};
    keys.push_back(*key);
    members += bytes_of(name, shown.key, shown.rows, shown.sparse, shown.table);
    RunGroup::Member& member = known.members.emplace_back(RunGroup::Member{name, shown.rows});
    member.sparse = shown.sparse;
    std::ranges::copy(shown.table, member.table.begin());
  }
  std::set<ClientId> placed;
  for (const auto& clients : group.groups) {
    const bool ascending = std::ranges::adjacent_find(clients, std::ranges::greater_equal{}) == clients.end();
    if (clients.empty() || !ascending) return Refused{"the groups of the run make no sense"};
    placed.insert(clients.begin(), clients.end());
  }
  std::size_t members_of_groups = 0;
  for (const auto& clients : group.groups) members_of_groups += clients.size();
  const bool all = placed.size() == keys.size() && members_of_groups == keys.size();
  if (!all || placed.rbegin()->value >= keys.size()) return Refused{"the groups of the run make no sense"};
  company_ = masking::digest({"company", group.run, members, bytes_of(group.groups)});
  if (auto refused = pin("company", company_, "this run began with another group of clients")) {
    return *std::move(refused);
  }
  if (const auto met = masker_->set_peers(known.self, keys); !met) return Refused{met.error().message};
  return known;
}

std::optional<Refused> MaskingSite::meet(const wire::MaskingGroup& group) {
  group_.reset();
  if (terms_ == nullptr || !terms_->masked) return Refused{"keys for masks came out of turn"};
  if (group.run != terms_->run) return Refused{"a masking group of another run"};
  if (group.place >= group.members.size() || group.members[group.place].name != options_.name) {
    return Refused{"the server gives this client another place than its own"};
  }
  auto answer = believed(group);
  if (auto* refused = std::get_if<Refused>(&answer)) return *std::move(refused);
  auto& known = std::get<RunGroup>(answer);
  if (auto refused = inner_.meet(known)) return refused;
  std::string list;
  memberships_.clear();
  for (const auto& member : group.members) {
    list += (list.empty() ? "" : ", ") + sanitized(member.name);
    memberships_.push_back(member.membership);
  }
  log_.info("masks.ready", {{"run", terms_->run}, {"clients", list}});
  group_ = std::move(known);
  return std::nullopt;
}

std::vector<ClientId> MaskingSite::everyone() const {
  std::vector<ClientId> all;
  for (std::uint32_t i = 0; i < group_->members.size(); ++i) all.push_back(ClientId{i});
  return all;
}

// ---- The set-up.

// With totals that everyone makes himself: masks of those who made others do not cancel.
masking::Digest MaskingSite::name_of(const io::SumColumns& question) const {
  return masking::digest({"columns", text_of(plan_), text_of(company_), bytes_of(question)});
}

// The words of a part, or what stands for numbers that do not fit.
masking::Words MaskingSite::masked(const masking::Digest& question, const masking::PartLayout& layout,
                                   std::optional<masking::Words> part, std::span<const ClientId> participants) const {
  masking::Words words = part ? *std::move(part) : masker_->misfit(question, layout);
  masker_->mask(question, participants, layout, words);
  return words;
}

Result<void> MaskingSite::add_up(const io::SumColumns& question, const std::vector<wire::SignedPart>& parts,
                                 Totals& totals, std::vector<double>& sums) const {
  if (parts.size() != group_->members.size()) return Error{"the sums of the columns are not those of all clients"};
  const masking::Digest name = name_of(question);
  const ColumnPart form(question, fixed_columns());
  masking::Words total(parts.front().words.size(), 0);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string& member = group_->members[i].name;
    if (parts[i].words.size() != form.layout().words())
      return Error{"a part in the sums of the columns has another length"};
    if (const auto fine = believe_part(parts[i], name, member, memberships_[i], options_.credentials); !fine)
      return fine;
    masking::add_part(form.layout(), parts[i].words, total);
  }
  auto read = form.read(total, parts.size());
  if (!read) return read.error();
  sums = std::move(read->sums.sums);
  totals.counts = std::move(read->counts);
  return {};
}

// From the parts of the questions that were asked, in their order.
Result<MaskingSite::Totals> MaskingSite::totals_of(const io::PrepareRows& asked,
                                                   const wire::RelayedParts& parts) const {
  if (asked.columns > kMaxColumns) return Error{"the server wants more columns than any table has"};
  if (!asked.totals.sums.empty() || !asked.totals.squares.empty()) {
    return Error{"the server says what the sums of the columns are, in place of the parts of all clients"};
  }
  // Columns of sparse tables are not centred.
  if (asked.totals.sparse != std::ranges::any_of(group_->members, &RunGroup::Member::sparse)) {
    return Error{"the server says of the tables that they are sparse, or dense, and they are not"};
  }
  Totals totals{.columns = {.rows = group_->rows_of(everyone()), .sparse = asked.totals.sparse}, .counts = {}};
  io::SumColumns question{asked.columns, asked.names, io::SumColumns::Of::Entries, totals.columns};
  if (!parts.values.empty()) {
    if (const auto added = add_up(question, parts.values, totals, totals.columns.sums); !added) return added.error();
    question.known = totals.columns;
  }
  if (parts.last.empty()) return totals;
  question.of = io::last_sum_of(terms_->plan, totals.columns, asked.columns + fixed_columns());
  if (const auto added = add_up(question, parts.last, totals, totals.columns.squares); !added) return added.error();
  return totals;
}

Answered<wire::ColumnSums> MaskingSite::answer(const wire::SumColumns& message) {
  io::SumColumns question = message.question;
  if (terms_->masked) {
    if (!group_) return Refused{kNoPeers};
    const auto totals = totals_of({question.columns, question.names, question.known}, message.parts);
    if (!totals) return Refused{totals.error().message};
    question.known = totals->columns;
  }
  auto answer = inner_.sum_columns(question);
  if (auto* refused = std::get_if<Refused>(&answer)) return *std::move(refused);
  auto& facts = std::get<ColumnFacts>(answer);
  wire::ColumnSums sums{.run = message.run, .rows = facts.sums.rows, .of = question.of};
  if (!terms_->masked) {
    sums.sums = std::move(facts.sums.sums);
    return sums;
  }
  const masking::Digest name = name_of(question);
  const ColumnPart form(question, fixed_columns());
  auto part = sign_part(name, masked(name, form.layout(), form.part_of(facts), everyone()), options_.name,
                        options_.credentials);
  if (!part) return Refused{"it cannot sign its part; its own log says why", part.error().message};
  const masking::Digest said = masking::digest({bytes_in(part->words)});
  const auto seen = guard_.record(terms_->run, name, said);
  if (!seen) return Refused{seen.error().message};
  if (*seen == ReplayGuard::Seen::Other) return Refused{kChangedAnswer};
  sums.part = *std::move(part);
  return sums;
}

// Pinned before anybody looks at the rows for it: what becomes of them tells something, and a server could else ask as
// often as it likes. The same clients with the same tables make the same of the same columns in every run.
std::optional<Refused> MaskingSite::keep_preparation(const io::PrepareRows& prepared) {
  preparation_ = masking::digest({"preparation", bytes_of(prepared)});
  if (auto refused = pin("preparation", preparation_, "this run had its rows prepared in another way before")) {
    return refused;
  }
  if (is<Private>(terms_->decided.goal)) return std::nullopt;
  std::string tables;
  for (const RunGroup::Member& member : group_->members)
    tables += bytes_of(member.name) + std::string(text_of(member.table));
  const masking::Digest about = masking::digest(
      {"tables", tables, bytes_of(prepared.columns, prepared.names, prepared.totals.sparse), terms_->plan.target,
       terms_->plan.intercept ? "1" : "0", std::to_string(static_cast<int>(terms_->decided.columns))});
  const auto seen = guard_.record("", about, masking::digest({bytes_of(prepared.totals)}));
  if (!seen) return Refused{seen.error().message};
  if (*seen != ReplayGuard::Seen::Other) return std::nullopt;
  return Refused{
      "the columns of the same tables had other sums in an earlier run: a client sends what it did not send then"};
}

Answered<wire::Prepared> MaskingSite::answer(const wire::Prepare& message) {
  Preparation prepared{.question = message.question, .counts = {}, .place = ClientId{message.place}};
  if (terms_->masked) {
    if (!group_) return Refused{kNoPeers};
    if (prepared.place != masker_->self()) return Refused{"the server gives this client two different places"};
    // The owner's rules go by the counts of the columns, which come with the last of the sums.
    if (message.parts.last.empty() && !terms_->plan.method.privacy.on()) {
      return Refused{"the server leaves out in how many tables the columns vary"};
    }
    auto totals = totals_of(message.question, message.parts);
    if (!totals) return Refused{totals.error().message};
    prepared.question.totals = std::move(totals->columns);
    prepared.counts = std::move(totals->counts);
    if (auto refused = keep_preparation(prepared.question)) return *std::move(refused);
  }
  auto answer = inner_.prepare(prepared);
  if (auto* refused = std::get_if<Refused>(&answer)) return *std::move(refused);
  const auto& facts = std::get<PreparedFacts>(answer);
  const ClientSummary& summary = facts.rows.summary;
  unknowns_ = facts.rows.unknowns;
  wire::Prepared made{.run = message.run, .rows = summary.rows, .unknowns = facts.rows.unknowns};
  if (!terms_->masked) {
    made.squared_rhs_norm = summary.squared_rhs_norm;
    made.squared_norm = summary.squared_norm;
    return made;
  }
  // Norms have no noise: where that is promised they stay here.
  const bool noisy = terms_->plan.method.privacy.on();
  const double norms[] = {noisy ? 0.0 : summary.squared_norm, noisy ? 0.0 : summary.squared_rhs_norm};
  const masking::PartLayout layout{0, std::size(norms)};
  const masking::Digest name = masking::digest({"norms", text_of(plan_), text_of(company_), text_of(preparation_)});
  made.masked_norms =
      masked(name, layout, masking::part_of({}, norms, masking::Grid{0}, group_->members.size()), everyone());
  made.allowance = facts.allowance;
  const auto seen = guard_.record(terms_->run, name, masking::digest({bytes_in(made.masked_norms)}));
  if (!seen) return Refused{seen.error().message};
  if (*seen == ReplayGuard::Seen::Other) return Refused{kChangedAnswer};
  return made;
}

// ---- Rounds.

Answered<wire::Update> MaskingSite::answer(const wire::Task& message, wire::ReceivedTask task) {
  AskedTask asked{std::move(task)};
  if (terms_->masked) return masked_answer(message, asked);
  auto answer = inner_.answer(asked);
  if (auto* refused = std::get_if<Refused>(&answer)) return *std::move(refused);
  return wire::update_message(message.run, message.number, asked.task.task(), std::get<LocalReply>(std::move(answer)));
}

Answered<wire::Update> MaskingSite::masked_answer(const wire::Task& message, AskedTask& asked) {
  if (!group_) return Refused{kNoPeers};
  const auto grid = wire::grid_of(message);
  if (!grid) return Refused{grid.error().message};
  if (!message.own.empty()) return Refused{"it holds numbers that not all participants see"};
  const LocalWork& work = asked.task.task().work;
  const auto of_noise = grid_of_noise(work);
  if (of_noise && grid->exponent.value_or(*of_noise) != *of_noise) {
    return Refused{"its noise is on another grid than its sum"};  // and would be rounded away client by client
  }
  asked.digest = masking::digest(
      {"task", text_of(plan_), text_of(company_), text_of(preparation_), text_of(digest_of(message, asked.task))});
  asked.task.draw_from(masker_->draws("steps", asked.digest));
  if (of_noise) {
    const std::size_t numbers = reply_length(work, unknowns_).value_or(0);
    asked.task.make_noise_of(masker_->gaussians("noise", asked.digest, numbers));
  }
  auto answer = inner_.answer(asked);
  if (auto* refused = std::get_if<Refused>(&answer)) return *std::move(refused);

  const LocalTask& task = asked.task.task();
  const auto& reply = std::get<LocalReply>(answer);
  // The numbers are the same on any grid; masks are of one.
  const masking::Digest on_grid =
      masking::digest({"grid", text_of(asked.digest), grid->exponent ? std::to_string(*grid->exponent) : "wide"});
  const masking::PartLayout layout = masking::layout_of(task, reply.values.size(), *grid);
  const auto participants = asked.task.participants();
  masking::Words words =
      masked(on_grid, layout, masking::part_of(task, reply, *grid, participants.size()), participants);
  const auto seen =
      guard_.record(terms_->run, asked.digest,
                    masking::digest({bytes_of(reply.gap, reply.squared_residual), bytes_in(reply.values)}));
  if (!seen) return Refused{seen.error().message};
  if (*seen == ReplayGuard::Seen::Other) return Refused{kChangedAnswer};
  return wire::masked_update_message(message, task.round, std::move(words));
}

}  // namespace fedrk::network
