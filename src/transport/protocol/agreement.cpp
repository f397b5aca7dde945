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
#include "problem/standardize.hpp"
#include "secure_sum/part.hpp"
#include "transport/protocol/sanitized.hpp"

namespace fedrk::network {
namespace {

using Arrival = ServerProtocol::Arrival;

// "'u', 'v'" of those that the other list lacks; only some of very many.
std::string missing_from(const std::vector<std::string>& wanted, const std::vector<std::string>& there) {
  constexpr std::size_t kMost = 12;
  const std::unordered_set<std::string_view> known(there.begin(), there.end());
  std::string text;
  std::size_t count = 0;
  for (const std::string& name : wanted) {
    if (!known.contains(name) && count++ < kMost) text += (text.empty() ? "'" : ", '") + sanitized(name) + "'";
  }
  return count > kMost ? text + fmt::format(" and {} more", count - kMost) : text;
}

struct AgreedColumns {
  std::size_t count = 0;
  std::vector<std::string> names{};  // their order, where not all clients have the same
};

// Whatever is wrong is said at once, so that nobody has to come back for the next.
class ColumnCheck {
 public:
  explicit ColumnCheck(const std::vector<Arrival>& arrivals) : first_(arrivals.front()) {
    const bool named = std::ranges::any_of(arrivals, [](const Arrival& each) { return !each.ready.names.empty(); });
    for (const Arrival& arrival : arrivals) agreed_.count = std::max<std::size_t>(agreed_.count, arrival.ready.columns);
    for (const Arrival& arrival : arrivals) named ? compare_names(arrival) : compare_width(arrival);
  }

  Result<AgreedColumns> result(std::size_t max_length) && {
    if (!problems_.empty()) return Error{problems_ + "; all clients need the same columns"};
    if (agreed_.count == 0) return Error{"the clients' data have no columns"};
    if (agreed_.count > max_length)
      return Error{fmt::format("{} columns are more than this server takes", agreed_.count)};
    return std::move(agreed_);
  }

 private:
  void compare_names(const Arrival& arrival) {
    const auto mine = names_at(arrival), theirs = names_at(first_);
    if (mine == theirs) return;
    if (mine.empty()) return add(fmt::format("{} has no column names", arrival.name));
    const std::string lacks = missing_from(theirs, mine), more = missing_from(mine, theirs);
    if (!lacks.empty()) add(fmt::format("{} lacks {}", arrival.name, lacks));
    if (!more.empty()) add(fmt::format("{} has {}, {} has not", arrival.name, more, first_.name));
    if (lacks.empty() && more.empty()) agreed_.names = theirs;
  }
  // Columns without names are x1, x2, ...; not where a client claims to have more than can be.
  std::vector<std::string> names_at(const Arrival& arrival) const {
    const auto& names = arrival.ready.names;
    if (!names.empty() || arrival.ready.columns > kMostNumbered) return names;
    return io::numbered_columns(arrival.ready.columns);
  }
  void compare_width(const Arrival& arrival) {
    if (arrival.ready.open_ended || arrival.ready.columns == agreed_.count) return;
    add(fmt::format("{} has {} columns, another client {}", arrival.name, arrival.ready.columns, agreed_.count));
  }
  void add(const std::string& problem) { problems_ += (problems_.empty() ? "" : "; ") + problem; }

  static constexpr std::size_t kMostNumbered = 1 << 20;

  const Arrival& first_;
  AgreedColumns agreed_;
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

/// Asks everyone the same and wants all answers: without one of them there is no beginning.
class Everyone {
 public:
  Everyone(ServerProtocol& protocol, const FederationOptions& options, const std::vector<Arrival>& arrivals)
      : protocol_(protocol), options_(options) {
    for (const Arrival& arrival : arrivals) {
      all_.push_back(ClientId{static_cast<std::uint32_t>(all_.size())});
      names_.push_back(arrival.name);
      rows_.push_back(arrival.ready.rows);
    }
  }

  template <class Body>
  Result<std::vector<Body>> ask(std::size_t max_length, const std::function<OutgoingMessage(ClientId)>& outgoing,
                                bool squared = false) {
    const ServerProtocol::Question question{.kind = wire::kAnswerKind<Body>,
                                            .outgoing = outgoing,
                                            .max_length = max_length,
                                            .away_limit = options_.join_limit,
                                            .squared = squared};
    std::vector<Body> bodies;
    for (auto& answer : protocol_.exchange(question, all_)) {
      if (!answer.message) return Error{fmt::format("{}: {}", names_[answer.client.value], answer.absence)};
      bodies.push_back(std::get<Body>(*std::move(answer.message)));
    }
    return bodies;
  }

  /// Sums of this many columns, checked: each client's or, where they are masked, those of all together.
  Result<std::vector<ColumnSums>> sums(std::size_t columns, bool squared, const wire::ServerMessage& question) {
    const masking::PartLayout layout{0, columns};
    const std::size_t length = options_.masked ? layout.words() : columns;
    auto answers = ask<wire::ColumnSums>(
        length, [outgoing = outgoing_of(question)](ClientId) { return outgoing; }, squared);
    if (!answers) return answers.error();
    std::vector<ColumnSums> sums;
    std::vector<masking::Words> parts;
    for (std::size_t i = 0; i < answers->size(); ++i) {
      wire::ColumnSums& own = (*answers)[i];
      const std::size_t sent = options_.masked ? own.masked.size() : own.sums.size();
      if (sent != length) return Error{fmt::format("{} sent {} column sums, not {}", names_[i], sent, length)};
      if (!options_.masked && !all_finite(own.sums)) {
        return Error{fmt::format("{} sent column sums that are not finite", names_[i])};
      }
      if (own.rows != rows_[i]) {
        return Error{fmt::format("{} sent the sums of {} rows, but has {}", names_[i], own.rows, rows_[i])};
      }
      sums.push_back({own.rows, std::move(own.sums)});
      parts.push_back(std::move(own.masked));
    }
    if (!options_.masked) return sums;
    auto together = unmasked(layout, parts);
    if (!together) return together.error();
    ColumnSums all{0, *std::move(together)};
    for (const ColumnSums& own : sums) all.rows += own.rows;
    return std::vector{std::move(all)};
  }

