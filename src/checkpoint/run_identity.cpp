// SPDX-License-Identifier: Apache-2.0

// What a run is, as run.db has it.

#include <sys/random.h>

#include <array>
#include <bit>
#include <cerrno>
#include <chrono>
#include <system_error>

#include "base/hash.hpp"
#include "checkpoint/run_tables.hpp"

namespace fedrk::store {
namespace {

const char* name_of(RunKind kind) { return kind == RunKind::Server ? "server" : "solve"; }

void write_clients(Database& database, std::span<const ClientSummary> roster) {
  Statement& add = database.prepare(
      "INSERT INTO clients (client, name, rows, squared_rhs_norm, squared_norm) VALUES (?, ?, ?, ?, ?)");
  for (const ClientSummary& client : roster) {
    add.run(client.id.value, client.name, client.rows, client.squared_rhs_norm, client.squared_norm);
  }
}

}  // namespace

namespace {

// Of what a run is, clients included: rows that another took the place of would make another run.
std::uint64_t seal_of(const RunIdentity& identity) {
  Hash hash;
  for (const std::string_view text : {std::string_view(identity.id), std::string_view(name_of(identity.kind)),
                                      std::string_view(identity.title), std::string_view(identity.plan)}) {
    hash.add(text);
  }
  hash.add(identity.rounds);
  for (const ClientSummary& client : identity.roster) {
    hash.add(std::uint64_t{client.id.value});
    hash.add(std::string_view(client.name));
    hash.add(std::uint64_t{client.rows});
    hash.number(client.squared_rhs_norm);
    hash.number(client.squared_norm);
  }
  return hash.value();
}

}  // namespace

double now_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string new_run_id() {
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw std::system_error(errno, std::generic_category(), "no random numbers");
  }
  std::string text;
  for (const unsigned char byte : bytes) {
    constexpr const char* kHexDigits = "0123456789abcdef";
    text += kHexDigits[byte >> 4];
    text += kHexDigits[byte & 15];
  }
  return text;
}

std::string difference(std::span<const ClientSummary> before, std::span<const ClientSummary> now) {
  if (before.size() != now.size()) {
    return "there were " + std::to_string(before.size()) + " clients, now there are " + std::to_string(now.size());
  }
  const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i].name != now[i].name) {
      return "client " + std::to_string(i + 1) + " was " + before[i].name + ", now it is " + now[i].name;
    }
    if (before[i].rows != now[i].rows) {
      return before[i].name + " had " + std::to_string(before[i].rows) + " rows, now it has " +
             std::to_string(now[i].rows);
    }
    if (bits(before[i].squared_norm) != bits(now[i].squared_norm)) return "the rows of " + now[i].name + " changed";
    if (bits(before[i].squared_rhs_norm) != bits(now[i].squared_rhs_norm)) {
      return "the right-hand side of " + now[i].name + " changed";
    }
  }
  return "";
}

RunIdentity read_identity(Database& database) {
  Transaction moment(database, "BEGIN");  // one moment for both tables, also where another process writes
  RunIdentity identity;
  Statement& run = database.prepare("SELECT id, kind, title, plan, rounds, seal FROM run");
  if (!run.next()) throw SqliteFailure(database.path() + " is damaged: it names no run", SQLITE_CORRUPT);
  identity.id = run.get<std::string>(0);
  identity.kind = run.get<std::string>(1) == "server" ? RunKind::Server : RunKind::Solve;
  identity.title = run.get<std::string>(2);
  identity.plan = run.get<std::string>(3);
  identity.rounds = run.get<std::uint64_t>(4);
  const auto seal = run.get<std::uint64_t>(5);
  run.reset();
  Statement& clients =
      database.prepare("SELECT client, name, rows, squared_rhs_norm, squared_norm FROM clients ORDER BY client");
  while (clients.next()) {
    identity.roster.push_back({ClientId{clients.get<std::uint32_t>(0)}, clients.get<std::string>(1),
                               clients.get<std::size_t>(2), clients.get<double>(3), clients.get<double>(4)});
  }
  if (seal != seal_of(identity)) fail_as_damaged(database.path());
  moment.commit();
  return identity;
}

void write_identity(Database& database, const RunIdentity& identity) {
  Transaction whole(database);
  Statement& run = database.prepare("INSERT INTO run VALUES (?, ?, ?, ?, ?, 'pending', '', ?, ?, ?)");
  run.run(identity.id, name_of(identity.kind), identity.title, identity.plan, identity.rounds, now_since_1970(),
          now_since_1970(), seal_of(identity));
  write_clients(database, identity.roster);
  whole.commit();
}

Result<void> RunStore::describe(const RunIdentity& identity) {
  const std::lock_guard lock(impl_->mutex);
  return guarded([&] {
    Database& database = impl_->database;
    Transaction whole(database);
    RunIdentity known = identity;
    known.id = impl_->identity.id;  // a run stays what it is
    known.kind = impl_->identity.kind;
    Statement& run = database.prepare("UPDATE run SET title = ?, plan = ?, rounds = ?, seal = ?");
    run.run(identity.title, identity.plan, identity.rounds, seal_of(known));
    database.execute("DELETE FROM clients");
    write_clients(database, identity.roster);
    whole.commit();
    impl_->identity = read_identity(database);
  });
}

}  // namespace fedrk::store
