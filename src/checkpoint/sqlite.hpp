// SPDX-License-Identifier: Apache-2.0
#pragma once

// The little of SQLite that the stores need. Failures are thrown here and become Results at the stores' own functions.

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace fedrk::store {

/// What SQLite did not do, in words for a person.
class SqliteFailure : public std::runtime_error {
 public:
  SqliteFailure(const std::string& words, int code) : std::runtime_error(words), code_(code) {}
  int code() const { return code_; }  // the primary one

 private:
  int code_;
};

/// What marks a file as ours, and which tables it has.
struct FileKind {
  std::int32_t application_id = 0;
  std::int32_t version = 0;
  const char* name = "";  // "run.db"
};

class Statement;

class Database {
 public:
  /// A new file with these tables and what `fill` writes. One that is there already is an error.
  static Database create(const std::filesystem::path& path, const FileKind& kind, const char* schema,
                         const std::function<void(Database&)>& fill);
  /// One that was made before. Files of other programs and of newer versions are refused.
  static Database open(const std::filesystem::path& path, const FileKind& kind, bool read_only = false);

  void execute(const std::string& sql);
  Statement prepare(std::string_view sql);
  const std::filesystem::path& path() const { return path_; }

  [[noreturn]] void fail(int code) const;

 private:
  Database(const std::filesystem::path& path, int flags);
  static void write_draft(const std::string& draft, const FileKind& kind, const char* schema,
                          const std::function<void(Database&)>& fill);
  std::int64_t number(const char* pragma);
  void check_kind(const FileKind& kind);

  struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
  };
  std::filesystem::path path_;
  std::unique_ptr<sqlite3, Close> handle_;
};

/// A statement that is kept and run many times: bind, then `next` until it is false, or `run` where it gives no rows.
class Statement {
 public:
  Statement(Database& database, sqlite3_stmt* handle) : database_(&database), handle_(handle) {}

  Statement& bind(int place, std::int64_t value);
  Statement& bind(int place, double value);
  Statement& bind_text(int place, std::string_view text);
  Statement& bind_blob(int place, std::string_view bytes);  // REQUIRES: they stay as they are until it has run
  Statement& bind_null(int place);

  bool next();
  void run();
  void reset();

  bool is_null(int column) const { return sqlite3_column_type(handle_.get(), column) == SQLITE_NULL; }
  std::int64_t integer(int column) const { return sqlite3_column_int64(handle_.get(), column); }
  double real(int column) const { return sqlite3_column_double(handle_.get(), column); }
  std::string text(int column) const;  // of a blob too

 private:
  void check(int code) const;
  struct Finalize {
    void operator()(sqlite3_stmt* handle) const { sqlite3_finalize(handle); }
  };
  Database* database_;
  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
};

/// All or nothing: what happens between making it and `commit`.
class Transaction {
 public:
  explicit Transaction(Database& database, const char* begin = "BEGIN IMMEDIATE") : database_(database) {
    database_.execute(begin);
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();
  void commit();

 private:
  Database& database_;
  bool open_ = true;
};

/// Runs it, and turns what SQLite throws into an error.
template <class Work>
auto guarded(Work work) -> Result<decltype(work())> {
  try {
    if constexpr (std::is_void_v<decltype(work())>) {
      work();
      return {};
    } else {
      return work();
    }
  } catch (const SqliteFailure& failure) {
    return Error{failure.what()};
  }
}

}  // namespace fedrk::store
