// SPDX-License-Identifier: Apache-2.0

// The client's end of a WebSocket: connecting, messages, whether the server is still there, and how it ended. It has no
// thread of its own (shared_loop.hpp).

#include <sys/ioctl.h>

#include <atomic>
#include <deque>
#include <utility>

#include "transport/websocket/websocket_types.hpp"

#include <fmt/format.h>
#include <boost/asio/connect.hpp>
#include <boost/asio/post.hpp>

#include "pki/certificate.hpp"
#include "pki/tls_probe.hpp"
#include "pki/tls_text.hpp"
#include "transport/protocol/sanitized.hpp"
#include "transport/protocol/server_link.hpp"
#include "transport/websocket/close_codes.hpp"
#include "transport/websocket/shared_loop.hpp"
#include "transport/websocket/tls_context.hpp"

namespace fedrk::network {
namespace {

using Resolver = asio::ip::basic_resolver<tcp, Executor>;
using Kind = LinkEnd::Kind;

constexpr std::size_t kReadAtOnce = 256 << 10;  // bytes
constexpr std::size_t kWriteBuffer = 16 << 10;  // bytes: what is masked at one time
constexpr std::size_t kKeptBuffer = 1 << 20;    // bytes of a buffer that stays for the next message
constexpr const char* kTooLarge = "a message was too large, or memory short; --max-message says how large one may be";
constexpr const char* kNotOurs = "a server answers there, but it is not fedrk's; is this the port of fedrk server?";

template <class Stream>
class WebSocketLink final : public ServerLink {
 public:
  static constexpr bool kSecure = std::is_same_v<Stream, TlsStream>;

  template <class... More>
  WebSocketLink(const LinkOptions& options, security::HostAndPort place, More&... more)
      : options_(options), place_(std::move(place)), stream_(Socket(loop_.context().get_executor()), more...) {
    asio::post(loop_.context(), [this] { resolve(); });
  }
  ~WebSocketLink() override {
    cancel();
    loop_.finish();
  }

  bool write(const wire::Chunk& chunk) override {
    Write operation{chunk, false, {}};
    asio::post(loop_.context(), [this, &operation] {
      writes_.push_back(&operation);
      write_next();
    });
    loop_.drive(operation.done);
    return operation.good;
  }

  std::optional<std::string_view> read() override {
    Read operation;
    asio::post(loop_.context(), [this, &operation] {
      drop_incoming();
      read_ = &operation;
      quiet_ticks_ = 0;
      read_next();
    });
    loop_.drive(operation.done);
    return operation.chunk;
  }

  void cancel() override {
    asio::post(loop_.context(), [this] { end(Kind::Lost, "the connection was ended"); });
  }

  LinkEnd finish() override {
    std::atomic<bool> ended = false;
    asio::post(loop_.context(), [this, &ended] {
      lose();
      ended = true;
    });
    loop_.drive(ended);
    return *end_;
  }

 private:
  struct Write {
    const wire::Chunk& chunk;
    bool good;
    std::atomic<bool> done;
  };
  struct Read {
    std::optional<std::string_view> chunk{};
    std::atomic<bool> done = false;
  };

  // ---- Until it is open.

  void resolve() {
    timer_.expires_after(options_.connect_limit);
    timer_.async_wait([this](error_code failure) {
      if (!failure && !open_) lose();
    });
    error_code named;
    if (const auto address = asio::ip::make_address(place_.host, named); !named) {
      const tcp::endpoint end(address, place_.port);
      return socket().async_connect(end, [this](error_code failure) { on_connected(failure); });
    }
    resolver_.async_resolve(place_.host, std::to_string(place_.port), tcp::resolver::numeric_service,
                            [this](error_code failure, const auto& found) {
                              if (ended_or(failure)) return;
                              asio::async_connect(socket(), found,
                                                  [this](error_code refused, const auto&) { on_connected(refused); });
                            });
  }

