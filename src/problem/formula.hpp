// SPDX-License-Identifier: Apache-2.0
#pragma once

// "y ~ a + b": which column is explained, and by which.

#include <string>
#include <string_view>
#include <vector>

namespace fedrk::api {

struct Formula {
  std::string response;
  bool all_others = false;              // "."
  std::vector<std::string> columns{};   // by name, in the order of the formula; none where all others are meant
  std::vector<std::string> left_out{};  // of all others
  bool intercept = true;
};

/// Throws InvalidArgument, with what is supported, for anything else than names, ".", +, -, 0 and 1.
Formula parse_formula(std::string_view text);

}  // namespace fedrk::api
