// SPDX-License-Identifier: Apache-2.0
#include "network/agreement.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "fedrk/base/error.hpp"
#include "fedrk/linalg/kernels.hpp"
#include "fedrk/masking/part.hpp"
#include "fedrk/problem/standardize.hpp"
#include "network/vectors.hpp"
#include "network/words.hpp"

namespace fedrk::network {
namespace {

using Body = v1::ClientMessage;
using Arrival = Switchboard::Arrival;

std::vector<std::string> column_names(const v1::Ready& ready) { return {ready.names().begin(), ready.names().end()}; }

// "'u', 'v'" of those that the other list lacks; only some of very many.
std::string missing_from(const std::vector<std::string>& wanted, const std::vector<std::string>& there) {
  constexpr std::size_t kMost = 12;
  const std::unordered_set<std::string_view> known(there.begin(), there.end());
  std::string text;
  std::size_t count = 0;
  for (const std::string& name : wanted) {
    if (!known.contains(name) && count++ < kMost) text += (text.empty() ? "'" : ", '") + tamed(name) + "'";
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
    const bool named = std::ranges::any_of(arrivals, [](const Arrival& each) { return each.ready.names_size() > 0; });
    for (const Arrival& arrival : arrivals)
      agreed_.count = std::max<std::size_t>(agreed_.count, arrival.ready.columns());
    for (const Arrival& arrival : arrivals) named ? compare_names(arrival) : compare_width(arrival);
  }

  Result<AgreedColumns> result(std::size_t longest) && {
    if (!problems_.empty()) return Error{problems_ + "; all clients need the same columns"};
    if (agreed_.count == 0) return Error{"the clients' data have no columns"};
    if (agreed_.count > longest) return Error{fmt::format("{} columns are more than this server takes", agreed_.count)};
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
    auto names = column_names(arrival.ready);
    if (!names.empty() || arrival.ready.columns() > kMostNumbered) return names;
    return io::numbered_columns(arrival.ready.columns());
  }
  void compare_width(const Arrival& arrival) {
    if (arrival.ready.open_ended() || arrival.ready.columns() == agreed_.count) return;
    add(fmt::format("{} has {} columns, another client {}", arrival.name, arrival.ready.columns(), agreed_.count));
  }
  void add(const std::string& problem) { problems_ += (problems_.empty() ? "" : "; ") + problem; }

  static constexpr std::size_t kMostNumbered = 1 << 20;

  const Arrival& first_;
  AgreedColumns agreed_;
  std::string problems_;
};

// The sum of everyone's masked numbers.
Result<std::vector<double>> unmasked(const masking::PartLayout& layout, std::span<const v1::Vector* const> parts) {
  masking::Words total(layout.words(), 0);
  for (const v1::Vector* part : parts) {
    const masking::Words words = wire::words_of(*part);
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
  Everyone(Switchboard& switchboard, const FederationOptions& options, const std::vector<Arrival>& arrivals)
      : switchboard_(switchboard), options_(options) {
    for (const Arrival& arrival : arrivals) {
      all_.push_back(ClientId{static_cast<std::uint32_t>(all_.size())});
      names_.push_back(arrival.name);
      rows_.push_back(arrival.ready.rows());
    }
  }

  Result<std::vector<v1::ClientMessage>> ask(Body::BodyCase kind, std::size_t longest,
                                             const std::function<v1::ServerMessage(ClientId)>& message,
                                             bool squared = false) {
    const Switchboard::Question question{.kind = kind,
                                         .parcel = [&](ClientId client) { return parcel_of(message(client)); },
                                         .longest = longest,
                                         .away_limit = options_.join_limit,
                                         .squared = squared};
    std::vector<v1::ClientMessage> messages;
    for (auto& answer : switchboard_.exchange(question, all_)) {
      if (!answer.message) return Error{fmt::format("{}: {}", names_[answer.client.value], answer.absence)};
      messages.push_back(*std::move(answer.message));
    }
    return messages;
  }

  /// Sums of this many columns, checked: each client's or, where they are masked, those of all together.
  Result<std::vector<ColumnSums>> sums(std::size_t columns, bool squared, const v1::ServerMessage& question) {
    const masking::PartLayout layout{0, columns};
    const std::size_t length = options_.masked ? layout.words() : columns;
    const auto answers = ask(
        Body::kColumnSums, length, [&](ClientId) { return question; }, squared);
    if (!answers) return answers.error();
    std::vector<ColumnSums> parts;
    for (std::size_t i = 0; i < answers->size(); ++i) {
      const v1::ColumnSums& part = (*answers)[i].column_sums();
      if (part.sums().length() != length) {
        return Error{fmt::format("{} sent {} column sums, not {}", names_[i], part.sums().length(), length)};
      }
      if (!options_.masked && !all_finite(wire::view(part.sums()))) {
        return Error{fmt::format("{} sent column sums that are not finite", names_[i])};
      }
      if (part.rows() != rows_[i]) {
        return Error{fmt::format("{} sent the sums of {} rows, but has {}", names_[i], part.rows(), rows_[i])};
      }
      parts.push_back({part.rows(), {part.sums().values().begin(), part.sums().values().end()}});
    }
    return options_.masked ? together(layout, parts, *answers) : parts;
  }

 private:
  static Result<std::vector<ColumnSums>> together(const masking::PartLayout& layout,
                                                  const std::vector<ColumnSums>& parts,
                                                  const std::vector<v1::ClientMessage>& answers) {
    std::vector<const v1::Vector*> words;
    for (const v1::ClientMessage& answer : answers) words.push_back(&answer.column_sums().sums());
    auto sums = unmasked(layout, words);
    if (!sums) return sums.error();
    ColumnSums all{0, *std::move(sums)};
    for (const ColumnSums& part : parts) all.rows += part.rows;
    return std::vector{std::move(all)};
  }

  Switchboard& switchboard_;
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
  const auto means_of = [&](const v1::ServerMessage& question, bool squared) {
    if (wrong) return std::vector<double>(unknowns, 0.0);
    const auto sums = everyone.sums(unknowns, squared, question);
    if (sums) return column_means(*sums);
    wrong = sums.error();
    return std::vector<double>(unknowns, 0.0);
  };
  Scaling scaling = io::agree_on_scaling(
      options.plan, rows, any_sparse, unknowns,
      [&] {
        v1::ServerMessage question;
        question.mutable_sum_columns()->set_run(options.run);
        question.mutable_sum_columns()->set_columns(columns.count);
        question.mutable_sum_columns()->mutable_names()->Add(columns.names.begin(), columns.names.end());
        return means_of(question, false);
      },
      [&](std::span<const double> centre) {
        v1::ServerMessage question;
        question.mutable_sum_squares()->set_run(options.run);
        question.mutable_sum_squares()->mutable_names()->Add(columns.names.begin(), columns.names.end());
        wire::set_vector(*question.mutable_sum_squares()->mutable_centre(), centre);
        return means_of(question, true);
      });
  if (wrong) return *wrong;
  return scaling;
}

bool is_square(double value) { return std::isfinite(value) && value >= 0.0; }

v1::Prepare prepare_for(const v1::StoredFederation& federation, std::uint32_t place) {
  v1::Prepare prepare = federation.prepare();
  prepare.set_place(place);
  return prepare;
}

}  // namespace

void introduce(const v1::StoredFederation& federation, const std::string& run, Switchboard& switchboard) {
  v1::Company company;
  company.set_run(run);
  for (const auto& member : federation.members()) {
    auto& known = *company.add_members();
    known.set_name(member.name());
    *known.mutable_key() = member.ready().mask_key();
  }
  switchboard.introduce(std::move(company));
}

Result<v1::StoredFederation> agree(Switchboard& switchboard, const FederationOptions& options) try {
  const auto arrivals = switchboard.gather();
  if (!arrivals) return arrivals.error();
  const auto columns = ColumnCheck(*arrivals).result(options.longest_vector);
  if (!columns) return columns.error();
  v1::StoredFederation federation;
  bool sparse = false;
  std::size_t rows = 0;
  for (const Arrival& arrival : *arrivals) {
    auto& member = *federation.add_members();
    member.set_name(arrival.name);
    *member.mutable_ready() = arrival.ready;
    member.set_known_draws(arrival.known_draws);
    sparse = sparse || arrival.ready.sparse();
    rows += arrival.ready.rows();
  }
  if (options.masked) introduce(federation, options.run, switchboard);
  Everyone everyone(switchboard, options, *arrivals);
  auto& prepare = *federation.mutable_prepare();
  prepare.set_run(options.run);
  prepare.set_columns(columns->count);
  prepare.mutable_names()->Add(columns->names.begin(), columns->names.end());
  if (io::resolve(options.plan).columns != io::ColumnScaling::AsTheyAre) {
    const auto scaling = agree_on_scales(everyone, options, *columns, rows, sparse);
    if (!scaling) return scaling.error();
    prepare.set_standardized(true);
    wire::set_vector(*prepare.mutable_centre(), scaling->centre);
    wire::set_vector(*prepare.mutable_scale(), scaling->scale);
  }
  auto prepared = everyone.ask(Body::kPrepared, options.masked ? kNorms.words() : 0, [&](ClientId client) {
    v1::ServerMessage message;
    *message.mutable_prepare() = prepare_for(federation, client.value);
    return message;
  });
  if (!prepared) return prepared.error();
  for (std::size_t i = 0; i < prepared->size(); ++i) {
    *federation.mutable_members(static_cast<int>(i))->mutable_prepared() = (*prepared)[i].prepared();
  }
  return federation;
} catch (const InvalidArgument& error) {
  return Error{error.what()};
}

void fix_preparation(const v1::StoredFederation& federation, Switchboard& switchboard) {
  std::vector<v1::Prepare> messages;
  std::vector<v1::Prepared> expected;
  for (const auto& member : federation.members()) {
    messages.push_back(prepare_for(federation, static_cast<std::uint32_t>(messages.size())));
    expected.push_back(member.prepared());
  }
  switchboard.fix_preparation(std::move(messages), std::move(expected));
}

namespace {

// Where norms are masked, only those of all together are known: everyone gets the same share of them.
Result<void> share_norms(const v1::StoredFederation& federation, std::vector<ClientSummary>& roster) {
  std::vector<const v1::Vector*> parts;
  for (const auto& member : federation.members()) parts.push_back(&member.prepared().masked_norms());
  const auto norms = unmasked(kNorms, parts);
  if (!norms) return norms.error();
  for (ClientSummary& client : roster) {
    client.squared_norm = (*norms)[0] / static_cast<double>(roster.size());
    client.squared_rhs_norm = (*norms)[1] / static_cast<double>(roster.size());
  }
  return {};
}

}  // namespace

Result<Gathered> gathered_from(const v1::StoredFederation& federation, const io::Plan& plan) {
  Gathered gathered;
  std::size_t rows = 0;
  bool sparse = false;
  const v1::Prepare& prepare = federation.prepare();
  const std::size_t unknowns = prepare.columns() + (plan.intercept ? 1 : 0) + plan.run.noise_columns;
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(federation.members_size()); ++i) {
    const auto& member = federation.members(static_cast<int>(i));
    const v1::Prepared& own = member.prepared();
    if (own.unknowns() != unknowns) {
      return Error{fmt::format("{} prepared {} unknowns, not {}", member.name(), own.unknowns(), unknowns)};
    }
    if (own.rows() > member.ready().rows()) {
      return Error{fmt::format("{} prepared {} rows, but has {}", member.name(), own.rows(), member.ready().rows())};
    }
    if (!is_square(own.squared_norm()) || !is_square(own.squared_rhs_norm())) {
      return Error{fmt::format("{} sent squared norms that are negative or not finite", member.name())};
    }
    gathered.roster.push_back({ClientId{i}, member.name(), own.rows(), own.squared_rhs_norm(), own.squared_norm()});
    if (member.known_draws()) gathered.known_draws.push_back(member.name());
    rows += own.rows();
    sparse = sparse || member.ready().sparse();
  }
  if (federation.members(0).prepared().masked_norms().length() > 0) {
    if (const auto shared = share_norms(federation, gathered.roster); !shared) return shared.error();
  }
  if (totals_of(gathered.roster).squared_norm == 0.0 && !plan.method.privacy.on()) {
    return Error{"every entry of the matrix is zero: there is nothing to solve"};
  }
  std::optional<Scaling> scaling;
  if (prepare.standardized()) {
    const auto centre = wire::view(prepare.centre()), scale = wire::view(prepare.scale());
    scaling = Scaling{{centre.begin(), centre.end()}, {scale.begin(), scale.end()}};
  }
  auto names = column_names(federation.members(0).ready());  // their order is everyone's
  if (names.empty()) names = io::numbered_columns(prepare.columns());
  auto problem = io::make_problem(plan, std::move(names), rows, sparse, std::move(scaling));
  if (!problem) return problem.error();
  gathered.problem = *std::move(problem);
  if (auto warning = io::warning_of_sums(plan, gathered.roster.size())) {
    gathered.problem.warnings.push_back(*std::move(warning));
  }
  gathered.stored = federation.SerializeAsString();
  return gathered;
}

}  // namespace fedrk::network
