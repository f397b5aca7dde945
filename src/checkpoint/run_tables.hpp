// SPDX-License-Identifier: Apache-2.0
#pragma once

// The tables of run.db.

#include <mutex>
#include <utility>

#include "checkpoint/run_store.hpp"
#include "checkpoint/sqlite.hpp"

namespace fedrk::store {

inline constexpr FileKind kRunFile{0x66656472, 5, "run.db"};  // "fedr"

inline constexpr const char* kRunSchema = R"sql(
CREATE TABLE run (
  id TEXT NOT NULL, kind TEXT NOT NULL, title TEXT NOT NULL, plan TEXT NOT NULL, rounds INTEGER NOT NULL,
  state TEXT NOT NULL, stop_reason TEXT NOT NULL, started REAL NOT NULL, changed REAL NOT NULL, seal INTEGER NOT NULL);
CREATE TABLE clients (
  client INTEGER PRIMARY KEY, name TEXT NOT NULL, rows INTEGER NOT NULL,
  squared_rhs_norm REAL NOT NULL, squared_norm REAL NOT NULL,
  answered INTEGER NOT NULL DEFAULT 0, absent INTEGER NOT NULL DEFAULT 0, last_round INTEGER,
  last_absence TEXT NOT NULL DEFAULT '');
CREATE TABLE rounds (
  round INTEGER PRIMARY KEY, residual REAL, movement REAL, seconds REAL, bytes_up INTEGER, bytes_down INTEGER);
CREATE TABLE participation (
  round INTEGER NOT NULL, client INTEGER NOT NULL, absence TEXT, PRIMARY KEY (round, client)) WITHOUT ROWID;
CREATE TABLE events (
  number INTEGER PRIMARY KEY, time REAL NOT NULL, level TEXT NOT NULL, event TEXT NOT NULL, text TEXT NOT NULL);
CREATE TABLE answers (
  number INTEGER PRIMARY KEY, round INTEGER NOT NULL, task INTEGER NOT NULL, seconds REAL NOT NULL, answer BLOB NOT NULL);
CREATE TABLE snapshots (next INTEGER PRIMARY KEY, rounds INTEGER NOT NULL, state BLOB NOT NULL);
CREATE TABLE history (first INTEGER PRIMARY KEY, records BLOB NOT NULL);
CREATE TABLE documents (key TEXT PRIMARY KEY, content BLOB NOT NULL, seal INTEGER NOT NULL);
)sql";

double now_since_1970();
RunIdentity read_identity(Database& database);
void write_identity(Database& database, const RunIdentity& identity);

struct RunStore::Impl {
  explicit Impl(Database opened)
      : database(std::move(opened)),
        identity(read_identity(database)),
        last_round_found(database.value<std::int64_t>("SELECT coalesce(max(round), -1) FROM rounds").value_or(-1)) {}

  mutable std::mutex mutex;
  Database database;
  RunIdentity identity;
  std::int64_t last_round_found;  // -1: none
  bool synced = false;            // whether a commit waits for the disk
};

}  // namespace fedrk::store
