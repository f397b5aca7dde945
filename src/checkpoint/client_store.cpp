// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/client_store.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <mutex>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/hash.hpp"
#include "checkpoint/privacy_ledger.hpp"
#include "checkpoint/sealed_database.hpp"
#include "checkpoint/stored_disclosures.hpp"

namespace fedrk::store {
namespace {

namespace fs = std::filesystem;

constexpr FileKind kClientFile{0x66656463, 1, "client.db",  // "fedc"
                               "put the newest copy of it back; without one, take it away and lower epsilon in "
                               "client.toml by what was spent"};
constexpr const char* kIfOlder =
    "its ledger lacks what was spent since. Put the newest copy back; without one, take it away and lower epsilon in "
    "client.toml by what was spent";
constexpr std::size_t kDigits = 16;  // of the seed; as many follow to check them by

Error cannot(const std::string& what, const fs::path& path) {
  return Error{"cannot " + what + " " + path.string() + ": " + std::generic_category().message(errno)};
}

std::string digits_of(std::uint64_t seed) {
  Hash check;
  check.add(seed);
  return fmt::format("{:016x}{:016x}", seed, check.value());
}

Result<std::uint64_t> read_secret(const fs::path& path) {
  std::string text;
  std::ifstream(path) >> text;
  std::uint64_t seed = 0;
  std::from_chars(text.data(), text.data() + std::min(text.size(), kDigits), seed, 16);
  const std::string digits = digits_of(seed);
  if (text != digits && text != digits.substr(0, kDigits)) {  // an earlier version wrote nothing to check them by
    return Error{path.string() + " does not hold a seed as it was written; take it away to have a new one drawn"};
  }
  return seed;
}

// Written beside and then linked to its name: whole or not at all, and never over a seed that is there.
Result<void> make_secret(const fs::path& path) {
  std::uint64_t seed = 0;
  if (::getrandom(&seed, sizeof seed, 0) != static_cast<ssize_t>(sizeof seed)) return cannot("draw a seed for", path);
  const std::string text = digits_of(seed) + '\n';
  const fs::path draft = path.string() + ".new";
  ::unlink(draft.c_str());
  const int file = ::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return cannot("make", path);
  const bool written =
      ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()) && ::fsync(file) == 0;
  const Error failure = cannot("write", path);
  ::close(file);
  const bool linked = written && (::link(draft.c_str(), path.c_str()) == 0 || errno == EEXIST);
  ::unlink(draft.c_str());
  if (!linked) return written ? cannot("make", path) : failure;
  return {};
}

}  // namespace

struct ClientStore::Impl {
  explicit Impl(const fs::path& where)
      : folder(where),
        database(folder, kClientFile, std::string(PrivacyLedger::kSchema) + StoredDisclosures::kSchema,
                 {PrivacyLedger::kTable, PrivacyLedger::kTables, PrivacyLedger::kOverlaps, PrivacyLedger::kRuns,
                  "disclosed_salt", "disclosed", "disclosed_counts"},
                 kIfOlder),
        ledger(database),
        disclosures(database) {}

  mutable std::mutex mutex;
  fs::path folder;
  SealedDatabase database;
  PrivacyLedger ledger;
  StoredDisclosures disclosures;
};

ClientStore::ClientStore(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ClientStore::ClientStore(ClientStore&&) noexcept = default;
ClientStore& ClientStore::operator=(ClientStore&&) noexcept = default;
ClientStore::~ClientStore() = default;

Result<ClientStore> ClientStore::open(const fs::path& folder) {
  std::error_code failure;
  const bool made = fs::create_directories(folder, failure);
  if (failure) return Error{"cannot make " + folder.string() + ": " + failure.message()};
  if (made) fs::permissions(folder, fs::perms::owner_all, failure);
  return guarded([&] { return ClientStore(std::make_unique<Impl>(folder)); });
}

Result<std::uint64_t> ClientStore::secret_seed() {
  const fs::path path = impl_->folder / "secret";
  if (!fs::exists(path)) {
    if (const auto made = make_secret(path); !made) return made.error();
  }
  struct stat file {};
  if (::stat(path.c_str(), &file) != 0) return cannot("read", path);
  if ((file.st_mode & 077) != 0) {
    return Error{path.string() + " can be read by others, who could then repeat this client's draws; chmod 600 it"};
  }
  return read_secret(path);
}

DisclosureLedger& ClientStore::disclosures() { return impl_->disclosures; }

Result<bool> ClientStore::spend(const PrivacyCharge& charge, double budget_rho) {
  const std::lock_guard lock(impl_->mutex);
  return impl_->ledger.spend(charge, budget_rho);
}

Result<std::uint64_t> ClientStore::table_of(const std::string& run, const RecordSource& source) {
  const std::lock_guard lock(impl_->mutex);
  const auto salt = impl_->disclosures.salt();
  if (!salt) return salt.error();
  return impl_->ledger.table_of(run, source, *salt);
}

Result<double> ClientStore::spent_elsewhere(const std::string& run, std::optional<std::uint64_t> table) const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->ledger.spent_elsewhere(run, table);
}

Result<double> ClientStore::spent(std::optional<std::uint64_t> table) const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->ledger.spent(table);
}

}  // namespace fedrk::store
