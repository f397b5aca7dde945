// SPDX-License-Identifier: Apache-2.0
#pragma once

// A server and its clients in one process, over real connections on this machine.

#include <algorithm>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "data/record_hashes.hpp"
#include "fedrk/site.hpp"
#include "ops/log.hpp"
#include "secure_sum/replay_guard.hpp"
#include "transport/protocol/client_run.hpp"
#include "transport/protocol/data_owner.hpp"
#include "transport/protocol/federation_server.hpp"

namespace fedrk::test {

class NoLog final : public operation::Log {
 public:
  void write(operation::LogLevel, std::string_view, std::span<const operation::LogField>) override {}
};

/// What an owner may set who minds nothing: for tests about other things, whose tables are small.
inline const network::DisclosureRules kNoRules{.min_rows = 0, .max_share = 1e9};

/// The owner of a client that is ready already.
class ReadyOwner final : public network::DataOwner {
 public:
  explicit ReadyOwner(Client client) : client_(std::move(client)) {}

  Result<network::TableShape> read(const std::string&, const io::Plan&) override {
    return network::TableShape{client_.block().rows(), client_.block().cols(), {}, false, false};
  }
  Result<std::vector<std::string>> record_columns() const override {
    return io::record_columns(client_.block().cols());
  }
  Result<std::vector<std::uint64_t>> record_hashes(std::uint64_t salt,
                                                   std::span<const std::string> columns) const override {
    return io::record_hashes(client_.block().system(), salt, columns);
  }
  // Whatever scales come of these, the client is as it was made.
  Result<ColumnSums> sum_columns(const io::SumColumns& question) override {
    const std::size_t rows = client_.block().rows(), columns = client_.block().cols();
    if (question.of == io::SumColumns::Of::Nothing) return ColumnSums{rows, {}};
    const double each = question.of == io::SumColumns::Of::Squares ? static_cast<double>(rows) : 0.0;
    return ColumnSums{rows, std::vector<double>(columns, each)};
  }
  Result<std::vector<ColumnKind>> count_columns() override { return column_kinds(client_.block().system(), 0); }
  Result<io::PreparedRows> prepare(const io::PrepareRows&, ClientId) override {
    return io::PreparedRows{client_.summary(), client_.block().cols()};
  }
  Result<LocalReply> answer(const LocalTask& task) override { return client_.local_update(task); }

  ClientSummary summary(ClientId place) const {
    ClientSummary summary = client_.summary();
    summary.id = place;
    return summary;
  }

 private:
  Client client_;
};

/// Secrets that clients of masked runs have in several federations of a test, and their ledgers, whose salt names their
/// tables: with the same ones they send the same parts.
class ReplayGuards {
 public:
  /// With a folder they are kept there, as real clients do.
  explicit ReplayGuards(std::filesystem::path folder = {}) : folder_(std::move(folder)) {}

  /// What sums have shown, by name.
  store::DisclosureLedger& ledger_of(const std::string& name) {
    auto& ledger = ledgers_[name];
    if (!ledger) ledger = store::disclosures_in_memory();
    return *ledger;
  }
  /// A new guard with the name's own secret for the run "test".
  store::ReplayGuard& of(const std::string& name) {
    store::ReplayGuard::Key secret{};
    std::copy_n(name.begin(), std::min(name.size(), secret.size()), secret.begin());
    auto& guard = guards_.emplace_back(new_book());
    (void)guard->secret("test", secret);
    return *guard;
  }

 private:
  std::unique_ptr<store::ReplayGuard> new_book() const {
    if (folder_.empty()) return store::replay_guard_in_memory();
    auto opened = store::open_replay_guard(folder_ / std::to_string(guards_.size()));
    if (!opened) throw std::runtime_error(opened.error().message);
    return *std::move(opened);
  }

  std::filesystem::path folder_;
  std::deque<std::unique_ptr<store::ReplayGuard>> guards_;
  std::map<std::string, std::unique_ptr<store::DisclosureLedger>> ledgers_;
};

class LocalFederation {
 public:
  /// Starts server and clients, these in the order of `first` to last and then from the beginning.
  /// `client_tls` gives the files of each name; without it there is no TLS.
  explicit LocalFederation(std::vector<Client> clients, network::FederationOptions options = {},
                           std::optional<network::TlsFiles> server_tls = {}, std::size_t first = 0,
                           const std::function<network::TlsFiles(const std::string&)>& client_tls = {},
                           ReplayGuards* guards = nullptr)
      : masked_(options.masked), guards_(guards) {
    options.run = "test";
    options.heartbeat = network::Milliseconds(200);
    for (const Client& client : clients) options.clients.push_back(client.summary().name);
    auto opened =
        network::FederationServer::open({"127.0.0.1:0", std::move(server_tls), std::size_t{2} << 30, options}, log_);
    if (!opened) throw std::runtime_error(opened.error().message);
    server_ = *std::move(opened);
    for (Client& client : clients) owners_.push_back(std::make_unique<ReadyOwner>(std::move(client)));
    for (std::size_t k = 0; k < owners_.size(); ++k) {
      const std::size_t i = (first + k) % owners_.size();
      runs_.push_back(
          std::make_unique<network::ClientRun>(client_options(options.clients[i], client_tls), *owners_[i], log_));
      threads_.emplace_back([run = runs_.back().get()] { run->run(); });
    }
    auto gathered = server_->gather();
    if (!gathered) {
      stop();
      throw std::runtime_error(gathered.error().message);
    }
    roster_ = std::move(gathered->roster);
  }

  ~LocalFederation() { stop(); }

  Engine& engine(std::uint64_t first_task = 0) { return server_->engine(first_task); }
  const std::vector<ClientSummary>& roster() const { return roster_; }
  network::FederationServer& server() { return *server_; }

 private:
  void stop() {
    server_->end({.status = "finished:completed", .reason = "the test is over"});
    for (auto& run : runs_) run->stop();
    for (std::thread& thread : threads_) thread.join();
  }
  network::ClientRunOptions client_options(const std::string& name,
                                           const std::function<network::TlsFiles(const std::string&)>& tls) const {
    network::ClientRunOptions options;
    if (tls) options.tls = tls(name);
    options.server = "127.0.0.1:" + std::to_string(server_->port());
    options.name = name;
    options.consent.known_draws = options.consent.reveal_updates = options.consent.expose_rows = !masked_;
    if (masked_) options.consent.rules = kNoRules;
    if (masked_ && guards_ != nullptr) {
      options.guard = &guards_->of(name);
      options.ledger = &guards_->ledger_of(name);
    }
    return options;
  }

  bool masked_;
  ReplayGuards* guards_;
  NoLog log_;
  std::unique_ptr<network::FederationServer> server_;
  std::vector<std::unique_ptr<ReadyOwner>> owners_;
  std::vector<std::unique_ptr<network::ClientRun>> runs_;
  std::vector<std::thread> threads_;
  std::vector<ClientSummary> roster_;
};

}  // namespace fedrk::test
