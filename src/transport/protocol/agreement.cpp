// SPDX-License-Identifier: Apache-2.0
#include "transport/protocol/agreement.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "fedrk/error.hpp"
#include "linalg/kernels.hpp"
#include "plan/setup.hpp"
#include "round/groups.hpp"
#include "secure_sum/column_part.hpp"
#include "secure_sum/part.hpp"
#include "transport/protocol/sanitized.hpp"

namespace fedrk::network {
namespace {

using Arrival = ServerProtocol::Arrival;

// "'u', 'v'" of those that the other list lacks; only some of very many.
std::string missing_from(const std::vector<std::string>& wanted, const std::vector<std::string>& there) {
  constexpr std::size_t kMax = 12;
  const std::unordered_set<std::string_view> known(there.begin(), there.end());
  std::string text;
  std::size_t count = 0;
  for (const std::string& name : wanted) {
    if (!known.contains(name) && count++ < kMax) text += (text.empty() ? "'" : ", '") + sanitized(name) + "'";
  }
  return count > kMax ? text + fmt::format(" and {} more", count - kMax) : text;
}

// Whatever is wrong is said at once, so that nobody has to come back for the next.
class ColumnCheck {
 public:
  explicit ColumnCheck(const std::vector<Arrival>& arrivals) : first_(arrivals.front()) {
    const bool named = std::ranges::any_of(arrivals, [](const Arrival& each) { return !each.ready.names.empty(); });
    for (const Arrival& arrival : arrivals) {
      matched_.columns = std::max<std::size_t>(matched_.columns, arrival.ready.columns);
      matched_.rows += arrival.ready.rows;
      matched_.sparse = matched_.sparse || arrival.ready.sparse;
    }
    for (const Arrival& arrival : arrivals) named ? compare_names(arrival) : compare_width(arrival);
  }

  Result<io::MatchedTables> result(std::size_t max_length) && {
    if (!problems_.empty()) return Error{problems_ + "; all clients need the same columns"};
    if (matched_.columns == 0) return Error{"the clients' data have no columns"};
    if (matched_.columns > max_length) {
      return Error{fmt::format("{} columns are more than this server takes", matched_.columns)};
    }
    return std::move(matched_);
  }

 private:
  void compare_names(const Arrival& arrival) {
    const auto mine = names_at(arrival), theirs = names_at(first_);
    if (std::unordered_set<std::string_view>(mine.begin(), mine.end()).size() < mine.size()) {
      return add(fmt::format("{} has two columns of one name", arrival.name));
    }
    if (mine == theirs) return;
    if (mine.empty()) return add(fmt::format("{} has no column names", arrival.name));
    const std::string lacks = missing_from(theirs, mine), more = missing_from(mine, theirs);
    if (!lacks.empty()) add(fmt::format("{} lacks {}", arrival.name, lacks));
    if (!more.empty()) add(fmt::format("{} has {}, {} has not", arrival.name, more, first_.name));
    if (lacks.empty() && more.empty()) matched_.order = theirs;
  }
  // Columns without names are x1, x2, ...; not where a client claims to have more than can be.
  std::vector<std::string> names_at(const Arrival& arrival) const {
    const auto& names = arrival.ready.names;
    if (!names.empty() || arrival.ready.columns > kMaxNumbered) return names;
    return io::numbered_columns(arrival.ready.columns);
  }
  void compare_width(const Arrival& arrival) {
    if (arrival.ready.open_ended || arrival.ready.columns == matched_.columns) return;
    add(fmt::format("{} has {} columns, another client {}", arrival.name, arrival.ready.columns, matched_.columns));
  }
  void add(const std::string& problem) { problems_ += (problems_.empty() ? "" : "; ") + problem; }

  static constexpr std::size_t kMaxNumbered = 1 << 20;

