// SPDX-License-Identifier: Apache-2.0
#include "transport/protocol/federation_server.hpp"

#include <algorithm>
#include <utility>

#include "fedrk/contracts.hpp"
#include "transport/protocol/agreement.hpp"
#include "transport/protocol/network_engine.hpp"
#include "transport/websocket/websocket_server.hpp"

namespace fedrk::network {

struct FederationServer::Impl {
  ServerOptions options;
  std::unique_ptr<WebSocketServer> sockets;
  std::vector<ClientSummary> roster;
  std::size_t unknowns = 0;
  std::optional<NetworkEngine> engine{};
  Allowance allowance{};
};

std::vector<std::string> stored_clients(const std::string& stored) {
  std::vector<std::string> names;
  if (const auto federation = federation_from(stored)) {
    for (const auto& member : federation->members) names.push_back(member.name);
  }
  return names;
}

FederationServer::FederationServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
FederationServer::~FederationServer() = default;

Result<std::unique_ptr<FederationServer>> FederationServer::open(ServerOptions options, operation::Log& log) {
  auto sockets = WebSocketServer::open({options.listen, options.tls, options.memory_limit}, options.federation, log);
  if (!sockets) return sockets.error();
  return std::unique_ptr<FederationServer>(
      new FederationServer(std::make_unique<Impl>(Impl{std::move(options), *std::move(sockets), {}, 0, {}})));
}

int FederationServer::port() const { return impl_->sockets->port(); }

Result<Gathered> FederationServer::gather(const std::string& stored) {
  SynchronizedProtocol& protocol = impl_->sockets->protocol();
  const FederationOptions& options = impl_->options.federation;
  wire::StoredFederation federation;
  if (stored.empty()) {
    auto agreed = agree(protocol, options);
    if (!agreed) return agreed.error();
    federation = *std::move(agreed);
    fix_preparation(federation, protocol);
  } else {
    auto read = federation_from(stored);
    if (!read) return Error{"what the run store holds of the federation is damaged"};
    federation = *std::move(read);
    if (options.clients.empty() ||
        !std::ranges::equal(federation.members, options.clients, {}, &wire::StoredFederation::Member::name)) {
      return Error{"the list of clients is not that with which the run began"};
    }
    std::vector<ServerProtocol::Arrival> began;
    for (const auto& member : federation.members) began.push_back({member.name, member.ready, member.known_draws});
    protocol.expect(began);
    if (options.masked) distribute_keys(federation, options.run, protocol);
    fix_preparation(federation, protocol);
    if (const auto arrivals = protocol.gather(); !arrivals) return arrivals.error();
  }
  auto gathered = gathered_from(federation, options.plan);
  if (!gathered) return gathered.error();
  impl_->roster = gathered->roster;
  impl_->unknowns = federation.members.front().prepared.unknowns;
  impl_->allowance = gathered->allowance;
  return gathered;
}

Engine& FederationServer::engine(std::uint64_t first_task) {
  FEDRK_EXPECTS(!impl_->roster.empty());
  return impl_->engine.emplace(impl_->sockets->protocol(), impl_->options.federation, impl_->roster, impl_->unknowns,
                               first_task, impl_->allowance);
}

void FederationServer::end(const LastWord& word) {
  wire::End end{.status = word.status, .reason = word.reason, .final = word.final, .names = word.names};
  // Coefficients without names are better than a last word that nobody can take.
  if (bytes_of(end).size() > impl_->options.federation.largest_message / 2) end.names.clear();
  end.coefficients.assign(word.coefficients.begin(), word.coefficients.end());
  impl_->sockets->protocol().end(end);
  const Milliseconds goodbye = std::min(Milliseconds(2'000), 4 * impl_->options.federation.heartbeat);
  impl_->sockets->protocol().wait_until_empty(goodbye);
}

void FederationServer::interrupt(Termination why, std::string reason) {
  impl_->sockets->protocol().interrupt(why, std::move(reason));
}

std::vector<ClientStatus> FederationServer::status() const { return impl_->sockets->protocol().status(); }

}  // namespace fedrk::network
