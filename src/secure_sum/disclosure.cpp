// SPDX-License-Identifier: Apache-2.0
#include "secure_sum/disclosure.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/byte_stream.hpp"

namespace fedrk::network {
namespace {

constexpr std::uint64_t kFreeScalars = 16;   // of the set-up, of the start and the end
constexpr std::uint64_t kCountedAhead = 16;  // at most: a disk is waited for once in so many rounds
constexpr std::size_t kMaxNames = 12;        // in a message

std::vector<std::string> sorted(std::vector<std::string> names) {
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());  // clang 14 cannot take the ranges' subrange
  return names;
}

std::vector<std::string> together(const std::vector<std::string>& one, const std::vector<std::string>& other) {
  std::vector<std::string> all;
  std::ranges::set_union(one, other, std::back_inserter(all));
  return all;
}

// Of two sorted lists in which a number may stand several times.
std::size_t common(std::span<const std::uint64_t> one, std::span<const std::uint64_t> other) {
  std::size_t count = 0;
  for (auto a = one.begin(), b = other.begin(); a != one.end() && b != other.end();) {
    if (*a == *b) ++count;
    const bool first = *a <= *b, second = *b <= *a;
    if (first) ++a;
    if (second) ++b;
  }
  return count;
}

using Sets = std::vector<std::vector<std::string>>;

Sets sums_of(const RunGroup& group) {
  Sets sums;
  std::vector<std::string> everyone;
  for (const RunGroup::Member& member : group.members) everyone.push_back(member.name);
  sums.push_back(sorted(everyone));
  if (group.groups.size() < 2) return sums;
  for (const auto& members : group.groups) {
    std::vector<std::string> names;
    for (const ClientId client : members) names.push_back(group.members[client.value].name);
    sums.push_back(sorted(std::move(names)));
  }
  return sums;
}

// Clients that were in the same sums always, by the sums that they were in.
std::map<std::vector<bool>, std::vector<std::string>> cells_of(const Sets& sums) {
  std::set<std::string> clients;
  for (const auto& sum : sums) clients.insert(sum.begin(), sum.end());
  std::map<std::vector<bool>, std::vector<std::string>> cells;
  for (const std::string& client : clients) {
    std::vector<bool> in;
    for (const auto& sum : sums) in.push_back(std::ranges::binary_search(sum, client));
    cells[std::move(in)].push_back(client);
  }
  return cells;
}

std::string listed(const std::vector<std::string>& names) {
  const std::span shown = std::span(names).first(std::min(names.size(), kMaxNames));
  return fmt::format("{}{}", fmt::join(shown, ", "), shown.size() < names.size() ? ", ..." : "");
}

}  // namespace

// Where the columns of that time are there, record by record; else by their number.
Result<std::string> Disclosure::compare(const DataOwner& owner, const store::Disclosed& what, bool& same_table) const {
  for (const store::Disclosed::Version& version : what.versions) {
    const bool comparable = std::ranges::includes(file_columns_, version.columns);
    std::vector<std::uint64_t> again;
    if (comparable && version.columns != record_columns_) {
      auto hashes = owner.record_hashes(salt_, version.columns);
      if (!hashes) return hashes.error();
      again = *std::move(hashes);
    }
    const std::span<const std::uint64_t> now = again.empty() ? records_ : again, then = version.records;
    const std::size_t same = comparable ? common(now, then) : std::min(now.size(), then.size());
    if (same == 0) continue;
    const bool shares_columns = std::ranges::any_of(
        version.columns, [&](const std::string& name) { return std::ranges::binary_search(record_columns_, name); });
    if (!comparable && !shares_columns) continue;
    same_table = true;
    const std::size_t changed = now.size() + then.size() - 2 * same;
    if (changed > 0 && changed < rules_.min_rows) {
      return fmt::format(
          "its table has changed by fewer than {} records (min-rows) since it took part in an earlier run, "
          "and the difference of the two sums would show them: it answers when more have",
          rules_.min_rows);
    }
  }
  return std::string();
}

Result<bool> Disclosure::is_of(const DataOwner& owner) const {
  const auto now = owner.record_hashes(salt_, record_columns_);
  if (!now) return now.error();
  return *now == records_;
}

