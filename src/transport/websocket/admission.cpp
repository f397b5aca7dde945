// SPDX-License-Identifier: Apache-2.0
#include "transport/websocket/admission.hpp"

#include <utility>

#include <fmt/format.h>
#include <boost/asio/buffer.hpp>
#include <boost/asio/socket_base.hpp>

#include "pki/tls_probe.hpp"

namespace fedrk::network {
namespace {

constexpr std::size_t kSilentStrangers = 256;   // connections that have not said a byte
constexpr std::size_t kMaxDraining = 64;        // connections that were refused
constexpr std::size_t kMaxDiscarded = 1 << 18;  // bytes from one of them
constexpr auto kDrainLimit = std::chrono::seconds(1);
constexpr auto kPause = std::chrono::milliseconds(50);  // of accepting

}  // namespace

Admission::Admission(asio::io_context& context, HandshakeLog& log, std::size_t clients, Spoke spoke)
    : context_(context),
      log_(log),
      max_silent_(clients + kSilentStrangers),
      spoke_(std::move(spoke)),
      acceptor_(context.get_executor()),
      pause_(context.get_executor()),
      discarded_(16 << 10) {}

// With SO_REUSEADDR a port is free as soon as its server is gone; two servers cannot share it.
Result<void> Admission::listen(const std::string& address) {
  const auto place = security::parse_host_and_port(address, 0);
  if (!place) return place.error();
  const auto because = [&](const error_code& failure) {
    return Error{
        fmt::format("cannot listen on {}: is another program using that port? ({})", address, failure.message())};
  };
  error_code failure;
  tcp::resolver resolver(context_);
  const auto found = resolver.resolve(place->host, std::to_string(place->port),
                                      tcp::resolver::passive | tcp::resolver::numeric_service, failure);
  if (failure) return because(failure);
  const tcp::endpoint end = found.begin()->endpoint();
  if (!failure) acceptor_.open(end.protocol(), failure);
  if (!failure) acceptor_.set_option(asio::socket_base::reuse_address(true), failure);
  if (!failure) acceptor_.bind(end, failure);
  if (!failure) acceptor_.listen(asio::socket_base::max_listen_connections, failure);
  if (!failure) port_ = acceptor_.local_endpoint(failure).port();
  if (failure) return because(failure);
  return {};
}

void Admission::stop() {
  error_code ignored;
  acceptor_.close(ignored);
  pause_.cancel();
  forget_all();
}

void Admission::forget_silent(ConnectionId id) {
  silent_.erase(id);
  silent_crowd_.remove(id);
}

void Admission::forget_all() {
  silent_.clear();
  silent_crowd_.clear();
  draining_.clear();
}

void Admission::accept_next() {
  acceptor_.async_accept([this](error_code failure, Socket socket) {
    if (!acceptor_.is_open()) return;
    if (failure == asio::error::connection_aborted) return accept_next();
    if (failure) return on_no_descriptor(failure.message());
    short_of_descriptors_ = false;
    on_accepted(std::move(socket));
    accept_next();
  });
}

// Whoever has said nothing yet gives its descriptor back. Said once, until there are some again.
void Admission::on_no_descriptor(const std::string& reason) {
  if (!std::exchange(short_of_descriptors_, true)) log_.warn("accept.paused", reason);
  forget_all();
  pause_.expires_after(kPause);
  pause_.async_wait([this](error_code failure) {
    if (!failure && acceptor_.is_open()) accept_next();
  });
}

void Admission::on_accepted(Socket socket) {
  error_code ignored;
  socket.set_option(tcp::no_delay(true), ignored);
  const ConnectionId id = ++last_id_;
  if (silent_.size() >= max_silent_) {
    forget_silent(*silent_crowd_.first_to_go());
    log_.warn("connections.shed", "many connections say nothing: the oldest are closed");
  }
  silent_crowd_.add(id, origin_of(socket));
  Waiting& waiting = silent_.emplace(id, Waiting{std::move(socket), Clock::now()}).first->second;
  waiting.socket.async_wait(Socket::wait_read, [this, id](error_code) {
    const auto found = silent_.find(id);
    if (found == silent_.end()) return;
    Socket spoken = std::move(found->second.socket);
    forget_silent(id);
    error_code failure;
    if (spoken.available(failure) > 0 && !failure) spoke_(id, std::move(spoken));  // else it hung up
  });
}

void Admission::drain(ConnectionId id, Socket socket) {
  error_code ignored;
  socket.shutdown(Socket::shutdown_send, ignored);
  if (draining_.size() >= kMaxDraining) draining_.erase(draining_.begin());
  draining_.emplace(id, Waiting{std::move(socket), Clock::now()});
  discard(id);
}

void Admission::discard(ConnectionId id) {
  draining_.at(id).socket.async_read_some(asio::buffer(discarded_), [this, id](error_code failure, std::size_t bytes) {
    const auto found = draining_.find(id);
    if (found == draining_.end()) return;
    found->second.bytes += bytes;
    if (failure || found->second.bytes > kMaxDiscarded) return void(draining_.erase(found));
    discard(id);
  });
}

void Admission::sweep(Milliseconds silent_limit) {
  const auto now = Clock::now();
  const auto overdue = [&](const Sockets& sockets, auto limit) {
    return !sockets.empty() && now - sockets.begin()->second.since > limit;
  };
  while (overdue(silent_, silent_limit)) forget_silent(silent_.begin()->first);
  while (overdue(draining_, kDrainLimit)) draining_.erase(draining_.begin());
}

}  // namespace fedrk::network
