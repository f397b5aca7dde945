// SPDX-License-Identifier: Apache-2.0
#pragma once

// Beast's types as both ends of a WebSocket use them.

#include "transport/websocket/asio_types.hpp"

#include <array>

#include <boost/asio/buffer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/websocket.hpp>

#include "transport/protocol/chunks.hpp"
#include "transport/websocket/websocket_tls_stream.hpp"

namespace fedrk::network {

namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;

/// Over a Socket or a TlsStream, without compression.
template <class Stream>
using WebSocket = websocket::stream<Stream, false>;

/// A chunk as it is written; both parts must stay in place.
inline std::array<asio::const_buffer, 2> buffers_of(const wire::Chunk& chunk) {
  return {asio::buffer(&chunk.kind, sizeof chunk.kind), asio::buffer(chunk.bytes.data(), chunk.bytes.size())};
}

}  // namespace fedrk::network
