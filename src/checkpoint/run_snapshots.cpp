// SPDX-License-Identifier: Apache-2.0

// The snapshots of a run.db.

#include "checkpoint/run_tables.hpp"

namespace fedrk::store {

Result<void> RunStore::put_snapshot(const Snapshot& snapshot) {
  const std::lock_guard lock(impl_->mutex);
  Impl& in = *impl_;
  const auto written = guarded([&] {
    Transaction whole(in.database);
    in.database.run("INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?)", snapshot.next, snapshot.rounds,
                    Blob{snapshot.state});
    in.database.run("INSERT OR REPLACE INTO history VALUES (?, ?)", snapshot.first, Blob{snapshot.records});
    // The last two stay, and the answers from the first of them on.
    in.database.run("DELETE FROM snapshots WHERE next NOT IN (SELECT next FROM snapshots ORDER BY next DESC LIMIT 2)");
    in.database.run(
        "DELETE FROM answers WHERE (SELECT count(*) FROM snapshots) > 1 "
        "AND number < (SELECT min(next) FROM snapshots)");
    whole.commit();
  });
  // So the log in front of the file stays short. A reader may be in the way: then the next snapshot does it.
  if (written) (void)guarded([&] { in.database.execute("PRAGMA wal_checkpoint(TRUNCATE);"); });
  return written;
}

Result<std::vector<Snapshot>> RunStore::snapshots() const {
  const std::lock_guard lock(impl_->mutex);
  return guarded([&] {
    std::vector<Snapshot> all;
    Statement& read = impl_->database.prepare("SELECT next, rounds, state FROM snapshots ORDER BY next DESC");
    while (read.next()) {
      Snapshot& snapshot = all.emplace_back();
      snapshot.next = read.get<std::uint64_t>(0);
      snapshot.rounds = read.get<std::uint64_t>(1);
      snapshot.state = read.get<std::string>(2);
    }
    return all;
  });
}

Result<std::vector<std::string>> RunStore::history(std::uint64_t rounds) const {
  const std::lock_guard lock(impl_->mutex);
  return guarded([&] {
    std::vector<std::string> all;
    Statement& read = impl_->database.prepare("SELECT records FROM history WHERE first < ? ORDER BY first");
    read.bind(rounds);
    while (read.next()) all.push_back(read.get<std::string>(0));
    return all;
  });
}

Result<void> RunStore::go_back_to(std::uint64_t next, std::uint64_t rounds) {
  const std::lock_guard lock(impl_->mutex);
  return guarded([&] {
    Database& database = impl_->database;
    Transaction whole(database);
    database.run("DELETE FROM snapshots WHERE next > ?", next);
    database.run("DELETE FROM history WHERE first >= ?", rounds);
    whole.commit();
  });
}

Result<std::uint64_t> RunStore::keep_answers_in_a_row(std::uint64_t first) {
  const std::lock_guard lock(impl_->mutex);
  return guarded([&] {
    Database& database = impl_->database;
    std::uint64_t end = first;
    Statement& numbers = database.prepare("SELECT number FROM answers WHERE number >= ? ORDER BY number");
    numbers.bind(first);
    while (numbers.next() && numbers.get<std::uint64_t>(0) == end) ++end;
    numbers.reset();
    database.run("DELETE FROM answers WHERE number >= ?", end);
    return end;
  });
}

}  // namespace fedrk::store