Result<std::string> Disclosure::begin(const DisclosureRules& rules, const DataOwner& owner,
                                      std::vector<std::string> columns) {
  rules_ = rules;
  columns_ = sorted(std::move(columns));
  shown_.reset();
  reserved_ = used_ = {};
  gram_.clear();
  const auto salt = ledger_.salt();
  if (!salt) return salt.error();
  salt_ = *salt;
  auto names = owner.record_columns();
  if (!names) return names.error();
  file_columns_ = sorted(*std::move(names));
  record_columns_.clear();
  std::ranges::set_intersection(file_columns_, columns_, std::back_inserter(record_columns_));
  if (record_columns_.empty()) record_columns_ = file_columns_;
  auto records = owner.record_hashes(salt_, record_columns_);
  if (!records) return records.error();
  records_ = *std::move(records);
  table_ = masking::digest({"table", bytes_of(salt_, record_columns_, records_)});
  auto entries = ledger_.entries();
  if (!entries) return entries.error();
  for (auto& entry : *entries) {
    bool same_table = false;
    if (auto wrong = compare(owner, entry.what, same_table); !wrong || !wrong->empty()) return wrong;
    if (!same_table) continue;
    used_.vectors += entry.counts.vectors;
    used_.scalars += entry.counts.scalars;
    if (shown_) {
      take_over(std::move(entry.what));
    } else {
      shown_ = Table{entry.id, std::move(entry.what)};
    }
  }
  if (!shown_) return std::string();
  for (const auto& known : shown_->what.products) gram_ = together(gram_, known.columns);
  return std::string();
}

