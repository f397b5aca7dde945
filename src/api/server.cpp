// SPDX-License-Identifier: Apache-2.0
#include "fedrk/server.hpp"

#include <utility>

#include "api/fit_plan.hpp"
#include "api/no_log.hpp"
#include "api/run_plan.hpp"
#include "round/run_aborted.hpp"
#include "transport/protocol/federation_server.hpp"

namespace fedrk {
namespace {

constexpr std::size_t kMinSum = 3;  // clients: with two, each knows the other's part

io::Plan plan_for(std::string_view text, const FitSettings& settings) {
  const api::Formula formula = api::parse_formula(text);
  if (!formula.all_others) {
    throw InvalidArgument(
        "over a network a formula is y ~ ., with the columns left out that are not wanted: y ~ . - a");
  }
  io::Plan plan = api::fit_plan(formula, settings);
  plan.ignore = formula.left_out;
  if (const auto fine = io::check_method(plan); !fine) throw InvalidArgument(fine.error().message);
  return plan;
}

}  // namespace

struct FitServer::Impl {
  FitServerSettings settings;
  io::Plan plan;
  api::NoLog log;
  std::unique_ptr<network::FederationServer> server;
};

FitServer::FitServer(std::string_view formula, std::vector<std::string> clients, const FitServerSettings& settings)
    : impl_(std::make_unique<Impl>()) {
  if (settings.masked && clients.size() < kMinSum) {
    throw InvalidArgument("masked sums need three or more clients: with two, each would know the other's part");
  }
  impl_->settings = settings;
  impl_->plan = plan_for(formula, settings.fit);
  io::resolve(impl_->plan).run.validate(clients.size(), 1);
  network::ServerOptions options;
  options.listen = settings.listen;
  options.tls = settings.tls;
  options.federation.run = "fit";
  options.federation.plan = impl_->plan;
  options.federation.clients = std::move(clients);
  options.federation.masked = settings.masked;
  options.federation.min_sum = kMinSum;
  options.federation.join_limit = settings.join_limit;
  auto opened = network::FederationServer::open(std::move(options), impl_->log);
  if (!opened) throw InvalidData(opened.error().message);
  impl_->server = *std::move(opened);
}

FitServer::~FitServer() = default;

int FitServer::port() const { return impl_->server->port(); }

Fit FitServer::run() try {
  auto gathered = impl_->server->gather();
  if (!gathered) throw InvalidData(gathered.error().message);
  const FitSettings& settings = impl_->settings.fit;
  io::FinishedRun run = api::run_plan(impl_->server->engine(), impl_->plan, std::move(gathered->problem),
                                      {.title = impl_->plan.target,
                                       .stop = settings.stop,
                                       .min_group = impl_->settings.masked ? kMinSum : 1,
                                       .data_observers = settings.observers});
  impl_->server->end({.status = io::status_of(run),
                      .reason = io::stop_text(run),
                      .names = run.unknowns,
                      .coefficients = run.coefficients});
  return api::fit_from(std::move(run));
} catch (const std::exception& error) {
  impl_->server->end({.status = "finished:failed", .reason = error.what()});
  throw;
}

}  // namespace fedrk
