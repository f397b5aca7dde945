// SPDX-License-Identifier: Apache-2.0
#include "secure_sum/mask_book.hpp"

#include <sys/stat.h>

#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "checkpoint/sqlite.hpp"

namespace fedrk::store {
namespace {

namespace fs = std::filesystem;

constexpr FileKind kMaskFile{0x6665646d, 1, "masks.db"};  // "fedm"
constexpr const char* kSchema =
    "CREATE TABLE secrets (run TEXT PRIMARY KEY, secret BLOB NOT NULL);"
    "CREATE TABLE claims (run TEXT NOT NULL, kind TEXT NOT NULL, number INTEGER NOT NULL, attempt INTEGER NOT NULL,"
    " question BLOB NOT NULL, answer BLOB NOT NULL, PRIMARY KEY (run, kind));";

using Claim = MaskBook::Claim;
using Key = MaskBook::Key;
using Verdict = MaskBook::Verdict;

using Recorded = MaskBook::Recorded;

// What the last of its kind makes of a claim.
Verdict judged(const std::optional<Recorded>& last, const Claim& claim) {
  if (!last) return {true, false, claim.number, claim.attempt};
  const auto before = std::pair(last->claim.number, last->claim.attempt), now = std::pair(claim.number, claim.attempt);
  const bool repeated = now == before && last->claim.question == claim.question;
  return {repeated || now > before, repeated, last->claim.number, last->claim.attempt};
}

// The same where something is to be sent.
Verdict judged(const std::optional<Recorded>& last, const Claim& claim, const Key& answer) {
  Verdict verdict = judged(last, claim);
  if (verdict.repeated && last->answer != answer) verdict.granted = false;
  return verdict;
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
  Result<Verdict> look(const std::string& run, const Claim& claim) override {
    return judged(last_[{run, claim.kind}], claim);
  }
  Result<Verdict> record(const std::string& run, const Claim& claim, const Key& answer) override {
    std::optional<Recorded>& last = last_[{run, claim.kind}];
    const Verdict verdict = judged(last, claim, answer);
    if (verdict.granted) last = Recorded{claim, answer};
    return verdict;
  }
  Result<void> forget(const std::string& run) override {
    secrets_.erase(run);
    std::erase_if(last_, [&](const auto& entry) { return entry.first.first == run; });
    return {};
  }

 private:
  std::map<std::string, Key> secrets_;
  std::map<std::pair<std::string, std::string>, std::optional<Recorded>> last_;
};

class StoredBook final : public MaskBook {
 public:
  explicit StoredBook(Database database)
      : database_(std::move(database)),
        load_(database_.prepare("SELECT number, attempt, question, answer FROM claims WHERE run = ? AND kind = ?")),
        save_(database_.prepare("INSERT OR REPLACE INTO claims VALUES (?, ?, ?, ?, ?, ?)")) {}

  Result<Key> secret(const std::string& run, const Key& fresh) override {
    return guarded([&] {
      Statement keep = database_.prepare("INSERT OR IGNORE INTO secrets VALUES (?, ?)");
      keep.bind_text(1, run).bind_blob(2, bytes_of(fresh)).run();
      Statement load = database_.prepare("SELECT secret FROM secrets WHERE run = ?");
      if (!load.bind_text(1, run).next()) return fresh;
      return key_from(load.text(0));
    });
  }

  Result<Verdict> look(const std::string& run, const Claim& claim) override {
    return guarded([&] { return judged(last(run, claim.kind), claim); });
  }

  Result<Verdict> record(const std::string& run, const Claim& claim, const Key& answer) override {
    return guarded([&] {
      Transaction transaction(database_);  // two processes with one folder must not answer one number in two ways
      const Verdict verdict = judged(last(run, claim.kind), claim, answer);
      if (verdict.granted && !verdict.repeated) {
        save_.bind_text(1, run).bind_text(2, claim.kind).bind(3, static_cast<std::int64_t>(claim.number));
        save_.bind(4, std::int64_t{claim.attempt}).bind_blob(5, bytes_of(claim.question));
        save_.bind_blob(6, bytes_of(answer)).run();
      }
      transaction.commit();
      return verdict;
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
  std::optional<Recorded> last(const std::string& run, const std::string& kind) {
    if (!load_.bind_text(1, run).bind_text(2, kind).next()) return std::nullopt;
    Recorded recorded{{kind, static_cast<std::uint64_t>(load_.integer(0)), static_cast<std::uint32_t>(load_.integer(1)),
                       key_from(load_.text(2))},
                      key_from(load_.text(3))};
    load_.reset();
    return recorded;
  }

  Database database_;
  Statement load_, save_;
};

// As it was made; who copies folders about may have changed it.
Result<void> check_mode(const fs::path& path) {
  struct stat file {};
  if (::stat(path.c_str(), &file) != 0 || (file.st_mode & 077) == 0) return {};
  return Error{path.string() + " can be read by others, who could then unmask what this client sends; chmod 600 it"};
}

}  // namespace

Result<bool> MaskBook::pin(const std::string& run, const std::string& kind, const Key& value) {
  const auto verdict = record(run, {kind, 0, 0, value}, value);
  if (!verdict) return verdict.error();
  return verdict->granted;
}

Result<std::unique_ptr<MaskBook>> open_mask_book(const fs::path& folder) {
  std::error_code failure;
  const bool made = fs::create_directories(folder, failure);
  if (failure) return Error{"cannot make " + folder.string() + ": " + failure.message()};
  if (made) fs::permissions(folder, fs::perms::owner_all, failure);
  if (const auto fine = check_mode(folder / kMaskFile.name); !fine) return fine.error();
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
