// SPDX-License-Identifier: Apache-2.0
#include "fedrk/operation/http_endpoint.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include <httplib.h>

#include "operation/bounded_stream.hpp"

namespace fedrk::operation {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

constexpr auto kLongest = 2s;                  // for one connection, from its first byte to its last
constexpr std::size_t kMostBytes = 16 * 1024;  // of a request: browsers send one or two thousand
constexpr std::size_t kThreads = 2;            // so that one slow reader does not keep the others out
constexpr const char* kPlain = "text/plain; charset=utf-8";
constexpr const char* kPrometheus = "text/plain; version=0.0.4; charset=utf-8";

void answer(httplib::Response& response, int status, const std::string& body, const char* type = kPlain) {
  response.status = status;
  response.set_content(body, type);
}

}  // namespace

class HttpEndpoint::Serving : public httplib::Server {
 public:
  Serving(HealthSource health, MetricsSource metrics) : health_(std::move(health)), metrics_(std::move(metrics)) {
    new_task_queue = [] { return new httplib::ThreadPool(kThreads); };  // NOLINT: the server deletes it
    // The library would share the port with whoever has it.
    set_socket_options([](int socket) {
      const int yes = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      respond(request, response);
      return HandlerResponse::Handled;
    });
  }

  ~Serving() override {
    stopping_ = true;
    stop();
    if (thread_.joinable()) thread_.join();
  }

  bool bind(const EndpointOptions& options) {
    const int port = options.port == 0                                  ? bind_to_any_port(options.address)
                     : bind_to_port(options.address, int{options.port}) ? int{options.port}
                                                                        : -1;
    if (port > 0) port_ = static_cast<std::uint16_t>(port);
    return port > 0;
  }

  void serve() {
    thread_ = std::thread([this] {
      listen_after_bind();
      ended_ = true;
    });
    // The library forgets a stop that comes before it has started.
    while (!is_running() && !ended_) std::this_thread::sleep_for(1ms);
  }

  std::uint16_t port() const { return port_; }

 private:
  bool process_and_close_socket(int socket) override {
    BoundedStream stream(socket, BoundedStream::Clock::now() + kLongest, kMostBytes, stopping_);
    bool closed = false;
    const bool done = process_request(stream, true, closed, [](httplib::Request& request) { request.ranges.clear(); });
    ::shutdown(socket, SHUT_RDWR);
    ::close(socket);
    return done;
  }

  void respond(const httplib::Request& request, httplib::Response& response) const {
    if (request.path != "/healthz" && request.path != "/metrics") return answer(response, 404, "not found\n");
    if (request.method != "GET") {
      response.set_header("Allow", "GET");
      return answer(response, 405, "only GET\n");
    }
    try {
      if (request.path == "/metrics") return answer(response, 200, exposition(metrics_()), kPrometheus);
      const auto wrong = health_();
      answer(response, wrong ? 503 : 200, wrong.value_or("ok") + "\n");
    } catch (const std::exception&) {
      answer(response, 500, "the server could not tell\n");
    }
  }

  HealthSource health_;
  MetricsSource metrics_;
  std::uint16_t port_ = 0;
  std::atomic<bool> stopping_ = false, ended_ = false;
  std::thread thread_;
};

Result<std::unique_ptr<HttpEndpoint>> HttpEndpoint::start(const EndpointOptions& options, HealthSource health,
                                                          MetricsSource metrics) {
  auto serving = std::make_unique<Serving>(std::move(health), std::move(metrics));
  errno = 0;
  if (!serving->bind(options)) {
    const std::string reason = errno != 0 ? std::strerror(errno) : "no such address";
    return Error{options.address + ":" + std::to_string(options.port) + ": cannot show /healthz and /metrics there (" +
                 reason + "); choose another port, or 0 for a free one"};
  }
  serving->serve();
  return std::unique_ptr<HttpEndpoint>(new HttpEndpoint(std::move(serving)));
}

HttpEndpoint::HttpEndpoint(std::unique_ptr<Serving> serving) : serving_(std::move(serving)) {}
HttpEndpoint::~HttpEndpoint() = default;

std::uint16_t HttpEndpoint::port() const { return serving_->port(); }

}  // namespace fedrk::operation
