// SPDX-License-Identifier: Apache-2.0
#pragma once

// A database in which a change by accident shows: a broken disk, a file that was cut off, an older copy put back.
//
// One row of it, the seal, counts the changes and holds the sum of the hashes of all rows, modulo 2^64. Opening
// computes that sum anew, so that a row that was altered, lost or added is found whatever SQLite makes of the file. The
// number of changes is also kept in a second file, beside the folder: where that is ahead, the database is older than
// what was last written. It is no help against people with intentions, who can write both.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/sqlite.hpp"

namespace fedrk::store {

/// A number in a file of its own: 20 digits, and 16 to check them by.
class ChangeCount {
 public:
  /// For the database of that name: `<folder>-<name>.count`, or in the folder where nothing can be written beside it.
  ChangeCount(const std::filesystem::path& folder, const std::string& name);

  const std::filesystem::path& path() const { return path_; }
  /// Zero where there is no file. Throws where it is not as it was written.
  std::uint64_t read() const;
  void write(std::uint64_t changes) const;

 private:
  std::filesystem::path path_;
};

class SealedDatabase {
 public:
  /// Opens the file, or makes it. `tables`: all that hold anything; `schema` makes those that are not there yet. Throws
  /// where the file is not as it was written, or older than it should be; `if_older` says what to do then.
  SealedDatabase(const std::filesystem::path& folder, const FileKind& kind, const std::string& schema,
                 std::vector<std::string> tables, const char* if_older);

  Database& database() { return database_; }

  Transaction begin() {
    pending_ = 0;
    return Transaction(database_);
  }
  /// All or nothing, with the seal. `write` changes rows of one table, those that `condition` selects by `keys`, and no
  /// others.
  template <class Write, class... Keys>
  void change(const std::string& table, const std::string& condition, Write write, const Keys&... keys) {
    Statement& rows = database_.prepare("SELECT '" + table + "', * FROM " + table + " WHERE " + condition);
    const std::uint64_t before = sum_of(rows.bind(keys...));
    write();
    pending_ += sum_of(rows.bind(keys...)) - before;
  }
  /// Writes the seal for the changes made since `begin`, and commits.
  void commit(Transaction& transaction);

 private:
  struct Seal {
    std::uint64_t changes = 0, digest = 0;
  };
  static std::uint64_t sum_of(Statement& rows);
  static std::uint64_t sum_of_all(Database& database, const std::vector<std::string>& tables);
  static Database open_or_make(const std::filesystem::path& path, const FileKind& kind, const std::string& schema,
                               const std::vector<std::string>& tables, const ChangeCount& count);
  Seal seal();
  std::uint64_t changes();
  void add_what_is_missing(const std::string& schema, std::uint64_t changes);

  ChangeCount count_;
  std::vector<std::string> tables_;
  Database database_;
  std::uint64_t pending_ = 0;
};

}  // namespace fedrk::store