// Of tables that have become one.
void Disclosure::take_over(store::Disclosed what) {
  const auto append = [](auto& to, auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  append(shown_->what.versions, what.versions);
  append(shown_->what.companies, what.companies);
  append(shown_->what.products, what.products);
}

std::vector<std::string> Disclosure::products_of(const std::vector<std::string>& clients) const {
  std::vector<std::string> columns;
  for (const auto& known : shown_->what.products) {
    if (known.clients == clients) columns = together(columns, known.columns);
  }
  return columns;
}

bool Disclosure::overlaps(const std::vector<std::string>& columns) const {
  return std::ranges::any_of(columns,
                             [&](const std::string& name) { return std::ranges::binary_search(columns_, name); });
}

// Others could have been in sums that this client knows nothing of, and which together with its own tell a part.
std::string Disclosure::other_clients(const std::vector<std::string>& now) const {
  const auto staying = [&](std::vector<std::string> names) {
    std::erase_if(names, [&](const std::string& name) { return std::ranges::count(rules_.left, name) > 0; });
    return names;
  };
  for (const auto& company : shown_->what.companies) {
    if (!overlaps(company.columns) || staying(company.sums.front()) == staying(now)) continue;
    return fmt::format(
        "an earlier run about the same columns had other clients ({}), and the sums of both would tell the part of "
        "those "
        "who were in one only: a run has the same clients as before; where one has left for good, every owner may list "
        "it as left",
        listed(company.sums.front()));
  }
  return "";
}

std::string Disclosure::wrong_company(const RunGroup& group) const {
  Sets sums = sums_of(group);
  if (shown_) {
    if (std::string wrong = other_clients(sums.front()); !wrong.empty()) return wrong;
    for (const auto& company : shown_->what.companies) {
      if (overlaps(company.columns)) sums.insert(sums.end(), company.sums.begin(), company.sums.end());
    }
  }
  for (const auto& [in, clients] : cells_of(sums)) {
    const auto may_be_told = [&](const std::string& name) { return std::ranges::count(rules_.left, name) > 0; };
    if (clients.size() >= rules_.min_sum || std::ranges::all_of(clients, may_be_told)) continue;
    return fmt::format(
        "with sums of an earlier run about the same columns the sums of this one would tell the part of {} alone: a "
        "run has the same clients in the same groups as before, or sums that differ by at least {} clients (min-sum); "
        "where that one has left for good, every owner may list it as left",
        listed(clients), rules_.min_sum);
  }
  return "";
}

Result<void> Disclosure::enter(const RunGroup& group) {
  store::Disclosed what = shown_ ? shown_->what : store::Disclosed{};
  const store::Disclosed::Version version{record_columns_, records_};
  const auto same_version = [&](const auto& known) {
    return known.columns == version.columns && known.records == version.records;
  };
  const store::Disclosed::Company company{columns_, sums_of(group)};
  const auto same_company = [&](const auto& known) {
    return known.columns == company.columns && known.sums == company.sums;
  };
  const bool new_version = std::ranges::none_of(what.versions, same_version);
  const bool new_company = std::ranges::none_of(what.companies, same_company);
  if (new_version) what.versions.push_back(version);
  if (new_company) what.companies.push_back(company);
  if (shown_ && !new_version && !new_company) return {};
  if (shown_) {
    if (const auto written = ledger_.replace(shown_->id, what); !written) return written;
    shown_->what = std::move(what);
    return {};
  }
  const auto id = ledger_.add(what);
  if (!id) return id.error();
  shown_ = Table{*id, std::move(what)};
  return {};
}

// Whether all that may ever be asked of these columns is within the limit.
bool Disclosure::is_tall(const SumRows& sum, const std::vector<std::string>& gram) const {
  return sum.linear && together(columns_, gram).size() + used_.vectors <= rules_.directions_of(sum.rows);
}

Allowance Disclosure::allowance(const SumRows& sum) const {
  const std::uint64_t most = rules_.directions_of(sum.rows);
  if (is_tall(sum, gram_)) return {};
  const std::uint64_t shown = gram_.size() + used_.vectors;
  const std::uint64_t left = most > shown ? most - shown : 0;
  std::vector<std::string> again;
  if (shown_) std::ranges::set_intersection(columns_, products_of(sum.clients), std::back_inserter(again));
  return {.vectors = left, .columns = left + again.size()};
}

Result<std::string> Disclosure::spend(const DisclosureCost& cost, const SumRows& sum) {
  std::vector<std::string> asked = sorted(cost.gram_columns);
  const std::uint64_t most = rules_.directions_of(sum.rows);
  const std::uint64_t vectors = used_.vectors + cost.vectors, scalars = used_.scalars + cost.scalars;
  const bool tall = is_tall(sum, together(gram_, asked));
  if (tall && cost.vectors + cost.scalars > 0) asked = together(asked, columns_);
  const std::vector<std::string> gram = together(gram_, asked);
  const bool shows_more = !std::ranges::includes(products_of(sum.clients), asked);
  if (!tall && gram.size() + vectors > most && (cost.vectors > 0 || shows_more)) {
    return fmt::format(
        "its owner allows {} directions of the rows in this sum to be shown ({} rows, max-share {}), and "
        "this would make {}",
        most, sum.rows, rules_.max_share, gram.size() + vectors);
  }
  if (!tall && cost.scalars > 0 && scalars > vectors + gram.size() + kFreeScalars) {
    return std::string("it has told as many numbers as it has told vectors: a residual comes with each of these");
  }
  if (shows_more) {
    auto& products = shown_->what.products;
    const auto known = std::ranges::find(products, sum.clients, &store::Disclosed::Products::clients);
    if (known == products.end()) {
      products.push_back({sum.clients, std::move(asked)});
    } else {
      known->columns = together(known->columns, asked);
    }
    if (const auto written = ledger_.replace(shown_->id, shown_->what); !written) return written.error();
    gram_ = gram;
  }
  if (tall) return std::string();
  const std::uint64_t shown = gram.size() + used_.vectors;
  if (const auto done = reserve({cost.vectors, cost.scalars}, most > shown ? most - shown : 0); !done) {
    return done.error();
  }
  used_ = {vectors, scalars};
  return std::string();
}

// A power cut must not give anything back: the ledger is ahead of what was answered, by a small part of what is left.
Result<void> Disclosure::reserve(store::DisclosedCounts wanted, std::uint64_t left) {
  if (wanted.vectors <= reserved_.vectors && wanted.scalars <= reserved_.scalars) {
    reserved_.vectors -= wanted.vectors;
    reserved_.scalars -= wanted.scalars;
    return {};
  }
  const std::uint64_t ahead = std::min(kCountedAhead, left / 64);
  const store::DisclosedCounts more{wanted.vectors + ahead, wanted.scalars + ahead};
  const auto counted = ledger_.count(shown_->id, more);
  if (!counted) return counted.error();
  reserved_.vectors += ahead;
  reserved_.scalars += ahead;
  return {};
}

Result<void> Disclosure::end() {
  if (!shown_ || (reserved_.vectors == 0 && reserved_.scalars == 0)) return {};
  const auto counted = ledger_.count(shown_->id, {0 - reserved_.vectors, 0 - reserved_.scalars});
  if (!counted) return counted.error();
  reserved_ = {};
  return {};
}

}  // namespace fedrk::network
