// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/run_store.hpp"

#include <utility>

#include "base/hash.hpp"
#include "checkpoint/run_tables.hpp"

namespace fedrk::store {

namespace {

std::uint64_t seal_of(std::string_view key, std::string_view content) {
  Hash hash;
  hash.add(key);
  hash.add(content);
  return hash.value();
}

}  // namespace

RunStore::RunStore(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RunStore::RunStore(RunStore&&) noexcept = default;
RunStore& RunStore::operator=(RunStore&&) noexcept = default;
RunStore::~RunStore() = default;

const RunIdentity& RunStore::identity() const { return impl_->identity; }

Result<RunStore> RunStore::create(const std::filesystem::path& path, const RunIdentity& identity) {
  return guarded([&] {
    const auto fill = [&](Database& database) { write_identity(database, identity); };
    return RunStore(std::make_unique<Impl>(Database::create(path, kRunFile, kRunSchema, fill)));
  });
}

Result<RunStore> RunStore::open(const std::filesystem::path& path, Access access) {
  return guarded([&] {
    Database database = Database::open(path, kRunFile, access == Access::Read);
    if (access == Access::Write) database.check_pages(false);  // before anything is made of it
    return RunStore(std::make_unique<Impl>(std::move(database)));
  });
}

Result<void> RunStore::set_state(const std::string& state, const std::string& stop_reason) {
  const std::lock_guard lock(impl_->mutex);
  return guarded([&] {
    impl_->database.run("UPDATE run SET state = ?, stop_reason = ?, changed = ?", state, stop_reason, now_since_1970());
  });
}

Result<std::string> RunStore::state() const {
  const std::lock_guard lock(impl_->mutex);
  return guarded([&] { return impl_->database.value<std::string>("SELECT state FROM run").value_or(""); });
}

Result<void> RunStore::put_document(const std::string& key, std::string_view bytes) {
  const std::lock_guard lock(impl_->mutex);
  return guarded([&] {
    impl_->database.run("INSERT OR REPLACE INTO documents VALUES (?, ?, ?)", key, Blob{bytes}, seal_of(key, bytes));
  });
}

Result<std::optional<std::string>> RunStore::document(const std::string& key) const {
  const std::lock_guard lock(impl_->mutex);
  return guarded([&]() -> std::optional<std::string> {
    Statement& read = impl_->database.prepare("SELECT content, seal FROM documents WHERE key = ?");
    if (!read.bind(key).next()) return std::nullopt;
    std::string content = read.get<std::string>(0);
    const auto seal = read.get<std::uint64_t>(1);
    read.reset();
    if (seal != seal_of(key, content)) fail_as_damaged(impl_->database.path());
    return content;
  });
}

Result<void> RunStore::add_event(const std::string& level, const std::string& event, const std::string& text) {
  const std::lock_guard lock(impl_->mutex);
  return guarded([&] {
    impl_->database.run("INSERT INTO events (time, level, event, text) VALUES (?, ?, ?, ?)", now_since_1970(), level,
                        event, text);
  });
}

Result<std::uint64_t> RunStore::answers() const {
  const std::lock_guard lock(impl_->mutex);
  return guarded([&] {
    return impl_->database
        .value<std::uint64_t>(
            "SELECT max(coalesce((SELECT max(number) + 1 FROM answers), 0), "
            "coalesce((SELECT max(next) FROM snapshots), 0))")
        .value_or(0);
  });
}

Result<StoredAnswer> RunStore::answer(std::uint64_t number) const {
  const std::lock_guard lock(impl_->mutex);
  return guarded([&] {
    Statement& read = impl_->database.prepare("SELECT round, task, seconds, answer FROM answers WHERE number = ?");
    if (!read.bind(number).next()) {
      throw SqliteFailure(impl_->database.path() + " is damaged: answer " + std::to_string(number) + " is missing",
                          SQLITE_CORRUPT);
    }
    StoredAnswer answer{number, read.get<std::uint32_t>(0), read.get<std::uint64_t>(1), read.get<double>(2),
                        read.get<std::string>(3)};
    read.reset();
    return answer;
  });
}

Result<void> RunStore::commit(const Batch& batch, bool synced) {
  const std::lock_guard lock(impl_->mutex);
  Impl& in = *impl_;
  return guarded([&] {
    if (synced != in.synced) in.database.execute(synced ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
    in.synced = synced;
    Transaction whole(in.database);
    Statement& add_answer = in.database.prepare("INSERT INTO answers VALUES (?, ?, ?, ?, ?)");
    Statement& add_round = in.database.prepare("INSERT OR REPLACE INTO rounds VALUES (?, ?, ?, ?, ?, ?)");
    Statement& participation = in.database.prepare("INSERT OR REPLACE INTO participation VALUES (?, ?, ?)");
    Statement& set_tally = in.database.prepare(
        "UPDATE clients SET answered = ?, absent = ?, last_round = ?, last_absence = ? WHERE client = ?");
    for (const StoredAnswer& answer : batch.answers) {
      add_answer.run(answer.number, answer.round, answer.task, answer.seconds, Blob{answer.bytes});
    }
    for (const RoundRecord& record : batch.rounds) {
      const std::int64_t round{record.round.value};
      add_round.run(round, record.relative_residual, record.movement, record.seconds, record.bytes_up,
                    record.bytes_down);
      if (round <= in.last_round_found) in.database.run("DELETE FROM participation WHERE round = ?", round);
      for (const ClientId client : record.participants) {
        participation.run(round, client.value, std::optional<std::string>());
      }
      for (const Absence& absence : record.absences) {
        participation.run(round, absence.client.value, absence.reason);
      }
    }
    for (const auto& [client, tally] : batch.tallies) {
      set_tally.run(tally.rounds, tally.absences, tally.last_round, tally.last_absence, client.value);
    }
    whole.commit();
  });
}

Result<void> RunStore::sync() {
  const std::lock_guard lock(impl_->mutex);
  return guarded([&] {
    impl_->database.execute("PRAGMA wal_checkpoint(FULL)");
    sync_to_disk(std::filesystem::absolute(impl_->database.path()).parent_path());
  });
}

Result<void> RunStore::write_lazily() {
  const std::lock_guard lock(impl_->mutex);
  return guarded([&] { impl_->database.execute("PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 0;"); });
}

Result<void> RunStore::finish(const std::string& state, const std::string& stop_reason) {
  if (const auto done = set_state(state, stop_reason); !done) return done.error();
  const std::lock_guard lock(impl_->mutex);
  const auto emptied = guarded([&] {
    impl_->database.execute(
        "PRAGMA secure_delete = OFF; DELETE FROM answers; DELETE FROM snapshots; DELETE FROM history;");
  });
  if (!emptied) return emptied.error();
  // A reader may be in the way of the rest, and a full disk: then the file stays as large as it is.
  (void)guarded([&] { impl_->database.execute("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);"); });
  return {};
}

}  // namespace fedrk::store
