// SPDX-License-Identifier: Apache-2.0
#include "api/sums_attack.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "analysis/span_attack.hpp"
#include "api/data_units.hpp"
#include "linalg/kernels.hpp"
#include "problem/cross_products.hpp"
#include "round/task_cost.hpp"

namespace fedrk::api {
namespace {

constexpr unsigned kMaxLevel = 3;  // of a discrete column: 0/1, genotypes, and one more
constexpr std::size_t kPatience = 500;
constexpr double kMaxOperations = 2e11;  // of factorisations: a minute or two

using RecordRows = std::vector<std::vector<double>>;  // rows of columns, as they were before they were prepared

std::size_t columns_of_products(const Observation& seen) {
  const std::size_t count = seen.reply.values.size() / (sends_pairs(seen.work) ? 2 : 1);
  std::size_t columns = 0;
  while (cross_product_count(columns) < count) ++columns;
  return columns + 1;  // the right-hand side with them
}

TaskCost cost_of_sum(const Observation& seen) {
  if (std::holds_alternative<CrossProducts>(seen.work)) return {.columns = columns_of_products(seen)};
  return fedrk::cost_of(LocalTask{.round = seen.round, .x = seen.x, .work = seen.work}, seen.x.size());
}

// Directions of the rows, without noise, of two clients or more.
bool is_sum_of_rows(const Observation& seen) {
  if (seen.clients.size() < 2 || seen.reply.values.empty()) return false;
  if (std::holds_alternative<ClippedPass>(seen.work) || std::holds_alternative<NoisyProducts>(seen.work)) return false;
  const TaskCost cost = cost_of_sum(seen);
  return cost.vectors + cost.columns > 0;
}

std::vector<ShownSpan> spans_in_data_units(const Transcript& transcript, const io::Problem& problem) {
  std::vector<ShownSpan> spans = spans_of(transcript);
  for (ShownSpan& span : spans) {
    for (std::vector<double>& vector : span.vectors) {
      const std::span<double> row(vector.data(), vector.size() - 1);
      undo_frame(problem, row);
      undo_scaling(problem, row);
    }
  }
  return spans;
}

// Rows that a fit frames are stored as they were.
RecordRows rows_in_data_units(const LinearSystem& records, const io::Problem& problem) {
  RecordRows rows;
  for (std::size_t i = 0; i < records.rhs.size(); ++i) {
    std::vector<double> row(column_count(records.rows), 0.0);
    std::visit([&](const auto& matrix) { axpy(1.0, matrix.row(i), row); }, records.rows);
    undo_scaling(problem, row);
    rows.push_back(std::move(row));
  }
  return rows;
}

constexpr double kWhole = 1e-9;  // what scaling and its undoing leave of a whole number

// Those whose entries are all 0, 1, ... most; ascending.
std::vector<std::size_t> discrete_columns(std::span<const RecordRows> tables, double most) {
  std::vector<std::size_t> columns;
  const auto is_level = [&](double entry) {
    return std::abs(entry - std::round(entry)) <= kWhole && std::round(entry) >= 0.0 && std::round(entry) <= most;
  };
  std::size_t width = 0;
  for (const RecordRows& table : tables) width = table.empty() ? width : table[0].size();
  for (std::size_t j = 0; j < width; ++j) {
    const auto fits = [&](const RecordRows& table) {
      return std::ranges::all_of(table, [&](const auto& row) { return is_level(row[j]); });
    };
    if (std::ranges::all_of(tables, fits)) columns.push_back(j);
  }
  return columns;
}

std::size_t directions_in(std::span<const ShownSpan> spans, const std::vector<ClientId>& clients) {
  const auto same = std::ranges::find(spans, clients, &ShownSpan::clients);
  return same == spans.end() ? 0 : dimension_of(*same);
}

// Of all together: the last, or the only one.
std::size_t all_directions(std::span<const ShownSpan> spans) { return spans.empty() ? 0 : dimension_of(spans.back()); }

// One attack, on all sums or on those within the rules.
class SpanSearch {
 public:
  SpanSearch(std::span<const RecordRows> tables, const AttackedTable& table, std::vector<ShownSpan> spans)
      : tables_(tables), table_(table), spans_(std::move(spans)) {}

  std::span<const ShownSpan> spans() const { return spans_; }

  // Of each client, with the right-hand side where a message told it.
  std::vector<std::size_t> recovered(std::span<const std::size_t> columns, unsigned levels) const {
    std::vector<ShownSpan> parts;
    for (const ShownSpan& span : spans_) parts.push_back(restrict_to(span, columns));
    SpanAttackOptions options{.levels = levels, .patience = kPatience};
    if (table_.problem.intercept && !columns.empty() && columns[0] == 0) options.ones = 0;
    const auto found = recover_discrete(parts, options);
    std::vector<std::size_t> counts;
    for (std::size_t i = 0; i < tables_.size(); ++i) counts.push_back(count_found(i, columns, found));
    return counts;
  }

