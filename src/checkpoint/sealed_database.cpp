// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/sealed_database.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/hash.hpp"

namespace fedrk::store {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSeal = "CREATE TABLE IF NOT EXISTS seal (changes INTEGER NOT NULL, digest INTEGER NOT NULL);";
constexpr const char* kSchemaRows = "SELECT type, name, tbl_name, sql FROM sqlite_master";

std::uint64_t hash_of(std::string_view text) {
  Hash hash;
  hash.add(text);
  return hash.value();
}

std::string line_of(std::uint64_t changes) {
  const std::string digits = fmt::format("{:020}", changes);
  return fmt::format("{} {:016x}\n", digits, hash_of(digits));
}

[[noreturn]] void cannot(const char* what, const fs::path& path) {
  throw SqliteFailure(fmt::format("cannot {} {}: {}", what, path.string(), std::generic_category().message(errno)),
                      SQLITE_IOERR);
}

// What the seal holds: of the number of changes too.
std::uint64_t digest_of(std::uint64_t changes, std::uint64_t rows) {
  Hash hash;
  hash.add(changes);
  return hash.value() + rows;
}

}  // namespace

// ---- The count beside the folder.

ChangeCount::ChangeCount(const fs::path& folder, const std::string& name) {
  std::error_code ignored;
  const fs::path whole = fs::weakly_canonical(folder, ignored);
  const fs::path beside = whole.parent_path() / (whole.filename().string() + "-" + name + ".count");
  const bool can = fs::exists(beside) || ::access(beside.parent_path().c_str(), W_OK) == 0;
  path_ = can ? beside : whole / (name + ".count");
}

std::uint64_t ChangeCount::read() const {
  const int file = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0 && errno == ENOENT) return 0;
  if (file < 0) cannot("read", path_);
  char text[64] = {};
  const ssize_t length = ::pread(file, text, sizeof text, 0);
  ::close(file);
  std::uint64_t changes = 0;
  std::from_chars(text, text + 20, changes);
  if (length < 0 || line_of(changes) != std::string_view(text, static_cast<std::size_t>(length))) {
    throw SqliteFailure(path_.string() +
                            " is damaged: it is not as it was written; take it away where the folder "
                            "beside it is the newest that there is",
                        SQLITE_CORRUPT);
  }
  return changes;
}

// In place and in one write, so that it is the old one or the new one. The first is made beside and then gets its name:
// a process that is killed must not leave an empty one.
void ChangeCount::write(std::uint64_t changes) const {
  const fs::path draft = path_.string() + ".new";
  int file = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  const bool first = file < 0 && errno == ENOENT;
  if (first) file = ::open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) cannot("write", path_);
  const std::string line = line_of(changes);
  const bool written = ::pwrite(file, line.data(), line.size(), 0) == static_cast<ssize_t>(line.size());
  ::close(file);
  if (!written || (first && ::rename(draft.c_str(), path_.c_str()) != 0)) cannot("write", path_);
}

// ---- The database.

Database SealedDatabase::open_or_make(const fs::path& path, const FileKind& kind, const std::string& schema,
                                      const std::vector<std::string>& tables, const ChangeCount& count) {
  if (fs::exists(path)) return Database::open(path, kind);
  return Database::create(
      path, kind, schema.c_str(),
      [&](Database& database) {
        const std::uint64_t known = count.read();  // of a file that was taken away
        database.run("INSERT INTO seal VALUES (?, ?)", known, digest_of(known, sum_of_all(database, tables)));
      },
      true);
}

SealedDatabase::SealedDatabase(const fs::path& folder, const FileKind& kind, const std::string& schema,
                               std::vector<std::string> tables, const char* if_older)
    : count_(folder, fs::path(kind.name).stem().string()),
      tables_(std::move(tables)),
      database_(open_or_make(folder / kind.name, kind, schema + kSeal, tables_, count_)) {
  try {
    // What has left is on record, also where the power goes.
    database_.execute("PRAGMA synchronous = FULL");
    database_.check_pages(true);
    Transaction transaction(database_);
    const std::uint64_t known = count_.read(), found = changes();
    if (found < known) {
      throw SqliteFailure(fmt::format("{} is older than what this client last wrote to it (change {} of {}): it was "
                                      "restored from a backup, or lost its last pages; {}",
                                      database_.path(), found, known, if_older),
                          SQLITE_ERROR);
    }
    add_what_is_missing(schema + kSeal, found);
    transaction.commit();
    if (found > known) count_.write(found);
  } catch (const SqliteFailure& failure) {
    if (failure.code() != SQLITE_CORRUPT) throw;
    throw SqliteFailure(fmt::format("{}; {}", failure.what(), kind.if_damaged), SQLITE_CORRUPT);
  }
}

// Zero for a file of an earlier version, which has no seal.
std::uint64_t SealedDatabase::changes() {
  if (database_.value<int>("SELECT count(*) FROM sqlite_master WHERE name = 'seal'") == 0) return 0;
  const Seal found = seal();
  const bool alone = database_.value<int>("SELECT count(*) FROM seal") == 1;
  if (!alone || found.digest != digest_of(found.changes, sum_of_all(database_, tables_))) {
    fail_as_damaged(database_.path());
  }
  return found.changes;
}

void SealedDatabase::add_what_is_missing(const std::string& schema, std::uint64_t changes) {
  const std::uint64_t before = sum_of(database_.prepare(kSchemaRows));
  database_.execute(schema);
  if (sum_of(database_.prepare(kSchemaRows)) == before) return;
  database_.execute("DELETE FROM seal");
  database_.run("INSERT INTO seal VALUES (?, ?)", changes, digest_of(changes, sum_of_all(database_, tables_)));
}

std::uint64_t SealedDatabase::sum_of(Statement& rows) {
  std::uint64_t sum = 0;
  while (rows.next()) sum += rows.hash();
  return sum;
}

std::uint64_t SealedDatabase::sum_of_all(Database& database, const std::vector<std::string>& tables) {
  std::uint64_t sum = sum_of(database.prepare(kSchemaRows));
  for (const std::string& table : tables) {
    // A file of an earlier version lacks the newer ones; one that was lost since shows in the schema's rows.
    if (database.value<int>("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = ?", table) == 0)
      continue;
    sum += sum_of(database.prepare("SELECT '" + table + "', * FROM " + table));
  }
  return sum;
}

SealedDatabase::Seal SealedDatabase::seal() {
  Statement& read = database_.prepare("SELECT changes, digest FROM seal");
  if (!read.next()) fail_as_damaged(database_.path());
  const Seal found{read.get<std::uint64_t>(0), read.get<std::uint64_t>(1)};
  read.reset();
  return found;
}

void SealedDatabase::commit(Transaction& transaction) {
  const Seal before = seal();
  const std::uint64_t rows = before.digest - digest_of(before.changes, 0) + std::exchange(pending_, 0);
  const Seal now{before.changes + 1, digest_of(before.changes + 1, rows)};
  database_.run("UPDATE seal SET changes = ?, digest = ?", now.changes, now.digest);
  transaction.commit();
  count_.write(now.changes);  // later: a count that is behind does no harm
}

}  // namespace fedrk::store
