// SPDX-License-Identifier: Apache-2.0
#include "bench/federation/echo.hpp"

#include <thread>
#include <utility>  // before Asio of Boost 1.74
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/ssl.hpp>
#include <boost/beast/websocket.hpp>
#include <boost/beast/websocket/ssl.hpp>

namespace fedrk::bench {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace ssl = asio::ssl;
using asio::ip::tcp;
using Line = beast::websocket::stream<beast::ssl_stream<tcp::socket>>;

ssl::context context_of(const network::TlsFiles& files) {
  ssl::context context(ssl::context::tlsv13);
  context.use_certificate_chain_file(files.certificate);
  context.use_private_key_file(files.key, ssl::context::pem);
  context.load_verify_file(files.ca);
  context.set_verify_mode(ssl::verify_peer | ssl::verify_fail_if_no_peer_cert);
  return context;
}

void send_back(Line& line) {
  line.next_layer().handshake(ssl::stream_base::server);
  line.accept();
  line.binary(true);
  line.auto_fragment(false);
  beast::error_code gone;
  for (beast::flat_buffer bytes; !gone; bytes.clear()) {
    line.read(bytes, gone);
    if (!gone) line.write(bytes.data(), gone);
  }
}

}  // namespace

struct Echo::Impl {
  Impl(const network::TlsFiles& own, const network::TlsFiles& client)
      : server_tls(context_of(own)), client_tls(context_of(client)) {}

  asio::io_context context;
  ssl::context server_tls, client_tls;
  std::vector<std::unique_ptr<Line>> server_lines, lines;
  std::vector<std::thread> threads;
  std::vector<double> message;
  beast::flat_buffer answer;
  std::size_t next = 0;
};

Echo::Echo(const network::TlsFiles& own, const network::TlsFiles& client, std::size_t connections, std::size_t numbers)
    : impl_(std::make_unique<Impl>(own, client)) {
  tcp::acceptor acceptor(impl_->context, {asio::ip::address_v4::loopback(), 0});
  for (std::size_t k = 0; k < connections; ++k) {
    auto line = std::make_unique<Line>(impl_->context, impl_->client_tls);
    beast::get_lowest_layer(*line).connect(acceptor.local_endpoint());
    auto peer = std::make_unique<Line>(acceptor.accept(), impl_->server_tls);
    for (Line* each : {line.get(), peer.get()}) beast::get_lowest_layer(*each).set_option(tcp::no_delay(true));
    impl_->threads.emplace_back([&served = *peer] { send_back(served); });
    line->next_layer().handshake(ssl::stream_base::client);
    line->handshake("localhost", "/");
    line->binary(true);
    line->write_buffer_bytes(16 << 10);
    impl_->server_lines.push_back(std::move(peer));
    impl_->lines.push_back(std::move(line));
  }
  for (std::size_t j = 0; j < numbers; ++j) impl_->message.push_back(0.1 * static_cast<double>(j));
}

Echo::~Echo() {
  beast::error_code ignored;
  for (auto& line : impl_->lines) beast::get_lowest_layer(*line).close(ignored);
  for (std::thread& thread : impl_->threads) thread.join();
}

void Echo::round(std::size_t asked) {
  const std::size_t first = impl_->next;
  impl_->next = (first + asked) % impl_->lines.size();
  const auto line = [&](std::size_t k) -> Line& { return *impl_->lines[(first + k) % impl_->lines.size()]; };
  for (std::size_t k = 0; k < asked; ++k) line(k).write(asio::buffer(impl_->message));
  for (std::size_t k = 0; k < asked; ++k) {
    impl_->answer.clear();
    line(k).read(impl_->answer);
  }
}

}  // namespace fedrk::bench