 private:
  ServerProtocol& protocol_;
  const FederationOptions& options_;
  std::vector<std::string> names_;
  std::vector<std::uint64_t> rows_;
  std::vector<ClientId> all_;
};

// io::agree_on_scaling with the clients elsewhere. What one of them has to say against it ends the agreement.
Result<Scaling> agree_on_scales(Everyone& everyone, const FederationOptions& options, const AgreedColumns& columns,
                                std::size_t rows, bool any_sparse) {
  const std::size_t unknowns = columns.count + (options.plan.intercept ? 1 : 0);
  std::optional<Error> wrong;
  const auto means_of = [&](const wire::ServerMessage& question, bool squared) {
    if (wrong) return std::vector<double>(unknowns, 0.0);
    const auto sums = everyone.sums(unknowns, squared, question);
    if (sums) return column_means(*sums);
    wrong = sums.error();
    return std::vector<double>(unknowns, 0.0);
  };
  Scaling scaling = io::agree_on_scaling(
      options.plan, rows, any_sparse, unknowns,
      [&] {
        return means_of(wire::SumColumns{options.run, columns.count, columns.names}, false);
      },
      [&](std::span<const double> centre) {
        return means_of(wire::SumSquares{options.run, columns.names, {centre.begin(), centre.end()}}, true);
      });
  if (wrong) return *wrong;
  return scaling;
}

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

void distribute_keys(const wire::StoredFederation& federation, const std::string& run, ServerProtocol& protocol) {
  wire::MaskingGroup masking_group{.run = run};
  for (const auto& member : federation.members) masking_group.members.push_back({member.name, member.ready.mask_key});
  protocol.distribute_keys(std::move(masking_group));
}

Result<wire::StoredFederation> agree(ServerProtocol& protocol, const FederationOptions& options) try {
  const auto arrivals = protocol.gather();
  if (!arrivals) return arrivals.error();
  const auto columns = ColumnCheck(*arrivals).result(options.max_vector);
  if (!columns) return columns.error();
  wire::StoredFederation federation;
  bool sparse = false;
  std::size_t rows = 0;
  for (const Arrival& arrival : *arrivals) {
    federation.members.push_back({.name = arrival.name, .ready = arrival.ready, .known_draws = arrival.known_draws});
    sparse = sparse || arrival.ready.sparse;
    rows += arrival.ready.rows;
  }
  if (options.masked) distribute_keys(federation, options.run, protocol);
  Everyone everyone(protocol, options, *arrivals);
  federation.prepare = {.run = options.run, .columns = columns->count, .names = columns->names};
  if (io::resolve(options.plan).columns != io::ColumnScaling::AsTheyAre) {
    auto scaling = agree_on_scales(everyone, options, *columns, rows, sparse);
    if (!scaling) return scaling.error();
    federation.prepare.standardized = true;
    federation.prepare.centre = std::move(scaling->centre);
    federation.prepare.scale = std::move(scaling->scale);
  }
  auto prepared = everyone.ask<wire::Prepared>(options.masked ? kNorms.words() : 0, [&](ClientId client) {
    return outgoing_of(prepare_for(federation, client.value));
  });
  if (!prepared) return prepared.error();
  for (std::size_t i = 0; i < prepared->size(); ++i) federation.members[i].prepared = std::move((*prepared)[i]);
  return federation;
} catch (const InvalidArgument& error) {
  return Error{error.what()};
}

void fix_preparation(const wire::StoredFederation& federation, ServerProtocol& protocol) {
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

Result<Gathered> gathered_from(const wire::StoredFederation& federation, const io::Plan& plan) {
  Gathered gathered;
  std::size_t rows = 0;
  bool sparse = false;
  const wire::Prepare& prepare = federation.prepare;
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
    rows += own.rows;
    sparse = sparse || member.ready.sparse;
  }
  if (!federation.members.front().prepared.masked_norms.empty()) {
    if (const auto shared = share_norms(federation, gathered.roster); !shared) return shared.error();
  }
  if (totals_of(gathered.roster).squared_norm == 0.0 && !plan.method.privacy.on()) {
    return Error{"every entry of the matrix is zero: there is nothing to solve"};
  }
  std::optional<Scaling> scaling;
  if (prepare.standardized) scaling = Scaling{prepare.centre, prepare.scale};
  auto names = federation.members.front().ready.names;  // their order is everyone's
  if (names.empty()) names = io::numbered_columns(prepare.columns);
  auto problem = io::make_problem(plan, std::move(names), rows, sparse, std::move(scaling));
  if (!problem) return problem.error();
  gathered.problem = *std::move(problem);
  if (auto warning = io::warning_of_sums(plan, gathered.roster.size())) {
    gathered.problem.warnings.push_back(*std::move(warning));
  }
  gathered.stored = bytes_of(federation);
  return gathered;
}

}  // namespace fedrk::network