  const Arrival& first_;
  io::MatchedTables matched_;
  std::string problems_;
};

// The sum of everyone's masked numbers.
Result<std::vector<double>> unmasked(const masking::PartLayout& layout, std::span<const masking::Words> parts) {
  masking::Words total(layout.words(), 0);
  for (const masking::Words& words : parts) {
    if (words.size() != layout.words()) return Error{"a client sent a masked sum of another length"};
    masking::add_part(layout, words, total);
  }
  masking::SumOfParts sum = masking::read_sum(layout, masking::Grid{0}, total);
  if (sum.parties != parts.size()) return Error{"the masks of the clients do not cancel"};
  if (!sum.fits) return Error{"some client's numbers are too large to be added up (beyond 1e30), or none"};
  return std::move(sum.scalars);
}

constexpr masking::PartLayout kNorms{0, 2};

/// The questions of the set-up as messages, their answers checked.
class NetworkSetup final : public io::SetupEngine {
 public:
  NetworkSetup(SynchronizedProtocol& protocol, const FederationOptions& options, const std::vector<Arrival>& arrivals)
      : protocol_(protocol), options_(options), arrivals_(arrivals) {
    for (std::uint32_t i = 0; i < arrivals.size(); ++i) all_.push_back(ClientId{i});
  }

  bool counts_columns() const override { return options_.masked && !options_.plan.method.privacy.on(); }

  /// Each client's sums, checked, and added up. Where they are masked only the sum can be read; the parts are kept, as
  /// clients add them up themselves.
  Result<std::vector<double>> sum_columns(const io::SumColumns& question) override {
    const std::size_t fixed = options_.plan.intercept ? 1 : 0;
    const ColumnPart form(question, fixed);
    const std::size_t unknowns = form.layout().scalars;
    const std::size_t length = options_.masked ? form.layout().words() : unknowns;
    auto answers = ask<wire::ColumnSums>(
        length,
        [outgoing = outgoing_of(wire::SumColumns{options_.run, in_message(question), parts_})](ClientId) {
          return outgoing;
        },
        question.of);
    if (!answers) return answers.error();
    std::vector<double> sum(unknowns, 0.0);
    masking::Words total(options_.masked ? length : 0, 0);
    std::vector<wire::SignedPart> parts;
    for (std::size_t i = 0; i < answers->size(); ++i) {
      wire::ColumnSums& own = (*answers)[i];
      if (const std::string wrong = fault_of(own, arrivals_[i], length); !wrong.empty()) return Error{wrong};
      for (std::size_t j = 0; j < own.sums.size(); ++j) sum[j] += own.sums[j];
      if (options_.masked) masking::add_part(form.layout(), own.part.words, total);
      parts.push_back(std::move(own.part));
    }
    if (!options_.masked) return sum;
    auto read = form.read(total, parts.size());
    if (!read) return read.error();
    (question.of == io::SumColumns::Of::Entries ? parts_.values : parts_.last) = std::move(parts);
    return std::move(read->sums.sums);
  }

  /// The answers as they came are kept: a client that comes back must give the same.
  Result<std::vector<io::PreparedRows>> prepare(const io::PrepareRows& question) override {
    message_ = {.run = options_.run, .question = question, .parts = std::move(parts_)};
    if (options_.masked) message_.question.totals = in_message(question.totals);
    auto answers = ask<wire::Prepared>(options_.masked ? kNorms.words() : 0, [&](ClientId client) {
      message_.place = client.value;
      return outgoing_of(message_);
    });
    message_.place = 0;
    if (!answers) return answers.error();
    prepared_ = *std::move(answers);
    std::vector<io::PreparedRows> rows;
    for (std::size_t i = 0; i < prepared_.size(); ++i) {
      const wire::Prepared& own = prepared_[i];
      rows.push_back({{all_[i], arrivals_[i].name, own.rows, own.squared_rhs_norm, own.squared_norm}, own.unknowns});
    }
    return rows;
  }

  wire::Prepare& message() { return message_; }
  std::vector<wire::Prepared>& prepared() { return prepared_; }

