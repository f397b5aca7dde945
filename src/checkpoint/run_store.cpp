// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/run_store.hpp"

#include <utility>

#include "checkpoint/run_tables.hpp"

namespace fedrk::store {
namespace {

std::int64_t last_round_in(Database& database) {
  Statement last = database.prepare("SELECT coalesce(max(round), -1) FROM rounds");
  return last.next() ? last.integer(0) : -1;
}

}  // namespace

RunStore::Inside::Inside(Database opened)
    : database(std::move(opened)),
      identity(read_identity(database)),
      last_round_found(last_round_in(database)),
      add_answer(database.prepare("INSERT INTO answers VALUES (?, ?, ?, ?, ?)")),
      read_answer(database.prepare("SELECT round, task, seconds, answer FROM answers WHERE number = ?")),
      count_answers(database.prepare("SELECT max(coalesce((SELECT max(number) + 1 FROM answers), 0), "
                                     "coalesce((SELECT max(next) FROM snapshots), 0))")),
      add_round(database.prepare("INSERT OR REPLACE INTO rounds VALUES (?, ?, ?, ?, ?, ?)")),
      clear_participation(database.prepare("DELETE FROM participation WHERE round = ?")),
      add_participation(database.prepare("INSERT OR REPLACE INTO participation VALUES (?, ?, ?)")),
      set_tally(database.prepare(
          "UPDATE clients SET answered = ?, absent = ?, last_round = ?, last_absence = ? WHERE client = ?")),
      add_snapshot(database.prepare("INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?)")),
      add_history(database.prepare("INSERT OR REPLACE INTO history VALUES (?, ?)")),
      drop_snapshots(database.prepare(
          "DELETE FROM snapshots WHERE next NOT IN (SELECT next FROM snapshots ORDER BY next DESC LIMIT 2)")),
      drop_answers(database.prepare("DELETE FROM answers WHERE (SELECT count(*) FROM snapshots) > 1 "
                                    "AND number < (SELECT min(next) FROM snapshots)")),
      set_state(database.prepare("UPDATE run SET state = ?, stop_reason = ?, changed = ?")),
      add_event(database.prepare("INSERT INTO events (time, level, event, text) VALUES (?, ?, ?, ?)")),
      put_document(database.prepare("INSERT OR REPLACE INTO documents VALUES (?, ?)")),
      read_document(database.prepare("SELECT content FROM documents WHERE key = ?")) {}

RunStore::RunStore(std::unique_ptr<Inside> inside) : inside_(std::move(inside)) {}
RunStore::RunStore(RunStore&&) noexcept = default;
RunStore& RunStore::operator=(RunStore&&) noexcept = default;
RunStore::~RunStore() = default;

const RunIdentity& RunStore::identity() const { return inside_->identity; }

Result<RunStore> RunStore::create(const std::filesystem::path& path, const RunIdentity& identity) {
  return guarded([&] {
    const auto fill = [&](Database& database) { write_identity(database, identity); };
    return RunStore(std::make_unique<Inside>(Database::create(path, kRunFile, kRunSchema, fill)));
  });
}

Result<RunStore> RunStore::open(const std::filesystem::path& path, Access access) {
  return guarded(
      [&] { return RunStore(std::make_unique<Inside>(Database::open(path, kRunFile, access == Access::Read))); });
}

Result<void> RunStore::set_state(const std::string& state, const std::string& stop_reason) {
  const std::lock_guard lock(inside_->mutex);
  return guarded(
      [&] { inside_->set_state.bind_text(1, state).bind_text(2, stop_reason).bind(3, now_since_1970()).run(); });
}

Result<std::string> RunStore::state() const {
  const std::lock_guard lock(inside_->mutex);
  return guarded([&] {
    Statement read = inside_->database.prepare("SELECT state FROM run");
    return read.next() ? read.text(0) : std::string{};
  });
}

Result<void> RunStore::put_document(const std::string& key, std::string_view bytes) {
  const std::lock_guard lock(inside_->mutex);
  return guarded([&] { inside_->put_document.bind_text(1, key).bind_blob(2, bytes).run(); });
}

Result<std::optional<std::string>> RunStore::document(const std::string& key) const {
  const std::lock_guard lock(inside_->mutex);
  return guarded([&]() -> std::optional<std::string> {
    Statement& read = inside_->read_document;
    if (!read.bind_text(1, key).next()) return std::nullopt;
    std::string content = read.text(0);
    read.reset();
    return content;
  });
}

Result<void> RunStore::add_event(const std::string& level, const std::string& event, const std::string& text) {
  const std::lock_guard lock(inside_->mutex);
  return guarded([&] {
    Statement& add = inside_->add_event;
    add.bind(1, now_since_1970()).bind_text(2, level).bind_text(3, event).bind_text(4, text).run();
  });
}

Result<std::uint64_t> RunStore::answers() const {
  const std::lock_guard lock(inside_->mutex);
  return guarded([&] {
    Statement& count = inside_->count_answers;
    count.next();
    const auto stored = static_cast<std::uint64_t>(count.integer(0));
    count.reset();
    return stored;
  });
}

Result<StoredAnswer> RunStore::answer(std::uint64_t number) const {
  const std::lock_guard lock(inside_->mutex);
  return guarded([&] {
    Statement& read = inside_->read_answer;
    if (!read.bind(1, static_cast<std::int64_t>(number)).next()) {
      throw SqliteFailure(
          inside_->database.path().string() + " is damaged: answer " + std::to_string(number) + " is missing",
          SQLITE_CORRUPT);
    }
    StoredAnswer answer{number, static_cast<std::uint32_t>(read.integer(0)),
                        static_cast<std::uint64_t>(read.integer(1)), read.real(2), read.text(3)};
    read.reset();
    return answer;
  });
}

Result<void> RunStore::commit(const Batch& batch) {
  const std::lock_guard lock(inside_->mutex);
  Inside& in = *inside_;
  return guarded([&] {
    Transaction whole(in.database);
    for (const StoredAnswer& answer : batch.answers) {
      in.add_answer.bind(1, static_cast<std::int64_t>(answer.number)).bind(2, std::int64_t{answer.round});
      in.add_answer.bind(3, static_cast<std::int64_t>(answer.task)).bind(4, answer.seconds);
      in.add_answer.bind_blob(5, answer.bytes).run();
    }
    for (const RoundRecord& record : batch.rounds) {
      const std::int64_t round{record.round.value};
      in.add_round.bind(1, round).bind(3, record.movement).bind(4, record.seconds);
      record.relative_residual ? in.add_round.bind(2, *record.relative_residual) : in.add_round.bind_null(2);
      in.add_round.bind(5, static_cast<std::int64_t>(record.bytes_up));
      in.add_round.bind(6, static_cast<std::int64_t>(record.bytes_down)).run();
      if (round <= in.last_round_found) in.clear_participation.bind(1, round).run();
      for (const ClientId client : record.participants) {
        in.add_participation.bind(1, round).bind(2, std::int64_t{client.value}).bind_null(3).run();
      }
      for (const Absence& absence : record.absences) {
        in.add_participation.bind(1, round).bind(2, std::int64_t{absence.client.value});
        in.add_participation.bind_text(3, absence.reason).run();
      }
    }
    for (const auto& [client, tally] : batch.tallies) {
      in.set_tally.bind(1, static_cast<std::int64_t>(tally.rounds)).bind(2, static_cast<std::int64_t>(tally.absences));
      tally.last_round ? in.set_tally.bind(3, std::int64_t{*tally.last_round}) : in.set_tally.bind_null(3);
      in.set_tally.bind_text(4, tally.last_absence).bind(5, std::int64_t{client.value}).run();
    }
    whole.commit();
  });
}

Result<void> RunStore::write_lazily() {
  const std::lock_guard lock(inside_->mutex);
  return guarded([&] { inside_->database.execute("PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 0;"); });
}

Result<void> RunStore::finish(const std::string& state, const std::string& stop_reason) {
  if (const auto done = set_state(state, stop_reason); !done) return done.error();
  const std::lock_guard lock(inside_->mutex);
  const auto emptied = guarded([&] {
    inside_->database.execute(
        "PRAGMA secure_delete = OFF; DELETE FROM answers; DELETE FROM snapshots; DELETE FROM history;");
  });
  if (!emptied) return emptied.error();
  // A reader may be in the way of the rest, and a full disk: then the file stays as large as it is.
  (void)guarded([&] { inside_->database.execute("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);"); });
  return {};
}

}  // namespace fedrk::store
