// SPDX-License-Identifier: Apache-2.0

// The snapshots of a run.db.

#include "checkpoint/run_tables.hpp"

namespace fedrk::store {

Result<void> RunStore::put_snapshot(const Snapshot& snapshot) {
  const std::lock_guard lock(inside_->mutex);
  Inside& in = *inside_;
  const auto written = guarded([&] {
    Transaction whole(in.database);
    in.add_snapshot.bind(1, static_cast<std::int64_t>(snapshot.next));
    in.add_snapshot.bind(2, static_cast<std::int64_t>(snapshot.rounds)).bind_blob(3, snapshot.state).run();
    in.add_history.bind(1, static_cast<std::int64_t>(snapshot.first)).bind_blob(2, snapshot.records).run();
    in.drop_snapshots.run();
    in.drop_answers.run();
    whole.commit();
  });
  // So the log in front of the file stays short. A reader may be in the way: then the next snapshot does it.
  if (written) (void)guarded([&] { in.database.execute("PRAGMA wal_checkpoint(TRUNCATE);"); });
  return written;
}

Result<std::vector<Snapshot>> RunStore::snapshots() const {
  const std::lock_guard lock(inside_->mutex);
  return guarded([&] {
    std::vector<Snapshot> all;
    Statement read = inside_->database.prepare("SELECT next, rounds, state FROM snapshots ORDER BY next DESC");
    while (read.next()) {
      Snapshot& snapshot = all.emplace_back();
      snapshot.next = static_cast<std::uint64_t>(read.integer(0));
      snapshot.rounds = static_cast<std::uint64_t>(read.integer(1));
      snapshot.state = read.text(2);
    }
    return all;
  });
}

Result<std::vector<std::string>> RunStore::history(std::uint64_t rounds) const {
  const std::lock_guard lock(inside_->mutex);
  return guarded([&] {
    std::vector<std::string> all;
    Statement read = inside_->database.prepare("SELECT records FROM history WHERE first < ? ORDER BY first");
    read.bind(1, static_cast<std::int64_t>(rounds));
    while (read.next()) all.push_back(read.text(0));
    return all;
  });
}

Result<void> RunStore::go_back_to(std::uint64_t next, std::uint64_t rounds) {
  const std::lock_guard lock(inside_->mutex);
  return guarded([&] {
    Database& database = inside_->database;
    Transaction whole(database);
    database.prepare("DELETE FROM snapshots WHERE next > ?").bind(1, static_cast<std::int64_t>(next)).run();
    database.prepare("DELETE FROM history WHERE first >= ?").bind(1, static_cast<std::int64_t>(rounds)).run();
    whole.commit();
  });
}

Result<std::uint64_t> RunStore::keep_answers_in_a_row(std::uint64_t first) {
  const std::lock_guard lock(inside_->mutex);
  return guarded([&] {
    Database& database = inside_->database;
    std::uint64_t end = first;
    Statement numbers = database.prepare("SELECT number FROM answers WHERE number >= ? ORDER BY number");
    numbers.bind(1, static_cast<std::int64_t>(first));
    while (numbers.next() && static_cast<std::uint64_t>(numbers.integer(0)) == end) ++end;
    numbers.reset();
    database.prepare("DELETE FROM answers WHERE number >= ?").bind(1, static_cast<std::int64_t>(end)).run();
    return end;
  });
}

}  // namespace fedrk::store