 private:
  // Clients of a masked run make the totals of the parts.
  static io::ColumnTotals in_message(const io::ColumnTotals& totals) {
    return {.rows = totals.rows, .sparse = totals.sparse};
  }
  io::SumColumns in_message(const io::SumColumns& question) const {
    io::SumColumns asked = question;
    if (options_.masked) asked.known = in_message(question.known);
    return asked;
  }

  template <class Body>
  Result<std::vector<Body>> ask(std::size_t max_length, const std::function<OutgoingMessage(ClientId)>& outgoing,
                                io::SumColumns::Of of = {}) {
    const ServerProtocol::Question question{.kind = wire::kAnswerKind<Body>,
                                            .outgoing = outgoing,
                                            .max_length = max_length,
                                            .away_limit = options_.join_limit,
                                            .of = of};
    std::vector<Body> bodies;
    for (auto& answer : protocol_.exchange(question, all_)) {
      if (!answer.message) return Error{fmt::format("{}: {}", arrivals_[answer.client.value].name, answer.absence)};
      bodies.push_back(std::get<Body>(*std::move(answer.message)));
    }
    return bodies;
  }

  std::string fault_of(const wire::ColumnSums& own, const Arrival& arrival, std::size_t length) const {
    const std::size_t sent = options_.masked ? own.part.words.size() : own.sums.size();
    if (sent != length) return fmt::format("{} sent {} column sums, not {}", arrival.name, sent, length);
    if (options_.masked && !own.sums.empty()) return fmt::format("{} sent column sums without a mask", arrival.name);
    if (!all_finite(own.sums)) return fmt::format("{} sent column sums that are not finite", arrival.name);
    if (own.rows == arrival.ready.rows) return "";
    return fmt::format("{} sent the sums of {} rows, but has {}", arrival.name, own.rows, arrival.ready.rows);
  }

