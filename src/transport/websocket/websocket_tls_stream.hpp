// SPDX-License-Identifier: Apache-2.0
#pragma once

// TLS on a socket, as Beast wants it of the layer below a WebSocket. asio::ssl::stream keeps 68 kB of buffers for each
// connection and copies every byte through them; here OpenSSL reads from the socket and writes to it, and has a buffer
// only while a record is incomplete.

#include "transport/websocket/asio_types.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/compose.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/beast/websocket/teardown.hpp>

#include "pki/openssl.hpp"

namespace fedrk::network {

/// A handshake or a read, and a write besides, may be under way.
class TlsStream {
 public:
  using executor_type = Executor;

  /// Client or server, as the context says, which may go before the stream.
  TlsStream(Socket socket, SSL_CTX& context);
  TlsStream(const TlsStream&) = delete;  // OpenSSL knows where it is
  TlsStream& operator=(const TlsStream&) = delete;

  Executor get_executor() { return socket_.get_executor(); }
  Socket& next_layer() { return socket_; }
  SSL* native_handle() { return tls_.get(); }

  template <class Handler>
  void async_handshake(Handler&& handler) {
    error_code ignored;
    socket_.non_blocking(true, ignored);
    begin(SSL_do_handshake, false, std::forward<Handler>(handler));
  }

  template <class Buffers, class Handler>
  void async_read_some(const Buffers& buffers, Handler&& handler) {
    const auto end = asio::buffer_sequence_end(buffers);
    const auto first = std::find_if(asio::buffer_sequence_begin(buffers), end,
                                    [](const asio::mutable_buffer& each) { return each.size() > 0; });
    const auto into = first == end ? asio::mutable_buffer() : asio::mutable_buffer(*first);
    const auto size = static_cast<int>(std::min(into.size(), kMaxAtOnce));
    begin([=](SSL* tls) { return SSL_read(tls, into.data(), size); }, size == 0, std::forward<Handler>(handler));
  }

  template <class Buffers, class Handler>
  void async_write_some(const Buffers& buffers, Handler&& handler) {
    const auto write = [buffers](SSL* tls) {
      std::array<char, SSL3_RT_MAX_PLAIN_LENGTH> record;  // NOLINT: only what is copied into it is read
      const std::size_t size = asio::buffer_copy(asio::buffer(record), buffers);
      return SSL_write(tls, record.data(), static_cast<int>(size));
    };
    begin(write, asio::buffer_size(buffers) == 0, std::forward<Handler>(handler));
  }

 private:
  static constexpr std::size_t kMaxAtOnce = 1 << 30;  // bytes that OpenSSL can count

  // Calls OpenSSL again whenever the socket is ready for it. Does not complete within the call that began it.
  template <class Call>
  struct Operation {
    TlsStream& stream;
    Call call;
    bool done, begun = false;
    std::size_t bytes = 0;
    error_code failure{};

    template <class Self>
    void operator()(Self& self, const error_code& interrupted = {}) {
      if (interrupted) return self.complete(interrupted, 0);
      if (!done) {
        ERR_clear_error();
        stream.moves_ = 0;
        const int result = call(stream.tls_.get());
        const int state = SSL_get_error(stream.tls_.get(), result);
        if (state == SSL_ERROR_WANT_READ || state == SSL_ERROR_WANT_WRITE) {
          begun = true;
          const auto ready = state == SSL_ERROR_WANT_READ ? Socket::wait_read : Socket::wait_write;
          return stream.socket_.async_wait(ready, std::move(self));
        }
        done = true;
        if (result > 0) {
          bytes = static_cast<std::size_t>(result);
        } else {
          failure = stream.failure_of(state);
        }
      }
      if (!std::exchange(begun, true)) return asio::post(stream.get_executor(), std::move(self));
      self.complete(failure, bytes);
    }
  };

  template <class Call, class Handler>
  void begin(Call call, bool done, Handler&& handler) {
    asio::async_compose<Handler, void(error_code, std::size_t)>(Operation<Call>{*this, std::move(call), done}, handler,
                                                                socket_);
  }

  error_code failure_of(int state) const;
  static const BIO_METHOD* socket_method();
  template <class Move>
  static int move(BIO* bio, int retry, const Move& some);

  Socket socket_;
  error_code socket_failure_;  // of what OpenSSL did last
  int moves_ = 0;              // of bytes from or to the socket, in one call of OpenSSL
  security::Tls tls_;
};

/// For Beast, once both sides have closed the WebSocket. A peer that cares has its close frame.
template <class Handler>
void async_teardown(boost::beast::role_type role, TlsStream& stream, Handler&& handler) {
  SSL_shutdown(stream.native_handle());
  boost::beast::websocket::async_teardown(role, stream.next_layer(), std::forward<Handler>(handler));
}

}  // namespace fedrk::network
