// SPDX-License-Identifier: Apache-2.0
#include "transport/websocket/websocket_tls_stream.hpp"

namespace fedrk::network {

using security::require;

// OpenSSL reads on by itself after messages that are its own, such as new keys. After so many moves of bytes it is the
// turn of the other connections.
constexpr int kMaxMoves = 8;

TlsStream::TlsStream(Socket socket, SSL_CTX& context)
    : socket_(std::move(socket)), tls_(require(SSL_new(&context), "cannot set TLS up")) {
  BIO* const bio = require(BIO_new(socket_method()), "cannot set TLS up");
  BIO_set_data(bio, this);
  SSL_set_bio(native_handle(), bio, bio);
  SSL_is_server(native_handle()) == 1 ? SSL_set_accept_state(native_handle()) : SSL_set_connect_state(native_handle());
}

// Asio's calls rather than those of OpenSSL's own sockets: a broken connection must not raise SIGPIPE.
const BIO_METHOD* TlsStream::socket_method() {
  static BIO_METHOD* const method = [] {
    BIO_METHOD* const made =
        require(BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket"), "cannot set TLS up");
    BIO_meth_set_read(made, [](BIO* bio, char* into, int size) {
      return move(bio, BIO_FLAGS_READ, [&](Socket& socket, error_code& failure) {
        return socket.read_some(asio::buffer(into, static_cast<std::size_t>(size)), failure);
      });
    });
    BIO_meth_set_write(made, [](BIO* bio, const char* from, int size) {
      return move(bio, BIO_FLAGS_WRITE, [&](Socket& socket, error_code& failure) {
        return socket.write_some(asio::buffer(from, static_cast<std::size_t>(size)), failure);
      });
    });
    BIO_meth_set_ctrl(made, [](BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1L : 0L; });
    return made;
  }();
  return method;
}

template <class Move>
int TlsStream::move(BIO* bio, int retry, const Move& some) {
  auto& stream = *static_cast<TlsStream*>(BIO_get_data(bio));
  BIO_clear_retry_flags(bio);
  stream.socket_failure_ = asio::error::would_block;
  const std::size_t bytes = ++stream.moves_ > kMaxMoves ? 0 : some(stream.socket_, stream.socket_failure_);
  if (stream.socket_failure_ == asio::error::would_block) BIO_set_flags(bio, retry | BIO_FLAGS_SHOULD_RETRY);
  return stream.socket_failure_ ? -1 : static_cast<int>(bytes);
}

error_code TlsStream::failure_of(int state) const {
  if (state == SSL_ERROR_SSL) return {static_cast<int>(ERR_get_error()), asio::error::get_ssl_category()};
  return state == SSL_ERROR_SYSCALL && socket_failure_ ? socket_failure_ : asio::error::eof;
}

}  // namespace fedrk::network