  SynchronizedProtocol& protocol_;
  const FederationOptions& options_;
  const std::vector<Arrival>& arrivals_;
  std::vector<ClientId> all_;
  wire::RelayedParts parts_;
  wire::Prepare message_;
  std::vector<wire::Prepared> prepared_;
};

bool is_square(double value) { return std::isfinite(value) && value >= 0.0; }

wire::Prepare prepare_for(const wire::StoredFederation& federation, std::uint32_t place) {
  wire::Prepare prepare = federation.prepare;
  prepare.place = place;
  return prepare;
}

}  // namespace

std::optional<wire::StoredFederation> federation_from(const std::string& stored) {
  std::optional<wire::StoredFederation> federation(std::in_place);
  ByteReader in(stored);
  in.get(*federation);
  if (!in.complete() || federation->members.empty()) federation.reset();
  return federation;
}

void distribute_keys(const wire::StoredFederation& federation, const std::string& run, SynchronizedProtocol& protocol) {
  wire::MaskingGroup masking_group{.run = run, .members = {}, .groups = federation.groups};
  for (const auto& member : federation.members) masking_group.members.push_back({member.name, member.ready.membership});
  protocol.distribute_keys(std::move(masking_group));
}

Result<wire::StoredFederation> agree(SynchronizedProtocol& protocol, const FederationOptions& options) {
  const auto arrivals = protocol.gather();
  if (!arrivals) return arrivals.error();
  const auto tables = ColumnCheck(*arrivals).result(options.max_vector);
  if (!tables) return tables.error();
  wire::StoredFederation federation;
  for (const Arrival& arrival : *arrivals) {
    federation.members.push_back({.name = arrival.name, .ready = arrival.ready, .known_draws = arrival.known_draws});
  }
  federation.groups = kept_groups(arrivals->size(), options.plan.run.participants, options.min_sum);
  if (options.masked) distribute_keys(federation, options.run, protocol);
  NetworkSetup engine(protocol, options, *arrivals);
  auto made = io::set_up(options.plan, *tables, engine);
  if (!made) return made.error();
  federation.prepare = std::move(engine.message());
  federation.totals = std::move(made->preparation.totals);
  for (std::size_t i = 0; i < arrivals->size(); ++i) federation.members[i].prepared = std::move(engine.prepared()[i]);
  return federation;
}

void fix_preparation(const wire::StoredFederation& federation, SynchronizedProtocol& protocol) {
  std::vector<wire::Prepare> messages;
  std::vector<wire::Prepared> expected;
  for (const auto& member : federation.members) {
    messages.push_back(prepare_for(federation, static_cast<std::uint32_t>(messages.size())));
    expected.push_back(member.prepared);
  }
  protocol.fix_preparation(std::move(messages), std::move(expected));
}

namespace {

// Where norms are masked, only those of all together are known: everyone gets the same share of them.
Result<void> share_norms(const wire::StoredFederation& federation, std::vector<ClientSummary>& roster) {
  std::vector<masking::Words> parts;
  for (const auto& member : federation.members) parts.push_back(member.prepared.masked_norms);
  const auto norms = unmasked(kNorms, parts);
  if (!norms) return norms.error();
  for (ClientSummary& client : roster) {
    client.squared_norm = (*norms)[0] / static_cast<double>(roster.size());
    client.squared_rhs_norm = (*norms)[1] / static_cast<double>(roster.size());
  }
  return {};
}

}  // namespace

Result<Gathered> gathered_from(const wire::StoredFederation& federation, const io::Plan& plan) try {
  Gathered gathered;
  std::size_t rows = 0;
  bool sparse = false;
  const io::PrepareRows& prepare = federation.prepare.question;
  const std::size_t unknowns = prepare.columns + (plan.intercept ? 1 : 0) + plan.run.noise_columns;
  for (const auto& member : federation.members) {
    const wire::Prepared& own = member.prepared;
    if (own.unknowns != unknowns) {
      return Error{fmt::format("{} prepared {} unknowns, not {}", member.name, own.unknowns, unknowns)};
    }
    if (own.rows > member.ready.rows) {
      return Error{fmt::format("{} prepared {} rows, but has {}", member.name, own.rows, member.ready.rows)};
    }
    if (!is_square(own.squared_norm) || !is_square(own.squared_rhs_norm)) {
      return Error{fmt::format("{} sent squared norms that are negative or not finite", member.name)};
    }
    const ClientId place{static_cast<std::uint32_t>(gathered.roster.size())};
    gathered.roster.push_back({place, member.name, own.rows, own.squared_rhs_norm, own.squared_norm});
    if (member.known_draws) gathered.known_draws.push_back(member.name);
    gathered.allowance.vectors = std::min(gathered.allowance.vectors, own.allowance.vectors);
    gathered.allowance.columns = std::min(gathered.allowance.columns, own.allowance.columns);
    rows += own.rows;
    sparse = sparse || member.ready.sparse;
  }
  if (!federation.members.front().prepared.masked_norms.empty()) {
    if (const auto shared = share_norms(federation, gathered.roster); !shared) return shared.error();
  }
  if (totals_of(gathered.roster).squared_norm == 0.0 && !plan.method.privacy.on()) {
    return Error{"every entry of the matrix is zero: there is nothing to solve"};
  }
  auto names = federation.members.front().ready.names;  // their order is everyone's
  if (names.empty()) names = io::numbered_columns(prepare.columns);
  if (names.size() != prepare.columns) {
    return Error{fmt::format("there are names of {} columns, of {}", names.size(), prepare.columns)};
  }
  auto problem = io::make_problem(plan, std::move(names), rows, sparse,
                                  io::scaling_of(plan, federation.totals, prepare.columns + (plan.intercept ? 1 : 0)));
  if (!problem) return problem.error();
  gathered.problem = *std::move(problem);
  if (auto warning = io::warning_of_sums(plan, gathered.roster.size())) {
    gathered.problem.warnings.push_back(*std::move(warning));
  }
  gathered.stored = bytes_of(federation);
  return gathered;
} catch (const InvalidArgument& error) {
  return Error{error.what()};
}

}  // namespace fedrk::network
