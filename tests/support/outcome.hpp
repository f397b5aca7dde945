// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace fedrk::test {

/// How a command ended.
struct Outcome {
  int exit_code = -1;  // 128 + n after signal n
  std::string out, err;
};

}  // namespace fedrk::test
