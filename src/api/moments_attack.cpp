// SPDX-License-Identifier: Apache-2.0
#include "api/moments_attack.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "analysis/moment_attack.hpp"
#include "api/data_units.hpp"
#include "linalg/kernels.hpp"
#include "problem/cross_products.hpp"
#include "round/groups.hpp"

namespace fedrk::api {
namespace {

constexpr std::size_t kGroup = 3;  // clients of a sum at least, as the rules have it

std::vector<ClientId> all_but(std::span<const ClientSummary> roster, std::size_t left_out) {
  std::vector<ClientId> clients;
  for (std::size_t i = 0; i < roster.size(); ++i) {
    if (i != left_out) clients.push_back(roster[i].id);
  }
  return clients;
}

// Cross-products over everyone, and in further runs over everyone but one.
Transcript runs_without_one(Engine& clients) {
  RecordingEngine engine(clients);
  const std::size_t count = clients.roster().size();
  for (std::size_t run = 0; run <= count; ++run) {
    const LocalTask task{.round = RoundIndex{0}, .x = {}, .work = CrossProducts{}, .reveal = Reveal::Sums};
    (void)engine.local_updates(task, all_but(clients.roster(), run == 0 ? count : run - 1));
  }
  return engine.transcript();
}

// Rounds in which three are drawn afresh, take local steps and report their residual, and x moves by the mean.
Transcript runs_drawn_afresh(Engine& clients, std::size_t runs, std::uint32_t rounds) {
  RecordingEngine engine(clients);
  for (std::size_t run = 1; run <= runs; ++run) {
    std::vector<double> x(clients.dimension(), 0.0);
    for (std::uint32_t t = 0; t < rounds; ++t) {
      const RoundIndex round{t};
      const auto group = choose_participants(clients.roster(), kGroup, stream_for(run, Purpose::Participation, round));
      const auto replies = engine.local_updates({.round = round,
                                                 .x = x,
                                                 .work = CutSteps{FixedSteps{20}},
                                                 .report_residual = true,
                                                 .reveal = Reveal::Sums,
                                                 .fresh_draws = stream_for(run, Purpose::LocalSteps, round).next()},
                                                group);
      axpy(1.0 / kGroup, replies.replies.front().values, x);
    }
  }
  return engine.transcript();
}

// M of the rows in the units of the data, from that of the rows as they were prepared: M = sum z z^T, and each z is
// changed alike.
void undo_preparation(const io::Problem& problem, Moments& moments) {
  std::size_t width = 1;
  while (cross_product_count(width - 1) < moments.values.size()) ++width;
  Matrix square(width, width);
  for (std::size_t i = 0, k = 0; i < width; ++i) {
    for (std::size_t j = i; j < width; ++j, ++k) square.row(i)[j] = square.row(j)[i] = moments.values[k];
  }
  for (int side = 0; side < 2; ++side) {
    Matrix turned(width, width);
    for (std::size_t i = 0; i < width; ++i) {
      undo_frame(problem, square.row(i).first(width - 1));
      for (std::size_t j = 0; j < width; ++j) turned.row(j)[i] = square.row(i)[j];
    }
    square = std::move(turned);
  }
  for (std::size_t i = 0, k = 0; i < width; ++i) {
    for (std::size_t j = i; j < width; ++j, ++k) moments.values[k] = square.row(i)[j];
  }
}

// Columns whose entries are whole in all records, as a server knows of ages.
std::vector<std::size_t> whole_columns(std::span<const LinearSystem> records, std::size_t unknowns) {
  std::vector<bool> whole(unknowns, true);
  for (const LinearSystem& system : records) {
    for (std::size_t i = 0; i < system.rhs.size(); ++i) {
      std::vector<double> row(unknowns, 0.0);
      std::visit([&](const auto& matrix) { axpy(1.0, matrix.row(i), row); }, system.rows);
      for (std::size_t j = 0; j < unknowns; ++j) whole[j] = whole[j] && row[j] == std::round(row[j]);
    }
  }
  std::vector<std::size_t> columns;
  for (std::size_t j = 1; j < unknowns; ++j) {
    if (whole[j]) columns.push_back(j);
  }
  return columns;
}

class MomentsAttack {
 public:
  MomentsAttack(const io::Problem& problem, std::span<const LinearSystem> records, bool by_residuals)
      : problem_(problem), records_(records), by_residuals_(by_residuals) {}

