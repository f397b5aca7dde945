// SPDX-License-Identifier: Apache-2.0
#include "transport/websocket/websocket_connection.hpp"

#include <deque>
#include <optional>
#include <type_traits>
#include <utility>

#include <fmt/format.h>
#include <boost/asio/write.hpp>

#include "transport/websocket/close_codes.hpp"
#include "transport/websocket/websocket_types.hpp"

namespace fedrk::network {
namespace {

constexpr std::size_t kMaxWaiting = 8;         // messages to one client: the newest question, and some given up
constexpr std::size_t kMaxHeader = 8 << 10;    // bytes of the upgrade request
constexpr std::size_t kReadAtOnce = 64 << 10;  // bytes
constexpr std::size_t kKeptBuffer = 4 << 10;   // bytes of a buffer that stays for the next message
constexpr std::size_t kWriteBuffer = 4 << 10;

std::string address_of(const Socket& socket) {
  error_code failure;
  const auto end = socket.remote_endpoint(failure);
  if (failure) return "?";
  const std::string address = end.address().to_string();
  return end.address().is_v6() ? fmt::format("[{}]:{}", address, end.port())
                               : fmt::format("{}:{}", address, end.port());
}

Peer peer_of(const Socket& socket) { return {"", "", address_of(socket), false}; }

Peer peer_of(TlsStream& stream) {
  Peer peer{"", "", address_of(stream.next_layer()), true};
  const security::OwnedX509 certificate(SSL_get1_peer_certificate(stream.native_handle()));
  if (!certificate) return peer;
  peer.identity = security::common_name(X509_get_subject_name(certificate.get()));
  peer.certificate = security::pem_of(certificate.get());
  return peer;
}

template <class Stream>
class WebSocketConnection final : public Connection, public std::enable_shared_from_this<WebSocketConnection<Stream>> {
 public:
  template <class... More>
  WebSocketConnection(ConnectionId id, const ConnectionLimits& limits, ConnectionEvents& events, Socket socket,
                      More&... more)
      : id_(id), limits_(limits), events_(events), stream_(std::move(socket), more...) {}

  void start() override {
    if constexpr (std::is_same_v<Stream, TlsStream>) {
      attach_refusal(stream_.next_layer().native_handle(), refusal_);
      stream_.next_layer().async_handshake(on([this](error_code failure) {
        if (failure) return handshake_failed(failure);
        read_request();
      }));
    } else {
      read_request();
    }
  }

  void send(OutgoingMessage message) override {
    if (closing_ || gone_) return;
    if (outgoing_.size() >= kMaxWaiting) return cut();  // it does not read
    stream_.read_message_max(limits_.largest_message);
    outgoing_.push_back(std::move(message));
    write_next();
  }

  void close(Closing why, std::string reason) override {
    if (gone_ || closing_) return;
    closing_ = why;
    reason_ = std::move(reason);
    write_next();
  }

  void cut() override {
    error_code ignored;
    beast::get_lowest_layer(stream_).close(ignored);
  }

 private:
  // What is called back keeps the connection in place.
  template <class Function>
  auto on(Function function) {
    return [self = this->shared_from_this(), function = std::move(function)](
               error_code failure, std::size_t = 0) mutable { function(failure); };
  }

  // ---- Until it is open.

  void handshake_failed(const error_code& failure) {
    if (failure.category() != asio::error::get_ssl_category()) return gone();  // it hung up, or took too long
    refuse("tls.refused", handshake_reason(static_cast<unsigned long>(failure.value()), refusal_));
  }

  void refuse(std::string_view event, const std::string& reason) {
    gone_ = true;
    events_.on_refused(id_, std::move(beast::get_lowest_layer(stream_)), event, reason);
  }

  void read_request() {
    request_.emplace();
    request_->header_limit(kMaxHeader);
    request_->body_limit(0);
    incoming_.max_size(kMaxHeader + kReadAtOnce);
    http::async_read(stream_.next_layer(), incoming_, *request_, on([this](error_code failure) {
                       if (failure.category() == http::make_error_code(http::error::bad_target).category()) {
                         return answer("400 Bad Request", "it does not speak HTTP");
                       }
                       if (failure) return gone();
                       upgrade();
                     }));
  }

  void upgrade() {
    const auto& request = request_->get();
    if (!websocket::is_upgrade(request)) return answer("426 Upgrade Required", "it does not speak WebSocket");
    if (request.target() != kTarget) return answer("404 Not Found", "it asks for another page than the federation's");
    stream_.set_option(websocket::stream_base::decorator([](websocket::response_type& response) {
      response.set(http::field::server, kServerField);
      response.set(http::field::sec_websocket_protocol, kSubprotocol);
    }));
    stream_.read_message_max(limits_.largest_hello);
    stream_.auto_fragment(false);
    stream_.write_buffer_bytes(kWriteBuffer);
    stream_.async_accept(request, on([this](error_code failure) {
                           if (failure) return gone();
                           request_.reset();
                           incoming_ = beast::flat_buffer();
                           events_.on_open(id_, peer_of(stream_.next_layer()));
                           read_next();
                         }));
  }

