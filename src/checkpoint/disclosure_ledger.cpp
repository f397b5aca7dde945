// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/disclosure_ledger.hpp"

#include <random>

#include "base/byte_stream.hpp"
#include "checkpoint/stored_disclosures.hpp"

namespace fedrk::store {
namespace {

std::uint64_t random_salt() {
  std::random_device device;  // the system's own source
  return std::uint64_t{device()} << 32 | device();
}

class InMemory final : public DisclosureLedger {
 public:
  Result<std::uint64_t> salt() override { return salt_; }
  Result<std::vector<Entry>> entries() override { return entries_; }
  Result<std::uint64_t> add(const Disclosed& what) override {
    entries_.push_back({entries_.size(), what, {}});
    return entries_.back().id;
  }
  Result<void> replace(std::uint64_t id, const Disclosed& what) override {
    entries_.at(id).what = what;
    return {};
  }
  Result<DisclosedCounts> count(std::uint64_t id, DisclosedCounts more) override {
    DisclosedCounts& counts = entries_.at(id).counts;
    counts.vectors += more.vectors;
    counts.scalars += more.scalars;
    return counts;
  }

 private:
  std::uint64_t salt_ = random_salt();
  std::vector<Entry> entries_;
};

constexpr const char* kEntries = "disclosed";
constexpr const char* kCounts = "disclosed_counts";

}  // namespace

std::unique_ptr<DisclosureLedger> disclosures_in_memory() { return std::make_unique<InMemory>(); }

Result<std::uint64_t> StoredDisclosures::salt() {
  return guarded([&] {
    Transaction transaction = sealed_.begin();
    const auto known = database_.value<std::uint64_t>("SELECT salt FROM disclosed_salt");
    if (known) return *known;
    const std::uint64_t fresh = random_salt() >> 1;  // SQLite's integers have a sign
    sealed_.change(
        "disclosed_salt", "salt = ?", [&] { database_.run("INSERT INTO disclosed_salt VALUES (?)", fresh); }, fresh);
    sealed_.commit(transaction);
    return fresh;
  });
}

Result<std::vector<DisclosureLedger::Entry>> StoredDisclosures::entries() {
  return guarded([&] {
    std::vector<Entry> all;
    Statement& each = database_.prepare(
        "SELECT d.id, d.what, c.vectors, c.scalars FROM disclosed d JOIN disclosed_counts c ON c.id = d.id ORDER BY "
        "d.id");
    while (each.next()) {
      Entry& entry = all.emplace_back();
      entry.id = each.get<std::uint64_t>(0);
      const std::string bytes = each.get<std::string>(1);
      ByteReader in(bytes);
      in.get(entry.what);
      if (!in.complete())
        throw SqliteFailure("client.db: a record of what was disclosed cannot be read", SQLITE_CORRUPT);
      entry.counts = {each.get<std::uint64_t>(2), each.get<std::uint64_t>(3)};
    }
    return all;
  });
}

Result<std::uint64_t> StoredDisclosures::add(const Disclosed& what) {
  return guarded([&] {
    Transaction transaction = sealed_.begin();
    const auto id = database_.value<std::uint64_t>("SELECT coalesce(max(id) + 1, 0) FROM disclosed").value_or(0);
    const std::string bytes = bytes_of(what);
    sealed_.change(
        kEntries, "id = ?", [&] { database_.run("INSERT INTO disclosed VALUES (?, ?)", id, Blob{bytes}); }, id);
    sealed_.change(
        kCounts, "id = ?", [&] { database_.run("INSERT INTO disclosed_counts VALUES (?, 0, 0)", id); }, id);
    sealed_.commit(transaction);
    return id;
  });
}

Result<void> StoredDisclosures::replace(std::uint64_t id, const Disclosed& what) {
  return guarded([&] {
    Transaction transaction = sealed_.begin();
    const std::string bytes = bytes_of(what);
    sealed_.change(
        kEntries, "id = ?", [&] { database_.run("UPDATE disclosed SET what = ? WHERE id = ?", Blob{bytes}, id); }, id);
    sealed_.commit(transaction);
  });
}

Result<DisclosedCounts> StoredDisclosures::count(std::uint64_t id, DisclosedCounts more) {
  return guarded([&] {
    Transaction transaction = sealed_.begin();
    sealed_.change(
        kCounts, "id = ?",
        [&] {
          database_.run("UPDATE disclosed_counts SET vectors = vectors + ?, scalars = scalars + ? WHERE id = ?",
                        more.vectors, more.scalars, id);
        },
        id);
    sealed_.commit(transaction);
    Statement& read = database_.prepare("SELECT vectors, scalars FROM disclosed_counts WHERE id = ?");
    DisclosedCounts counts;
    if (read.bind(id).next()) counts = {read.get<std::uint64_t>(0), read.get<std::uint64_t>(1)};
    read.reset();
    return counts;
  });
}

}  // namespace fedrk::store