  std::vector<Moments> found(const Transcript& sums) const {
    if (sums.empty()) return {};
    std::vector<Moments> all = by_residuals_ ? recover_moments(sums) : recover_moments_by_sets(sums);
    std::erase_if(all, [](const Moments& one) { return one.clients.size() != 1 || !one.complete(); });
    if (!by_residuals_) {
      for (Moments& one : all) undo_preparation(problem_, one);
    }
    std::erase_if(all, [&](const Moments& one) { return !is_right(one); });
    return all;
  }

  std::size_t rebuilt(std::span<const Moments> moments) const {
    const SmallSiteOptions options{.ones = 0, .integers = whole_columns(records_, problem_.unknowns.size())};
    std::size_t count = 0;
    for (const Moments& one : moments) {
      count += count_matches(records_from(one, options), records_[one.clients.front().value], {.ones = 0}, 1e-4);
    }
    return count;
  }

 private:
  bool is_right(const Moments& claimed) const {
    constexpr double kSame = 1e-3;
    const AlignedVector truth = cross_products(records_[claimed.clients.front().value], nullptr);
    return claimed.values.size() == truth.size() &&
           distance(claimed.values, truth) <= kSame * std::sqrt(squared_norm(truth));
  }

  const io::Problem& problem_;
  std::span<const LinearSystem> records_;
  bool by_residuals_;
};

}  // namespace

Transcript in_kept_company(const Transcript& transcript, std::span<const ClientSummary> roster,
                           const network::DisclosureRules& rules) {
  std::vector<std::vector<bool>> in(roster.size());  // which of the sets so far a client was in
  const auto leave_small_cells = [&](const std::vector<std::vector<bool>>& sets) {
    std::map<std::vector<bool>, std::size_t> cells;
    for (const auto& own : sets) ++cells[own];
    return std::ranges::any_of(cells, [&](const auto& cell) { return cell.second < rules.min_sum; });
  };
  Transcript given;
  for (const Observation& seen : transcript) {
    const auto is_small = [&](ClientId client) { return roster[client.value].rows < rules.min_rows; };
    if (seen.clients.size() < rules.min_sum || std::ranges::any_of(seen.clients, is_small)) continue;
    const auto same = [&](const Observation& earlier) { return earlier.clients == seen.clients; };
    if (std::ranges::none_of(given, same)) {
      std::vector<std::vector<bool>> with = in;
      for (std::size_t i = 0; i < roster.size(); ++i) {
        with[i].push_back(std::ranges::binary_search(seen.clients, roster[i].id));
      }
      if (leave_small_cells(with)) continue;
      in = std::move(with);
    }
    given.push_back(seen);
  }
  return given;
}

MomentsFindings attack_moments(Engine& clients, const io::Plan& plan, const io::Problem& problem,
                               std::span<const LinearSystem> records) {
  constexpr double kMaxOperations = 1e11;
  constexpr std::uint32_t kRounds = 100;  // of a run
  MomentsFindings findings{.by_residuals = !plan.method.fits()};
  const std::size_t count = clients.roster().size(), n = clients.dimension();
  const double each = static_cast<double>(cross_product_count(n)), members = static_cast<double>(count);
  const double cost = findings.by_residuals ? 4.0 * std::pow(each * members, 3) : 4.0 * std::pow(each, 3) * members;
  if (count <= kGroup) {
    findings.not_tried = fmt::format("sums over {} of {} clients do not change", kGroup, count);
  } else if (cost > kMaxOperations) {
    findings.not_tried = fmt::format("{} unknowns of {} clients would take too long", n, count);
  }
  if (!findings.not_tried.empty()) return findings;

  // One number each round, and some more equations than there are moments.
  const auto enough = static_cast<std::size_t>(std::ceil(1.25 * each * members / kRounds));
  findings.runs = findings.by_residuals ? enough : count + 1;
  const Transcript sums =
      findings.by_residuals ? runs_drawn_afresh(clients, findings.runs, kRounds) : runs_without_one(clients);
  const Transcript answered = in_kept_company(sums, clients.roster(), {});
  const MomentsAttack attack(problem, records, findings.by_residuals);
  const std::vector<Moments> found = attack.found(sums);
  findings.sums = sums.size();
  findings.clients = found.size();
  if (!findings.by_residuals && problem.intercept) findings.records = attack.rebuilt(found);
  findings.sums_within_rules = answered.size();
  findings.clients_within_rules = attack.found(answered).size();
  return findings;
}

}  // namespace fedrk::api