  void on_connected(const error_code& failure) {
    if (ended_or(failure)) return;
    error_code ignored;
    socket().set_option(tcp::no_delay(true), ignored);
    if constexpr (kSecure) {
      if (!expect_host(stream_.next_layer().native_handle(), place_.host)) return lose();
      stream_.next_layer().async_handshake([this](error_code refused, std::size_t) {
        if (!ended_or(refused)) upgrade();
      });
    } else {
      upgrade();
    }
  }

  void upgrade() {
    stream_.set_option(websocket::stream_base::decorator(
        [](websocket::request_type& request) { request.set(http::field::sec_websocket_protocol, kSubprotocol); }));
    stream_.control_callback([this](websocket::frame_type, beast::string_view) { quiet_ticks_ = 0; });
    stream_.read_message_max(options_.largest_message);
    stream_.write_buffer_bytes(kWriteBuffer);
    stream_.binary(true);
    stream_.async_handshake(answer_, options_.server, kTarget, [this](error_code failure) {
      if (failure == websocket::error::upgrade_declined) return declined();
      if (ended_or(failure)) return;
      if (speaks_otherwise()) return end(Kind::Denied, other_protocol());
      open_ = true;
      timer_.cancel();
      watch();
      write_next();
      read_next();
    });
  }

  // A proxy may answer in the place of a server that is away.
  void declined() {
    if (http::to_status_class(answer_.result()) == http::status_class::server_error) return lose();
    end(Kind::Denied, kNotOurs);
  }

  // A proxy may have taken the name away; then the server's first message tells.
  std::string_view spoken() const {
    const auto name = answer_[http::field::sec_websocket_protocol];
    return {name.data(), name.size()};
  }
  bool speaks_otherwise() const { return !spoken().empty() && spoken() != kSubprotocol; }
  std::string other_protocol() const {
    const bool numbered = spoken().starts_with(kNumberedProtocol);
    return fmt::format(
        "the server speaks protocol {}, this client {}: use the same version of fedrk on both sides",
        numbered ? sanitized(std::string(spoken().substr(kNumberedProtocol.size())), 10) : "4 or an earlier one",
        wire::kProtocol);
  }

  // ---- Messages.

  void write_next() {
    if (end_) {
      for (Write* waiting : std::exchange(writes_, {})) waiting->done = true;
      return;
    }
    if (!open_ || writing_ || writes_.empty()) return;
    writing_ = true;
    stream_.async_write(buffers_of(writes_.front()->chunk), [this](error_code failure, std::size_t) {
      writing_ = false;
      Write& written = *writes_.front();
      writes_.pop_front();
      written.good = !failure;
      written.done = true;  // and gone
      write_next();         // where this one failed, the reader hears why
    });
  }

  void read_next() {
    if (read_ == nullptr || reading_) return;
    if (end_) {
      std::exchange(read_, nullptr)->done = true;
      return;
    }
    if (!open_) return;
    reading_ = true;
    stream_.async_read_some(incoming_, kReadAtOnce, [this](error_code failure, std::size_t) {
      reading_ = false;
      quiet_ticks_ = 0;
      if (end_) return read_next();  // which ends the operation
      if (failure == websocket::error::closed) return closed();
      if (failure == websocket::error::message_too_big) return end(Kind::Lost, kTooLarge);
      if (ended_or(failure)) return;
      if (stream_.is_message_done()) take();
      read_next();
    });
  }

  void take() {
    const auto* bytes = static_cast<const char*>(incoming_.data().data());
    const std::size_t size = incoming_.size();
    if (stream_.got_text()) {
      farewell_.assign(bytes, size);
      drop_incoming();
    } else {
      heard_ = true;
      Read& whole = *std::exchange(read_, nullptr);
      whole.chunk.emplace(bytes, size);
      whole.done = true;  // and gone
    }
  }

  void drop_incoming() {
    incoming_.consume(incoming_.size());
    if (incoming_.capacity() > kKeptBuffer) incoming_.shrink_to_fit();
  }

