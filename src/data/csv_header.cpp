// SPDX-License-Identifier: Apache-2.0
#include "data/csv_header.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/number.hpp"
#include "base/shown.hpp"
#include "data/csv_fields.hpp"

namespace fedrk::io {
namespace {

// The one that the header has most of outside quotes; a comma where they tie.
char delimiter_of(std::string_view line) {
  constexpr std::string_view kDelimiters = ",;\t";
  std::size_t counts[kDelimiters.size()] = {};
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    const std::size_t which = kDelimiters.find(c);
    if (!quoted && which != std::string_view::npos) ++counts[which];
  }
  return kDelimiters[static_cast<std::size_t>(std::max_element(std::begin(counts), std::end(counts)) - counts)];
}

bool is_number(const std::string& name) { return static_cast<bool>(parse_number(name)); }

// "the columns are a, b, c and 88 more": enough to see a slip of the pen, on one line. A header with numbers in it may
// be the first row of a table without one, and is not shown.
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kMax = 12;
  if (std::ranges::any_of(names, is_number)) return "the header holds numbers: is it a row of the data?";
  std::string out = "the columns are ";
  for (std::size_t i = 0; i < std::min(names.size(), kMax); ++i) {
    const std::string name = shown(names[i]);
    out.append(i == 0 ? "" : ", ").append(name, 1, name.size() - 2);
  }
  if (names.size() > kMax) out += fmt::format(" and {} more", names.size() - kMax);
  return out;
}

// What is wrong with the names, if anything.
std::optional<std::string> problem_with(const std::vector<std::string>& names, bool quote) {
  if (std::ranges::all_of(names, is_number)) return "expected a header with column names, found numbers";
  std::unordered_map<std::string_view, std::size_t> seen;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) return fmt::format("column {} has no name", i + 1);
    if (!is_utf8(names[i])) return fmt::format("column {}: expected a name in UTF-8, found other bytes", i + 1);
    const auto [earlier, is_new] = seen.emplace(names[i], i);
    if (is_new) continue;
    const std::string both = fmt::format("columns {} and {}", earlier->second + 1, i + 1);
    return quote ? fmt::format("{} are both named {}", both, shown(names[i])) : both + " have the same name";
  }
  return std::nullopt;
}

// Gives a column its role; says what is wrong where it does not exist or has another role already.
std::optional<std::string> assign(CsvHeader& header, const std::string& name, CsvRole role, std::string_view purpose) {
  const auto found = std::ranges::find(header.names, name);
  if (found == header.names.end()) {
    return fmt::format("no column {}{}; {}", shown(name), purpose, listed(header.names));
  }
  CsvRole& current = header.roles[static_cast<std::size_t>(found - header.names.begin())];
  if (current == CsvRole::Target && role != CsvRole::Target) {
    return fmt::format("column {} is the target, not one{}", shown(name), purpose);
  }
  current = role;
  return std::nullopt;
}

// Features stand in a row as `columns` has them, or as the file does.
void give_places(CsvHeader& header, const std::vector<std::string>& columns) {
  std::unordered_map<std::string_view, std::size_t> wanted;
  for (std::size_t k = 0; k < columns.size(); ++k) wanted.emplace(columns[k], k);
  header.places.assign(header.names.size(), 0);
  std::size_t feature = 0;
  for (std::size_t i = 0; i < header.names.size(); ++i) {
    if (header.roles[i] != CsvRole::Feature) continue;
    header.places[i] = columns.empty() ? feature++ : wanted.at(header.names[i]);
  }
}

std::optional<std::string> assign_all(CsvHeader& header, const TableOptions& options) {
  if (options.target.empty()) {
    return "a CSV table needs --target NAME, the column that becomes the right-hand side; " + listed(header.names);
  }
  header.roles.assign(header.names.size(), options.columns.empty() ? CsvRole::Feature : CsvRole::Ignored);
  if (auto problem = assign(header, options.target, CsvRole::Target, "")) return problem;
  for (const std::string& name : options.columns) {
    if (auto problem = assign(header, name, CsvRole::Feature, " to explain by")) return problem;
  }
  for (const std::string& name : options.ignore) {
    if (!options.columns.empty()) break;  // what is not among them is ignored already
    if (auto problem = assign(header, name, CsvRole::Ignored, " to ignore")) return problem;
  }
  if (!options.group_by.empty()) {
    // It would leave the place of a feature empty.
    if (std::ranges::find(options.columns, options.group_by) != options.columns.end()) {
      return fmt::format("column {} is one to explain by, not one to group by", shown(options.group_by));
    }
    if (auto problem = assign(header, options.group_by, CsvRole::Owner, " to group by")) return problem;
  }
  if (header.count(CsvRole::Feature) == 0) {
    return fmt::format("expected at least one column beside the target {}, found none", shown(options.target));
  }
  give_places(header, options.columns);
  return std::nullopt;
}

}  // namespace

std::size_t CsvHeader::count(CsvRole role) const { return static_cast<std::size_t>(std::ranges::count(roles, role)); }

std::size_t CsvHeader::min_row_bytes() const { return roles.size() + count(CsvRole::Feature) + count(CsvRole::Target); }

Result<CsvHeader> read_csv_names(std::string_view line, const std::filesystem::path& path, bool quote) {
  if (trimmed(line).empty()) return error_at(path, 1, "expected a header with column names, found a blank line");
  CsvHeader header{.delimiter = delimiter_of(line), .names = {}, .roles = {}, .places = {}};
  CsvFields fields(line, header.delimiter);
  while (fields.next()) header.names.emplace_back(fields.text());
  if (!fields.problem().empty()) return error_at(path, 1, fields.problem());
  if (const auto problem = problem_with(header.names, quote)) return error_at(path, 1, *problem);
  return header;
}

Result<CsvHeader> read_csv_header(std::string_view line, const TableOptions& options,
                                  const std::filesystem::path& path) {
  Result<CsvHeader> header = read_csv_names(line, path, true);
  if (!header) return header;
  if (const auto problem = assign_all(*header, options)) return error_in(path, *problem);
  return header;
}

std::optional<std::string> careful_number(std::string_view line, char delimiter, std::size_t& at, double& value) {
  CsvFields fields(line, delimiter, at);
  if (!fields.next()) return fields.problem();
  const Result<double> number = parse_number(fields.text());
  if (!number) return number.error().message;
  at = fields.position();
  value = *number;
  return std::nullopt;
}

std::string explain(const CsvHeader& header, std::string_view line, std::size_t column, const std::string& problem) {
  if (trimmed(line).empty()) return fmt::format("expected {} fields, found a blank line", header.names.size());
  CsvFields fields(line, header.delimiter);
  std::size_t count = 0;
  while (fields.next()) ++count;
  if (!fields.problem().empty()) return fields.problem();
  if (count != header.names.size()) return fmt::format("expected {} fields, found {}", header.names.size(), count);
  return fmt::format("column {}: {}", shown(header.names[column]), problem);
}

}  // namespace fedrk::io