  std::vector<std::size_t> confirmed() const {
    std::vector<std::vector<bool>> inside;
    for (const RecordRows& table : tables_) inside.emplace_back(table.size(), false);
    for (const ShownSpan& span : spans_) {
      RecordRows rows;
      for (const ClientId client : span.clients) {
        rows.insert(rows.end(), tables_[client.value].begin(), tables_[client.value].end());
      }
      const std::vector<bool> found = lie_in(span, rows);
      std::size_t next = 0;
      for (const ClientId client : span.clients) {
        std::vector<bool>& own = inside[client.value];
        for (std::size_t k = 0; k < own.size(); ++k, ++next) own[k] = own[k] || found[next];
      }
    }
    std::vector<std::size_t> counts;
    for (const auto& own : inside) counts.push_back(static_cast<std::size_t>(std::ranges::count(own, true)));
    return counts;
  }

 private:
  std::size_t count_found(std::size_t client, std::span<const std::size_t> columns,
                          std::span<const RecoveredRecord> found) const {
    constexpr double kSame = 1e-6;
    std::size_t count = 0;
    for (std::size_t i = 0; i < tables_[client].size(); ++i) {
      const std::vector<double>& row = tables_[client][i];
      const double b = table_.records[client].rhs[i];
      const auto is_it = [&](const RecoveredRecord& record) {
        for (std::size_t k = 0; k < columns.size(); ++k) {
          if (record.a[k] != std::round(row[columns[k]])) return false;
        }
        const double size = std::sqrt(squared_norm(row) + b * b);
        return std::isnan(record.b) || std::abs(record.b - b) <= kSame * size;
      };
      if (std::ranges::any_of(found, is_it)) ++count;
    }
    return count;
  }

