// SPDX-License-Identifier: Apache-2.0
#include "plan/column_match.hpp"

#include <algorithm>
#include <span>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "base/byte_stream.hpp"
#include "base/file_ending.hpp"
#include "base/shown.hpp"
#include "data/csv.hpp"
#include "plan/peers.hpp"

namespace fedrk::io {
namespace {

using Names = std::vector<std::string>;
using NameSet = std::unordered_set<std::string_view>;

NameSet set_of(const Names& names) { return {names.begin(), names.end()}; }

// Without target and ignored columns.
Names features_of(const Plan& plan, const Names& names) {
  const NameSet ignored = set_of(plan.ignore);
  Names features;
  for (const std::string& name : names) {
    if (name != plan.target && !ignored.contains(name)) features.push_back(name);
  }
  return features;
}

// "'u', 'v' and 'w'"; only some of very many.
std::string listed(const Names& names) {
  constexpr std::size_t kMax = 12;
  const std::size_t count = std::min(names.size(), kMax);
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    const bool last = i + 1 == names.size();
    text += (i == 0 ? "" : last ? " and " : ", ") + shown(names[i]);
  }
  return names.size() > kMax ? text + fmt::format(" and {} more", names.size() - kMax) : text;
}

Names missing(const Names& wanted, const Names& there) {
  const NameSet known = set_of(there);
  Names result;
  for (const std::string& name : wanted) {
    if (!known.contains(name)) result.push_back(name);
  }
  return result;
}

Names problems_of_ignored(const Plan& plan, std::span<const FileHeader> headers) {
  Names problems;
  for (const std::string& name : plan.ignore) {
    const bool found = std::ranges::any_of(
        headers, [&](const FileHeader& header) { return std::ranges::find(header.names, name) != header.names.end(); });
    if (!found) problems.push_back(fmt::format("no file has a column {} to ignore", shown(name)));
    if (name == plan.target) problems.push_back(fmt::format("column {} is the target, not one to ignore", shown(name)));
  }
  return problems;
}

Names problems_of(const Plan& plan, const FileHeader& header, const FileHeader& first, const Names& features) {
  if (header.names.empty()) return {fmt::format("{} has no column names, {} has", header.path, first.path)};
  Names problems;
  if (!set_of(header.names).contains(plan.target)) {
    problems.push_back(fmt::format("{} lacks the target {}", header.path, shown(plan.target)));
  }
  const Names own = features_of(plan, header.names), lacks = missing(features, own), more = missing(own, features);
  if (!lacks.empty()) problems.push_back(fmt::format("{} lacks {}", header.path, listed(lacks)));
  if (!more.empty()) problems.push_back(fmt::format("{} has {}, {} has not", header.path, listed(more), first.path));
  return problems;
}

}  // namespace

Result<std::vector<FileHeader>> exchange_headers(const Plan& plan, Peers& peers, std::size_t first, std::size_t count) {
  const auto own = together(peers, [&]() -> Result<std::vector<FileHeader>> {
    std::vector<FileHeader> headers;
    for (std::size_t i = first; i < first + count; ++i) {
      FileHeader& header = headers.emplace_back(FileHeader{plan.data[i], {}});
      if (!is_csv_name(header.path)) continue;
      auto names = read_csv_columns(header.path);
      if (!names) return names.error();
      header.names = *std::move(names);
    }
    return headers;
  });
  if (!own) return own.error();
  std::vector<FileHeader> all;
  for (const std::string& text : peers.exchange(bytes_of(*own))) {
    ByteReader in(text);
    std::ranges::move(in.get<std::vector<FileHeader>>(), std::back_inserter(all));
  }
  return all;
}

Result<std::vector<std::string>> match_columns(const Plan& plan, std::span<const FileHeader> headers) {
  constexpr std::size_t kMax = 20;
  const auto named = std::ranges::find_if(headers, [](const FileHeader& header) { return !header.names.empty(); });
  if (named == headers.end() || plan.target.empty()) return Names{};  // whoever reads a table asks for its target
  const FileHeader& first = *named;
  const Names features = features_of(plan, first.names);
  Names problems = problems_of_ignored(plan, headers);
  for (const FileHeader& header : headers) {
    std::ranges::move(problems_of(plan, header, first, features), std::back_inserter(problems));
  }
  if (problems.empty()) return features;
  const std::size_t shown_ones = std::min(problems.size(), kMax);
  std::string message = fmt::format("{}", fmt::join(std::span(problems).first(shown_ones), "; "));
  if (problems.size() > kMax) message += fmt::format("; and {} more", problems.size() - kMax);
  return Error{"the tables do not fit each other: " + message + ". Every table needs the same columns, in any order"};
}

}  // namespace fedrk::io
