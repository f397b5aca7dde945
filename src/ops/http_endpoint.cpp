// SPDX-License-Identifier: Apache-2.0
#include "ops/http_endpoint.hpp"

#include <chrono>
#include <functional>
#include <list>
#include <thread>
#include <utility>  // before Asio of Boost 1.74, which needs std::exchange

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

namespace fedrk::operation {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using beast::error_code;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

constexpr auto kMaxTime = 2s;                   // for one connection, from its first byte to its last
constexpr std::uint32_t kMaxHeader = 8 * 1024;  // bytes: browsers send one or two thousand
constexpr std::size_t kMaxConnections = 128;    // at one time; the oldest gives way
constexpr auto kPause = 50ms;                   // of accepting, where there is no descriptor
constexpr const char* kPlain = "text/plain; charset=utf-8";
constexpr const char* kPrometheus = "text/plain; version=0.0.4; charset=utf-8";

using Request = http::request<http::empty_body>;
using Response = http::response<http::string_body>;

void fill(Response& response, http::status status, std::string body, const char* type = kPlain) {
  response.result(status);
  response.set(http::field::content_type, type);
  response.body() = std::move(body);
}

struct Pages {
  HealthSource health;
  MetricsSource metrics;

  void show(const Request& request, Response& response) const {
    const bool page_of_metrics = request.target() == "/metrics";
    if (!page_of_metrics && request.target() != "/healthz") {
      return fill(response, http::status::not_found, "not found\n");
    }
    if (request.method() != http::verb::get) {
      response.set(http::field::allow, "GET");
      return fill(response, http::status::method_not_allowed, "only GET\n");
    }
    try {
      if (page_of_metrics) return fill(response, http::status::ok, exposition(metrics()), kPrometheus);
      const auto wrong = health();
      fill(response, wrong ? http::status::service_unavailable : http::status::ok, wrong.value_or("ok") + "\n");
    } catch (const std::exception&) {
      fill(response, http::status::internal_server_error, "the server could not tell\n");
    }
  }
};

/// One request and its answer.
class Exchange {
 public:
  using Done = std::function<void()>;
  Exchange(tcp::socket socket, const Pages& pages) : stream_(std::move(socket)), pages_(pages) {}

  /// `done` is called once, last.
  void start(Done done) {
    done_ = std::move(done);
    parser_.header_limit(kMaxHeader);
    parser_.body_limit(0);
    stream_.expires_after(kMaxTime);
    http::async_read(stream_, buffer_, parser_, [this](error_code failure, std::size_t) {
      if (failure) return done_();
      answer();
    });
  }
  void cut() { stream_.close(); }

 private:
  void answer() {
    const Request& request = parser_.get();
    response_.version(11);
    response_.keep_alive(false);
    pages_.show(request, response_);
    response_.prepare_payload();
    if (request.method() == http::verb::head) response_.body().clear();
    http::async_write(stream_, response_, [this](error_code, std::size_t) {
      error_code ignored;
      stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
      done_();
    });
  }

  beast::tcp_stream stream_;
  const Pages& pages_;
  Done done_;
  beast::flat_buffer buffer_{2 * kMaxHeader};
  http::request_parser<http::empty_body> parser_;
  Response response_;
};

}  // namespace

class HttpEndpoint::Impl {
 public:
  Impl(HealthSource health, MetricsSource metrics) : pages_{std::move(health), std::move(metrics)} {}

  ~Impl() {
    if (!thread_.joinable()) return;
    asio::post(context_, [this] {
      error_code ignored;
      acceptor_.close(ignored);
      pause_.cancel();
      for (Exchange& each : exchanges_) each.cut();
    });
    thread_.join();
  }

  error_code listen(const EndpointOptions& options) {
    error_code failure;
    const auto found =
        tcp::resolver(context_).resolve(options.address, std::to_string(options.port), tcp::resolver::passive, failure);
    const tcp::endpoint end = failure ? tcp::endpoint() : found.begin()->endpoint();
    if (!failure) acceptor_.open(end.protocol(), failure);
    if (!failure) acceptor_.set_option(tcp::acceptor::reuse_address(true), failure);
    if (!failure) acceptor_.bind(end, failure);
    if (!failure) acceptor_.listen(asio::socket_base::max_listen_connections, failure);
    if (!failure) port_ = acceptor_.local_endpoint(failure).port();
    return failure;
  }

  void serve() {
    accept_next();
    thread_ = std::thread([this] { context_.run(); });
  }

  std::uint16_t port() const { return port_; }

 private:
  void accept_next() {
    acceptor_.async_accept([this](error_code failure, tcp::socket socket) {
      if (!acceptor_.is_open()) return;
      if (failure) return accept_later();
      if (exchanges_.size() >= kMaxConnections) exchanges_.front().cut();
      const auto place = exchanges_.emplace(exchanges_.end(), std::move(socket), pages_);
      place->start([this, place] { asio::post(context_, [this, place] { exchanges_.erase(place); }); });
      accept_next();
    });
  }

  void accept_later() {
    pause_.expires_after(kPause);
    pause_.async_wait([this](error_code failure) {
      if (!failure && acceptor_.is_open()) accept_next();
    });
  }

  Pages pages_;
  std::uint16_t port_ = 0;
  asio::io_context context_{1};
  tcp::acceptor acceptor_{context_};
  asio::steady_timer pause_{context_};
  std::list<Exchange> exchanges_;  // the oldest first
  std::thread thread_;
};

Result<std::unique_ptr<HttpEndpoint>> HttpEndpoint::start(const EndpointOptions& options, HealthSource health,
                                                          MetricsSource metrics) {
  auto impl = std::make_unique<Impl>(std::move(health), std::move(metrics));
  if (const error_code failure = impl->listen(options)) {
    return Error{options.address + ":" + std::to_string(options.port) + ": cannot show /healthz and /metrics there (" +
                 failure.message() + "); choose another port, or 0 for a free one"};
  }
  impl->serve();
  return std::unique_ptr<HttpEndpoint>(new HttpEndpoint(std::move(impl)));
}

HttpEndpoint::HttpEndpoint(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpEndpoint::~HttpEndpoint() = default;

std::uint16_t HttpEndpoint::port() const { return impl_->port(); }

}  // namespace fedrk::operation
