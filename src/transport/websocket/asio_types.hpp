// SPDX-License-Identifier: Apache-2.0
#pragma once

// Asio's types as the transport uses them, bound to one kind of executor: cheaper to call and to compile than any.

#include <utility>  // before Asio of Boost 1.74, which needs std::exchange

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/wait_traits.hpp>
#include <chrono>

namespace fedrk::network {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

using Executor = asio::io_context::executor_type;
using Socket = asio::basic_stream_socket<tcp, Executor>;
using Acceptor = asio::basic_socket_acceptor<tcp, Executor>;
using Timer =
    asio::basic_waitable_timer<std::chrono::steady_clock, asio::wait_traits<std::chrono::steady_clock>, Executor>;

}  // namespace fedrk::network
