// SPDX-License-Identifier: Apache-2.0
#include "transport/websocket/websocket_server.hpp"

#include <algorithm>
#include <map>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <boost/asio/post.hpp>

#include "transport/websocket/admission.hpp"
#include "transport/websocket/crowd.hpp"
#include "transport/websocket/websocket_connection.hpp"

namespace fedrk::network {
namespace {

constexpr std::size_t kStrangers = 128;        // that have spoken but are not open yet, besides all clients at once
constexpr std::size_t kSpareConnections = 64;  // beyond those that the protocol takes, to be told that it is full

}  // namespace

/// All connections, and the thread that serves them.
class WebSocketServer::Impl final : public Outbox, private ConnectionEvents {
 public:
  Impl(FederationOptions federation, std::size_t memory_limit, operation::Log& log)
      : log_(log),
        handshake_log_(log),
        memory_limit_(static_cast<std::ptrdiff_t>(memory_limit)),
        hello_limit_(federation.hello_limit),
        tick_(std::clamp(federation.heartbeat / 2, Milliseconds(20), Milliseconds(500))),
        clients_(federation.clients.size()),
        max_handshakes_(clients_ + kStrangers),
        max_open_((federation.max_connections == 0 ? 2 * federation.clients.size() + 16 : federation.max_connections) +
                  kSpareConnections),
        protocol_(std::move(federation), *this, log) {}
  ~Impl() override;

  Result<void> start(const WebSocketServerOptions& options, const FederationOptions& federation);
  SynchronizedProtocol& protocol() { return protocol_; }
  int port() const { return admission_.port(); }

  void send(ConnectionId connection, OutgoingMessage outgoing) override;
  void close(ConnectionId connection, Closing why, std::string reason) override;

 private:
  struct Handshake {
    std::shared_ptr<Connection> connection;
    Clock::time_point since;
  };

  void begin_handshake(ConnectionId id, Socket socket);
  std::shared_ptr<Connection> end_handshake(ConnectionId id);
  void set_tick();
  void sweep();
  void stop();
  Connection* find(ConnectionId id);

  void on_open(ConnectionId id, Peer peer) override;
  void on_chunk(ConnectionId id, std::string_view chunk) override { protocol_.on_chunk(id, chunk); }
  bool on_buffered(std::ptrdiff_t bytes) override;
  void on_refused(ConnectionId id, Socket socket, std::string_view event, const std::string& reason) override;
  void on_violation(ConnectionId id, const std::string& reason) override;
  void on_gone(ConnectionId id) override;

  operation::Log& log_;
  HandshakeLog handshake_log_;
  std::ptrdiff_t memory_limit_, buffered_ = 0;
  Milliseconds hello_limit_, tick_;
  std::size_t clients_, max_handshakes_, max_open_;
  SynchronizedProtocol protocol_;
  ConnectionLimits limits_;
  security::TlsContext tls_;  // none: in the clear

