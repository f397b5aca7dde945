// SPDX-License-Identifier: Apache-2.0

// What a run.db tells of its run while this goes on, and after.

#include <algorithm>

#include "checkpoint/run_tables.hpp"

namespace fedrk::store {
namespace {

std::uint32_t as_index(std::int64_t value) { return static_cast<std::uint32_t>(value); }

void read_run(Database& database, RunProgress& progress) {
  Statement run = database.prepare("SELECT state, stop_reason, started, changed FROM run");
  if (run.next()) {
    progress.state = run.text(0);
    progress.stop_reason = run.text(1);
    progress.started = run.real(2);
    progress.changed = run.real(3);
  }
  Statement answers = database.prepare("SELECT count(*), count(DISTINCT round) FROM answers");
  if (answers.next()) {
    progress.answers = static_cast<std::uint64_t>(answers.integer(0));
    progress.answered_rounds = static_cast<std::uint64_t>(answers.integer(1));
  }
  // Those before the last snapshot are part of it.
  Statement last = database.prepare(
      "SELECT next, rounds, (SELECT count(*) FROM answers WHERE number >= next), "
      "(SELECT count(DISTINCT round) FROM answers WHERE number >= next) FROM snapshots ORDER BY next DESC LIMIT 1");
  if (last.next()) {
    progress.answers = static_cast<std::uint64_t>(last.integer(0) + last.integer(2));
    progress.answered_rounds = static_cast<std::uint64_t>(last.integer(1) + last.integer(3));
  }
}

void read_rounds(Database& database, RunProgress& progress) {
  Statement rounds = database.prepare("SELECT max(round) FROM rounds");
  if (rounds.next() && !rounds.is_null(0)) progress.last_round = as_index(rounds.integer(0));
  Statement residual =
      database.prepare("SELECT residual FROM rounds WHERE residual IS NOT NULL ORDER BY round DESC LIMIT 1");
  if (residual.next()) progress.residual = residual.real(0);
  if (!progress.last_round) return;
  Statement last = database.prepare("SELECT client, absence FROM participation WHERE round = ? ORDER BY client");
  last.bind(1, std::int64_t{*progress.last_round});
  while (last.next()) {
    (last.is_null(1) ? progress.last_participants : progress.last_absent).push_back(as_index(last.integer(0)));
  }
}

void read_clients(Database& database, RunProgress& progress) {
  Statement clients =
      database.prepare("SELECT name, rows, answered, absent, last_round, last_absence FROM clients ORDER BY client");
  while (clients.next()) {
    RunProgress::Client& client = progress.clients.emplace_back();
    client.name = clients.text(0);
    client.rows = static_cast<std::size_t>(clients.integer(1));
    client.tally.rounds = static_cast<std::uint64_t>(clients.integer(2));
    client.tally.absences = static_cast<std::uint64_t>(clients.integer(3));
    if (!clients.is_null(4)) client.tally.last_round = as_index(clients.integer(4));
    client.tally.last_absence = clients.text(5);
  }
}

void read_events(Database& database, std::size_t most, RunProgress& progress) {
  Statement events = database.prepare("SELECT time, level, event, text FROM events ORDER BY number DESC LIMIT ?");
  events.bind(1, static_cast<std::int64_t>(most));
  while (events.next()) {
    progress.events.push_back({events.real(0), events.text(1), events.text(2), events.text(3)});
  }
  std::ranges::reverse(progress.events);
}

}  // namespace

Result<RunProgress> RunStore::progress(std::size_t events) const {
  const std::lock_guard lock(inside_->mutex);
  return guarded([&] {
    RunProgress progress;
    progress.identity = inside_->identity;
    Database& database = inside_->database;
    Transaction moment(database, "BEGIN");  // one moment for all of it, however quickly the run goes on
    read_run(database, progress);
    read_rounds(database, progress);
    read_clients(database, progress);
    read_events(database, events, progress);
    moment.commit();
    return progress;
  });
}

}  // namespace fedrk::store