  std::span<const RecordRows> tables_;
  const AttackedTable& table_;
  std::vector<ShownSpan> spans_;
};

std::size_t total_of(std::span<const std::size_t> counts) {
  return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
}

// About how many operations the factorisations take: of each group, of all, and again of what the rules leave.
double span_cost(const Transcript& sums, std::size_t unknowns) {
  std::uint64_t vectors = 0;
  for (const Observation& seen : sums) vectors += cost_of_sum(seen).vectors + cost_of_sum(seen).columns;
  const double count = static_cast<double>(vectors), n = static_cast<double>(unknowns);
  return 16.0 * count * n * std::min(count, n);
}

// About how many operations a search takes where it finds nothing.
double span_search_cost(const SumsFindings& findings, std::size_t columns) {
  constexpr double kPerStart = 250.0 * 4.0;
  std::size_t directions = findings.shown;
  for (const ShownDirections& group : findings.groups) directions += group.shown;
  return static_cast<double>(kPatience) * kPerStart * static_cast<double>(directions) * static_cast<double>(columns);
}

// By columns of 0 and 1 first: the fewer levels, the sooner it finds.
void search_records(const SpanSearch& all, const SpanSearch& ruled, std::span<const RecordRows> tables,
                    const std::function<void(const std::string& message)>& tell, SumsFindings& findings) {
  constexpr double kLong = 1e11, kMaxSearch = 1e12;  // operations, most of which are never made: seconds, a minute
  if (std::ranges::all_of(findings.groups, &ShownDirections::tall)) {
    findings.not_searched = "with more rows than unknowns it tells no record";
    return;
  }
  std::size_t fewest = all_directions(all.spans());
  for (const ShownDirections& group : findings.groups) fewest = std::min(fewest, group.shown);
  std::size_t tried = 0;
  for (unsigned top = 1; top <= kMaxLevel && total_of(findings.recovered) == 0; ++top) {
    const std::vector<std::size_t> columns = discrete_columns(tables, static_cast<double>(top));
    if (columns.size() <= tried || columns.size() < fewest + kSpanChecks) continue;
    const double cost = span_search_cost(findings, columns.size());
    if (tell && cost > kLong) tell(fmt::format("{} sums, {} columns", findings.sums, columns.size()));
    if (cost > kMaxSearch) {
      findings.not_searched = fmt::format("{} columns of whole numbers would take too long", columns.size());
      return;
    }
    tried = findings.columns = columns.size();
    findings.levels = top + 1;
    findings.recovered = all.recovered(columns, findings.levels);
    findings.recovered_within_rules = total_of(ruled.recovered(columns, findings.levels));
  }
  if (tried > 0) return;
  findings.not_searched = fmt::format(
      "the search needs columns of few whole numbers (0 to {} at most), {} more than directions were shown of a group; "
      "there are {}",
      kMaxLevel, kSpanChecks, discrete_columns(tables, kMaxLevel).size());
}

}  // namespace

bool may_show_more(const Transcript& transcript, std::span<const ClientSummary> roster, std::size_t unknowns) {
  Transcript sums;
  std::ranges::copy_if(transcript, std::back_inserter(sums), is_sum_of_rows);
  if (span_cost(sums, unknowns) > kMaxOperations) return false;
  std::vector<ShownSpan> spans = spans_of(sums);
  if (spans.size() > 1) spans.pop_back();  // of all together
  return std::ranges::any_of(spans, [&](const ShownSpan& span) {
    std::size_t rows = 0;
    for (const ClientId client : span.clients) rows += roster[client.value].rows;
    return rows <= unknowns && dimension_of(span) < rows;
  });
}

Transcript within_rules(const Transcript& transcript, std::span<const ClientSummary> roster, std::size_t unknowns,
                        const network::DisclosureRules& rules) {
  struct Shown {
    std::uint64_t vectors = 0, columns = 0;
  };
  std::vector<Shown> shown(roster.size());
  const auto is_wide = [&](ClientId client) { return roster[client.value].rows < unknowns; };
  const auto rows_of = [&](std::span<const ClientId> clients, bool wide_only) {
    std::uint64_t rows = 0;
    for (const ClientId client : clients) rows += wide_only && !is_wide(client) ? 0 : roster[client.value].rows;
    return rows;
  };
  Transcript given;
  for (const Observation& seen : transcript) {
    const TaskCost cost = cost_of_sum(seen);
    const auto allows = [&](ClientId client) {
      const bool steps = cost.vectors > 0 && has_trait(seen.work, kSteps) && is_wide(client);
      const std::uint64_t most = rules.directions_of(rows_of(seen.clients, steps));
      const bool tall = !steps && unknowns + 1 <= most;  // which is never used up
      const Shown& own = shown[client.value];
      return roster[client.value].rows >= rules.min_rows &&
             (tall || std::max(own.columns, cost.columns) + own.vectors + cost.vectors <= most);
    };
    if (seen.clients.size() < rules.min_sum || !std::ranges::all_of(seen.clients, allows)) continue;
    for (const ClientId client : seen.clients) {
      shown[client.value].vectors += cost.vectors;
      shown[client.value].columns = std::max(shown[client.value].columns, cost.columns);
    }
    given.push_back(seen);
  }
  return given;
}

SumsFindings attack_sums(const Transcript& transcript, const AttackedTable& table,
                         const std::function<void(const std::string& message)>& tell) {
  SumsFindings findings;
  Transcript sums;
  std::ranges::copy_if(transcript, std::back_inserter(sums), is_sum_of_rows);
  findings.sums = sums.size();
  if (sums.empty()) return findings;
  std::vector<RecordRows> tables;
  for (const LinearSystem& records : table.records) tables.push_back(rows_in_data_units(records, table.problem));
  const std::size_t unknowns = table.problem.unknowns.size();
  if (span_cost(sums, unknowns) > kMaxOperations) {
    findings.not_tried = fmt::format("the span of {} sums with {} unknowns would take too long", sums.size(), unknowns);
    return findings;
  }
  const SpanSearch all(tables, table, spans_in_data_units(sums, table.problem));
  const Transcript answered = within_rules(sums, table.roster, unknowns, findings.rules);
  const SpanSearch ruled(tables, table, spans_in_data_units(answered, table.problem));
  const std::size_t count = all.spans().size();
  for (const ShownSpan& span : all.spans().first(count > 1 ? count - 1 : count)) {
    ShownDirections group;
    for (const ClientId client : span.clients) {
      group.clients.push_back(table.roster[client.value].name);
      group.rows += table.roster[client.value].rows;
    }
    group.possible = std::min(group.rows, unknowns);
    group.shown = dimension_of(span);
    group.allowed = directions_in(ruled.spans(), span.clients);
    findings.groups.push_back(std::move(group));
  }
  findings.shown = all_directions(all.spans());
  findings.allowed = all_directions(ruled.spans());
  const auto is_thin = [&](const ShownDirections& group) { return group.shown + kSpanChecks <= unknowns; };
  if (std::ranges::any_of(findings.groups, is_thin)) {
    findings.confirmed = all.confirmed();
    findings.confirmed_within_rules = total_of(ruled.confirmed());
  }
  search_records(all, ruled, tables, tell, findings);
  return findings;
}

}  // namespace fedrk::api
