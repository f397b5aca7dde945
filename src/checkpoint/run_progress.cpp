// SPDX-License-Identifier: Apache-2.0

// What a run.db tells of its run while this goes on, and after.

#include <algorithm>

#include "checkpoint/run_tables.hpp"

namespace fedrk::store {
namespace {

void read_run(Database& database, RunProgress& progress) {
  Statement& run = database.prepare("SELECT state, stop_reason, started, changed FROM run");
  while (run.next()) {
    progress.state = run.get<std::string>(0);
    progress.stop_reason = run.get<std::string>(1);
    progress.started = run.get<double>(2);
    progress.changed = run.get<double>(3);
  }
  Statement& answers = database.prepare("SELECT count(*), count(DISTINCT round) FROM answers");
  while (answers.next()) {
    progress.answers = answers.get<std::uint64_t>(0);
    progress.answered_rounds = answers.get<std::uint64_t>(1);
  }
  // Those before the last snapshot are part of it.
  Statement& last = database.prepare(
      "SELECT next, rounds, (SELECT count(*) FROM answers WHERE number >= next), "
      "(SELECT count(DISTINCT round) FROM answers WHERE number >= next) FROM snapshots ORDER BY next DESC LIMIT 1");
  while (last.next()) {
    progress.answers = last.get<std::uint64_t>(0) + last.get<std::uint64_t>(2);
    progress.answered_rounds = last.get<std::uint64_t>(1) + last.get<std::uint64_t>(3);
  }
}

void read_rounds(Database& database, RunProgress& progress) {
  progress.last_round = *database.value<std::optional<std::uint32_t>>("SELECT max(round) FROM rounds");
  progress.residual =
      database.value<double>("SELECT residual FROM rounds WHERE residual IS NOT NULL ORDER BY round DESC LIMIT 1");
  if (!progress.last_round) return;
  Statement& last = database.prepare("SELECT client, absence FROM participation WHERE round = ? ORDER BY client");
  last.bind(*progress.last_round);
  while (last.next()) {
    const bool absent = last.get<std::optional<std::string>>(1).has_value();
    (absent ? progress.last_absent : progress.last_participants).push_back(last.get<std::uint32_t>(0));
  }
}

void read_clients(Database& database, RunProgress& progress) {
  Statement& clients =
      database.prepare("SELECT name, rows, answered, absent, last_round, last_absence FROM clients ORDER BY client");
  while (clients.next()) {
    RunProgress::Client& client = progress.clients.emplace_back();
    client.name = clients.get<std::string>(0);
    client.rows = clients.get<std::size_t>(1);
    client.tally.rounds = clients.get<std::uint64_t>(2);
    client.tally.absences = clients.get<std::uint64_t>(3);
    client.tally.last_round = clients.get<std::optional<std::uint32_t>>(4);
    client.tally.last_absence = clients.get<std::string>(5);
  }
}

void read_events(Database& database, std::size_t most, RunProgress& progress) {
  Statement& events = database.prepare("SELECT time, level, event, text FROM events ORDER BY number DESC LIMIT ?");
  events.bind(most);
  while (events.next()) {
    progress.events.push_back(
        {events.get<double>(0), events.get<std::string>(1), events.get<std::string>(2), events.get<std::string>(3)});
  }
  std::ranges::reverse(progress.events);
}

}  // namespace

Result<RunProgress> RunStore::progress(std::size_t events) const {
  const std::lock_guard lock(impl_->mutex);
  return guarded([&] {
    RunProgress progress;
    progress.identity = impl_->identity;
    Database& database = impl_->database;
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
