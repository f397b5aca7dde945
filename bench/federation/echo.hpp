// SPDX-License-Identifier: Apache-2.0
#pragma once

// The peer: a plain WebSocket echo over mutual TLS. So many connections are open; in a round some of them carry a
// vector there and back. Blocking calls, a thread for each connection of the server, as in Beast's own examples.

#include <cstddef>
#include <memory>
#include <string>

#include "fedrk/tls_files.hpp"

namespace fedrk::bench {

class Echo {
 public:
  Echo(const network::TlsFiles& server, const network::TlsFiles& client, std::size_t connections, std::size_t numbers);
  ~Echo();

  /// A round with `asked` of the connections, other ones each time.
  void round(std::size_t asked);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fedrk::bench
