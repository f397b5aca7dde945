// SPDX-License-Identifier: Apache-2.0
#pragma once

// The little of SQLite that the stores need. Failures are thrown here and become Results at the stores' own functions.

#include <sqlite3.h>

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "base/fields.hpp"
#include "base/result.hpp"

namespace fedrk::store {

/// What SQLite did not do, in words for a person.
class SqliteFailure : public std::runtime_error {
 public:
  SqliteFailure(const std::string& message, int code) : std::runtime_error(message), code_(code) {}
  int code() const { return code_; }  // the primary one

 private:
  int code_;
};

/// What marks a file as ours, and which tables it has.
struct FileKind {
  std::int32_t application_id = 0;
  std::int32_t version = 0;
  const char* name = "";        // "run.db"
  const char* if_damaged = "";  // what to do then
};

/// Bytes that are no text. REQUIRES: they stay as they are until the statement has run.
struct Blob {
  std::string_view bytes;
};

/// A statement that is kept and run many times: bind, then `next` until it is false or `reset`, or `run` where it gives
/// no rows.
class Statement {
 public:
  /// `path`: of the file, for messages.
  Statement(std::shared_ptr<const std::string> path, sqlite3_stmt* handle) : path_(std::move(path)), handle_(handle) {}

  /// Values for its places, from the first on: numbers, texts, Blobs, and optionals of these, which can be NULL.
  template <class... Values>
  Statement& bind(const Values&... values) {
    int place = 0;
    (bind_one(++place, values), ...);
    return *this;
  }

  bool next();
  template <class... Values>
  void run(const Values&... values) {
    bind(values...);
    while (next()) {
    }
  }
  void reset() { sqlite3_reset(handle_.get()); }

  /// Of the row that `next` came to: a number, a text (of a blob too), or an optional of these.
  template <class Value>
  Value get(int column) const {
    if constexpr (kIsOptional<Value>) {
      if (sqlite3_column_type(handle_.get(), column) == SQLITE_NULL) return std::nullopt;
      return get<typename Value::value_type>(column);
    } else if constexpr (std::integral<Value>) {
      return static_cast<Value>(sqlite3_column_int64(handle_.get(), column));
    } else if constexpr (std::floating_point<Value>) {
      return sqlite3_column_double(handle_.get(), column);
    } else {
      return text(column);
    }
  }
  /// Of the whole row that `next` came to: what it holds, and as what.
  std::uint64_t hash() const;
  /// The first column of the first row, if there is one. The statement is ready for the next time.
  template <class Value>
  std::optional<Value> value() {
    if (!next()) return std::nullopt;
    std::optional<Value> first = get<Value>(0);
    reset();
    return first;
  }

 private:
  template <class Value>
  void bind_one(int place, const Value& value) {
    if constexpr (kIsOptional<Value>) {
      value ? bind_one(place, *value) : check(sqlite3_bind_null(handle_.get(), place));
    } else if constexpr (std::integral<Value>) {
      check(sqlite3_bind_int64(handle_.get(), place, static_cast<std::int64_t>(value)));
    } else if constexpr (std::floating_point<Value>) {
      check(sqlite3_bind_double(handle_.get(), place, value));
    } else if constexpr (std::same_as<Value, Blob>) {
      const char* data = value.bytes.data() == nullptr ? "" : value.bytes.data();
      check(sqlite3_bind_blob64(handle_.get(), place, data, value.bytes.size(), SQLITE_STATIC));
    } else {
      const std::string_view text(value);
      check(sqlite3_bind_text64(handle_.get(), place, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
    }
  }
  std::string text(int column) const;
  void check(int code) const;
  struct Finalize {
    void operator()(sqlite3_stmt* handle) const { sqlite3_finalize(handle); }
  };
  std::shared_ptr<const std::string> path_;
  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
};

/// What is in this file or folder stays, also where the power goes. REQUIRES: not a database that this process has
/// open, whose locks would go.
void sync_to_disk(const std::filesystem::path& path);

class Database {
 public:
  /// A new file with these tables and what `fill` writes. One that is there already is an error.
  /// `synced`: it is on the disk when this returns.
  static Database create(const std::filesystem::path& path, const FileKind& kind, const char* schema,
                         const std::function<void(Database&)>& fill, bool synced = false);
  /// One that was made before. Files of other programs and of newer versions are refused.
  static Database open(const std::filesystem::path& path, const FileKind& kind, bool read_only = false);
  /// Throws where the pages of the file do not fit each other. Every page is read; with `thorough`, indices too.
  void check_pages(bool thorough);

  void execute(const std::string& sql);
  /// The statement of this text, kept for the next time: whoever has rows of it is done with them by then.
  Statement& prepare(std::string_view sql);
  template <class... Values>
  void run(std::string_view sql, const Values&... values) {
    prepare(sql).run(values...);
  }
  /// As Statement::value.
  template <class Value, class... Values>
  std::optional<Value> value(std::string_view sql, const Values&... values) {
    return prepare(sql).bind(values...).template value<Value>();
  }
  const std::string& path() const { return *path_; }

 private:
  Database(const std::filesystem::path& path, int flags);
  static void write_draft(const std::string& draft, const FileKind& kind, const char* schema,
                          const std::function<void(Database&)>& fill);
  static Database open_file(const std::filesystem::path& path, const FileKind& kind, bool read_only);
  void check_kind(const FileKind& kind);

  struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
  };
  std::shared_ptr<const std::string> path_;
  std::unique_ptr<sqlite3, Close> handle_;
  std::map<std::string, Statement, std::less<>> statements_;
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

/// "x is damaged: it is not as it was written".
[[noreturn]] void fail_as_damaged(const std::string& path);

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
