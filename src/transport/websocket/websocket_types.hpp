// SPDX-License-Identifier: Apache-2.0
#pragma once

// Beast's types as both ends of a WebSocket use them.

#include "transport/websocket/asio_types.hpp"

#include <array>

#include <boost/asio/buffer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/ssl.hpp>
#include <boost/beast/websocket.hpp>
#include <boost/beast/websocket/ssl.hpp>

#include "transport/protocol/chunks.hpp"

namespace fedrk::network {

namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;

using PlainStream = beast::basic_stream<tcp, Executor>;
using TlsStream = beast::ssl_stream<PlainStream>;

/// A chunk as it is written; both parts must stay in place.
inline std::array<asio::const_buffer, 2> buffers_of(const wire::Chunk& chunk) {
  return {asio::buffer(&chunk.kind, sizeof chunk.kind), asio::buffer(chunk.bytes.data(), chunk.bytes.size())};
}

}  // namespace fedrk::network