  void answer(const char* status, const char* reason) {
    page_ = fmt::format("HTTP/1.1 {}\r\nServer: {}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", status,
                        kServerField);
    asio::async_write(stream_.next_layer(), asio::buffer(page_),
                      on([this, reason](error_code) { refuse("upgrade.refused", reason); }));
  }

  // ---- Reading.

  void read_next() {
    stream_.async_read_some(incoming_, kReadAtOnce, on([this](error_code failure) {
                              if (failure) return gone();
                              on_bytes();
                            }));
  }

  void on_bytes() {
    const auto grown = static_cast<std::ptrdiff_t>(incoming_.size()) - counted_;
    counted_ += grown;
    if (!stream_.is_message_done()) {
      if (!events_.on_buffered(grown)) return violate(Closing::Full, "there is no memory for its message");
      return read_next();
    }
    events_.on_buffered(grown - std::exchange(counted_, 0));
    if (!stream_.got_binary()) return violate(Closing::Broken, "a message cannot be read");
    events_.on_chunk(id_, {static_cast<const char*>(incoming_.data().data()), incoming_.size()});
    incoming_.consume(incoming_.size());
    if (incoming_.capacity() > kKeptBuffer) incoming_.shrink_to_fit();
    read_next();
  }

  // Nothing more is stored: closing reads on by itself, until the other side has answered, and drops what it reads.
  void violate(Closing why, const char* reason) {
    if (!closing_) events_.on_violation(id_, reason);
    incoming_ = beast::flat_buffer();
    events_.on_buffered(-std::exchange(counted_, 0));
    close(why, reason);
  }

  // ---- Writing.

  void write_next() {
    if (writing_ || gone_) return;
    if (outgoing_.empty()) {
      if (closing_) say_goodbye();
      return;
    }
    const OutgoingMessage message = outgoing_.front();
    chunk_ = wire::chunk_at(*message, next_);
    next_ += chunk_.bytes.size();
    if (next_ >= message->size()) {
      outgoing_.pop_front();
      next_ = 0;
    }
    stream_.binary(true);
    write(buffers_of(chunk_), message);
  }

  template <class Buffers>
  void write(const Buffers& buffers, OutgoingMessage bytes) {
    writing_ = true;
    stream_.async_write(buffers, on([this, bytes = std::move(bytes)](error_code failure) {
                          writing_ = false;
                          if (failure) return gone();
                          write_next();
                        }));
  }

  void say_goodbye() {
    if (reason_.size() > kMaxCloseReason) {
      close_reason_ = close_reason(reason_);
      const auto reason = std::make_shared<const std::string>(std::exchange(reason_, {}));
      stream_.binary(false);
      return write(asio::buffer(*reason), reason);
    }
    if (close_reason_.empty()) close_reason_ = reason_;
    writing_ = true;
    const websocket::close_reason frame(static_cast<websocket::close_code>(close_code(*closing_)),
                                        beast::string_view(close_reason_.data(), close_reason_.size()));
    stream_.async_close(frame, on([this](error_code) { gone(); }));
  }

  void gone() {
    if (std::exchange(gone_, true)) return;
    events_.on_buffered(-std::exchange(counted_, 0));
    cut();
    events_.on_gone(id_);
  }

  ConnectionId id_;
  ConnectionLimits limits_;
  ConnectionEvents& events_;
  CertificateRefusal refusal_;  // before the stream, which points to it
  WebSocket<Stream> stream_;
  std::optional<http::request_parser<http::empty_body>> request_;
  std::string page_;
  beast::flat_buffer incoming_;
  std::ptrdiff_t counted_ = 0;  // bytes of it that were reported
  std::deque<OutgoingMessage> outgoing_;
  std::size_t next_ = 0;  // byte of the first of them
  wire::Chunk chunk_{};   // that is being written
  std::optional<Closing> closing_;
  std::string reason_, close_reason_;
  bool writing_ = false, gone_ = false;
};

}  // namespace

std::shared_ptr<Connection> make_connection(ConnectionId id, Socket socket, SSL_CTX* tls,
                                            const ConnectionLimits& limits, ConnectionEvents& events) {
  if (tls == nullptr) {
    return std::make_shared<WebSocketConnection<Socket>>(id, limits, events, std::move(socket));
  }
  return std::make_shared<WebSocketConnection<TlsStream>>(id, limits, events, std::move(socket), *tls);
}

}  // namespace fedrk::network
