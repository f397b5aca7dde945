// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace fedrk::network {

/// Who one is, and whom one believes: PEM files.
struct TlsFiles {
  std::string certificate, key, ca;
};

}  // namespace fedrk::network
