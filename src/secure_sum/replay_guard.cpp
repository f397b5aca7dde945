// SPDX-License-Identifier: Apache-2.0
#include "secure_sum/replay_guard.hpp"

#include <sys/stat.h>

#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "checkpoint/sealed_database.hpp"

namespace fedrk::store {
namespace {

namespace fs = std::filesystem;

constexpr FileKind kMaskFile{0x6665646d, 2, "masks.db",  // "fedm"
                             "take it away and begin a new run: those under way cannot go on with this client"};
constexpr const char* kIfOlder =
    "with it this client could answer a question in two ways, and so give its part away. Put the newest copy back; "
    "without one, take it away and begin a new run: those under way cannot go on with this client";
constexpr const char* kSchema =
    "CREATE TABLE IF NOT EXISTS secrets (run TEXT PRIMARY KEY, secret BLOB NOT NULL);"
    "CREATE TABLE IF NOT EXISTS answers (run TEXT NOT NULL, question BLOB NOT NULL, answer BLOB NOT NULL, PRIMARY KEY "
    "(run, question));";

using Key = ReplayGuard::Key;
using Seen = ReplayGuard::Seen;

std::string_view bytes_of(const Key& key) {
  return {reinterpret_cast<const char*>(key.data()), key.size()};  // NOLINT: bytes as text
}

Key key_from(const std::string& bytes) {
  Key key{};
  if (bytes.size() == key.size()) std::memcpy(key.data(), bytes.data(), key.size());
  return key;
}

class GuardInMemory final : public ReplayGuard {
 public:
  Result<Key> secret(const std::string& run, const Key& fresh) override {
    return secrets_.try_emplace(run, fresh).first->second;
  }
  Result<Seen> look(const std::string& run, const Key& question) override {
    return answers_.contains({run, question}) ? Seen::Same : Seen::Never;
  }
  Result<Seen> record(const std::string& run, const Key& question, const Key& answer) override {
    const auto [entry, made] = answers_.try_emplace({run, question}, answer);
    return made ? Seen::Never : entry->second == answer ? Seen::Same : Seen::Other;
  }
  Result<void> forget(const std::string& run) override {
    secrets_.erase(run);
    std::erase_if(answers_, [&](const auto& entry) { return entry.first.first == run; });
    return {};
  }

 private:
  std::map<std::string, Key> secrets_;
  std::map<std::pair<std::string, Key>, Key> answers_;
};

class StoredGuard final : public ReplayGuard {
 public:
  explicit StoredGuard(const fs::path& folder)
      : sealed_(folder, kMaskFile, kSchema, {"secrets", "answers"}, kIfOlder), database_(sealed_.database()) {
    // Nobody waits for the disk in each round; where the power takes the last answers, the count is ahead.
    database_.execute("PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON");
  }

  Result<Key> secret(const std::string& run, const Key& fresh) override {
    return guarded([&] {
      Transaction transaction = sealed_.begin();
      const auto secret = database_.value<std::string>("SELECT secret FROM secrets WHERE run = ?", run);
      if (secret) return key_from(*secret);
      sealed_.change(
          "secrets", "run = ?", [&] { database_.run("INSERT INTO secrets VALUES (?, ?)", run, Blob{bytes_of(fresh)}); },
          run);
      sealed_.commit(transaction);
      return fresh;
    });
  }

  Result<Seen> look(const std::string& run, const Key& question) override {
    return guarded([&] { return answer_to(run, question) ? Seen::Same : Seen::Never; });
  }

  Result<Seen> record(const std::string& run, const Key& question, const Key& answer) override {
    return guarded([&] {
      Transaction transaction = sealed_.begin();  // two processes with one folder must not answer in two ways
      if (const auto before = answer_to(run, question)) return *before == bytes_of(answer) ? Seen::Same : Seen::Other;
      sealed_.change(
          "answers", "run = ? AND question = ?",
          [&] {
            database_.run("INSERT INTO answers VALUES (?, ?, ?)", run, Blob{bytes_of(question)},
                          Blob{bytes_of(answer)});
          },
          run, Blob{bytes_of(question)});
      sealed_.commit(transaction);
      return Seen::Never;
    });
  }

  Result<void> forget(const std::string& run) override {
    return guarded([&] {
      {
        Transaction transaction = sealed_.begin();
        for (const std::string table : {"secrets", "answers"}) {
          sealed_.change(
              table, "run = ?", [&] { database_.run("DELETE FROM " + table + " WHERE run = ?", run); }, run);
        }
        sealed_.commit(transaction);
      }
      database_.execute("PRAGMA wal_checkpoint(TRUNCATE)");  // what was deleted is not to lie about in the log
    });
  }

 private:
  std::optional<std::string> answer_to(const std::string& run, const Key& question) {
    return database_.value<std::string>("SELECT answer FROM answers WHERE run = ? AND question = ?", run,
                                        Blob{bytes_of(question)});
  }

  SealedDatabase sealed_;
  Database& database_;
};

// As it was made; who copies folders about may have changed it.
Result<void> check_mode(const fs::path& path) {
  struct stat file {};
  if (::stat(path.c_str(), &file) != 0 || (file.st_mode & 077) == 0) return {};
  return Error{path.string() + " can be read by others, who could then unmask what this client sends; chmod 600 it"};
}

}  // namespace

Result<std::unique_ptr<ReplayGuard>> open_replay_guard(const fs::path& folder) {
  std::error_code failure;
  const bool made = fs::create_directories(folder, failure);
  if (failure) return Error{"cannot make " + folder.string() + ": " + failure.message()};
  if (made) fs::permissions(folder, fs::perms::owner_all, failure);
  if (const auto fine = check_mode(folder / kMaskFile.name); !fine) return fine.error();
  return guarded([&]() -> std::unique_ptr<ReplayGuard> {
    const mode_t before = ::umask(077);  // secrets: SQLite gives its other files the mode of this one
    try {
      auto guard = std::make_unique<StoredGuard>(folder);
      ::umask(before);
      return guard;
    } catch (...) {
      ::umask(before);
      throw;
    }
  });
}

std::unique_ptr<ReplayGuard> replay_guard_in_memory() { return std::make_unique<GuardInMemory>(); }

}  // namespace fedrk::store