  // The thread's, once it runs.
  asio::io_context context_{1};
  asio::executor_work_guard<Executor> work_{context_.get_executor()};
  Admission admission_{context_, handshake_log_, clients_,
                       [this](ConnectionId id, Socket socket) { begin_handshake(id, std::move(socket)); }};
  Timer timer_{context_.get_executor()};
  bool stopped_ = false;
  std::map<ConnectionId, Handshake> handshakes_;  // the oldest first
  Crowd handshaking_;
  std::map<ConnectionId, std::shared_ptr<Connection>> open_;
  std::thread thread_;
};

Result<void> WebSocketServer::Impl::start(const WebSocketServerOptions& options, const FederationOptions& federation) {
  limits_.largest_message = federation.largest_message;
  limits_.largest_hello = std::min(limits_.largest_hello, federation.largest_message);
  if (options.tls) {
    auto made = server_tls_context(*options.tls, federation.veto);
    if (!made) return made.error();
    tls_ = *std::move(made);
  }
  if (const auto listening = admission_.listen(options.listen); !listening) return listening.error();
  admission_.start();
  set_tick();
  thread_ = std::thread([this] { context_.run(); });
  return {};
}

WebSocketServer::Impl::~Impl() {
  if (!thread_.joinable()) return;
  asio::post(context_, [this] { stop(); });
  work_.reset();
  thread_.join();
}

// Every operation under way ends, and with the last one the thread.
void WebSocketServer::Impl::stop() {
  stopped_ = true;
  timer_.cancel();
  admission_.stop();
  for (const auto& [id, handshake] : handshakes_) handshake.connection->cut();
  for (const auto& [id, connection] : open_) connection->cut();
}

void WebSocketServer::Impl::set_tick() {
  timer_.expires_after(tick_);
  timer_.async_wait([this](error_code failure) {
    if (failure || stopped_) return;
    protocol_.on_tick();
    sweep();
    set_tick();
  });
}

void WebSocketServer::Impl::sweep() {
  admission_.sweep(hello_limit_);
  for (const auto& [id, handshake] : handshakes_) {
    if (Clock::now() - handshake.since <= hello_limit_) break;
    handshake.connection->cut();
  }
}

// ---- From any thread.

void WebSocketServer::Impl::send(ConnectionId connection, OutgoingMessage outgoing) {
  asio::post(context_, [this, connection, outgoing = std::move(outgoing)]() mutable {
    if (Connection* found = find(connection)) found->send(std::move(outgoing));
  });
}

void WebSocketServer::Impl::close(ConnectionId connection, Closing why, std::string reason) {
  asio::post(context_, [this, connection, why, reason = std::move(reason)]() mutable {
    Connection* const found = find(connection);
    if (found == nullptr) return;
    found->close(why, std::move(reason));
    if (why == Closing::Silent) found->cut();  // nobody listens
  });
}

// ---- The thread's.

Connection* WebSocketServer::Impl::find(ConnectionId id) {
  const auto found = open_.find(id);
  return found == open_.end() ? nullptr : found->second.get();
}

void WebSocketServer::Impl::begin_handshake(ConnectionId id, Socket socket) {
  if (handshakes_.size() >= max_handshakes_) {
    handshake_log_.warn("connections.shed", "many handshakes do not end: the oldest are broken off");
    const auto connection = end_handshake(*handshaking_.first_to_go());
    connection->cut();
  }
  handshaking_.add(id, origin_of(socket));
  auto connection = make_connection(id, std::move(socket), tls_.get(), limits_, *this);
  handshakes_.emplace(id, Handshake{connection, Clock::now()});
  connection->start();
}

// Whose handshake it was; nothing where it is over already.
std::shared_ptr<Connection> WebSocketServer::Impl::end_handshake(ConnectionId id) {
  handshaking_.remove(id);
  const auto found = handshakes_.find(id);
  if (found == handshakes_.end()) return nullptr;
  auto connection = std::move(found->second.connection);
  handshakes_.erase(found);
  return connection;
}

void WebSocketServer::Impl::on_open(ConnectionId id, Peer peer) {
  const auto connection = end_handshake(id);
  if (!connection) return;  // it was broken off
  if (stopped_ || open_.size() >= max_open_) return connection->cut();
  open_.emplace(id, connection);
  protocol_.on_open(id, std::move(peer));
}

bool WebSocketServer::Impl::on_buffered(std::ptrdiff_t bytes) {
  buffered_ += bytes;
  return buffered_ <= memory_limit_;
}

void WebSocketServer::Impl::on_refused(ConnectionId id, Socket socket, std::string_view event,
                                       const std::string& reason) {
  end_handshake(id);
  error_code failure;
  const auto end = socket.remote_endpoint(failure);
  handshake_log_.warn(event, reason, failure ? "" : end.address().to_string());
  if (!stopped_) admission_.drain(id, std::move(socket));
}

void WebSocketServer::Impl::on_violation(ConnectionId id, const std::string& reason) {
  log_.warning("connection.refused", {{"connection", id}, {"reason", reason}});
}

void WebSocketServer::Impl::on_gone(ConnectionId id) {
  end_handshake(id);
  if (open_.erase(id) > 0) protocol_.on_closed(id);
}

// ---- The server itself.

WebSocketServer::WebSocketServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
WebSocketServer::~WebSocketServer() = default;
SynchronizedProtocol& WebSocketServer::protocol() { return impl_->protocol(); }
int WebSocketServer::port() const { return impl_->port(); }

Result<std::unique_ptr<WebSocketServer>> WebSocketServer::open(const WebSocketServerOptions& options,
                                                               FederationOptions federation, operation::Log& log) {
  auto impl = std::make_unique<Impl>(federation, options.memory_limit, log);
  if (const auto started = impl->start(options, federation); !started) return started.error();
  return std::unique_ptr<WebSocketServer>(new WebSocketServer(std::move(impl)));
}

}  // namespace fedrk::network