  // ---- Whether the server is still there. While a message is on its way out the pings wait behind it: then it counts
  // that the other side's kernel takes bytes.

  void watch() {
    timer_.expires_after(options_.heartbeat);
    timer_.async_wait([this](error_code failure) {
      if (failure || end_) return;
      int unsent = 0;
      ::ioctl(socket().native_handle(), TIOCOUTQ, &unsent);
      if (!reading_ || unsent != std::exchange(unsent_, unsent)) {
        quiet_ticks_ = 0;
      } else if (++quiet_ticks_ >= 3) {
        return lose();
      } else if (!pinging_) {
        pinging_ = true;
        stream_.async_ping({}, [this](error_code) { pinging_ = false; });
      }
      watch();
    });
  }

  // ---- The end.

  bool ended_or(const error_code& failure) {
    if (end_) return true;
    if (!failure) return false;
    end(heard_ ? Kind::Lost : Kind::Unreachable, reason_of(failure));
    return true;
  }

  std::string reason_of(const error_code& failure) {
    if (failure.category() == asio::error::get_ssl_category()) {
      if constexpr (kSecure) {
        const long verdict = SSL_get_verify_result(stream_.next_layer().native_handle());
        if (verdict != X509_V_OK) {
          return "the server's certificate " + security::disbelief_text(static_cast<int>(verdict));
        }
      }
      const int code = ERR_GET_REASON(static_cast<unsigned long>(failure.value()));
      if (code > SSL_AD_REASON_OFFSET) return security::alert_finding(code - SSL_AD_REASON_OFFSET).message;
    }
    return heard_ ? "the connection was lost" : "no connection came about";
  }

  void closed() {
    if (end_) return;
    const websocket::close_reason& close = stream_.reason();
    if (close.code == kTooBig) return end(Kind::Lost, kTooLarge);
    std::string reason = farewell_.empty() ? std::string(close.reason.data(), close.reason.size()) : farewell_;
    const Kind kind = end_kind(close.code);
    if (kind == Kind::Closed) reason.clear();
    if (kind == Kind::Lost && reason.empty()) reason = "the connection was lost";
    end(kind, sanitized(std::move(reason), 500));
  }

  void lose() {
    end(heard_ ? Kind::Lost : Kind::Unreachable, heard_ ? "the connection was lost" : "no connection came about");
  }

  void end(Kind kind, std::string reason) {
    if (end_) return;
    end_ = LinkEnd{kind, std::move(reason)};
    error_code ignored;
    resolver_.cancel();
    timer_.cancel();
    socket().close(ignored);
    if (!writing_) write_next();
    if (!reading_) read_next();
  }

  Socket& socket() { return beast::get_lowest_layer(stream_); }

  LinkOptions options_;
  security::HostAndPort place_;
  SharedLoop loop_;
  WebSocket<Stream> stream_;
  Resolver resolver_{loop_.context().get_executor()};
  Timer timer_{loop_.context().get_executor()};
  websocket::response_type answer_;
  bool open_ = false, heard_ = false;
  std::deque<Write*> writes_;
  Read* read_ = nullptr;
  bool writing_ = false, reading_ = false, pinging_ = false;
  beast::flat_buffer incoming_;
  std::string farewell_;
  int quiet_ticks_ = 0, unsent_ = 0;
  std::optional<LinkEnd> end_;
};

}  // namespace

Result<std::unique_ptr<ServerLink>> connect(const LinkOptions& options) {
  auto place = security::parse_host_and_port(options.server);
  if (!place) return place.error();
  if (!options.tls) {
    return std::unique_ptr<ServerLink>(std::make_unique<WebSocketLink<Socket>>(options, *std::move(place)));
  }
  auto context = client_tls_context(*options.tls);
  if (!context) return context.error();
  return std::unique_ptr<ServerLink>(std::make_unique<WebSocketLink<TlsStream>>(options, *std::move(place), **context));
}

}  // namespace fedrk::network
