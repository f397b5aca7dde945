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

constexpr FileKind kMaskFile{0x6665646d, 1, "masks.db",  // "fedm"
                             "take it away and begin a new run: those under way cannot go on with this client"};
constexpr const char* kIfOlder =
    "with it this client could answer a question twice, and so give its part away. Put the newest copy back; without "
    "one, take it away and begin a new run: those under way cannot go on with this client";
constexpr const char* kSchema =
    "CREATE TABLE IF NOT EXISTS secrets (run TEXT PRIMARY KEY, secret BLOB NOT NULL);"
    "CREATE TABLE IF NOT EXISTS claims (run TEXT NOT NULL, kind TEXT NOT NULL, number INTEGER NOT NULL, attempt "
    "INTEGER NOT NULL,"
    " question BLOB NOT NULL, answer BLOB NOT NULL, PRIMARY KEY (run, kind));";

using Question = ReplayGuard::Question;
using Key = ReplayGuard::Key;
using Admission = ReplayGuard::Admission;

using Recorded = ReplayGuard::Recorded;

// What the last of its kind makes of a question.
Admission judged(const std::optional<Recorded>& last, const Question& asked) {
  if (!last) return {true, false, asked.number, asked.attempt};
  const auto before = std::pair(last->asked.number, last->asked.attempt), now = std::pair(asked.number, asked.attempt);
  const bool repeated = now == before && last->asked.question == asked.question;
  return {repeated || now > before, repeated, last->asked.number, last->asked.attempt};
}

// The same where something is to be sent.
Admission judged(const std::optional<Recorded>& last, const Question& asked, const Key& answer) {
  Admission admission = judged(last, asked);
  if (admission.repeated && last->answer != answer) admission.granted = false;
  return admission;
}

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
  Result<Admission> look(const std::string& run, const Question& asked) override {
    return judged(last_[{run, asked.kind}], asked);
  }
  Result<Admission> record(const std::string& run, const Question& asked, const Key& answer) override {
    std::optional<Recorded>& last = last_[{run, asked.kind}];
    const Admission admission = judged(last, asked, answer);
    if (admission.granted) last = Recorded{asked, answer};
    return admission;
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

class StoredGuard final : public ReplayGuard {
 public:
  explicit StoredGuard(const fs::path& folder)
      : sealed_(folder, kMaskFile, kSchema, {"secrets", "claims"}, kIfOlder), database_(sealed_.database()) {
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

  Result<Admission> look(const std::string& run, const Question& asked) override {
    return guarded([&] { return judged(last(run, asked.kind), asked); });
  }

  Result<Admission> record(const std::string& run, const Question& asked, const Key& answer) override {
    return guarded([&] {
      Transaction transaction = sealed_.begin();  // two processes with one folder must not answer in two ways
      const Admission admission = judged(last(run, asked.kind), asked, answer);
      if (admission.granted && !admission.repeated) {
        sealed_.change(
            "claims", "run = ? AND kind = ?",
            [&] {
              database_.run("INSERT OR REPLACE INTO claims VALUES (?, ?, ?, ?, ?, ?)", run, asked.kind, asked.number,
                            asked.attempt, Blob{bytes_of(asked.question)}, Blob{bytes_of(answer)});
            },
            run, asked.kind);
        sealed_.commit(transaction);
      }
      return admission;
    });
  }

  Result<void> forget(const std::string& run) override {
    return guarded([&] {
      {
        Transaction transaction = sealed_.begin();
        for (const std::string table : {"secrets", "claims"}) {
          sealed_.change(
              table, "run = ?", [&] { database_.run("DELETE FROM " + table + " WHERE run = ?", run); }, run);
        }
        sealed_.commit(transaction);
      }
      database_.execute("PRAGMA wal_checkpoint(TRUNCATE)");  // what was deleted is not to lie about in the log
    });
  }

 private:
  std::optional<Recorded> last(const std::string& run, const std::string& kind) {
    Statement& load =
        database_.prepare("SELECT number, attempt, question, answer FROM claims WHERE run = ? AND kind = ?");
    if (!load.bind(run, kind).next()) return std::nullopt;
    Recorded recorded{
        {kind, load.get<std::uint64_t>(0), load.get<std::uint32_t>(1), key_from(load.get<std::string>(2))},
        key_from(load.get<std::string>(3))};
    load.reset();
    return recorded;
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

Result<bool> ReplayGuard::pin(const std::string& run, const std::string& kind, const Key& value) {
  const auto admission = record(run, {kind, 0, 0, value}, value);
  if (!admission) return admission.error();
  return admission->granted;
}

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
