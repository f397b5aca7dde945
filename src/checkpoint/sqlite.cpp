// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/sqlite.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "base/hash.hpp"

namespace fedrk::store {
namespace {

constexpr int kPatienceMs = 5000;  // for a reader that is about to finish

std::string text_of(int errno_value) { return std::generic_category().message(errno_value); }

std::string text_for(int code, const std::string& path, sqlite3* handle) {
  const int system = handle == nullptr ? 0 : sqlite3_system_errno(handle);
  switch (code & 0xff) {
    case SQLITE_FULL:
      return "cannot write " + path + ": the disk is full";
    case SQLITE_NOTADB:
      return path + " is not a file that fedrk keeps a run in";
    case SQLITE_CORRUPT:
    case SQLITE_FORMAT:
      return path + " is damaged: it cannot be read any more";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return path + " is in use by another program";
    case SQLITE_READONLY:
      return "cannot write " + path + ": no permission";
    case SQLITE_CANTOPEN:
      return "cannot open " + path + (system != 0 ? ": " + text_of(system) : "");
    case SQLITE_IOERR:
      return "cannot read or write " + path + ": " + (system != 0 ? text_of(system) : sqlite3_errstr(code));
    default:
      return path + ": " + (handle == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(handle));
  }
}

[[noreturn]] void fail(int code, const std::string& path, sqlite3* handle) {
  throw SqliteFailure(text_for(code, path, handle), code & 0xff);
}

}  // namespace

void fail_as_damaged(const std::string& path) {
  throw SqliteFailure(path + " is damaged: it is not as it was written", SQLITE_CORRUPT);
}

void sync_to_disk(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool synced = file >= 0 && ::fsync(file) == 0;
  const std::string reason = text_of(errno);
  if (file >= 0) ::close(file);
  if (!synced) throw SqliteFailure("cannot write " + path.string() + " to the disk: " + reason, SQLITE_IOERR);
}

// ---- Database.

Database::Database(const std::filesystem::path& path, int flags)
    : path_(std::make_shared<const std::string>(path.string())) {
  sqlite3* handle = nullptr;
  // One connection, and the stores lock for themselves: SQLite's own locks would be locks twice over.
  const int code = sqlite3_open_v2(path.c_str(), &handle, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  handle_.reset(handle);
  if (code != SQLITE_OK) fail(code, *path_, handle);
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, kPatienceMs);
}

// Made beside and then linked to its name: whole or not at all, over nothing that is there, and for its owner's eyes.
Database Database::create(const std::filesystem::path& path, const FileKind& kind, const char* schema,
                          const std::function<void(Database&)>& fill, bool synced) {
  const std::string draft = path.string() + ".new";
  ::unlink(draft.c_str());
  const int made = ::open(draft.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (made < 0) throw SqliteFailure("cannot make " + path.string() + ": " + text_of(errno), SQLITE_CANTOPEN);
  ::close(made);
  try {
    write_draft(draft, kind, schema, fill);
    if (synced) sync_to_disk(draft);
    if (::link(draft.c_str(), path.c_str()) != 0) {
      throw SqliteFailure(errno == EEXIST ? path.string() + " is there already"
                                          : "cannot make " + path.string() + ": " + text_of(errno),
                          SQLITE_CANTOPEN);
    }
  } catch (const SqliteFailure&) {
    ::unlink(draft.c_str());
    throw;
  }
  ::unlink(draft.c_str());
  if (synced) sync_to_disk(std::filesystem::absolute(path).parent_path());
  Database database = open(path, kind);
  if (!synced) database.execute("PRAGMA synchronous = OFF;");
  database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
  return database;
}

// Nothing is lost with a file that has no name yet: no waiting for the disk.
void Database::write_draft(const std::string& draft, const FileKind& kind, const char* schema,
                           const std::function<void(Database&)>& fill) {
  Database database(draft, SQLITE_OPEN_READWRITE);
  database.execute("PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY;");
  database.execute(schema);
  database.execute("PRAGMA application_id = " + std::to_string(kind.application_id) +
                   "; PRAGMA user_version = " + std::to_string(kind.version) + ";");
  fill(database);
}

Database Database::open(const std::filesystem::path& path, const FileKind& kind, bool read_only) try {
  return open_file(path, kind, read_only);
} catch (const SqliteFailure& failure) {
  if (failure.code() != SQLITE_CORRUPT || kind.if_damaged[0] == 0) throw;
  throw SqliteFailure(std::string(failure.what()) + "; " + kind.if_damaged, SQLITE_CORRUPT);
}

Database Database::open_file(const std::filesystem::path& path, const FileKind& kind, bool read_only) {
  std::error_code none;
  if (!std::filesystem::exists(path, none)) throw SqliteFailure("there is no " + path.string(), SQLITE_CANTOPEN);
  Database database(path, read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE);
  database.check_kind(kind);
  if (!read_only) database.execute("PRAGMA synchronous = NORMAL; PRAGMA cell_size_check = ON;");
  return database;
}

void Database::check_pages(bool thorough) {
  const auto found = value<std::string>(thorough ? "PRAGMA integrity_check(1)" : "PRAGMA quick_check(1)");
  if (found != "ok") fail_as_damaged(*path_);
}

void Database::check_kind(const FileKind& kind) {
  if (value<std::int32_t>("PRAGMA application_id") != kind.application_id) {
    throw SqliteFailure(*path_ + " is not a " + kind.name + " of fedrk", SQLITE_NOTADB);
  }
  const std::int32_t version = value<std::int32_t>("PRAGMA user_version").value_or(0);
  if (version > kind.version) {
    throw SqliteFailure(*path_ + " was made by a newer version of fedrk", SQLITE_NOTADB);
  }
  if (version < kind.version) {
    throw SqliteFailure(*path_ +
                            " was made by an earlier version of fedrk, which alone can read it: use that "
                            "one, or begin anew",
                        SQLITE_NOTADB);
  }
}

void Database::execute(const std::string& sql) {
  const int code = sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code, *path_, handle_.get());
}

Statement& Database::prepare(std::string_view sql) {
  if (const auto kept = statements_.find(sql); kept != statements_.end()) return kept->second;
  sqlite3_stmt* handle = nullptr;
  const int code = sqlite3_prepare_v3(handle_.get(), sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &handle, nullptr);
  if (code != SQLITE_OK) fail(code, *path_, handle_.get());
  return statements_.try_emplace(std::string(sql), path_, handle).first->second;
}

// ---- Statement.

void Statement::check(int code) const {
  if (code != SQLITE_OK) fail(code, *path_, sqlite3_db_handle(handle_.get()));
}

bool Statement::next() {
  const int code = sqlite3_step(handle_.get());
  if (code == SQLITE_ROW) return true;
  sqlite3_reset(handle_.get());
  if (code != SQLITE_DONE) fail(code, *path_, sqlite3_db_handle(handle_.get()));
  return false;
}

std::uint64_t Statement::hash() const {
  Hash hash;
  for (int column = 0; column < sqlite3_column_count(handle_.get()); ++column) {
    hash.add(static_cast<std::uint64_t>(sqlite3_column_type(handle_.get(), column)));
    switch (sqlite3_column_type(handle_.get(), column)) {
      case SQLITE_INTEGER:
        hash.add(static_cast<std::uint64_t>(sqlite3_column_int64(handle_.get(), column)));
        break;
      case SQLITE_FLOAT:
        hash.number(sqlite3_column_double(handle_.get(), column));
        break;
      default:
        hash.add(text(column));
    }
  }
  return hash.value();
}

std::string Statement::text(int column) const {
  const void* bytes = sqlite3_column_blob(handle_.get(), column);
  const auto length = static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column));
  return bytes == nullptr ? std::string{} : std::string(static_cast<const char*>(bytes), length);
}

// ---- Transaction.

Transaction::~Transaction() {
  if (!open_) return;
  try {
    database_.execute("ROLLBACK");
  } catch (const SqliteFailure&) {  // a full disk has rolled it back already
  }
}

void Transaction::commit() {
  database_.execute("COMMIT");
  open_ = false;
}

}  // namespace fedrk::store
