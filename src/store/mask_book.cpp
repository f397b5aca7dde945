// SPDX-License-Identifier: Apache-2.0
#include "fedrk/store/mask_book.hpp"

#include <sys/stat.h>

#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "store/sqlite.hpp"

namespace fedrk::store {
namespace {

namespace fs = std::filesystem;

constexpr FileKind kMaskFile{0x6665646d, 1, "masks.db"};  // "fedm"
constexpr const char* kSchema =
    "CREATE TABLE secrets (run TEXT PRIMARY KEY, secret BLOB NOT NULL);"
    "CREATE TABLE claims (run TEXT NOT NULL, kind TEXT NOT NULL, number INTEGER NOT NULL, attempt INTEGER NOT NULL,"
    " question BLOB NOT NULL, PRIMARY KEY (run, kind));";

using Claim = MaskBook::Claim;
using Key = MaskBook::Key;
using Verdict = MaskBook::Verdict;

// What the last of its kind makes of a claim; nothing where it is to be written down first.
std::optional<Verdict> judged(const std::optional<Claim>& last, const Claim& claim) {
  if (!last) return std::nullopt;
  const auto before = std::pair(last->number, last->attempt), now = std::pair(claim.number, claim.attempt);
  if (now > before) return std::nullopt;
  const bool repeated = now == before && last->question == claim.question;
  return Verdict{repeated, repeated, last->number, last->attempt};
}

std::string_view bytes_of(const Key& key) {
  return {reinterpret_cast<const char*>(key.data()), key.size()};  // NOLINT: bytes as text
}

Key key_from(const std::string& bytes) {
  Key key{};
  if (bytes.size() == key.size()) std::memcpy(key.data(), bytes.data(), key.size());
  return key;
}

class BookInMemory final : public MaskBook {
 public:
  Result<Key> secret(const std::string& run, const Key& fresh) override {
    return secrets_.try_emplace(run, fresh).first->second;
  }
  Result<Verdict> claim(const std::string& run, const Claim& claim) override {
    std::optional<Claim>& last = last_[{run, claim.kind}];
    if (const auto verdict = judged(last, claim)) return *verdict;
    last = claim;
    return Verdict{true, false, claim.number, claim.attempt};
  }
  Result<void> forget(const std::string& run) override {
    secrets_.erase(run);
    std::erase_if(last_, [&](const auto& entry) { return entry.first.first == run; });
    return {};
  }

 private:
  std::map<std::string, Key> secrets_;
  std::map<std::pair<std::string, std::string>, std::optional<Claim>> last_;
};

class StoredBook final : public MaskBook {
 public:
  explicit StoredBook(Database database)
      : database_(std::move(database)),
        load_(database_.prepare("SELECT number, attempt, question FROM claims WHERE run = ? AND kind = ?")),
        save_(database_.prepare("INSERT OR REPLACE INTO claims VALUES (?, ?, ?, ?, ?)")) {}

  Result<Key> secret(const std::string& run, const Key& fresh) override {
    return guarded([&] {
      Statement keep = database_.prepare("INSERT OR IGNORE INTO secrets VALUES (?, ?)");
      keep.bind_text(1, run).bind_blob(2, bytes_of(fresh)).run();
      Statement load = database_.prepare("SELECT secret FROM secrets WHERE run = ?");
      if (!load.bind_text(1, run).next()) return fresh;
      return key_from(load.text(0));
    });
  }

  Result<Verdict> claim(const std::string& run, const Claim& claim) override {
    return guarded([&] {
      if (const auto verdict = judged(last(run, claim.kind), claim)) return *verdict;
      save_.bind_text(1, run).bind_text(2, claim.kind).bind(3, static_cast<std::int64_t>(claim.number));
      save_.bind(4, std::int64_t{claim.attempt}).bind_blob(5, bytes_of(claim.question)).run();
      return Verdict{true, false, claim.number, claim.attempt};
    });
  }

  Result<void> forget(const std::string& run) override {
    return guarded([&] {
      for (const char* table : {"secrets", "claims"}) {
        Statement drop = database_.prepare(std::string("DELETE FROM ") + table + " WHERE run = ?");
        drop.bind_text(1, run).run();
      }
      database_.execute("PRAGMA wal_checkpoint(TRUNCATE)");  // what was deleted is not to lie about in the log
    });
  }

 private:
  std::optional<Claim> last(const std::string& run, const std::string& kind) {
    if (!load_.bind_text(1, run).bind_text(2, kind).next()) return std::nullopt;
    Claim claim{kind, static_cast<std::uint64_t>(load_.integer(0)), static_cast<std::uint32_t>(load_.integer(1)),
                key_from(load_.text(2))};
    load_.reset();
    return claim;
  }

  Database database_;
  Statement load_, save_;
};

}  // namespace

Result<std::unique_ptr<MaskBook>> open_mask_book(const fs::path& folder) {
  std::error_code failure;
  const bool made = fs::create_directories(folder, failure);
  if (failure) return Error{"cannot make " + folder.string() + ": " + failure.message()};
  if (made) fs::permissions(folder, fs::perms::owner_all, failure);
  return guarded([&]() -> std::unique_ptr<MaskBook> {
    const fs::path path = folder / kMaskFile.name;
    const mode_t before = ::umask(077);  // secrets: SQLite gives its other files the mode of this one
    std::optional<Database> database;
    try {
      database = fs::exists(path) ? Database::open(path, kMaskFile)
                                  : Database::create(path, kMaskFile, kSchema, [](Database&) {});
    } catch (...) {
      ::umask(before);
      throw;
    }
    ::umask(before);
    database->execute("PRAGMA secure_delete = ON");
    return std::make_unique<StoredBook>(*std::move(database));
  });
}

std::unique_ptr<MaskBook> mask_book_in_memory() { return std::make_unique<BookInMemory>(); }

}  // namespace fedrk::store
